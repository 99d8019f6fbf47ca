import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine

from neuralese.evaluate.topography import edit_distances, pairs, topographic_similarity, vector_distances


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
    lengths = np.array([len(message) for message in said])
    means = np.maximum(lengths[left] + lengths[right], 1) / 2
    np.testing.assert_allclose(edit_distances(symbols, left, right, by_length=True), expected / means)


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
    np.testing.assert_allclose(vector_distances(vectors, left, right, "euclidean"), norms)
    zero = (left == 3) | (right == 3)
    angles = [1.0 if none else cosine(vectors[a], vectors[b]) for a, b, none in zip(left, right, zero, strict=True)]
    np.testing.assert_allclose(vector_distances(vectors, left, right, "cosine"), angles)


def test_similarity_is_undefined_where_nothing_differs():
    some = np.arange(5.0)
    assert topographic_similarity(some, some**3) == pytest.approx(1)
    assert topographic_similarity(some, -some) == pytest.approx(-1)
    assert np.isnan(topographic_similarity(some, np.zeros(5)))
    assert np.isnan(topographic_similarity(np.zeros(5), some))
