"""The one exception that is addressed to the user."""

from pathlib import Path


class NeuraleseError(Exception):
    """Something the user can fix: the message is one sentence that says what is wrong and what to do next."""


class DamagedError(NeuraleseError):
    """A file that is not whole, or whose bytes are not those that were written."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(f"{path} is damaged; delete it and run again.")


class StorageError(NeuraleseError):
    """The disk refuses a write (full, read-only); trying something else would not help."""
