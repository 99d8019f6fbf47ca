"""The stages: a function each, called by its script, by `Translator` and by tests, and what they are given.

A function takes a run and plain values, and returns what it made; scripts write it.
"""

from neuralese.stages.job import Job, stage
from neuralese.stages.run import Run

__all__ = ["Job", "Run", "stage"]
