import numpy as np
import pandas as pd
import pytest

from neuralese.errors import NeuraleseError
from neuralese.evaluate.columns import Column, columns_of, state_classes, state_distances, state_points
from neuralese.evaluate.protocol import bins


def apart(values: list, **column) -> np.ndarray:
    """Distances of the first of `values` from the others."""
    points = state_points(pd.DataFrame({"it": values}), columns_of({"it": column}))
    others = np.arange(1, len(values))
    return state_distances(points, np.zeros_like(others), others)


def test_distances_of_each_type():
    assert apart(["a", "a", "b"], type="category").tolist() == [0, 1]
    assert apart([10, 10, 15, 30], type="number").tolist() == [0, 0.25, 1]
    assert apart([350, 10, 170, 80, 710], type="circular", period=360) == pytest.approx([1 / 9, 1, 0.5, 0])
    assert apart(["#000000", "#ffffff", "#000000"], type="color") == pytest.approx([1, 0], abs=1e-4)
    assert apart([[0, 0, 0], [255, 255, 255]], type="color") == pytest.approx([1], abs=1e-4)
    assert apart([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [3.0, 4.0]], type="vector") == pytest.approx([1, 0, 1])


def test_colors_are_as_far_apart_as_they_look():
    near, far = apart(["#ff0000", "#f00000", "#0000ff"], type="color")
    assert near < 0.1 < 1 < far


def test_columns_count_alike_and_one_that_never_changes_counts_nothing():
    states = pd.DataFrame({"shape": ["a", "b"], "size": [1, 2], "same": [5, 5]})
    columns = columns_of({"shape": {"type": "category"}, "size": {"type": "number"}, "same": {"type": "number"}})
    left, right = np.array([0]), np.array([1])
    assert state_distances(state_points(states, columns), left, right) == pytest.approx([2 / 3])
    del columns["same"]
    assert state_distances(state_points(states, columns), left, right) == pytest.approx([1])


def test_categories_alone_are_hamming_distance():
    random = np.random.default_rng(0)
    states = pd.DataFrame(random.integers(3, size=(50, 4)), columns=list("abcd"))
    left, right = random.integers(50, size=(2, 200))
    points = state_points(states, dict.fromkeys("abcd", Column("category")))
    expected = (states.to_numpy()[left] != states.to_numpy()[right]).mean(1)
    np.testing.assert_allclose(state_distances(points, left, right), expected)


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
    columns = {name: Column(type) for name, type in types.items()} | {"angle": Column("circular", 360)}
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
        columns_of({"it": column})
