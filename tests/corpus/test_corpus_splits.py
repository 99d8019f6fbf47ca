"""Splits: as given, or drawn in the shares asked for, groups together, the same for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import write

from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.settings import SplitSettings
from neuralese.tasks.corpus.splits import SPLITS, draw_splits


@given(
    groups=st.lists(st.integers(0, 30), min_size=3, max_size=200).filter(lambda groups: len(set(groups)) >= 3),
    dev=st.floats(0.01, 0.45),
    test=st.floats(0.01, 0.45),
    seed=st.integers(0, 5),
)
def test_groups_stay_together_and_every_split_has_some(groups, dev, test, seed):
    split = draw_splits(np.array(groups), SplitSettings(dev, test), np.random.default_rng(seed))
    assert set(split) == set(SPLITS)
    assert all(len(set(split[np.array(groups) == group])) == 1 for group in set(groups))


@pytest.mark.parametrize("rows", [20, 100, 1001])
def test_single_rows_are_split_in_exact_shares(rows):
    split = draw_splits(np.arange(rows), SplitSettings(0.15, 0.25), np.random.default_rng(0))
    assert abs((split == "test").sum() - 0.25 * rows) <= 0.5
    assert abs((split == "dev").sum() - 0.15 * rows) <= 1


def test_the_seed_decides_and_nothing_else(small):
    one, again, other = (read_corpus(small, seed).messages.split for seed in (0, 0, 1))
    assert (one == again).all()
    assert (one != other).any()


def test_episodes_stay_together_also_in_utterances(tmp_path, files):
    files["corpus.yaml"] = files["corpus.yaml"].replace("test: 0.2", "test: 0.2, by: episode")
    head, *rows = files["utterances.csv"].splitlines()
    files["utterances.csv"] = "\n".join([f"{head},episode", *(f"{row},{n // 5}" for n, row in enumerate(rows))])
    corpus = read_corpus(write(tmp_path / "c", files))
    episodes = np.arange(60) // 6
    split = {}
    for episode in range(10):
        (split[episode],) = set(corpus.messages.split[episodes == episode])
    of_utterances = np.arange(60) // 5  # two more episodes than messages have
    for episode in range(12):
        (found,) = set(corpus.utterances.split[of_utterances == episode])
        assert found == split.get(episode, "train")


def test_a_column_of_the_states_keeps_its_values_together(tmp_path, files):
    files["corpus.yaml"] = files["corpus.yaml"].replace("test: 0.2", "test: 0.2, by: board")
    corpus = read_corpus(write(tmp_path / "c", files))
    board = corpus.messages.state % 4
    of_board = {value: set(corpus.messages.split[board == value]) for value in range(4)}
    assert all(len(found) == 1 for found in of_board.values())
    assert {found for (found,) in of_board.values()} == set(SPLITS)
    for row, split in zip(corpus.utterances.state % 4, corpus.utterances.split, strict=True):
        assert of_board[row] == {split}


def test_a_column_of_the_table_takes_precedence(tmp_path, files):
    head, *rows = files["messages.csv"].splitlines()
    given_split = [SPLITS[number % 3] for number in range(60)]
    told = [f"{row},{split}" for row, split in zip(rows, given_split, strict=True)]
    files["messages.csv"] = "\n".join([f"{head},split", *told])
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.messages.split.tolist() == given_split
    assert len(corpus.utterances.of("train")) == 36
