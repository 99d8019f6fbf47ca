"""The standard measures: against emlangkit where it defines them identically, and on known languages.

emlangkit takes arrays of one length: whatever stands behind the end of a message is a symbol to it. Ours agrees with it
on such arrays, but for bag-of-symbols disentanglement, in which the end is no symbol.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine as naive_cosine

from neuralese.errors import NeuraleseError
from neuralese.evaluate.information import mutual_information, row_labels
from neuralese.evaluate.measures import (
    bag_of_symbols_disentanglement,
    bins,
    cosine,
    edit_distances,
    effective_length,
    euclidean,
    measure_symbols,
    measure_vectors,
    pairs,
    positional_disentanglement,
    state_classes,
    state_distances,
    state_points,
    topographic_similarity,
)

STATES = pd.DataFrame(itertools.product(range(5), range(5), range(5)), columns=["shape", "color", "size"])
COLUMNS = {name: {"type": "category"} for name in STATES}


def similarity(symbols: np.ndarray, states: pd.DataFrame) -> float:
    left, right = pairs(len(symbols))
    apart = state_distances(state_points(states, COLUMNS), left, right)
    return topographic_similarity(apart, edit_distances(symbols, left, right))


def measured(messages: np.ndarray, states: pd.DataFrame, columns: dict = COLUMNS, **options) -> pd.Series:
    measure = measure_symbols if messages.dtype.kind == "i" else measure_vectors
    return measure(messages, states, columns, **options).set_index(["measure", "variable"])["value"]


@pytest.fixture
def noisy():
    """Messages of one length that tell some of their states."""
    random = np.random.default_rng(0)
    states = STATES.sample(150, replace=True, random_state=0).reset_index(drop=True)
    symbols = random.integers(6, size=(150, 4))
    symbols[:, :2] = np.where(random.random((150, 2)) < 0.7, states[["shape", "color"]], symbols[:, :2])
    symbols[:, 3] = 2  # a position that never changes is left out of the mean
    return symbols, states


@pytest.mark.parametrize(
    ("language", "similar", "posdis", "bosdis"),
    [
        ("compositional", (1, 1), (1, 1), (1, 1)),
        # symbols are used for different things: "0 1 2" becomes "1 2 3" by two edits, though three things differ
        ("same symbols", (0.9, 0.999), (1, 1), (0, 0.2)),
        ("any order", (0, 1), (0, 0.2), (1, 1)),
        ("random", (-0.02, 0.02), (0, 0.02), (0, 0.02)),
    ],
)
def test_known_languages(language, similar, posdis, bosdis):
    random, states = np.random.default_rng(0), STATES
    if language == "random":
        states = STATES.sample(5000, replace=True, random_state=0).reset_index(drop=True)
    symbols = {
        "compositional": STATES.to_numpy() + 5 * np.arange(3),
        "same symbols": STATES.to_numpy(),
        "any order": random.permuted(STATES.to_numpy() + 5 * np.arange(3), axis=1),
        "random": random.integers(5, size=(len(states), 3)),
    }[language]
    for (low, high), value in (
        (similar, similarity(symbols, states)),
        (posdis, positional_disentanglement(symbols, states)),
        (bosdis, bag_of_symbols_disentanglement(symbols, states)),
    ):
        assert low - 1e-9 <= value <= high + 1e-9


@pytest.mark.parametrize("of_one_length", [True, False])
def test_measures_agree_with_emlangkit_where_the_end_of_a_message_is_none_of_its_symbols(noisy, of_one_length):
    emlangkit = pytest.importorskip("emlangkit")
    symbols, states = noisy
    if not of_one_length:
        symbols[np.arange(4) >= np.random.default_rng(1).integers(1, 5, size=150)[:, None]] = -1
    theirs = emlangkit.Language(symbols, states.to_numpy())
    assert measured(symbols, states)["message_entropy", ""] == pytest.approx(theirs.language_entropy())
    told = mutual_information(row_labels(symbols), row_labels(states.to_numpy()))
    assert told == pytest.approx(theirs.mutual_information())
    assert positional_disentanglement(symbols, states) == pytest.approx(theirs.posdis())
    bosdis, topsim = bag_of_symbols_disentanglement(symbols, states), similarity(symbols, states)
    assert (bosdis == pytest.approx(theirs.bosdis(), abs=1e-3)) == of_one_length
    assert (topsim == pytest.approx(theirs.topsim()[0], abs=1e-3)) == of_one_length


def test_names_of_symbols_do_not_matter(noisy):
    symbols, states = noisy
    symbols[:40, 2:] = -1
    names = np.random.default_rng(2).permutation(6) + 100
    renamed = np.where(symbols < 0, -1, names[symbols])
    ours, again = (measure_symbols(each, states, COLUMNS) for each in (symbols, renamed))
    pd.testing.assert_frame_equal(ours, again)


def test_vocabulary_and_length():
    found = measured(np.array([[1, 2, 3], [4, -1, -1], [1, 2, -1], [3, 4, -1]]), STATES[:4])[:, ""]
    names = ["effective_vocabulary", "mean_length", "distinct_messages", "message_entropy"]
    assert found[names].tolist() == pytest.approx([4, 2, 4, 2])
    assert measured(np.array([[1, 1], [1, -1]]), STATES[:2])["effective_vocabulary", ""] == 1


def test_effective_length_counts_positions_that_vary():
    random = np.random.default_rng(0)
    symbols = np.column_stack([np.repeat(np.arange(4), 250), np.tile(np.arange(4), 250), np.ones(1000, dtype=int)])
    assert effective_length(symbols) == pytest.approx(2)
    assert effective_length(symbols[:, [2]]) == 0
    symbols[:, 2] = random.random(1000) < 0.01
    assert 2 < effective_length(symbols) < 2.3


@pytest.mark.parametrize("messages", [np.full((125, 2), -1), np.ones((125, 1), dtype=int), np.ones((125, 3))])
def test_messages_that_are_all_the_same_or_empty_have_measures(messages):
    table = measured(messages, STATES)
    assert table["information", "shape"] == 0
    assert table["p_value", ""] == 1
    assert np.isnan(table["topographic_similarity", ""])
    undefined, nothing = ("posdis", "effective_vocabulary") if messages.dtype == int else ("effective_dimension", None)
    assert np.isnan(table[undefined, ""])
    assert nothing is None or table[nothing, ""] == (messages.max() > 0)


def test_all_measures_of_symbols_and_of_vectors():
    states = STATES.sample(2000, replace=True, random_state=0).reset_index(drop=True)
    random = np.random.default_rng(0)
    symbols = random.integers(5, size=(2000, 2))
    symbols[:, 0] = (states["color"] * 2) % 5
    vectors = np.eye(5)[states["color"]] + 0.1 * random.standard_normal((2000, 5))
    of_symbols, of_vectors = measured(symbols, states), measured(vectors, states)
    for table in (of_symbols, of_vectors):
        assert table["p_value", "color"] == table["p_value", ""] == 1 / 500
        assert table["p_value", "shape"] > 0.01
        assert table["information", "shape"] < 0.05
        assert 0.1 < table["topographic_similarity", ""] < 0.9
    assert of_symbols["information", "color"] == pytest.approx(np.log2(5), abs=0.01)
    assert of_symbols["entropy", "color"] == pytest.approx(np.log2(5), abs=0.01)
    assert 0.4 < of_symbols["posdis", ""] < 0.6  # of two positions one tells all of one thing
    assert of_vectors["information", "color"] > 2
    assert of_vectors["topographic_similarity_cosine", ""] > 0.3
    assert 3 < of_vectors["effective_dimension", ""] < 5
    assert measured(vectors[:, :1], states)["effective_dimension", ""] == 1


def test_messages_of_one_group_count_once_in_the_test():
    """Ten games, in each of which state and message stay as they are: many recordings, but little evidence."""
    random = np.random.default_rng(3)
    games = np.repeat(np.arange(10), 100)
    states = pd.DataFrame({"shape": random.integers(3, size=10)[games]})
    symbols = random.integers(3, size=10)[games][:, None]
    columns = {"shape": {"type": "category"}}
    apart, together = (measured(symbols, states, columns, groups=groups) for groups in (None, games))
    assert apart["p_value", ""] == 1 / 500
    assert together["p_value", ""] > 0.05


def test_measures_are_the_same_for_the_same_seed():
    states = STATES.sample(1500, replace=True, random_state=0).reset_index(drop=True)
    symbols = np.random.default_rng(0).integers(5, size=(1500, 2))
    first, again, other = (measure_symbols(symbols, states, COLUMNS, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


# states


def apart(values: list, **column) -> np.ndarray:
    """Distances of the first of `values` from the others."""
    points = state_points(pd.DataFrame({"it": values}), {"it": column})
    others = np.arange(1, len(values))
    return state_distances(points, np.zeros_like(others), others)


def test_distances_of_each_type():
    assert apart(["a", "a", "b"], type="category").tolist() == [0, 1]
    assert apart([10, 10, 15, 30], type="number").tolist() == [0, 0.25, 1]
    assert apart([350, 10, 170, 80, 710], type="circular", period=360) == pytest.approx([1 / 9, 1, 0.5, 0])
    assert apart(["#000000", "#ffffff", "#000000"], type="color") == pytest.approx([1, 0], abs=1e-4)
    assert apart([[0, 0, 0], [255, 255, 255]], type="color") == pytest.approx([1], abs=1e-4)
    assert apart([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [3.0, 4.0]], type="vector") == pytest.approx([1, 0, 1])
    near, far = apart(["#ff0000", "#f00000", "#0000ff"], type="color")
    assert near < 0.1 < 1 < far


def test_columns_count_alike_and_one_that_never_changes_counts_nothing():
    states = pd.DataFrame({"shape": ["a", "b"], "size": [1, 2], "same": [5, 5]})
    columns = {"shape": {"type": "category"}, "size": {"type": "number"}, "same": {"type": "number"}}
    left, right = np.array([0]), np.array([1])
    assert state_distances(state_points(states, columns), left, right) == pytest.approx([2 / 3])
    del columns["same"]
    assert state_distances(state_points(states, columns), left, right) == pytest.approx([1])


def test_continuous_variables_are_cut_into_equally_frequent_bins():
    assert np.bincount(bins(pd.Series(np.arange(800.0) ** 2))).tolist() == [100] * 8
    assert bins(pd.Series([3, 7, 3])).tolist() == [0, 1, 0]


def test_classes_are_categories_bins_or_clusters():
    random = np.random.default_rng(0)
    middle = 10 * random.standard_normal((8, 3))
    which = random.integers(8, size=400)
    states = pd.DataFrame(
        {
            "shape": random.choice(["a", "b", "c"], 400),
            "size": random.standard_normal(400),
            "angle": 720 * random.random(400),
            "feature": list(middle[which] + 0.01 * random.standard_normal((400, 3))),
            "rgb": random.choice(["#ff0000", "#00ff00"], 400),
        }
    )
    types = {"size": "number", "shape": "category", "feature": "vector", "rgb": "color"}
    columns = {name: {"type": type} for name, type in types.items()} | {"angle": {"type": "circular", "period": 360}}
    classes = state_classes(state_points(states, columns))
    assert pd.crosstab(classes["shape"], states["shape"]).astype(bool).to_numpy().sum() == 3
    assert classes["size"].tolist() == bins(states["size"]).tolist()
    assert classes["angle"].tolist() == bins(states["angle"] % 360).tolist()
    assert pd.crosstab(classes["feature"], which).astype(bool).to_numpy().sum() == 8
    assert pd.crosstab(classes["rgb"], states["rgb"]).astype(bool).to_numpy().sum() == 2


@pytest.mark.parametrize(
    ("column", "says"),
    [
        ({"type": "sound"}, "a column has the type 'sound'; choose one of category, number"),
        ({"type": "circular"}, "needs a period above 0"),
        ({"type": "circular", "period": 0}, "needs a period above 0"),
        ({"type": "number", "period": 3}, "a circular column, and no other, needs a period"),
    ],
)
def test_a_column_that_cannot_be_measured_is_refused_in_one_sentence(column, says):
    with pytest.raises(NeuraleseError, match=says):
        apart([1, 2], **column)


# distances of messages


def edits(one: tuple, other: tuple) -> int:
    """Levenshtein's distance by its definition."""
    if not one or not other:
        return len(one) + len(other)
    replaced = edits(one[1:], other[1:]) + (one[0] != other[0])
    return min(replaced, edits(one[1:], other) + 1, edits(one, other[1:]) + 1)


