"""Raw data comes from the mirror, then the official addresses, then the stand-in, and always says which."""

import functools

import pytest
from odd_archives import whole_tar

from neuralese.data import fetch as fetching
from neuralese.data.archives import content_digest
from neuralese.data.data_sets import Archive, DataSet, provenance, read_provenance
from neuralese.data.download import download
from neuralese.data.fetch import fetch, mirror_folder
from neuralese.errors import NeuraleseError
from neuralese.storage.files import file_digest, read_json, write_json

USED = r"corpus/(.+)$"


def packed(path, text="right"):
    path.write_bytes(packed_bytes(text))
    return path


def packed_bytes(text):
    return whole_tar({"top/corpus/index": b"one, two", "top/corpus/one": text.encode() * 50_000})


@pytest.fixture(autouse=True)
def impatience(monkeypatch):
    monkeypatch.setattr(fetching, "download", functools.partial(download, tries=2, pause=0.01, timeout=(0.5, 0.5)))


@pytest.fixture
def right(tmp_path):
    return packed(tmp_path / "right.tar")


@pytest.fixture
def mirror(tmp_path):
    (tmp_path / "mirror").mkdir()
    return tmp_path / "mirror"


@pytest.fixture
def get(tmp_path, right):
    """Fetch a data set of one archive, which is `right`, from the given places."""

    def get(*urls, source="auto", mirror=None):
        archive = Archive("corpus", "corpus.tar", urls, USED, content_digest(right, USED))
        return fetch_all(tmp_path, archive, source=source, mirror=mirror)

    return get


def fetch_all(tmp_path, *archives, source="auto", mirror=None):
    def embed(raw):
        for archive in archives:
            (raw / archive.file).write_bytes(b"stand-in")

    places = {"mirror": mirror, "partial": tmp_path / "partial"}
    return fetch(DataSet("a corpus", "CC0", archives), tmp_path / "raw", source=source, embed=embed, **places)


def test_the_mirror_comes_before_the_official_address(web, tmp_path, get, mirror, right):
    packed(mirror / "corpus.tar")
    site = web.site(web.gives(right.read_bytes()))
    record = get(site.url, mirror=mirror)
    assert record["source"] == "mirror"
    assert record["files"][0]["from"] == str(mirror / "corpus.tar")
    assert site.ranges == []
    assert (tmp_path / "raw" / "corpus").read_bytes() == right.read_bytes()


@pytest.mark.parametrize("source", ["auto", "real"])
def test_the_official_address_comes_before_the_stand_in_and_the_record_says_what_came_from_where(
    web, tmp_path, get, right, source
):
    body = right.read_bytes()
    site = web.site(web.gives(body, only=100_000), web.resumes(body))
    record = get(site.url, source=source)
    assert sorted(path.name for path in (tmp_path / "raw").iterdir()) == ["corpus", "source.json"]
    assert (tmp_path / "raw" / "corpus").read_bytes() == body
    assert read_json(tmp_path / "raw" / "source.json") == record
    assert (record["data_set"], record["source"], record["licence"]) == ("a corpus", "official", "CC0")
    assert record["files"] == [
        {"file": "corpus", "source": "official", "from": site.url, "sha256": file_digest(tmp_path / "raw" / "corpus")}
    ]
    assert list(tmp_path.rglob("*.part")) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "corpus.tar cannot be read (No such file or directory); trying the next place"),
        (packed_bytes("wrong"), "does not hold the expected content"),
        (packed_bytes("right")[:100_000], "is truncated"),
    ],
    ids=["missing", "other", "damaged"],
)
def test_a_mirror_without_the_right_archive_gives_way_to_the_official_address(
    web, tmp_path, get, mirror, right, caplog, content, says
):
    if content is not None:
        (mirror / "corpus.tar").write_bytes(content)
    record = get(web.site(web.gives(right.read_bytes())).url, mirror=mirror)
    assert record["source"] == "official"
    assert (tmp_path / "raw" / "corpus").read_bytes() == right.read_bytes()
    (warning,) = [line.getMessage() for line in caplog.records if line.levelname == "WARNING"]
    assert says in warning


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda web: web.gives(packed_bytes("wrong")), "does not hold the expected content"),
        (lambda web: web.stalls(packed_bytes("right"), after=100_000), "could not be downloaded in 2 attempts"),
        (lambda web: web.gives(b"<html>We have moved</html>"), "not an archive"),
    ],
    ids=["wrong bytes", "a stall", "a web page"],
)
def test_after_a_bad_address_the_next_is_tried_and_wrong_bytes_are_not_kept(
    web, tmp_path, get, right, caplog, answer, says
):
    bad, good = web.site(answer(web)), web.site(web.gives(right.read_bytes()))
    record = get(bad.url, good.url)
    assert record["files"][0]["from"] == good.url
    assert (tmp_path / "raw" / "corpus").read_bytes() == right.read_bytes()
    assert f"{bad.url} " in caplog.text
    assert says in caplog.text
    assert "trying the next place" in caplog.text
    assert len(list(tmp_path.rglob("*.part"))) == (says == "could not be downloaded in 2 attempts")


