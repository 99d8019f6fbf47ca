"""Read untrusted archives and pickles: as bytes, by relative name, and without unpacking anything onto the disk.

Names are checked before anything is read. Whatever an archive claims, the time and memory that reading takes are
bounded, and whatever is wrong with it is reported in one sentence.
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
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, Any, NoReturn

from neuralese.errors import NeuraleseError

MOST_MEMBERS = 100_000
MOST_UNPACKED = 4 << 30  # bytes in total; the largest of our archives holds 1.2 GB
LARGEST_MEMBER = 1 << 26  # bytes
LARGEST_HEADER = 1 << 14  # bytes of the headers of a tar's member
LARGEST_LIST = 1 << 24  # bytes of the list of members at the end of a zip
MOST_MEMORY = 1 << 28  # bytes that unpacking xz may take; at its highest level it takes 65 MB
PIECE = 1 << 18  # bytes skipped at a time
END = bytes(512)  # a tar ends with two blocks of zeros
XZ = b"\xfd7zXZ\x00"
OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {  # by the first bytes of a file
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    XZ: lzma.LZMAFile,
}
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
AGAIN = "the archive is not the published one; download it again from its official address."

Member = tuple[str, int, Callable[[], bytes]]  # its path, its size, and a function that reads it


def members(archive: str | Path, pattern: str, most: int = MOST_UNPACKED) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of the members whose path matches `pattern`, in the archive's order.

    The name is the pattern's first group, so that the same files get the same name from archives packed under
    different folders; names must be unique. Tar (any compression) and zip are told apart by their bytes.
    More than `most` bytes in total are refused.
    """
    archive = Path(archive)
    try:
        with archive.open("rb") as file:
            yield from _wanted(file, re.compile(pattern), most)
    except NeuraleseError as error:
        raise NeuraleseError(f"{archive} is refused: {error}; {AGAIN}") from None
    except Exception as error:  # on a truncated or damaged archive the standard library may raise almost anything
        raise NeuraleseError(
            f"{archive} is truncated or not an archive ({_why(error)}); delete it and run the download again."
        ) from error


