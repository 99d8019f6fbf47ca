"""Archives from strangers are read without trust, in bounds, and known by their content however they are packed."""

import gzip
import hashlib
import lzma
import random

import pytest
from odd_archives import END, ODD, bounded, header, member, pax, record, whole_tar, whole_zip

from neuralese.data import archives
from neuralese.data.archives import content_digest, members, write_tar
from neuralese.errors import NeuraleseError

ALL, USED = r"^[^/]+/(.+)$", r"top/(.+\.txt)$"
FILES = {f"{folder}/{n}.txt": random.Random(folder).randbytes(3000 + n) for folder in "ab" for n in range(3)}
FORMATS = ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip"]


def pack(path, files=FILES, top="top"):
    inside = {f"{top}/{name}": content for name, content in files.items()}
    mode = f"w:{path.name.partition('tar')[2].removeprefix('.')}"
    path.write_bytes(whole_zip(inside) if path.suffix == ".zip" else whole_tar(inside, mode))
    return path


def refusal(archive, pattern=USED):
    """The sentence with which `archive` is refused, after making sure that it is one and that nothing was written."""
    before = sorted(archive.parent.parent.rglob("*"))
    with pytest.raises(NeuraleseError) as error:
        content_digest(archive, pattern)
    sentence = str(error.value)
    assert sentence.startswith(str(archive))
    assert sentence.isprintable()
    assert sentence.endswith(".")
    assert sorted(archive.parent.parent.rglob("*")) == before
    return sentence


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with room above and around it to climb to."""
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    return tmp_path / "inner"


@pytest.mark.parametrize("kind", FORMATS)
def test_members_come_by_the_patterns_group_in_the_archives_order_and_nothing_is_written(folder, kind):
    archive = pack(folder / f"x.{kind}")
    assert list(members(archive, ALL)) == list(FILES.items())
    assert [name for name, _ in members(archive, r"/a/(\d)\.txt$")] == ["0", "1", "2"]
    assert list(folder.parent.rglob("*")) == [folder, archive]


@pytest.mark.parametrize("kind", FORMATS[1:])  # in a plain tar, contents have no checksums
def test_a_truncated_or_damaged_archive_is_refused(folder, kind):
    archive = pack(folder / f"x.{kind}")
    whole = archive.read_bytes()
    contents = [whole[: int(share * len(whole))] for share in (0, 0.1, 0.5, 0.7)]
    contents += [whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 0xFF]) + whole[len(whole) // 2 + 1 :]]
    for content in contents:
        archive.write_bytes(content)
        assert "run the download again" in refusal(archive)


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.xz"])
def test_a_tar_cut_anywhere_is_refused_or_known_to_be_another(folder, kind):
    archive = pack(folder / f"x.{kind}", {name: FILES[name][:300] for name in list(FILES)[:3]})
    whole, right = archive.read_bytes(), content_digest(archive, USED)
    for cut in range(0, min(len(whole) * 3 // 4, 2500), 7):
        archive.write_bytes(whole[:cut])
        try:
            assert content_digest(archive, USED) != right
        except NeuraleseError:
            refusal(archive)


@pytest.mark.parametrize("wrong", ODD)
def test_an_odd_archive_is_refused_in_one_sentence_soon_and_in_little_memory(folder, wrong):
    (folder / "archive").write_bytes(ODD[wrong])
    with bounded(megabytes=100):
        refusal(folder / "archive")


@pytest.mark.parametrize(
    "pack_up",
    [
        lambda zeros: gzip.compress(header(b"other", len(zeros)) + zeros + END, 1),
        lambda zeros: lzma.compress(header(b"other", len(zeros)) + zeros + END, preset=0),
        lambda zeros: gzip.compress(header(size=len(zeros), kind=b"x") + zeros + END, 1),
        lambda zeros: gzip.compress(END + zeros, 1),
    ],
    ids=["gzip", "xz", "a header", "zeros after the end"],
)
def test_what_unpacks_without_end_is_given_up(folder, monkeypatch, pack_up):
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1 << 22)
    (folder / "bomb").write_bytes(pack_up(bytes(1 << 26)))
    assert (folder / "bomb").stat().st_size < 1 << 20
    with bounded(megabytes=20):
        assert "is refused: it " in refusal(folder / "bomb")


@pytest.mark.parametrize("pack_up", [whole_tar, whole_zip])
def test_more_members_than_any_data_set_has_are_refused(folder, monkeypatch, pack_up):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 10)
    (folder / "many").write_bytes(pack_up({f"top/{n}.txt": b"" for n in range(11)}))
    assert "more than 10 members" in refusal(folder / "many")


def test_members_that_are_not_wanted_are_not_read(folder):
    path = folder / "archive"
    path.write_bytes(header(b"other", 1 << 26) + bytes(1 << 26) + member(b"top/x.txt", b"wanted") + END)
    with bounded(megabytes=8):
        assert dict(members(path, USED)) == {"x.txt": b"wanted"}


LONG = "top/" + "a" * 150 + ".txt"


@pytest.mark.parametrize(
    "content",
    [
        whole_tar({LONG: b"x"}),  # as the standard library writes it
        pax(record(b"path", LONG.encode()) + record(b"mtime", b"1.5")) + member(b"top/short") + END,
        member(b"@", LONG.encode() + b"\0", b"L") + member(b"top/short") + END,
        pax(record(b"comment", b"of a commit"), b"g") + member(b"@", LONG.encode(), b"L") + member(b"s") + END,
    ],
)
def test_long_names_and_extended_headers_are_read_as_they_are_meant(folder, content):
    (folder / "tar").write_bytes(content)
    assert dict(members(folder / "tar", USED)) == {LONG.removeprefix("top/"): b"x"}


def test_the_digest_is_that_of_the_files_however_they_are_packed(folder):
    backwards = dict(reversed(FILES.items()))
    packed = [pack(folder / f"x.{kind}") for kind in FORMATS]
    packed += [pack(folder / f"y.{kind}", backwards, top="other-1.0") for kind in FORMATS]
    assert len({archive.read_bytes() for archive in packed}) == len(packed)
    assert len({content_digest(archive, ALL) for archive in packed}) == 1
    more = pack(folder / "more.tar", {**FILES, "b/0.txt": b"other", "README": b"hello"})
    assert content_digest(more, r"/(a/.+)$") == content_digest(packed[0], r"/(a/.+)$")


def test_the_digest_is_what_it_says_and_no_name_can_stand_for_several_files(folder):
    write_tar(folder / "tar", {"top/é.txt": b"one", "top/b.txt": b"two"})
    one, two = (hashlib.sha256(content).digest() for content in (b"one", b"two"))
    plain = (5).to_bytes(8, "big") + b"b.txt" + two + (6).to_bytes(8, "big") + "é.txt".encode() + one
    assert content_digest(folder / "tar", USED) == hashlib.sha256(plain).hexdigest()
    names = [("a.txt", b"one"), ("a.txtb", b"one"), ("a.tx", b"tone")]
    for name, content in names:
        write_tar(folder / name, {f"top/{name}": content, "top/b.txt": b"two"})
    assert len({content_digest(folder / name, r"top/(.+)") for name, _ in names}) == 3
