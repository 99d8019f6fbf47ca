"""Loaded by every Python of a watched run: hands over to a fork if there may be one, and notes what was loaded."""

import os

import forked
import loaded

if "NEURALESE_FORKED" in os.environ and forked.wanted():
    forked.hand_over(os.environ["NEURALESE_FORKED"])
loaded.note_at_the_end()
