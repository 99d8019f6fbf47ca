"""Read untrusted archives and pickles: as bytes, by relative name, and without unpacking anything onto the disk.

Whatever an archive claims, the time and memory that reading takes are bounded, and whatever is wrong with it is
reported in one sentence.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import pickle
import pickletools
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NoReturn

from neuralese.errors import NeuraleseError, reason

MOST_MEMBERS = 100_000
MOST_UNPACKED = 4 << 30  # bytes in total; the largest of our archives holds 1.2 GB
LARGEST_MEMBER = 1 << 26  # bytes
LARGEST_HEADER = 1 << 14  # bytes of the headers of a tar's member
MOST_MEMORY = 1 << 28  # bytes that unpacking xz may take; at its highest level it takes 65 MB
PIECE = 1 << 12  # bytes read at a time
XZ = b"\xfd7zXZ\x00"
OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {  # by the first bytes of a file
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    XZ: lzma.open,
}
UNSAFE = re.compile(  # names that climb out of their folder, have control characters, or are not text
    r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
)

Member = tuple[str, int, Callable[[], bytes]]  # its path, its size, and a function that reads it


def members(archive: str | Path, pattern: str, most: int = MOST_UNPACKED) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of the members whose path matches `pattern`, in the archive's order.

    The name is the pattern's first group, so that the same files get the same name from archives packed under
    different folders; names must be unique. Tar (any compression) and zip are told apart by their bytes.
    More than `most` bytes in total are refused.
    """
    seen: set[str] = set()
    try:
        with Path(archive).open("rb") as file:
            for count, (path, size, read) in enumerate((_zip if file.peek(2)[:2] == b"PK" else _tar)(file), start=1):
                if UNSAFE.search(path):
                    raise NeuraleseError(f"it holds the member {path!r}, whose name is unsafe")
                if count > MOST_MEMBERS:
                    raise NeuraleseError(f"it has more than {MOST_MEMBERS:,} members")
                if not (match := re.search(pattern, path)):
                    continue
                if match[1] in seen:
                    raise NeuraleseError(f"it holds '{match[1]}' twice")
                seen.add(match[1])
                most -= size
                if size > LARGEST_MEMBER or most < 0:
                    raise NeuraleseError(f"'{path}' of {size:,} bytes exceeds the limits on archives")
                yield match[1], read()
    except NeuraleseError as error:
        again = "the archive is not the published one; download it again from its official address"
        raise NeuraleseError(f"{archive} is refused: {error}; {again}.") from None
    except Exception as error:  # on a truncated or damaged archive the standard library may raise almost anything
        why = "is truncated or not an archive"
        raise NeuraleseError(f"{archive} {why} ({reason(error)}); delete it and run the download again.") from error


class _Capped:
    """The unpacked bytes of a file, of which only the next `allowed` may be read."""

    def __init__(self, file: IO[bytes]) -> None:
        start = file.read(PIECE)
        file.seek(0)
        if start.startswith(XZ):
            lzma.LZMADecompressor(memlimit=MOST_MEMORY).decompress(start, max_length=1)
        opened = (opener(file) for first, opener in OPENERS.items() if start.startswith(first))
        self._file, self.allowed = next(opened, file), LARGEST_HEADER

    def read(self, size: int) -> bytes:
        content = self._file.read(size)
        self.allowed -= len(content)
        if self.allowed < 0:
            raise NeuraleseError("it unpacks to more than it says")
        return content


def _tar(file: IO[bytes]) -> Iterator[Member]:
    unpacked, left = _Capped(file), MOST_UNPACKED
    with tarfile.open(fileobj=unpacked, mode="r|", bufsize=PIECE) as tar:  # type: ignore[call-overload]
        while member := tar.next():
            left -= member.size
            if member.size < 0 or left < 0:  # skipping it would take too long
                raise NeuraleseError(f"it says that it has more than {MOST_UNPACKED:,} bytes")
            if member.issparse() or not (member.isfile() or member.isdir()):
                raise NeuraleseError(f"it holds {member.name!r}, which is neither a plain file nor a folder")
            unpacked.allowed = member.size + LARGEST_HEADER
            tar.members.clear()  # it would keep all of them
            if member.isfile():
                yield member.name, member.size, tar.extractfile(member).read
    unpacked.allowed = left
    while unpacked.read(PIECE):  # to verify checksums over the whole
        pass


def _zip(file: IO[bytes]) -> Iterator[Member]:
    with zipfile.ZipFile(file) as zipped:
        for info in zipped.infolist():
            if stat.S_ISLNK(info.external_attr >> 16):
                raise NeuraleseError(f"it holds {info.filename!r}, which is neither a plain file nor a folder")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise NeuraleseError(f"it holds {info.filename!r}, which is compressed with an unknown method")
            if not info.is_dir():
                yield info.filename, info.file_size, partial(zipped.read, info)


def content_digest(archive: str | Path, pattern: str) -> str:
    """Sha256 over the sorted (name, bytes) of the members used: the same for the same files, however they are packed.

    For each member, the digest covers the length of its name, its name, and the digest of its bytes, so only the
    same files give the same digest.
    """
    known = sorted((name.encode(), hashlib.sha256(content).digest()) for name, content in members(archive, pattern))
    digest = hashlib.sha256()
    for name, content in known:
        digest.update(struct.pack(">Q", len(name)) + name + content)
    return digest.hexdigest()


def write_tar(archive: str | Path, files: dict[str, bytes]) -> None:
    """Write `files` as an uncompressed tar: the same files give the same bytes."""
    with tarfile.open(archive, "w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))


PLAIN = re.compile(  # the instructions of a pickle that plain lists, dicts, strings and numbers need
    r"PROTO|FRAME|STOP|MARK|MEMOIZE|NONE|NEWTRUE|NEWFALSE|(BIN)?INT[12]?|LONG1?|(BIN)?FLOAT"
    r"|(SHORT_)?(BIN)?(STRING|UNICODE)|(EMPTY_)?(LIST|DICT)|APPENDS?|SETITEMS?|(LONG_)?(BIN)?(PUT|GET)"
)


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError("only plain data is read")


def read_plain_pickle(content: bytes, name: str) -> Any:
    """Read an untrusted pickle of lists, dicts, strings (Python 2 strings as latin-1) and numbers.

    Anything that names code is refused, and so is what would be larger in memory than in the pickle.
    """
    try:
        for instruction, argument, _ in pickletools.genops(content):
            if not PLAIN.fullmatch(instruction.name):
                raise ValueError(f"it has the instruction {instruction.name}, and only plain data is read")
            if instruction.name.endswith("PUT") and int(argument or 0) > len(content):
                raise ValueError("it keeps a value in a place too high")
        value = _PlainUnpickler(io.BytesIO(content), encoding="latin-1").load()
        left, seen = [value], set()
        while left:
            each = left.pop()
            if isinstance(each, str):
                each.encode()  # raises on half a character (a lone surrogate)
            elif isinstance(each, list | dict):
                if id(each) in seen:
                    raise ValueError("a list occurs in several places")
                seen.add(id(each))
                left += [*each, *(each.values() if isinstance(each, dict) else ())]
    except Exception as error:  # on a damaged pickle the standard library may raise almost anything
        raise NeuraleseError(f"{name} is damaged ({reason(error)}); fetch its archive again.") from error
    return value
