import numpy as np
import pandas as pd
import pytest

from neuralese import tasks
from neuralese.evaluate.protocol import analyse, bins, effective_dimension, entropy, information


@pytest.fixture
def cloud():
    """Messages that tell the side of a coin and nothing of a die."""
    random = np.random.default_rng(0)
    coin, die = random.integers(2, size=2000), random.integers(6, size=2000)
    said = np.zeros((2000, 5))
    said[:, 0] = 2 * coin - 1
    said[:, 1:] = 0.05 * random.standard_normal((2000, 4))
    return said, said + 0.2 * random.standard_normal(said.shape), pd.DataFrame({"coin": coin, "die": die})


def test_what_messages_tell_is_found(cloud):
    table = analyse(*cloud).set_index(["measure", "variable"])["value"]
    assert 0.85 < table["information", "coin"] <= 1.01
    assert table["information", "die"] == pytest.approx(0, abs=0.05)
    assert table["entropy", "die"] == pytest.approx(np.log2(6), abs=0.01)
    assert table["clusters", ""] == 2
    assert table["silhouette", ""] > 0.8
    assert table["effective_dimension", ""] < 1.1
    assert table["topographic_similarity", ""] > 0.3


def test_effective_dimension_counts_directions():
    random = np.random.default_rng(1)
    assert effective_dimension(random.standard_normal((5000, 4))) == pytest.approx(4, abs=0.1)
    assert effective_dimension(np.outer(random.standard_normal(500), np.ones(4))) == pytest.approx(1)


def test_continuous_variables_are_cut_into_equally_frequent_bins():
    assert np.bincount(bins(pd.Series(np.arange(800.0) ** 2))).tolist() == [100] * 8
    assert bins(pd.Series([3, 7, 3])).tolist() == [0, 1, 0]
    assert entropy(np.array([0, 0, 1, 1])) == 1
    assert information(np.zeros((10, 2)), np.zeros(10, dtype=int)) == 0


def test_variables_of_driving():
    cars = pd.DataFrame({"row": [1], "col": [2], "direction": [0], "goal_row": [4], "goal_col": [0], "map": [0]})
    assert tasks.get("driving").variables({}, cars)["cells to go"].tolist() == [5]
