"""The colour survey, real or stand-in, becomes the right rows, words and traces."""

import pandas as pd
import pytest

from neuralese.data.archives import content_digest, write_tar
from neuralese.errors import NeuraleseError
from neuralese.tasks.colors import embedded
from neuralese.tasks.colors.data import inventory, parse, traces, words
from neuralese.tasks.colors.source import XKCD

CORPUS = {
    "corpusindex.txt": b"sky blue,skyblue\nred,red\n",
    "train/skyblue.h_train": b"0.5\n0.625\n",
    "train/skyblue.s_train": b"0.25\n0.75\n",
    "train/skyblue.v_train": b"1\n0.125\n",
    "train/red.h_train": b"0",
    "train/red.s_train": b"1",
    "train/red.v_train": b"0.5",
    "5dev/skyblue.test": b"0.5,0.25,0.75\n",
    "5dev/red.test": b"",
    "25test/skyblue.test": b"0.5,0.5,0.5\n0.25,0.25,0.25\n",
    "25test/red.test": b"0.0,1.0,1.0\n",
}


def pack(path, files):
    write_tar(path, {f"top/munroecorpus/{name}": content for name, content in files.items()})
    return path


def refusal(archive):
    with pytest.raises(NeuraleseError) as error:
        parse(archive)
    assert "\n" not in str(error.value)
    return str(error.value)


def answers(*rows):
    """A table of (split, name, how often)."""
    return pd.DataFrame([(split, name) for split, name, times in rows for _ in range(times)], columns=["split", "name"])


def test_every_answer_is_a_row_with_its_split_name_and_colour(tmp_path):
    table = parse(pack(tmp_path / "xkcd", CORPUS))
    assert list(table.columns) == ["split", "name", "h", "s", "v"]
    assert list(table.itertuples(index=False, name=None)) == [
        ("train", "sky blue", 0.5, 0.25, 1.0),
        ("train", "sky blue", 0.625, 0.75, 0.125),
        ("train", "red", 0.0, 1.0, 0.5),
        ("dev", "sky blue", 0.5, 0.25, 0.75),
        ("test", "sky blue", 0.5, 0.5, 0.5),
        ("test", "sky blue", 0.25, 0.25, 0.25),
        ("test", "red", 0.0, 1.0, 1.0),
    ]


def test_rows_do_not_depend_on_the_order_of_the_members(tmp_path):
    backwards = pack(tmp_path / "backwards", dict(reversed(CORPUS.items())))
    pd.testing.assert_frame_equal(parse(backwards), parse(pack(tmp_path / "xkcd", CORPUS)))


@pytest.mark.parametrize("path", ["train/red.s_train", "5dev/red.test", "25test/red.test"])
def test_a_listed_name_without_its_files_is_refused(tmp_path, path):
    without = {name: content for name, content in CORPUS.items() if name != path}
    assert f"lists 'red' but has no {path}" in refusal(pack(tmp_path / "xkcd", without))


@pytest.mark.parametrize("path", ["train/red.s_train", "25test/red.test"])
def test_what_is_not_a_number_is_refused(tmp_path, path):
    sentence = refusal(pack(tmp_path / "xkcd", {**CORPUS, path: b"0.1,blue,0.3"}))
    assert f"{path} holds something other than numbers" in sentence


@pytest.mark.parametrize(
    ("path", "content", "named"),
    [
        ("train/skyblue.s_train", b"0.25\n", "train/skyblue.h_train"),
        ("5dev/skyblue.test", b"0.5,0.25\n", "5dev/skyblue.test"),
    ],
)
def test_answers_that_lack_a_channel_are_refused(tmp_path, path, content, named):
    sentence = refusal(pack(tmp_path / "xkcd", {**CORPUS, path: content}))
    assert f"{named} lacks a hue, saturation or value of an answer" in sentence


def test_an_archive_of_something_else_is_refused(tmp_path):
    write_tar(tmp_path / "xkcd", {"top/README": b"hello"})
    assert "download the colour corpus again" in refusal(tmp_path / "xkcd")


@pytest.mark.parametrize("index", [b"red\n", b"", b"r\xe9d,red\n", b"red,red\nred,skyblue\n"])
def test_a_damaged_index_is_refused(tmp_path, index):
    refusal(pack(tmp_path / "xkcd", {**CORPUS, "corpusindex.txt": index}))


