"""Archives that nobody should have to read, by what is wrong with each."""

import gzip
import io
import lzma
import struct
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

FILES = {f"top/{name}.txt": name.encode() * 100 for name in ("one", "two", "three")}
END = bytes(1024)


@contextmanager
def bounded(megabytes: int, seconds: float = 5) -> Iterator[None]:
    """Fail if the block needs more time or memory; memory that C libraries allocate is not counted."""
    tracemalloc.start()
    begun = time.process_time()
    try:
        yield
        assert time.process_time() - begun < seconds
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()


def header(name: bytes = b"top/x.txt", size: int | bytes = 0, kind: bytes = b"0") -> bytes:
    """A header of a tar, whatever it claims; a `size` of bytes is taken as it is."""
    field = b"%011o\0" % size if isinstance(size, int) and size < 8**11 else size
    field = field if isinstance(field, bytes) else b"\x80" + field.to_bytes(11, "big")
    block = bytearray(name.ljust(100, b"\0")[:100] + b"0000644\0" + b"0000000\0" * 2 + field.ljust(12, b"\0")[:12])
    block += b"00000000000\0" + b" " * 8 + kind + bytes(100) + b"ustar\x0000" + bytes(512)
    del block[512:]
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def member(name: bytes = b"top/x.txt", content: bytes = b"x", kind: bytes = b"0") -> bytes:
    return header(name, len(content), kind) + content + bytes(-len(content) % 512)


def pax(records: bytes, kind: bytes = b"x") -> bytes:
    return member(b"pax", records, kind)


