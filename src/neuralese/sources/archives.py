"""Read archives from strangers: members come as bytes, by relative name, and nothing is ever unpacked blindly."""

import hashlib
import io
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from neuralese.storage.errors import NeuraleseError

# what the standard library raises for archives that are cut, damaged, encrypted or packed in an unknown way
DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
)


def _checked(name: str, archive: Path) -> str:
    """Return `name` unless it would land outside its folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"^[A-Za-z]:", name):
        raise NeuraleseError(
            f"{archive.name} holds the member '{name}', which climbs out of its folder; "
            "the archive is not the published one, so fetch it again from its official address."
        )
    return str(path)


def _tar(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive, "r|*") as tar:
        for member in tar:
            name = _checked(member.name, archive)
            if member.issym() or member.islnk():
                raise NeuraleseError(f"{archive.name} holds the link '{name}'; archives with links are refused.")
            if member.isfile():
                yield name, tar.extractfile(member).read()
        if tar.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):  # the second of the two that end a tar
            raise tarfile.ReadError("it has no end")


def _zip(archive: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as zipped:
        for info in zipped.infolist():
            name = _checked(info.filename, archive)
            if stat.S_ISLNK(info.external_attr >> 16):
                raise NeuraleseError(f"{archive.name} holds the link '{name}'; archives with links are refused.")
            if not info.is_dir():
                yield name, zipped.read(info)


def members(archive: str | Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of the members whose path matches `pattern`, in the archive's order.

    The name is the pattern's first group, so that the same files from archives packed under different folders have
    the same name. Tar (any compression) and zip are told apart by their bytes.
    """
    archive = Path(archive)
    wanted = re.compile(pattern)
    try:
        for name, content in (_zip if zipfile.is_zipfile(archive) else _tar)(archive):
            if match := wanted.search(name):
                yield match[1], content
    except DAMAGED as error:
        raise NeuraleseError(
            f"{archive} is truncated or not an archive ({error}); delete it and run the download again."
        ) from error


def content_digest(archive: str | Path, pattern: str) -> str:
    """Sha256 over the sorted (name, bytes) of the members used: equal for the same files however they are packed."""
    lines = sorted(f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in members(archive, pattern))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def write_tar(archive: str | Path, files: dict[str, bytes]) -> None:
    """Write `files` as an uncompressed tar whose bytes depend on nothing but them."""
    with tarfile.open(archive, "w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
