"""The standard measures: against emlangkit where it defines them identically, by hand, and on known languages.

emlangkit takes arrays of one length: whatever stands behind the end of a message is a symbol to it. Ours agrees with it
on such arrays, but for bag-of-symbols disentanglement, in which the end is no symbol.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

from neuralese.evaluate.columns import Column, state_distances, state_points
from neuralese.evaluate.information import mutual_information, row_labels
from neuralese.evaluate.measures import (
    bag_of_symbols_disentanglement,
    distinct_messages,
    effective_length,
    effective_vocabulary,
    mean_length,
    measure_symbols,
    measure_vectors,
    message_entropy,
    positional_disentanglement,
)
from neuralese.evaluate.topography import edit_distances, pairs, topographic_similarity

STATES = pd.DataFrame(itertools.product(range(5), range(5), range(5)), columns=["shape", "color", "size"])
COLUMNS = dict.fromkeys(STATES, Column("category"))


def similarity(symbols: np.ndarray, states: pd.DataFrame) -> float:
    left, right = pairs(len(symbols))
    apart = state_distances(state_points(states, dict.fromkeys(states, Column("category"))), left, right)
    return topographic_similarity(apart, edit_distances(symbols, left, right))


def by_hand(parts: np.ndarray, states: np.ndarray) -> float:
    """Positional disentanglement of parts (n, T), from the definition of mutual information."""

    def told(one: np.ndarray, other: np.ndarray) -> float:
        total = 0.0
        for a, b in itertools.product(set(one.tolist()), set(other.tolist())):
            both = ((one == a) & (other == b)).mean()
            if both:
                total += both * np.log2(both / (one == a).mean() / (other == b).mean())
        return total

    gaps = []
    for part in parts.T:
        spread = told(part, part)
        if spread:
            most, next_most = sorted((told(part, column) for column in states.T), reverse=True)[:2]
            gaps.append((most - next_most) / spread)
    return float(np.mean(gaps))


@pytest.fixture
def noisy():
    """Messages of one length that tell some of their states."""
    random = np.random.default_rng(0)
    states = STATES.sample(150, replace=True, random_state=0).reset_index(drop=True)
    symbols = random.integers(6, size=(150, 4))
    symbols[:, :2] = np.where(random.random((150, 2)) < 0.7, states[["shape", "color"]], symbols[:, :2])
    symbols[:, 3] = 2  # a position that never changes is left out of the mean
    return symbols, states


def test_a_perfectly_compositional_language():
    symbols = STATES.to_numpy() + 5 * np.arange(3)
    assert similarity(symbols, STATES) == pytest.approx(1)
    assert positional_disentanglement(symbols, STATES) == pytest.approx(1)
    assert bag_of_symbols_disentanglement(symbols, STATES) == pytest.approx(1)


def test_a_compositional_language_that_uses_the_same_symbols_for_different_things():
    symbols = STATES.to_numpy()
    assert positional_disentanglement(symbols, STATES) == pytest.approx(1)
    assert bag_of_symbols_disentanglement(symbols, STATES) < 0.2
    assert 0.9 < similarity(symbols, STATES) < 1  # "0 1 2" becomes "1 2 3" by two edits, though three things differ


def test_symbols_in_any_order_are_disentangled_as_bags_but_not_by_position():
    symbols = np.random.default_rng(0).permuted(STATES.to_numpy() + 5 * np.arange(3), axis=1)
    assert bag_of_symbols_disentanglement(symbols, STATES) == pytest.approx(1)
    assert positional_disentanglement(symbols, STATES) < 0.2


def test_a_random_language_has_no_structure():
    random = np.random.default_rng(0)
    states = STATES.sample(5000, replace=True, random_state=0).reset_index(drop=True)
    symbols = random.integers(5, size=(5000, 3))
    assert similarity(symbols, states) == pytest.approx(0, abs=0.02)
    assert positional_disentanglement(symbols, states) == pytest.approx(0, abs=0.02)
    assert bag_of_symbols_disentanglement(symbols, states) == pytest.approx(0, abs=0.02)


def test_disentanglement_is_as_defined(noisy):
    symbols, states = noisy
    assert positional_disentanglement(symbols, states) == pytest.approx(by_hand(symbols, states.to_numpy()))
    bags = np.stack([(symbols == symbol).sum(1) for symbol in range(6)], axis=1)
    assert bag_of_symbols_disentanglement(symbols, states) == pytest.approx(by_hand(bags, states.to_numpy()))


def test_measures_agree_with_emlangkit(noisy):
    emlangkit = pytest.importorskip("emlangkit")
    symbols, states = noisy
    theirs = emlangkit.Language(symbols, states.to_numpy())
    assert message_entropy(symbols) == pytest.approx(theirs.language_entropy())
    told = mutual_information(row_labels(symbols), row_labels(states.to_numpy()))
    assert told == pytest.approx(theirs.mutual_information())
    assert similarity(symbols, states) == pytest.approx(theirs.topsim()[0])
    assert positional_disentanglement(symbols, states) == pytest.approx(theirs.posdis())
    assert bag_of_symbols_disentanglement(symbols, states) == pytest.approx(theirs.bosdis())


def test_measures_of_messages_of_different_lengths_and_where_emlangkit_differs(noisy):
    emlangkit = pytest.importorskip("emlangkit")
    symbols, states = noisy
    symbols[np.arange(4) >= np.random.default_rng(1).integers(1, 5, size=150)[:, None]] = -1
    theirs = emlangkit.Language(symbols, states.to_numpy())
    assert message_entropy(symbols) == pytest.approx(theirs.language_entropy())
    assert positional_disentanglement(symbols, states) == pytest.approx(theirs.posdis())
    assert bag_of_symbols_disentanglement(symbols, states) != pytest.approx(theirs.bosdis(), abs=1e-3)
    assert similarity(symbols, states) != pytest.approx(theirs.topsim()[0], abs=1e-3)


def test_names_of_symbols_do_not_matter(noisy):
    symbols, states = noisy
    symbols[:40, 2:] = -1
    names = np.random.default_rng(2).permutation(6) + 100
    renamed = np.where(symbols < 0, -1, names[symbols])
    ours, again = (measure_symbols(each, states, COLUMNS) for each in (symbols, renamed))
    pd.testing.assert_frame_equal(ours, again)


def test_vocabulary_and_length():
    symbols = np.array([[1, 2, 3], [4, -1, -1], [1, 2, -1], [3, 4, -1]])
    assert effective_vocabulary(symbols) == pytest.approx(4)
    assert mean_length(symbols) == 2
    assert distinct_messages(symbols) == 4
    assert message_entropy(symbols) == 2
    assert effective_vocabulary(np.array([[1, 1], [1, -1]])) == 1
    assert effective_vocabulary(np.full((3, 2), -1)) == 0


def test_effective_length_counts_positions_that_vary():
    random = np.random.default_rng(0)
    symbols = np.column_stack([np.repeat(np.arange(4), 250), np.tile(np.arange(4), 250), np.ones(1000, dtype=int)])
    assert effective_length(symbols) == pytest.approx(2)
    assert effective_length(symbols[:, [2]]) == 0
    symbols[:, 2] = random.random(1000) < 0.01
    assert 2 < effective_length(symbols) < 2.3


def test_messages_that_are_all_the_same_or_empty_have_measures():
    for symbols in (np.full((125, 2), -1), np.ones((125, 1), dtype=int)):
        table = measure_symbols(symbols, STATES, COLUMNS).set_index(["measure", "variable"])["value"]
        assert table["message_entropy", ""] == 0
        assert table["information", "shape"] == 0
        assert table["p_value", ""] == 1
        assert np.isnan(table["posdis", ""])
        assert np.isnan(table["topographic_similarity", ""])


def test_all_measures_of_symbols():
    states = STATES.sample(2000, replace=True, random_state=0).reset_index(drop=True)
    symbols = np.random.default_rng(0).integers(5, size=(2000, 2))
    symbols[:, 0] = (states["color"] * 2) % 5
    table = measure_symbols(symbols, states, COLUMNS).set_index(["measure", "variable"])["value"]
    assert table["information", "color"] == pytest.approx(np.log2(5), abs=0.01)
    assert table["entropy", "color"] == pytest.approx(np.log2(5), abs=0.01)
    assert table["information", "shape"] == pytest.approx(0, abs=0.02)
    assert table["p_value", "color"] == table["p_value", ""] == 1 / 500
    assert table["p_value", "shape"] > 0.01
    assert 0.1 < table["topographic_similarity", ""] < 0.9
    assert 0.4 < table["posdis", ""] < 0.6  # of two positions one tells all of one thing


def test_all_measures_of_vectors():
    states = STATES.sample(2000, replace=True, random_state=0).reset_index(drop=True)
    random = np.random.default_rng(0)
    vectors = np.eye(5)[states["color"]] + 0.1 * random.standard_normal((2000, 5))
    table = measure_vectors(vectors, states, COLUMNS).set_index(["measure", "variable"])["value"]
    assert table["information", "color"] > 2
    assert table["information", "shape"] < 0.05
    assert table["p_value", "color"] == table["p_value", ""] == 1 / 500
    assert table["p_value", "shape"] > 0.01
    assert table["topographic_similarity", ""] > 0.3
    assert table["topographic_similarity_cosine", ""] > 0.3
    assert 3 < table["effective_dimension", ""] < 5
    one = measure_vectors(vectors[:, :1], states, COLUMNS).set_index(["measure", "variable"])["value"]
    assert one["effective_dimension", ""] == 1


def test_vectors_that_are_all_the_same_have_measures():
    table = measure_vectors(np.ones((125, 3)), STATES, COLUMNS).set_index(["measure", "variable"])["value"]
    assert np.isnan(table["effective_dimension", ""])
    assert table["information", "shape"] == 0
    assert table["p_value", ""] == 1


def test_messages_of_one_group_count_once_in_the_test():
    """Ten games, in each of which state and message stay as they are: many recordings, but little evidence."""
    random = np.random.default_rng(3)
    games = np.repeat(np.arange(10), 100)
    states = pd.DataFrame({"shape": random.integers(3, size=10)[games]})
    symbols = random.integers(3, size=10)[games][:, None]
    columns = {"shape": Column("category")}
    apart, together = (
        measure_symbols(symbols, states, columns, groups=groups).set_index(["measure", "variable"])["value"]
        for groups in (None, games)
    )
    assert apart["p_value", ""] == 1 / 500
    assert together["p_value", ""] > 0.05


def test_measures_are_the_same_for_the_same_seed():
    states = STATES.sample(1500, replace=True, random_state=0).reset_index(drop=True)
    symbols = np.random.default_rng(0).integers(5, size=(1500, 2))
    first, again, other = (measure_symbols(symbols, states, COLUMNS, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