def record(key: bytes, value: bytes) -> bytes:
    """`length key=value`, with the length of all of it."""
    body = b" " + key + b"=" + value + b"\n"
    length = len(body) + 1
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def whole_tar(files: dict[str, bytes] = FILES, mode: str = "w") -> bytes:
    with tarfile.open(fileobj=(buffer := io.BytesIO()), mode=mode) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def whole_zip(files: dict[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(buffer := io.BytesIO(), "w", method) as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return buffer.getvalue()


def patched(content: bytes, mark: bytes, offset: int, value: bytes) -> bytes:
    """Other bytes at a place after the last `mark`."""
    at = content.rindex(mark) + offset
    return content[:at] + value + content[at + len(value) :]


def number(value: int) -> bytes:
    return struct.pack("<I", value)


ZIP, TAR = whole_zip(), whole_tar()
LIST, LAST = b"PK\1\2", b"PK\5\6"  # an entry of a zip's list of members, and what comes after the list
NAMES = [
    *(b"../x.txt", b"top/../../x.txt", b"/x.txt", b"top\\..\\..\\x.txt", b"C:\\x.txt", b".."),
    *(b"top/a\nb.txt", b"top/\x1b[31m.txt", b"top/\x7f.txt", b"top/\xc2\x9b.txt", b"x\ntop/a.txt", b"top/a.txt\n"),
]
NUMBERS = [b"77777777777x", b"-0000000001\0", b"\xff" * 12, b"0x10", b"\xc3\xa9", b"99999999999\0"]
CLAIMS = 9 << 10  # bytes that follow a header that claims more

ODD: dict[str, bytes] = {
    # what a tar claims
    "a tar that claims a terabyte": header(size=1 << 40) + bytes(CLAIMS),
    "a tar that claims 2 to the 80 bytes": header(size=1 << 80) + bytes(CLAIMS),
    "a member of 100 MB": header(size=100 << 20) + bytes(2048),
    "an unwanted member of a terabyte": header(b"other", 1 << 40) + bytes(CLAIMS),
    "a name of a terabyte": header(size=1 << 40, kind=b"L") + bytes(CLAIMS),
    "an extended header of a terabyte": header(size=1 << 40, kind=b"x") + bytes(CLAIMS),
    "a name of 100 kB": member(b"@", b"a" * 100_000, b"L") + member() + END,
    "an extended header of 100 kB of digits": pax(b"1" * 100_000) + member() + END,
    "an extended header of 16 kB of digits": pax(b"1" * 16_000) + member() + END,
    "a record that is longer than its header": pax(b"999 path=x\n") + member() + END,
    "a record whose size is negative": pax(record(b"size", b"-5")) + member() + END,
    "a record whose size is a terabyte": pax(record(b"size", str(1 << 40).encode())) + member() + END,
    "a record that makes a name climb": pax(record(b"path", b"../x.txt")) + member() + END,
    "a record that makes a name no text": pax(record(b"path", b"top/\xff.txt")) + member() + END,
    "an old member with holes": header(kind=b"S") + END,
    "a new member with holes": pax(record(b"GNU.sparse.map", b"0,1")) + member() + END,
    "an extended header without a member": pax(record(b"path", b"top/x.txt")) + END,
    "a symbolic link": header(b"top/x.txt", kind=b"2") + END,
    "a hard link": header(b"top/x.txt", kind=b"1") + END,
    "a device": header(b"top/x.txt", kind=b"3") + END,
    "a long name that climbs": member(b"@", b"../" * 60 + b"x.txt\0", b"L") + member() + END,
    "the same name twice": member() + member(content=b"y") + END,
    "the same file under two folders": member() + member(b"other/top/x.txt", b"y") + END,
    "a header with a wrong sum": header()[:148] + b"0000000\0" + header()[156:] + END,
    "a name that is no text": member(b"top/\xff\xfe.txt") + END,
    **{f"the name {name!r}": member(name) + END for name in NAMES},
    **{f"the size {size!r}": header(size=size) + END for size in NUMBERS},
    # what a packed file claims
    "gzip of nothing": b"\x1f\x8b",
    "gzip that is cut": gzip.compress(TAR)[:-20],
    "gzip with a wrong sum": patched(gzip.compress(TAR), gzip.compress(TAR)[-8:], 0, bytes(4)),
    "gzip and garbage": gzip.compress(TAR) + b"garbage",
    "gzip 20,000 times": gzip.compress(b"") * 20_000,
    "gzip in gzip": gzip.compress(gzip.compress(TAR)),
    "bzip2 of nothing": b"BZh9",
    "xz that is cut": lzma.compress(TAR)[:-30],
    "xz that wants 4 GB": lzma.compress(TAR, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": (1 << 29) + (1 << 28)}]),
    # what a zip claims
    "a zip whose list claims 4 GB": patched(ZIP, LAST, 12, number(0xFFFFFFFE)),
    "a zip whose list is elsewhere": patched(ZIP, LAST, 16, number(0x7FFFFFFF)),
    "a zip without its list": ZIP[: ZIP.index(LIST)],
    "a zip whose list is damaged": patched(ZIP, LIST, 0, b"PK\1\3"),
    "a zip with a wrong sum": patched(ZIP, LIST, 16, bytes(4)),
    "a zip with an unknown method": patched(ZIP, LIST, 10, struct.pack("<H", 99)),
    "a zip that is encrypted": patched(ZIP, LIST, 8, struct.pack("<H", 1)),
    "a zip whose name is no text": patched(patched(ZIP, LIST, 46, b"top/\xff"), LIST, 8, struct.pack("<H", 0x800)),
    "a zip member of 4 GB": patched(ZIP, LIST, 24, number(0xFFFFFFF0)),
    "a zip member elsewhere": patched(ZIP, LIST, 42, number(0x7FFFFFFF)),
    "a zip with a link": patched(ZIP, LIST, 38, number(0o120777 << 16)),
    "a zip of bzip2": whole_zip(method=zipfile.ZIP_BZIP2),
    "a zip with one name twice": whole_zip({"top/x.txt": b"one", "other/top/x.txt": b"two"}),
    **{f"a zip with the name {name!r}": whole_zip({name.decode(): b"x"}) for name in NAMES if name != b".."},
    # what is none
    "nothing": b"",
    "a web page": b"<html>Not found</html>",
    "one byte": b"\0",
    "text": b"name,stem\n" * 1000,
}
