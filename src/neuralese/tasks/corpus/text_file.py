"""Untrusted text files: UTF-8 without NUL bytes, or one sentence that says what to do."""

import re
from pathlib import Path

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.faults import shown

# C0, C1, lone surrogates, and characters that reverse the direction of text; tabs and line ends are checked separately
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
CONTROL_OR_BREAK = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that should exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NeuraleseError(f"{path} does not exist; `neuralese corpus new DIR` writes an example of one.") from None
    except IsADirectoryError:
        raise NeuraleseError(f"{path} is a folder; replace it with a file.") from None
    except OSError as error:
        raise NeuraleseError(f"{path} cannot be read ({error.strerror}); make it readable.") from None


def read_text(path: Path) -> str:
    """The text of a file that should exist, with the line ends of any system."""
    content = read_bytes(path)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NeuraleseError(f"{path} is UTF-16, not UTF-8; save it as UTF-8.")
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise NeuraleseError(f"{path}, line {line} holds a NUL byte, so it is not text; save the file as UTF-8 text.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise NeuraleseError(f"{path}, line {line} is not UTF-8 (byte {byte:#04x}); save the file as UTF-8.") from None


def control_character(text: str, breaks_allowed: bool = False) -> str | None:
    """The first control character of a text, as named in a sentence; tabs and line ends may be allowed."""
    found = (CONTROL if breaks_allowed else CONTROL_OR_BREAK).search(text)
    return f"U+{ord(found[0]):04X} in {shown(text)}" if found else None
