"""The bytes of an untrusted file that may be compressed (gzip, bzip2, xz), never more than a piece at a time.

Whatever a file claims to hold, unpacking is bounded in size, in memory and in the number of parts.
"""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Protocol

from neuralese.errors import NeuraleseError

PIECE = 1 << 18  # bytes unpacked at a time
MOST_UNPACKED = 4 << 30  # bytes in total; the largest of our archives holds 1.2 GB
MOST_PARTS = 100_000  # files of these formats may be concatenated
MOST_MEMORY = 1 << 28  # bytes of memory an unpacker may take; xz at its highest level takes 65 MB


class _Unpacker(Protocol):
    """The interface shared by the unpackers of bz2 and lzma."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Take `data`, and return at most `max_length` bytes."""


class _Gzip:
    """The unpacker of zlib, with the same interface."""

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._unpacker.eof

    @property
    def needs_input(self) -> bool:
        return not self._unpacker.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._unpacker.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._unpacker.decompress(self._unpacker.unconsumed_tail + data, max_length)


UNPACKERS: dict[bytes, Callable[[], _Unpacker]] = {  # keyed by the first bytes of a file
    b"\x1f\x8b": _Gzip,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(memlimit=MOST_MEMORY),
}


def _parts(file: IO[bytes], fresh: Callable[[], _Unpacker]) -> Iterator[bytes]:
    """Unpack the parts of a file, piece by piece."""
    held = file.read(PIECE)
    for _ in range(MOST_PARTS):
        part = fresh()
        while not part.eof:
            piece = part.decompress(held, PIECE)
            held = file.read(PIECE) if part.needs_input and not part.eof else b""
            if piece:
                yield piece
            elif not held and not part.eof and part.needs_input:
                raise EOFError("it is truncated")
        held = part.unused_data
        while not held.lstrip(b"\0"):  # a file may be padded with zeros
            if not (held := file.read(PIECE)):
                return
        held = held.lstrip(b"\0")
    raise NeuraleseError(f"it consists of more than {MOST_PARTS:,} parts")


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file, unpacked if it is packed."""
    first = file.read(6)
    file.seek(0)
    fresh = next((unpacker for start, unpacker in UNPACKERS.items() if first.startswith(start)), None)
    total = 0
    for piece in _parts(file, fresh) if fresh else iter(lambda: file.read(PIECE), b""):
        total += len(piece)
        if total > MOST_UNPACKED:
            raise NeuraleseError(f"it unpacks to more than {MOST_UNPACKED >> 20:,} MB")
        yield piece


class Stream:
    """Pieces, read in lengths of the reader's choice."""

    def __init__(self, given: Iterator[bytes]) -> None:
        self._given, self._held = given, memoryview(b"")

    def _next(self, length: int) -> memoryview:
        """Some bytes, at most `length`."""
        if not self._held:
            piece = next(self._given, None)
            if piece is None:
                raise EOFError("it is truncated")
            self._held = memoryview(piece)
        taken, self._held = self._held[:length], self._held[length:]
        return taken

    def take(self, length: int) -> bytes:
        """Exactly the next `length` bytes."""
        parts = []
        while length:
            parts.append(self._next(length))
            length -= len(parts[-1])
        return b"".join(parts)

    def skip(self, length: int) -> None:
        """Skip the next bytes."""
        while length:
            length -= len(self._next(length))

    def drain(self) -> None:
        """Read on to the end, so that checksums over the whole are verified."""
        for _ in self._given:
            pass
