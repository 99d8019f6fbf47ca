"""No archive can forge a digest, fill the memory, take long, or end in anything but one sentence."""

import hashlib
import io
import time
import tracemalloc

import pytest
from odd_archives import END, ODD, bombs, header, member, pax, record, whole_tar, whole_zip

from neuralese.data import archives, unpack
from neuralese.data.archives import content_digest, members
from neuralese.data.data_sets import Archive, DataSet
from neuralese.data.fetch import fetch
from neuralese.data.unpack import Stream, pieces
from neuralese.errors import NeuraleseError

USED = r"top/(.+\.txt)$"


def refusal(path, pattern: str = USED) -> str:
    with pytest.raises(NeuraleseError) as caught:
        content_digest(path, pattern)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert sentence.isprintable()
    assert sentence.endswith(".")
    return sentence


@pytest.mark.parametrize("wrong", ODD)
def test_an_odd_archive_is_refused_in_one_sentence_soon_and_in_little_memory(tmp_path, wrong):
    path = tmp_path / "archive"
    path.write_bytes(ODD[wrong])
    tracemalloc.start()
    begun = time.process_time()
    refusal(path)
    assert time.process_time() - begun < 5
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("kind", bombs())
def test_what_unpacks_without_end_is_given_up(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(unpack, "MOST_UNPACKED", 1 << 22)
    monkeypatch.setattr(unpack, "MOST_PARTS", 1000)
    bombs()[kind](tmp_path / "bomb")
    assert (tmp_path / "bomb").stat().st_size < 1 << 20
    tracemalloc.start()
    assert "unpacks to more than 4 MB" in (said := refusal(tmp_path / "bomb")) or "more than 1,000 parts" in said
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()


def test_more_members_than_any_data_set_has_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 10)
    names = {f"top/{n}.txt": b"" for n in range(11)}
    for content in (whole_tar(names), whole_zip(names)):
        (tmp_path / "many").write_bytes(content)
        assert "more than 10 members" in refusal(tmp_path / "many")


def test_members_that_are_not_wanted_are_not_read(tmp_path):
    path = tmp_path / "archive"
    path.write_bytes(header(b"other", 1 << 26) + bytes(1 << 26) + member(b"top/x.txt", b"wanted") + END)
    tracemalloc.start()
    assert dict(members(path, USED)) == {"x.txt": b"wanted"}
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def old_digest(files: dict[str, bytes]) -> str:
    """As it was once made: names and digests of contents, joined by what names can hold."""
    lines = sorted(f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in files.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_no_name_can_stand_for_several_files(tmp_path):
    right = {"a.txt": b"one", "b.txt": b"two"}
    inside = f"a.txt {hashlib.sha256(b'one').hexdigest()}\nb.txt"
    forged = {inside: b"two"}
    assert old_digest(right) == old_digest(forged)  # which was the fault
    (tmp_path / "right").write_bytes(whole_tar({f"top/{name}": content for name, content in right.items()}))
    for content in (whole_tar({f"top/{inside}": b"two"}), whole_zip({f"top/{inside}": b"two"})):
        (tmp_path / "forged").write_bytes(content)
        assert "control characters" in refusal(tmp_path / "forged", r"top/([\s\S]+)")
    digests = [content_digest(tmp_path / "right", r"top/(.+)")]
    for number, other in enumerate(({"a.txtb": b"one", "b.txt": b"two"}, {"a.tx": b"tone", "b.txt": b"two"})):
        (tmp_path / str(number)).write_bytes(whole_tar({f"top/{name}": content for name, content in other.items()}))
        digests.append(content_digest(tmp_path / str(number), r"top/(.+)"))
    assert len(set(digests)) == 3


def test_the_digest_is_what_it_says(tmp_path):
    (tmp_path / "tar").write_bytes(whole_tar({"top/é.txt": b"one", "top/b.txt": b"two"}))
    one, two = (hashlib.sha256(content).digest() for content in (b"one", b"two"))
    plain = (5).to_bytes(8, "big") + b"b.txt" + two + (6).to_bytes(8, "big") + "é.txt".encode() + one
    assert content_digest(tmp_path / "tar", USED) == hashlib.sha256(plain).hexdigest()


def test_long_names_and_extended_headers_are_read_as_they_are_meant(tmp_path):
    long = "top/" + "a" * 150 + ".txt"
    written = [whole_tar({long: b"x"})]  # as the standard library writes it
    written.append(pax(record(b"path", long.encode()) + record(b"mtime", b"1.5")) + member(b"top/short", b"x") + END)
    written.append(member(b"@", long.encode() + b"\0", b"L") + member(b"top/short", b"x") + END)
    written.append(
        pax(record(b"comment", b"of a commit"), b"g") + member(b"@", long.encode(), b"L") + member(b"s", b"x") + END
    )
    for content in written:
        (tmp_path / "tar").write_bytes(content)
        assert dict(members(tmp_path / "tar", USED)) == {long.removeprefix("top/"): b"x"}


def test_a_stream_gives_the_same_bytes_in_whatever_lengths(tmp_path):
    content = bytes(range(256)) * 5000
    stream = Stream(pieces(io.BytesIO(content)))
    assert stream.take(1) + stream.take(700_000) + stream.take(len(content) - 700_001) == content
    with pytest.raises(EOFError):
        stream.take(1)


@pytest.mark.parametrize("wrong", list(ODD)[::6])
def test_after_an_odd_archive_the_next_place_is_tried(tmp_path, caplog, wrong):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "first").write_bytes(ODD[wrong])
    (tmp_path / "mirror" / "second").write_bytes(b"taken as it is")
    archive = Archive("file", "first", (), USED, "0" * 64, supplied="second")
    places = {"mirror": tmp_path / "mirror", "partial": tmp_path, "embed": pytest.fail}
    record = fetch(DataSet("data", "none", (archive,)), tmp_path / "raw", source="real", **places)
    assert record["files"][0]["from"].endswith("second")
    assert f"{tmp_path / 'mirror' / 'first'} " in caplog.text
    assert "trying the next place" in caplog.text


def test_a_file_that_may_not_be_read_gives_way_to_the_next_place(tmp_path, monkeypatch, caplog):
    (tmp_path / "first").write_bytes(b"x")
    (tmp_path / "second").write_bytes(b"y")

    def copy(source, destination):
        if source.endswith("first"):
            raise PermissionError(13, "Permission denied", source)
        destination.write_bytes(b"y")

    monkeypatch.setattr("neuralese.data.fetch.shutil.copyfile", copy)
    archive = Archive("file", "first", (), USED, "", supplied="second")
    places = {"mirror": tmp_path, "partial": tmp_path, "embed": pytest.fail}
    fetch(DataSet("data", "none", (archive,)), tmp_path / "raw", source="real", **places)
    assert "first cannot be read (Permission denied); trying the next place" in caplog.text
