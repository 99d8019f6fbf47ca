"""The one exception a user is meant to read."""


class NeuraleseError(Exception):
    """Something the user can mend: its message is one sentence that says what is wrong and what to do next."""


class StorageError(NeuraleseError):
    """The disk does not take what is to be written (full, read-only); trying something else would not help."""
