"""The colour survey, real or stand-in, becomes the right rows, words and traces."""

import numpy as np
import pandas as pd
import pytest
from skimage.color import hsv2rgb

from neuralese.data.archives import content_digest, write_tar
from neuralese.errors import NeuraleseError
from neuralese.tasks.colors import embedded
from neuralese.tasks.colors.data import add_lab, hsv_to_lab, inventory, lab_to_rgb, parse, traces, words
from neuralese.tasks.colors.task import XKCD

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


# two names, whose files are made odd one at a time
TWO = {
    "corpusindex.txt": "red,red\nlight blue,blue",
    **{f"train/{stem}.{channel}_train": "0.1\n0.2" for stem in ("red", "blue") for channel in "hsv"},
    **{f"{folder}/{stem}.test": "0.1,0.2,0.3" for folder in ("5dev", "25test") for stem in ("red", "blue")},
}
ODD_COLORS = [
    *((path, [None]) for path in ("corpusindex.txt", "train/red.s_train", "5dev/red.test")),
    ("corpusindex.txt", ["", "red", "red,red\nred,blue", "a,red\nb,red", ",red", "red,", "\xff,red", "\x1b[31m,red"]),
    ("corpusindex.txt", ["red,nothing", "red,../red", "re\0d,red"]),
    ("train/red.h_train", ["nan", "0.1\nnan", "inf\n0.1", "-0.1\n0.2", "1.1\n0.2", "0.1", "0.1\n0.2\n0.3", "a\nb"]),
    ("train/red.h_train", ["0.1\n0x1", "1e999\n0.1", "\xff\n1", "0.1 0.2 0.3", "1,2,3"]),
    ("5dev/red.test", ["0.1,0.2", "0.1,0.2,0.3,0.4", "0.1 0.2 0.3", "a,b,c", "nan,0,0", "2,0,0", ",,"]),
    *((folder, [""]) for folder in ("train/", "5dev/", "25test/")),
]


@pytest.mark.parametrize(("part", "text"), [(name, text) for name, texts in ODD_COLORS for text in texts], ids=ascii)
def test_odd_colours_are_refused_in_one_sentence(tmp_path, part, text):
    texts = {name: text if part in name else right for name, right in TWO.items()}
    files = {name: each.encode("latin-1") for name, each in texts.items() if each is not None}
    with pytest.raises(NeuraleseError, match="download it again") as error:
        parse(pack(tmp_path / "xkcd", files))
    assert str(error.value).isprintable()


def test_the_colours_that_are_made_odd_are_right_otherwise(tmp_path):
    table = parse(pack(tmp_path / "xkcd", {name: text.encode() for name, text in TWO.items()}))
    assert len(table) == 8
    assert np.isfinite(table[["h", "s", "v"]].to_numpy()).all()


def test_words_are_split_at_everything_but_letters_and_apostrophes():
    assert words("Robin's egg blue-green") == ["robin's", "egg", "blue", "green"]
    assert words("yellow/green 2") == ["yellow", "green"]


def test_the_inventory_has_the_decent_words_of_enough_names_by_training_answers():
    table = answers(
        ("train", "blue", 1), ("train", "sky blue", 2), ("train", "sky", 9), ("train", "red", 50), ("test", "blue", 99)
    )
    rows = inventory(table, least_names=2)
    assert rows.to_dict("list") == {"phrase_id": [0, 1], "phrase": ["sky", "blue"], "count": [11, 3], "names": [2, 2]}
    assert len(inventory(table, least_names=3)) == 0
    equal = answers(*(("train", name, 2) for name in ("teal", "very aqua", "lime lime", "shit brown")))
    rows = inventory(equal, least_names=1)
    assert list(rows["phrase"]) == ["aqua", "brown", "lime", "teal"]  # by the alphabet
    assert (rows[["count", "names"]] == [2, 1]).all(axis=None)  # a repeated word counts once


def test_a_trace_is_the_inventory_words_of_a_name_as_said():
    table = answers(("train", "dark sky blue", 2), ("dev", "very blue", 1), ("test", "puce", 1))
    assert traces(table, ["blue", "dark"]).tolist() == [[1, 0], [1, 0], [0], []]


def test_known_colours_have_their_published_coordinates():
    hsv = np.array([[0, 0, 1], [0, 0, 0], [0, 1, 1], [1 / 3, 1, 1], [2 / 3, 1, 1]])
    lab = [[100, 0, 0], [0, 0, 0], [53.24, 80.09, 67.20], [87.73, -86.18, 83.18], [32.30, 79.19, -107.86]]
    np.testing.assert_allclose(hsv_to_lab(hsv), lab, atol=0.05)
    np.testing.assert_allclose(lab_to_rgb(hsv_to_lab(hsv)), hsv2rgb(hsv[None])[0], atol=1e-3)
    assert add_lab(pd.DataFrame({"h": [0.0], "s": [0.0], "v": [1.0]}))["L"].tolist() == pytest.approx([100], abs=0.05)


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    raw = tmp_path_factory.mktemp("raw")
    embedded.write(raw)
    return raw / "xkcd"


def test_the_stand_in_is_read_by_the_same_parser_and_its_names_have_their_colours(stand_in):
    table = parse(stand_in)
    assert table["name"].nunique() > 500
    assert set(table["split"]) == {"train", "dev", "test"}
    assert table[["h", "s", "v"]].stack().between(0, 1).all()
    assert (table.groupby(["name", "split"], observed=False).size() > 0).all()
    hue = table.groupby("name", observed=True)["h"].median()
    assert hue[["yellow", "green", "blue", "purple"]].tolist() == pytest.approx([1 / 6, 1 / 3, 2 / 3, 0.8], abs=0.06)


def test_the_stand_in_has_the_same_bytes_every_time(stand_in, tmp_path):
    embedded.write(tmp_path)
    assert (tmp_path / "xkcd").read_bytes() == stand_in.read_bytes()


@pytest.mark.slow
def test_the_real_corpus_is_the_published_one(mirror):
    archive = mirror / XKCD.archives[0].mirror
    assert content_digest(archive, XKCD.archives[0].used) == XKCD.archives[0].content_sha256
    table = parse(archive)
    assert table["name"].nunique() == 829
    assert table["split"].value_counts().to_dict() == {"train": 1523108, "dev": 108545, "test": 544764}
    assert len(inventory(table)) == 57
