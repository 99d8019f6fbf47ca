"""Machinery of the workflow, without any science."""
