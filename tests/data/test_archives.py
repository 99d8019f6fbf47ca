"""Archives from strangers are read without trust, and known by their content however they are packed."""

import io
import random
import stat
import tarfile
import zipfile

import pytest

from neuralese.data.archives import content_digest, members, write_tar
from neuralese.errors import NeuraleseError

ALL = r"^[^/]+/(.+)$"
FILES = {f"{folder}/{n}.txt": random.Random(folder).randbytes(3000 + n) for folder in "ab" for n in range(3)}
FORMATS = ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip"]


def pack(path, files=FILES, top="top"):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            zipped.mkdir(top)
            for name, content in files.items():
                zipped.writestr(f"{top}/{name}", content)
    else:
        compression = path.name.partition("tar")[2].removeprefix(".")
        with tarfile.open(path, f"w:{compression}") as tar:
            tar.addfile(directory(top))
            for name, content in files.items():
                add(tar, f"{top}/{name}", content)
    return path


def directory(name):
    info = tarfile.TarInfo(name)
    info.type = tarfile.DIRTYPE
    return info


def add(tar, name, content=b"evil"):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def refusal(archive, pattern=ALL):
    """The sentence with which `archive` is refused, after making sure that it is one and that nothing was written."""
    root = archive.parent.parent
    before = sorted(root.rglob("*"))
    with pytest.raises(NeuraleseError) as error:
        list(members(archive, pattern))
    assert "\n" not in str(error.value)
    assert archive.name in str(error.value)
    assert sorted(root.rglob("*")) == before
    return str(error.value)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with room above and around it to climb to."""
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    return tmp_path / "inner"


@pytest.mark.parametrize("kind", FORMATS)
def test_members_come_by_the_patterns_group_in_the_archives_order(folder, kind):
    archive = pack(folder / f"x.{kind}")
    assert list(members(archive, ALL)) == list(FILES.items())
    assert [name for name, _ in members(archive, r"/a/(\d)\.txt$")] == ["0", "1", "2"]


@pytest.mark.parametrize("kind", FORMATS)
def test_reading_writes_nothing(folder, kind):
    archive = pack(folder / f"x.{kind}")
    content_digest(archive, ALL)
    assert list(folder.parent.rglob("*")) == [folder, archive]


@pytest.mark.parametrize("name", ["../x", "top/../../x", "/x", "top\\..\\..\\x", "C:\\x"])
def test_a_tar_member_that_climbs_out_is_refused(folder, name):
    with tarfile.open(folder / "x.tar", "w") as tar:
        add(tar, name)
    assert "climbs out of its folder" in refusal(folder / "x.tar")


@pytest.mark.parametrize("name", ["../x", "top/../../x", "/x", "top\\..\\..\\x", "C:\\x"])
def test_a_zip_member_that_climbs_out_is_refused(folder, name):
    with zipfile.ZipFile(folder / "x.zip", "w") as zipped:
        zipped.writestr(name, b"evil")
    assert "climbs out of its folder" in refusal(folder / "x.zip")


def test_a_climbing_member_is_refused_even_if_it_is_not_wanted(folder):
    with tarfile.open(folder / "x.tar", "w") as tar:
        add(tar, "top/wanted")
        add(tar, "../x")
    refusal(folder / "x.tar", r"(wanted)$")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("target", ["top/other", "/elsewhere"])
def test_a_link_in_a_tar_is_refused(folder, kind, target):
    link = tarfile.TarInfo("top/link")
    link.type, link.linkname = kind, target
    with tarfile.open(folder / "x.tar", "w") as tar:
        tar.addfile(link)
    assert "the link 'top/link'" in refusal(folder / "x.tar")


def test_a_link_in_a_zip_is_refused(folder):
    link = zipfile.ZipInfo("top/link")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(folder / "x.zip", "w") as zipped:
        zipped.writestr(link, "/elsewhere")
    assert "the link 'top/link'" in refusal(folder / "x.zip")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.7])
@pytest.mark.parametrize("kind", FORMATS)
def test_a_truncated_archive_is_refused(folder, kind, share):
    archive = pack(folder / f"x.{kind}")
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(share * len(whole))])
    assert "run the download again" in refusal(archive)


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.xz"])
def test_a_tar_cut_between_two_members_is_refused(folder, kind):
    archive = pack(folder / f"x.{kind}", {name: FILES[name][:300] for name in list(FILES)[:3]})
    whole = archive.read_bytes()
    for cut in range(0, min(len(whole) * 3 // 4, 3500), 5):
        archive.write_bytes(whole[:cut])
        refusal(archive)


@pytest.mark.parametrize("content", [b"", b"<html>Not found</html>", random.Random(0).randbytes(5000), b"PK\x03\x04"])
def test_what_is_not_an_archive_is_refused(folder, content):
    (folder / "x.tar").write_bytes(content)
    assert "not an archive" in refusal(folder / "x.tar")


@pytest.mark.parametrize("kind", ["tar.bz2", "tar.xz", "zip"])
def test_a_damaged_archive_is_refused(folder, kind):
    archive = pack(folder / f"x.{kind}")
    damaged = bytearray(archive.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    archive.write_bytes(damaged)
    assert "run the download again" in refusal(archive)


def test_a_zip_packed_by_an_unknown_method_is_refused(folder):
    archive = pack(folder / "x.zip")
    packed = bytearray(archive.read_bytes())
    packed[packed.rindex(b"PK\x01\x02") + 10] = 99  # the compression method of the last member
    archive.write_bytes(packed)
    refusal(archive)


def test_a_missing_archive_is_refused(folder):
    refusal(folder / "x.tar")


def test_the_digest_is_that_of_the_files_however_they_are_packed(folder):
    backwards = dict(reversed(FILES.items()))
    packed = [pack(folder / f"x.{kind}") for kind in FORMATS]
    packed += [pack(folder / f"y.{kind}", backwards, top="other-1.0") for kind in FORMATS]
    assert len({archive.read_bytes() for archive in packed}) == len(packed)
    assert len({content_digest(archive, ALL) for archive in packed}) == 1


@pytest.mark.parametrize("kind", FORMATS)
def test_the_digest_differs_if_one_byte_a_name_or_a_member_differs(folder, kind):
    name, content = next(iter(FILES.items()))
    rest = {other: FILES[other] for other in FILES if other != name}
    variants = [FILES, {**FILES, name: content[:-1] + bytes([content[-1] ^ 1])}, {**rest, "a/9.txt": content}, rest]
    digests = {content_digest(pack(folder / f"{i}.{kind}", files), ALL) for i, files in enumerate(variants)}
    assert len(digests) == len(variants)


def test_the_digest_does_not_see_members_that_are_not_used(folder):
    used = r"/(a/.+)$"
    more = pack(folder / "more.tar", {**FILES, "b/0.txt": b"other", "README": b"hello"})
    assert content_digest(more, used) == content_digest(pack(folder / "x.tar"), used)


def test_a_written_tar_reads_back_and_has_the_same_bytes_again(folder):
    write_tar(folder / "one", FILES)
    write_tar(folder / "two", FILES)
    assert dict(members(folder / "one", r"(.+)")) == FILES
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
