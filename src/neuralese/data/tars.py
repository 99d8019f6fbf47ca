"""Read an untrusted tar, from its first block to its last, with bounds on what a header may claim.

The standard library's reader takes time quadratic in the length of a header, and as much memory as a header
claims.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from neuralese.data.unpack import Stream
from neuralese.errors import NeuraleseError

BLOCK = 512
LONGEST_HEADER = 1 << 14  # bytes of a name, or of all the metadata of a member
REGULAR, FOLDER, LINKS = b"\x0007", b"5", b"12"
LONG_NAME, LONG_LINK, EXTENDED, FOR_ALL, SPARSE = b"L", b"K", b"x", b"g", b"S"


class DamagedError(ValueError):
    """Says what is wrong with a tar."""


@dataclass(frozen=True)
class Member:
    """One header of a tar."""

    name: str
    size: int
    kind: bytes

    @property
    def padded(self) -> int:
        """Number of bytes up to the next header."""
        return -(-self.size // BLOCK) * BLOCK

    @property
    def regular(self) -> bool:
        """Whether it is a file, as opposed to a folder or a device."""
        return self.kind in REGULAR and not self.name.endswith("/")

    @property
    def link(self) -> bool:
        """Whether it is a link to another file."""
        return self.kind in LINKS


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _number(field: bytes) -> int:
    """A number in octal digits, or in binary if the first bit is set."""
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big") if field[0] == 0x80 else -1
    digits = field.strip(b" \0")
    if digits.strip(b"01234567"):
        raise DamagedError("a header has an invalid number")
    return int(digits or b"0", 8)


def _header(block: bytes) -> Member:
    """What a block says about a member."""
    said = _number(block[148:156])
    blank = block[:148] + b" " * 8 + block[156:]
    unsigned = sum(blank)
    if said != unsigned and said != unsigned - 256 * sum(byte > 127 for byte in blank):  # as some old programs did it
        raise DamagedError("a header's checksum is wrong")
    name, prefix = _text(block[:100]), _text(block[345:500]) if block[257:263] == b"ustar\0" else ""
    size = _number(block[124:136])
    if size < 0:
        raise DamagedError("a member's size is negative")
    return Member(f"{prefix}/{name}" if prefix else name, size, block[156:157])


def _records(content: bytes) -> dict[str, str]:
    """The records `length key=value` of an extended header."""
    found, position = {}, 0
    while position < len(content) and content[position]:
        space = content.find(b" ", position, position + 8)
        digits = content[position:space] if space > 0 else b""
        length = int(digits) if digits.isdigit() else 0
        record = content[space + 1 : position + length]
        key, equals, value = record.partition(b"=")
        if length <= len(digits) + 2 or position + length > len(content) or record[-1:] != b"\n" or not equals:
            raise DamagedError("an extended header is damaged")
        found[key.decode("utf-8", "surrogateescape")] = value[:-1].decode("utf-8", "surrogateescape")
        position += length
    return found


def _said(stream: Stream, member: Member) -> bytes:
    """The content of a header that describes another one."""
    if member.size > LONGEST_HEADER:
        raise NeuraleseError(f"it has a header of {member.size:,} bytes")
    return stream.take(member.padded)[: member.size]


def _amended(member: Member, records: dict[str, str]) -> Member:
    """A member as amended by an extended header."""
    if any(key.startswith("GNU.sparse") for key in records):
        raise NeuraleseError("it has a sparse member")
    size = records.get("size", str(member.size))
    if not (size.isascii() and size.isdigit() and len(size) < 20):
        raise DamagedError("a member's size is invalid")
    return Member(records.get("path", member.name), int(size), member.kind)


def headers(stream: Stream, most: int) -> Iterator[Member]:
    """The members of a tar, at most `most`; after each, its `padded` bytes must be consumed."""
    records: dict[str, str] = {}
    for _ in range(most):
        block = stream.take(BLOCK)
        if not any(block):
            if records or any(stream.take(BLOCK)):
                raise DamagedError("its end is missing")
            stream.drain()
            return
        member = _header(block)
        if member.kind in (LONG_NAME, LONG_LINK):
            name = _text(_said(stream, member))
            records |= {"path": name} if member.kind == LONG_NAME else {}
        elif member.kind == EXTENDED:
            records |= _records(_said(stream, member))
        elif member.kind == FOR_ALL:
            if {"path", "size"} & _records(_said(stream, member)).keys():
                raise DamagedError("all members are given the same name or size")
        elif member.kind == SPARSE:
            raise NeuraleseError("it has a sparse member")
        else:
            yield _amended(member, records)
            records = {}
    raise NeuraleseError(f"it has more than {most:,} members")
