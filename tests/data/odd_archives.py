"""Archives that nobody should have to read: each is written by a function, by what is wrong with it."""

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable

FILES = {f"top/{name}.txt": name.encode() * 100 for name in ("one", "two", "three")}
END = bytes(1024)


def header(
    name: bytes = b"top/x.txt", size: int | bytes = 0, kind: bytes = b"0", magic: bytes = b"ustar\x0000"
) -> bytes:
    """A header of a tar, whatever it claims; a `size` of bytes is taken as it is."""
    field = (
        size if isinstance(size, bytes) else (b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big"))
    )
    block = bytearray(name.ljust(100, b"\0")[:100] + b"0000644\0" + b"0000000\0" * 2 + field.ljust(12, b"\0")[:12])
    block += b"00000000000\0" + b" " * 8 + kind + bytes(100) + magic + bytes(512)
    del block[512:]
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def member(name: bytes, content: bytes = b"x", kind: bytes = b"0") -> bytes:
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


def whole_tar(files: dict[str, bytes] = FILES) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def whole_zip(files: dict[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return buffer.getvalue()


def twice_zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for content in (b"one", b"two"):
            zipped.writestr(zipfile.ZipInfo("top/one.txt"), content)
    return buffer.getvalue()


def patched(content: bytes, mark: bytes, offset: int, value: bytes) -> bytes:
    """Other bytes at a place after the last `mark`."""
    at = content.rindex(mark) + offset
    return content[:at] + value + content[at + len(value) :]


ZIP, TAR = whole_zip(), whole_tar()
LIST, LAST = b"PK\1\2", b"PK\5\6"  # an entry of a zip's list of members, and what comes after the list
NAMES = [
    b"top/a\nb.txt",
    b"top/a\rb.txt",
    b"top/\x1b[31m.txt",
    b"top/\x7f.txt",
    b"top/\xc2\x9b.txt",
    b"x\ntop/a.txt",
    b"top/a.txt\n",
]
NUMBERS = [b"77777777777x", b"-0000000001\0", b"\xff" * 12, b"0x10", b"1e5", b"\xc3\xa9", b"99999999999\0"]

ODD: dict[str, bytes] = {
    # what a tar claims
    "a tar that claims a terabyte": header(size=1 << 40) + bytes(9 << 10),
    "a tar that claims 2 to the 80 bytes": header(size=1 << 80) + bytes(9 << 10),
    "a member of 100 MB": header(size=100 << 20) + bytes(2048),
    "an unwanted member of a terabyte": header(b"other", 1 << 40) + bytes(9 << 10),
    "a name of a terabyte": header(size=1 << 40, kind=b"L") + bytes(9 << 10),
    "an extended header of a terabyte": header(size=1 << 40, kind=b"x") + bytes(9 << 10),
    "a name of 100 kB": member(b"@", b"a" * 100_000, b"L") + member(b"top/x.txt") + END,
    "an extended header of 100 kB of digits": pax(b"1" * 100_000) + member(b"top/x.txt") + END,
    "an extended header of 16 kB of digits": pax(b"1" * 16_000) + member(b"top/x.txt") + END,
    "a record that is longer than its header": pax(b"999 path=x\n") + member(b"top/x.txt") + END,
    "a record of no length": pax(b"0 path=x\n") + member(b"top/x.txt") + END,
    "a record whose size is no number": pax(record(b"size", b"many")) + member(b"top/x.txt") + END,
    "a record whose size is negative": pax(record(b"size", b"-5")) + member(b"top/x.txt") + END,
    "a record whose size has 5,000 digits": pax(record(b"size", b"9" * 5000)) + member(b"top/x.txt") + END,
    "a record whose size is a terabyte": pax(record(b"size", str(1 << 40).encode())) + member(b"top/x.txt") + END,
    "one name for all members": pax(record(b"path", b"top/x.txt"), b"g") + member(b"a") + END,
    "one size for all members": pax(record(b"size", b"5"), b"g") + member(b"top/x.txt") + END,
    "a record that makes a name climb": pax(record(b"path", b"../x.txt")) + member(b"top/x.txt") + END,
    "a record that makes a name control": pax(record(b"path", b"top/\x1b.txt")) + member(b"top/x.txt") + END,
    "a record that makes a name no text": pax(record(b"path", b"top/\xff.txt")) + member(b"top/x.txt") + END,
    "an old member with holes": header(kind=b"S") + END,
    "a new member with holes": pax(record(b"GNU.sparse.map", b"0,1")) + member(b"top/x.txt") + END,
    "an extended header without a member": pax(record(b"path", b"top/x.txt")) + END,
    "a name that is no text": member(b"top/\xff\xfe.txt") + END,
    "a symbolic link": header(b"top/x.txt", kind=b"2") + END,
    "a hard link": header(b"top/x.txt", kind=b"1") + END,
    "a name that climbs": member(b"../x.txt") + END,
    "a name from the root": member(b"/x.txt") + END,
    "a name with a drive": member(b"C:x.txt") + END,
    "a long name that climbs": member(b"@", b"../" * 60 + b"x.txt\0", b"L") + member(b"top/x.txt") + END,
    "the same name twice": member(b"top/x.txt") + member(b"top/x.txt", b"y") + END,
    "the same file under two folders": member(b"top/x.txt") + member(b"other/top/x.txt", b"y") + END,
    "a header with a wrong sum": header()[:148] + b"0000000\0" + header()[156:] + END,
    "no end": member(b"top/x.txt"),
    "half an end": member(b"top/x.txt") + bytes(512),
    "a wrong end": member(b"top/x.txt") + bytes(512) + b"x" * 512,
    "a name of nothing but dots": member(b"..") + END,
    **{f"the name {name!r}": member(name) + END for name in NAMES},
    **{f"the size {number!r}": header(size=number) + END for number in NUMBERS},
    # what a packed file claims
    "gzip of nothing": b"\x1f\x8b",
    "gzip that is cut": gzip.compress(TAR)[:-20],
    "gzip with a wrong sum": patched(gzip.compress(TAR), gzip.compress(TAR)[-8:], 0, bytes(4)),
    "gzip and garbage": gzip.compress(TAR) + b"garbage",
    "gzip 20,000 times": gzip.compress(b"") * 20_000,
    "gzip in gzip": gzip.compress(gzip.compress(TAR)),
    "bzip2 of nothing": b"BZh9",
    "xz of nothing": b"\xfd7zXZ\x00",
    "xz that is cut": lzma.compress(TAR)[:-30],
    "xz that wants 4 GB": lzma.compress(TAR, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": (1 << 29) + (1 << 28)}]),
    # what a zip claims
    "a zip whose list claims 4 GB": patched(ZIP, LAST, 12, struct.pack("<I", 0xFFFFFFFE)),
    "a zip whose list is elsewhere": patched(ZIP, LAST, 16, struct.pack("<I", 0x7FFFFFFF)),
    "a zip without its list": ZIP[: ZIP.index(LIST)],
    "a zip whose end is cut": ZIP[:-10],
    "a zip whose list is damaged": patched(ZIP, LIST, 0, b"PK\1\3"),
    "a zip with a wrong sum": patched(ZIP, LIST, 16, bytes(4)),
    "a zip with an unknown method": patched(ZIP, LIST, 10, struct.pack("<H", 99)),
    "a zip that is encrypted": patched(ZIP, LIST, 8, struct.pack("<H", 1)),
    "a zip whose name is no text": patched(patched(ZIP, LIST, 46, b"top/\xff"), LIST, 8, struct.pack("<H", 0x800)),
    "a zip member of 4 GB": patched(ZIP, LIST, 24, struct.pack("<I", 0xFFFFFFF0)),
    "a zip member elsewhere": patched(ZIP, LIST, 42, struct.pack("<I", 0x7FFFFFFF)),
    "a zip of bzip2": whole_zip(method=zipfile.ZIP_BZIP2),
    "a zip of lzma": whole_zip(method=zipfile.ZIP_LZMA),
    "a zip with one name twice": twice_zipped(),
    "a zip with a name of control": whole_zip({"top/\x1b.txt": b"x"}),
    "a zip with a name of two lines": whole_zip({"top/a\nb.txt": b"x"}),
    "a zip with a name that climbs": whole_zip({"../x.txt": b"x"}),
    # what is none
    "nothing": b"",
    "a web page": b"<html>Not found</html>",
    "one byte": b"\0",
    "zeros that end too early": bytes(600),
    "text": b"name,stem\n" * 1000,
}


BOMBS: dict[str, Callable[[bytes], bytes]] = {  # small files that unpack to these zeros
    "gzip": lambda zeros: gzip.compress(header(b"other", len(zeros)) + zeros + END, 1),
    "xz": lambda zeros: lzma.compress(header(b"other", len(zeros)) + zeros + END, preset=0),
    "zeros after the end": lambda zeros: gzip.compress(END + zeros, 1),
}
