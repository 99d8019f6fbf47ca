"""What humans say at once: sets of phrases, numbered so that single phrases keep their own numbers."""

from itertools import accumulate

import pytest
import torch

from neuralese.speakers.traces import Lists
from neuralese.storage.tables import write_table
from neuralese.tasks.items import traces_table, utterances_table
from neuralese.translate.languages import load_parts, utterance_ids

PHRASES = ["", "light", "dark", "green"]


def lists(said: list[list[int]]) -> Lists:
    starts = torch.tensor([0, *accumulate(len(each) for each in said)])
    return Lists(torch.tensor([phrase for each in said for phrase in each]), starts, len(PHRASES))


SAID = {
    "train": [[2, 3], [3, 2], [1, 3], [1, 2], [1, 2], [1, 2], [0], []],
    "dev": [[1, 3], [2], [1, 2, 3], [3, 1, 3]],
    "test": [[3, 2], [0], [0], [1, 2, 3]],
}


@pytest.fixture
def table():
    said = [(split, each) for split in SAID for each in SAID[split]]
    return utterances_table(
        PHRASES, traces_table(range(len(said)), phrases=[each for _, each in said]), [split for split, _ in said]
    )


def test_single_phrases_come_first_by_their_own_ids_and_then_what_was_said_on_held_out_states(table):
    assert table["utterance_id"].tolist() == list(range(len(table)))
    assert table["parts"].tolist()[:4] == [[0], [1], [2], [3]]
    # the most frequent in training first; what was said in training alone is not there
    assert table["parts"].tolist()[4:] == [[2, 3], [1, 3], [1, 2, 3]]
    assert table["text"].tolist()[4:] == ["dark, green", "light, green", "light, dark, green"]


def test_utterances_are_counted_in_each_split(table):
    counts = table.set_index(table["parts"].map(tuple))[["train", "dev", "test"]]
    assert counts.loc[[(2, 3)]].values.tolist() == [[2, 0, 1]]
    assert counts.loc[[(1, 3)]].values.tolist() == [[1, 2, 0]]
    assert counts.loc[[(0,)]].values.tolist() == [[1, 0, 2]]
    assert counts.loc[[(3,)]].values.tolist() == [[0, 0, 0]]


def test_everything_that_was_said_on_held_out_states_is_found_by_its_phrases(table, tmp_path):
    write_table(tmp_path / "utterances.parquet", table, "utterances")
    parts = load_parts(tmp_path / "utterances.parquet")
    for split in ("dev", "test"):
        bags = lists(SAID[split]).bags(torch.arange(len(SAID[split])))
        found = utterance_ids(bags, parts)
        assert [parts[number] for number in found.tolist()] == [tuple(sorted(set(each))) for each in SAID[split]]