@given(st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=2, max_size=6))
def test_edit_distances_are_levenshteins(said):
    symbols = np.array([[*message, *[-1] * (4 - len(message))] for message in said])
    left, right = np.array(list(itertools.product(range(len(said)), repeat=2))).T
    expected = [edits(tuple(said[one]), tuple(said[other])) for one, other in zip(left, right, strict=True)]
    assert edit_distances(symbols, left, right).tolist() == expected


def test_all_pairs_are_compared_if_they_are_few_else_as_many_as_asked_for():
    left, right = pairs(5)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == list(itertools.combinations(range(5), 2))
    left, right = pairs(1000, seed=3, most=5000)
    assert len(left) == 5000
    assert (left < right).all()
    assert left.min() >= 0
    assert right.max() < 1000
    again, other = pairs(1000, seed=3, most=5000), pairs(1000, seed=4, most=5000)
    assert (again[0] == left).all()
    assert (other[0] != left).any()
    counts = np.bincount(np.concatenate([left, right]), minlength=1000)
    assert counts.std() == pytest.approx(np.sqrt(10), rel=0.2)  # all are drawn alike


def test_distances_of_vectors():
    vectors = np.random.default_rng(0).standard_normal((20, 5))
    vectors[3] = 0
    left, right = pairs(20)
    norms = np.linalg.norm(vectors[left] - vectors[right], axis=1)
    np.testing.assert_allclose(euclidean(vectors, left, right), norms)
    zero = (left == 3) | (right == 3)
    rows = zip(vectors[left], vectors[right], zero, strict=True)
    angles = [1.0 if none else naive_cosine(one, other) for one, other, none in rows]
    np.testing.assert_allclose(cosine(vectors, left, right), angles)