def test_held_out_lines_of_other_than_three_numbers_are_refused(tmp_path):
    refusal(pack(tmp_path / "xkcd", {**CORPUS, "5dev/skyblue.test": b"0.1,0.2\n0.3,0.4,0.5,0.6\n"}))


def test_words_are_split_at_everything_but_letters_and_apostrophes():
    assert words("Robin's egg blue-green") == ["robin's", "egg", "blue", "green"]
    assert words("yellow/green 2") == ["yellow", "green"]
    assert words("") == []


def test_the_inventory_has_the_words_of_enough_names_by_training_answers():
    table = answers(
        ("train", "blue", 1), ("train", "sky blue", 2), ("train", "sky", 9), ("train", "red", 50), ("test", "blue", 99)
    )
    rows = inventory(table, least_names=2)
    assert rows.to_dict("list") == {"phrase_id": [0, 1], "phrase": ["sky", "blue"], "count": [11, 3], "names": [2, 2]}
    assert list(inventory(table, least_names=1)["phrase"]) == ["red", "sky", "blue"]
    assert len(inventory(table, least_names=3)) == 0


def test_words_of_equal_count_come_by_the_alphabet():
    table = answers(("train", "teal", 2), ("train", "aqua", 2), ("train", "lime", 2))
    assert list(inventory(table, least_names=1)["phrase"]) == ["aqua", "lime", "teal"]


def test_a_word_said_twice_in_a_name_counts_once():
    rows = inventory(answers(("train", "blue blue", 3)), least_names=1)
    assert rows.loc[0, ["count", "names"]].tolist() == [3, 1]


def test_very_and_profanity_are_left_out_of_the_inventory():
    table = answers(("train", "very dark", 1), ("train", "shit brown", 1), ("train", "piss yellow", 1))
    assert list(inventory(table, least_names=1)["phrase"]) == ["brown", "dark", "yellow"]


def test_a_trace_is_the_inventory_words_of_a_name_as_said():
    table = answers(("train", "dark sky blue", 2), ("dev", "very blue", 1), ("test", "puce", 1))
    assert traces(table, ["blue", "dark"]).tolist() == [[1, 0], [1, 0], [0], []]


def test_traces_of_a_parsed_corpus_have_a_row_for_every_answer(tmp_path):
    table = parse(pack(tmp_path / "xkcd", CORPUS))
    said = traces(table, ["blue", "sky"])
    assert list(said.index) == list(table.index)
    assert said.tolist() == [[1, 0], [1, 0], [], [1, 0], [1, 0], [1, 0], []]


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    raw = tmp_path_factory.mktemp("raw")
    embedded.write(raw)
    return raw / "xkcd"


@pytest.fixture(scope="module")
def stand_in_table(stand_in):
    return parse(stand_in)


def test_the_stand_in_is_read_by_the_same_parser(stand_in_table):
    table = stand_in_table
    assert table["name"].nunique() > 500
    assert set(table["split"]) == {"train", "dev", "test"}
    assert table[["h", "s", "v"]].stack().between(0, 1).all()
    assert (table.groupby(["name", "split"], observed=False).size() > 0).all()


def test_the_stand_ins_names_have_their_colours(stand_in_table):
    hue = stand_in_table.groupby("name", observed=True)["h"].median()
    assert hue[["yellow", "green", "blue", "purple"]].tolist() == pytest.approx([1 / 6, 1 / 3, 2 / 3, 0.8], abs=0.06)


def test_the_stand_in_is_not_taken_for_the_real_corpus(stand_in):
    assert content_digest(stand_in, XKCD.archives[0].used) != XKCD.archives[0].content_sha256


def test_the_stand_in_has_the_same_bytes_every_time(stand_in, tmp_path):
    embedded.write(tmp_path)
    assert (tmp_path / "xkcd").read_bytes() == stand_in.read_bytes()


def test_the_real_corpus_is_the_published_one(mirror):
    archive = mirror / XKCD.archives[0].mirror
    assert content_digest(archive, XKCD.archives[0].used) == XKCD.archives[0].content_sha256
    table = parse(archive)
    assert table["name"].nunique() == 829
    assert table["split"].value_counts().to_dict() == {"train": 1523108, "dev": 108545, "test": 544764}
    assert len(inventory(table)) == 57
