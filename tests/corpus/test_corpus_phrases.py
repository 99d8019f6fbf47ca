"""The inventory: words and pairs of words that were said often enough, or phrases made of the states."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import small_corpus, write

from neuralese.tasks.corpus.columns import hex_to_rgb
from neuralese.tasks.corpus.phrases import (
    BASIC,
    as_sets,
    attributes,
    basic_names,
    count_phrases,
    phrases_of,
    terciles,
    words,
)
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.settings import ColumnSettings


def test_words_and_pairs_stop_at_the_end_of_a_sentence():
    found = phrases_of("A small, light-blue bird. It sings!\nTop left")
    singles = ["small", "light", "blue", "bird", "sings", "top", "left"]
    assert set(found) == {*singles, "small light", "light blue", "blue bird", "top left"}
    assert phrases_of("it is the") == []


def test_words_are_put_in_lower_case_without_punctuation():
    assert words("“Robin’s” EGG, blue_green 3.5 (x2)!") == ["robin's", "egg", "blue", "green", "3", "5", "x2"]  # noqa: RUF001
    assert words("Ça va? e\u0301te\u0301 हिन्दी") == ["ça", "va", "été", "हिन्दी"]
    assert phrases_of("the the Hund", language="de") == ["the", "hund", "the the", "the hund"]


@given(st.lists(st.text(alphabet="abc .", max_size=12), max_size=30), st.integers(1, 4))
def test_the_inventory_counts_utterances_as_a_naive_count_does(said, least):
    phrases = [phrases_of(text) for text in said]
    inventory = count_phrases(phrases, least)
    naive = Counter()
    for text in said:
        for phrase in set(phrases_of(text)):
            naive[phrase] += 1
    assert inventory == {phrase: count for phrase, count in naive.items() if count >= least}
    assert sorted(inventory.values(), reverse=True) == list(inventory.values())
    known = list(inventory)
    for each, places in zip(phrases, as_sets(phrases, inventory), strict=True):
        assert [known[place] for place in places] == sorted(set(each) & inventory.keys(), key=known.index)


def test_only_training_utterances_make_the_inventory(tmp_path):
    files = small_corpus()
    rows = [f"s{n % 12},{'red thing' if n < 30 else 'late word'},{'train' if n < 30 else 'dev'}" for n in range(50)]
    files["utterances.csv"] = "\n".join(["state_id,text,split", *rows, "s1,red,test"])
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.inventory["phrase"].to_pylist() == ["red", "red thing", "thing"]
    assert corpus.inventory["count"].to_pylist() == [30, 30, 30]
    assert corpus.traces["phrases"][40].as_py() == []


def test_attributes_say_what_is_true_of_each_state():
    columns = {
        "shape": np.array(["2", "star", "star"]),
        "size": np.array([1.0, 5.0, 9.0]),
        "angle": np.array([91.0, 350.0, 22.4]),
        "rgb": np.array([[255, 0, 0], [0, 0, 130], [255, 255, 255]]),
        "feature": np.zeros((3, 4)),
    }
    types = {"shape": "category", "size": "number", "rgb": "color", "feature": "vector"}
    settings = {name: ColumnSettings(type=kind) for name, kind in types.items()}
    settings["angle"] = ColumnSettings(type="circular", period=360.0)
    assert attributes(columns, settings, np.arange(3)) == [
        ["shape 2", "small size", "angle near 90", "red"],
        ["shape star", "medium size", "angle near 0", "blue"],
        ["shape star", "large size", "angle near 0", "white"],
    ]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [([1, 2], [0, 2]), ([1, 2, 3], [0, 1, 2]), ([4, 4, 4], [1, 1, 1]), ([1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 2, 2])],
)
def test_terciles_are_of_the_training_values(values, wanted):
    assert terciles(np.array(values), np.array(values)).tolist() == wanted
    assert terciles(np.array([-9, 99]), np.array([1, 2, 3])).tolist() == [0, 2]


def test_every_basic_colour_is_called_by_its_own_name():
    for name, examples in BASIC.items():
        assert set(basic_names(hex_to_rgb(examples))) == {name}
