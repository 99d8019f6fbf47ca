"""Read untrusted pickles: plain lists, dicts, strings and numbers only; anything that names code is refused.

The standard library's unpickler runs code, and allocates as much memory as a few bytes ask for. This one knows only
the instructions that plain data needs, and lets every list occur in one place only, so that its result is never
larger than the pickle.
"""

import codecs
import struct
from collections.abc import Callable
from typing import Any

from neuralese.errors import NeuraleseError

DEEPEST = 100  # levels of nested lists
MOST_HELD = 10_000  # values waiting for the list they belong to; picklers write 1,000 at a time
NAMING_CODE = frozenset(b"cioR\x81\x92\x93bPQ\x82\x83\x84")  # classes, calls, persistent ids, extensions
PROTOCOL, FRAME, STOP, MARK = 0x80, 0x95, ord("."), object()


class DamagedError(ValueError):
    """Says what is wrong with a pickle."""


class _Reader:
    """The bytes of a pickle, read in order."""

    def __init__(self, content: bytes) -> None:
        self.content, self.position = content, 0

    def take(self, length: int) -> bytes:
        if length > len(self.content) - self.position:
            raise DamagedError("it is truncated")
        self.position += length
        return self.content[self.position - length : self.position]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self) -> bytes:
        end = self.content.find(b"\n", self.position, self.position + (1 << 16))
        if end < 0:
            raise DamagedError("a line does not end")
        line, self.position = self.content[self.position : end], end + 1
        return line

    def integer(self) -> Any:
        """An integer in decimal digits, or a boolean."""
        line = self.line().removesuffix(b"L")
        if line in (b"00", b"01"):
            return line == b"01"
        if len(line) > 20:
            raise DamagedError("a number has too many digits")
        return int(line)

    def text(self, form: str) -> str:
        """A string preceded by its length."""
        return self.take(self.number(form)).decode()

    def escaped(self) -> str:
        """A string on a line of its own."""
        text = self.line().decode("raw-unicode-escape")
        text.encode()  # raises on half a character (a lone surrogate)
        return text

    def string(self) -> str:
        """A Python 2 string, as a literal."""
        line = self.line().strip()
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise DamagedError("a string has no quotes")
        return codecs.escape_decode(line[1:-1])[0].decode("latin-1")

    def long(self) -> int:
        length = self.number("<B")
        if length > 8:
            raise DamagedError("a number has too many digits")
        return int.from_bytes(self.take(length), "little", signed=True)


VALUES: dict[int, Callable[[_Reader], Any]] = {  # instructions that put a value on the stack
    ord("K"): lambda reader: reader.number("<B"),
    ord("M"): lambda reader: reader.number("<H"),
    ord("J"): lambda reader: reader.number("<i"),
    ord("I"): _Reader.integer,
    ord("L"): _Reader.integer,
    0x8A: _Reader.long,
    ord("F"): lambda reader: float(reader.line()),
    ord("G"): lambda reader: reader.number(">d"),
    ord("N"): lambda reader: None,
    0x88: lambda reader: True,
    0x89: lambda reader: False,
    ord("S"): _Reader.string,
    ord("T"): lambda reader: reader.take(reader.number("<I")).decode("latin-1"),
    ord("U"): lambda reader: reader.take(reader.number("<B")).decode("latin-1"),
    ord("V"): _Reader.escaped,
    ord("X"): lambda reader: reader.text("<I"),
    0x8C: lambda reader: reader.text("<B"),
    ord("]"): lambda reader: [],
    ord("}"): lambda reader: {},
}
PUTS: dict[int, Callable[[_Reader], int]] = {
    ord("p"): _Reader.integer,
    ord("q"): lambda reader: reader.number("<B"),
    ord("r"): lambda reader: reader.number("<I"),
}
GETS: dict[int, Callable[[_Reader], int]] = {
    ord("g"): _Reader.integer,
    ord("h"): lambda reader: reader.number("<B"),
    ord("j"): lambda reader: reader.number("<I"),
}


class _Machine:
    """Executes the instructions of a pickle."""

    def __init__(self, content: bytes) -> None:
        self.reader = _Reader(content)
        self.stack: list[Any] = []
        self.marks: list[int] = []  # positions of the marks in the stack
        self.kept: dict[int, Any] = {}

    def run(self) -> Any:
        reader, stack = self.reader, self.stack
        values = VALUES
        while (code := reader.take(1)[0]) != STOP:
            if value := values.get(code):
                stack.append(value(reader))
                if len(stack) > MOST_HELD:
                    raise DamagedError("too many values are held at once")
            else:
                self._other(code)
        if len(stack) != 1 or self.marks:
            raise DamagedError("data is left over")
        return stack[0]

    def _other(self, code: int) -> None:
        """Every instruction but those that push a value."""
        if code in PUTS or code == 0x94:
            key = PUTS[code](self.reader) if code in PUTS else len(self.kept)
            self.kept[key] = self._top()
        elif code in GETS:
            self._again(self.kept.get(GETS[code](self.reader), MARK))
        elif code == ord("("):
            self.marks.append(len(self.stack))
            if len(self.marks) > DEEPEST:
                raise DamagedError("it is nested too deeply")
        elif code in b"ea":
            added = self._from_mark() if code == ord("e") else [self._pop()]
            self._top(list).extend(added)
        elif code in b"us":
            added = self._from_mark() if code == ord("u") else [self._pop(), self._pop()][::-1]
            self._top(dict).update(_pairs(added))
        elif code in b"ld":
            held = self._from_mark()
            self.stack.append(held if code == ord("l") else _pairs(held))
        elif code == PROTOCOL:
            self.reader.take(1)
        elif code == FRAME:
            self.reader.take(8)
        else:
            self._refuse(code)

    def _refuse(self, code: int) -> None:
        if code in NAMING_CODE:
            named = b".".join((self.reader.line(), self.reader.line())) if code == ord("c") else b"code"
            text = repr(named.decode("latin-1"))[:100]
            raise NeuraleseError(f"the pickle asks for {text} and is refused, because only plain data is read.")
        raise DamagedError(f"it has the instruction {code}, which plain data does not need")

    def _top(self, kind: type = object) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0) or not isinstance(self.stack[-1], kind):
            raise DamagedError("an instruction has no operand")
        return self.stack[-1]

    def _pop(self) -> Any:
        self._top()
        return self.stack.pop()

    def _from_mark(self) -> list:
        if not self.marks:
            raise DamagedError("an instruction has no operand")
        start = self.marks.pop()
        taken = self.stack[start:]
        del self.stack[start:]
        return taken

    def _again(self, value: Any) -> None:
        """Push a value that was seen before: a string or a number, which may occur in many places."""
        if value is MARK:
            raise DamagedError("it refers to a value that was never stored")
        if isinstance(value, list | dict):
            raise DamagedError("a list occurs in several places")
        self.stack.append(value)


def _pairs(flat: list) -> dict:
    """The entries of a dict, whose keys are strings and numbers."""
    if len(flat) % 2 or any(isinstance(key, list | dict) for key in flat[::2]):
        raise DamagedError("a key is invalid")
    return dict(zip(flat[::2], flat[1::2], strict=True))


def read_plain_pickle(content: bytes, name: str) -> Any:
    """Read a pickle that holds plain data (Python 2 strings as latin-1)."""
    try:
        return _Machine(content).run()
    except NeuraleseError as error:
        raise NeuraleseError(f"{name}: {error}") from None
    except (ValueError, struct.error) as error:
        why = " ".join(str(error).split())
        raise NeuraleseError(f"{name} is damaged ({why}); fetch its archive again.") from error