def _why(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return CONTROL.sub("?", text)[:200]


def _wanted(file: IO[bytes], wanted: re.Pattern[str], most: int) -> Iterator[tuple[str, bytes]]:
    zipped = file.read(4) in (b"PK\3\4", b"PK\5\6")
    file.seek(0)
    seen: set[str] = set()
    for name, size, read in (_zip if zipped else _tar)(file):
        match = wanted.search(name)
        if not match:
            continue
        if match[1] in seen:
            raise NeuraleseError(f"it holds '{match[1]}' twice")
        seen.add(match[1])
        match[1].encode()  # raises if the name is not text
        most -= size
        if size > LARGEST_MEMBER or most < 0:
            raise NeuraleseError(f"it exceeds the limits on archives ('{name}' of {size:,} bytes)")
        yield match[1], read()


def _checked(name: str, link: bool) -> str:
    """The name of a member; refused if it is a link, leaves its folder, or has control characters in its name."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"^[A-Za-z]:", name):
        raise NeuraleseError(f"it holds the member {name!r}, which climbs out of its folder")
    if CONTROL.search(name):
        raise NeuraleseError(f"it holds the member {name!r}, whose name contains control characters")
    if link:
        raise NeuraleseError(f"it holds the link '{path}', and archives with links are refused")
    return str(path)


class _Unpacked:
    """The unpacked bytes of a file, for `tarfile` to read forward; `allowed` limits how many it may read next."""

    def __init__(self, file: IO[bytes]) -> None:
        start = file.read(PIECE)
        file.seek(0)
        if start.startswith(XZ):
            lzma.LZMADecompressor(memlimit=MOST_MEMORY).decompress(start, max_length=1)
        opened = (opener(file) for first, opener in OPENERS.items() if start.startswith(first))
        self._file = next(opened, file)
        self._position, self.allowed, self.last = 0, LARGEST_HEADER, b""

    def read(self, size: int) -> bytes:
        self.allowed -= size
        if self.allowed < 0:
            raise NeuraleseError(f"it has headers of more than {LARGEST_HEADER:,} bytes")
        self.last = self._file.read(size)
        self._position += len(self.last)
        return self.last

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> None:
        if position < self._position:
            raise ValueError("a member's size is negative")
        if position > MOST_UNPACKED:
            raise NeuraleseError(f"it unpacks to more than {MOST_UNPACKED >> 20:,} MB")
        while self._position < position:
            if not (piece := self._file.read(min(PIECE, position - self._position))):
                raise EOFError("it is truncated")
            self._position += len(piece)

    def verify_end(self) -> None:
        """Check that a tar ends as it should, and read on, so that checksums over the whole are verified."""
        self.allowed = len(END)
        if self.last != END or self.read(len(END)) != END:
            raise EOFError("its end is missing")
        while piece := self._file.read(PIECE):
            self._position += len(piece)
            self.seek(self._position)


def _tar(file: IO[bytes]) -> Iterator[Member]:
    stream = _Unpacked(file)

    def read(start: int, size: int) -> bytes:
        stream.seek(start)
        stream.allowed = size
        if len(content := stream.read(size)) < size:
            raise EOFError("it is truncated")
        return content

    tar = tarfile.TarFile(fileobj=stream)  # type: ignore[arg-type]
    for _ in range(MOST_MEMBERS):
        stream.allowed = LARGEST_HEADER
        if (member := tar.next()) is None:
            stream.verify_end()
            return
        tar.members.clear()  # type: ignore[attr-defined]  # it would keep all of them
        if member.size < 0 or {"path", "size"} & tar.pax_headers.keys():
            raise ValueError("a header is invalid")
        name = _checked(member.name, member.islnk() or member.issym())
        if member.issparse():
            raise NeuraleseError("it has a sparse member")
        if member.isreg():
            yield name, member.size, partial(read, member.offset_data, member.size)
    raise NeuraleseError(f"it has more than {MOST_MEMBERS:,} members")


def _zip(file: IO[bytes]) -> Iterator[Member]:
    # the list of members is read as a whole: check that it is not too long
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - (1 << 16) - 22))
    last = file.read()
    start = last.rfind(b"PK\5\6")
    if start < 0 or len(last) < start + 22:
        raise zipfile.BadZipFile("it has no list of members")
    (length,) = struct.unpack_from("<I", last, start + 12)
    if length > LARGEST_LIST or b"PK\6\7" in last[max(0, start - 20) : start]:
        raise NeuraleseError("its list of members is too long")
    with zipfile.ZipFile(file) as zipped:
        if len(zipped.infolist()) > MOST_MEMBERS:
            raise NeuraleseError(f"it has more than {MOST_MEMBERS:,} members")
        for info in zipped.infolist():
            name = _checked(info.filename, stat.S_ISLNK(info.external_attr >> 16))
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise NeuraleseError(f"it holds '{name}', which is compressed with an unknown method")
            if not info.is_dir():
                yield name, info.file_size, partial(zipped.read, info)


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


DEEPEST = 100  # levels of lists in a pickle
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
                what = f"{instruction.name} {'' if argument is None else argument}".strip()
                raise NeuraleseError(f"it has the instruction {what!r:.100}, and only plain data is read")
            if instruction.name.endswith("PUT") and int(argument or 0) > len(content):
                raise ValueError("it keeps a value in a place too high")
        value = _PlainUnpickler(io.BytesIO(content), encoding="latin-1").load()
        _check_size(value, len(content))
    except NeuraleseError as error:
        raise NeuraleseError(f"{name} is refused: {error}.") from None
    except Exception as error:  # on a damaged pickle the standard library may raise almost anything
        raise NeuraleseError(f"{name} is damaged ({_why(error)}); fetch its archive again.") from error
    return value


def _check_size(value: Any, most: int) -> None:
    """Raise an error if there are more than `most` values in lists of lists, or these are nested too deeply."""
    level = [value]
    for _ in range(DEEPEST):
        for each in level:
            if isinstance(each, str):
                each.encode()  # raises on half a character (a lone surrogate)
        inner = [each for each in level if isinstance(each, list | dict)]
        most -= sum(map(len, inner))
        if most < 0:
            raise ValueError("a list occurs in several places")
        if not inner:
            return
        level = list(
            chain.from_iterable(chain(each, each.values()) if isinstance(each, dict) else each for each in inner)
        )
    raise ValueError("it is nested too deeply")