def test_real_data_that_cannot_be_had_stops_in_one_sentence(web, tmp_path, get):
    with pytest.raises(NeuraleseError) as failure:
        get(web.nowhere, source="real")
    sentence = str(failure.value)
    assert web.nowhere in sentence
    assert "NEURALESE_MIRROR" in sentence
    assert "corpus.tar" in sentence
    assert "\n" not in sentence
    assert list((tmp_path / "raw").iterdir()) == []


def test_the_stand_in_is_announced_and_recorded_and_opens_neither_network_nor_mirror_if_wanted(
    web, tmp_path, get, mirror, right, caplog
):
    packed(mirror / "corpus.tar")
    site = web.site(web.gives(right.read_bytes()))
    wanted = get(site.url, source="embedded", mirror=mirror)
    assert (site.ranges, caplog.records) == ([], [])
    record = get(web.nowhere)
    assert caplog.records[-1].levelname == "WARNING"
    assert "EMBEDDED" in caplog.records[-1].getMessage()
    assert web.nowhere in caplog.records[-1].getMessage()
    assert (tmp_path / "raw" / "corpus").read_bytes() == b"stand-in"
    for each in (wanted, record):
        assert (each["source"], each["data_set"]) == ("embedded", "embedded stand-in for: a corpus")
        assert [file["file"] for file in each["files"]] == ["corpus"]
    write_json(tmp_path / "provenance.json", provenance(tmp_path / "raw", {"colors": 7}, seed=3))
    assert read_provenance(tmp_path / "provenance.json") == {**record, "rows": {"colors": 7}, "seed": 3}


def test_a_data_set_is_all_real_or_all_stand_in(web, tmp_path, mirror, right):
    packed(mirror / "one.tar")
    digest = content_digest(right, USED)
    archives = [Archive(name, f"{name}.tar", (web.nowhere,), USED, digest) for name in ("one", "two")]
    assert fetch_all(tmp_path, *archives, mirror=mirror)["source"] == "embedded"
    assert {(tmp_path / "raw" / name).read_bytes() for name in ("one", "two")} == {b"stand-in"}
    packed(mirror / "two.tar")
    assert fetch_all(tmp_path, *archives, mirror=mirror)["source"] == "mirror"
    assert {(tmp_path / "raw" / name).read_bytes() for name in ("one", "two")} == {right.read_bytes()}


def test_the_environments_mirror_comes_before_the_configs_and_must_be_a_folder(tmp_path, monkeypatch):
    for name in ("environment", "config"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    monkeypatch.setenv("NEURALESE_MIRROR", str(tmp_path / "environment"))
    assert mirror_folder(str(tmp_path / "config")) == tmp_path / "environment"
    monkeypatch.delenv("NEURALESE_MIRROR")
    assert mirror_folder(str(tmp_path / "config")) == tmp_path / "config"
    assert mirror_folder(None) is None
    for place in ("file", "nothing"):
        with pytest.raises(NeuraleseError, match=f"{place}' is not a folder; fix or unset NEURALESE_MIRROR"):
            mirror_folder(str(tmp_path / place))
