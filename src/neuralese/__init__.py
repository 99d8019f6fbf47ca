"""Translate what learned agents say to each other into English, and back."""
