"""The one exception that is addressed to the user."""


class NeuraleseError(Exception):
    """Something the user can fix: the message is one sentence that says what is wrong and what to do next."""


class StorageError(NeuraleseError):
    """The disk refuses a write (full, read-only); trying something else would not help."""
