"""Read untrusted archives: members come as bytes, by relative name, and nothing is ever unpacked blindly.

Names are checked before anything is read. An archive may be of any size and claim anything: what is read from it is
bounded, and whatever is wrong with it is reported in one sentence.
"""

import hashlib
import io
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from neuralese.data import tars
from neuralese.data.unpack import MOST_UNPACKED, Stream, pieces
from neuralese.errors import NeuraleseError

MOST_MEMBERS = 100_000
LARGEST_MEMBER = 1 << 26  # bytes
LARGEST_LIST = 1 << 24  # bytes of the list of members at the end of a zip
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
AGAIN = "the archive is not the published one; download it again from its official address."

Member = tuple[str, int, Callable[[], bytes]]  # its path, its size, and a function that reads it


def _checked(name: str) -> str:
    """Return `name` unless it would land outside its folder, or is more than a plain name."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"^[A-Za-z]:", name):
        raise NeuraleseError(f"it holds the member {name!r}, which climbs out of its folder")
    if CONTROL.search(name):
        raise NeuraleseError(f"it holds the member {name!r}, whose name contains control characters")
    return str(path)


def _tar(file: IO[bytes]) -> Iterator[Member]:
    stream = Stream(pieces(file))
    for member in tars.headers(stream, MOST_MEMBERS):
        name, left = _checked(member.name), [member.padded]
        if member.link:
            raise NeuraleseError(f"it holds the link '{name}', and archives with links are refused")

        def read(member: tars.Member = member, left: list[int] = left) -> bytes:
            left.clear()
            return stream.take(member.padded)[: member.size]

        if member.regular:
            yield name, member.size, read
        stream.skip(sum(left))


def _zip(file: IO[bytes]) -> Iterator[Member]:
    _check_list(file)
    with zipfile.ZipFile(file) as zipped:
        if len(zipped.infolist()) > MOST_MEMBERS:
            raise NeuraleseError(f"it has more than {MOST_MEMBERS:,} members")
        for info in zipped.infolist():
            name = _checked(info.filename)
            if stat.S_ISLNK(info.external_attr >> 16):
                raise NeuraleseError(f"it holds the link '{name}', and archives with links are refused")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise NeuraleseError(f"it holds '{name}', which is compressed with an unknown method")
            if not info.is_dir():
                yield name, info.file_size, partial(zipped.read, info)


def _check_list(file: IO[bytes]) -> None:
    """Check that the list of members, which is read as a whole, is not too long."""
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - (1 << 16) - 22))
    last = file.read()
    start = last.rfind(b"PK\5\6")
    if start < 0 or len(last) < start + 22:
        raise zipfile.BadZipFile("it has no list of members")
    (length,) = struct.unpack_from("<I", last, start + 12)
    if length > LARGEST_LIST or b"PK\6\7" in last[max(0, start - 20) : start]:
        raise NeuraleseError("its list of members is too long")
    file.seek(0)


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
    except Exception as error:  # on a truncated or damaged archive `zipfile` may raise almost anything
        why = " ".join(str(error).split()) or type(error).__name__
        raise NeuraleseError(
            f"{archive} is truncated or not an archive ({why}); delete it and run the download again."
        ) from error


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
    """Write `files` as an uncompressed tar whose bytes depend on nothing else."""
    with tarfile.open(archive, "w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
