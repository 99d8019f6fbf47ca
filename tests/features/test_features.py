import numpy as np
import pandas as pd
import pytest
from skimage.color import hsv2rgb

from neuralese.storage.tables import matrix
from neuralese.tasks.colors.data import add_lab, hsv_to_lab, lab_to_rgb
from neuralese.tasks.items import inventory_table, items_table, traces_table


def test_known_colours_have_their_published_coordinates():
    hsv = np.array([[0, 0, 1], [0, 0, 0], [0, 1, 1], [1 / 3, 1, 1], [2 / 3, 1, 1]])
    lab = [[100, 0, 0], [0, 0, 0], [53.24, 80.09, 67.20], [87.73, -86.18, 83.18], [32.30, 79.19, -107.86]]
    np.testing.assert_allclose(hsv_to_lab(hsv), lab, atol=0.05)


def test_lab_and_back_is_the_same_colour():
    hsv = np.random.default_rng(0).random((50, 3))
    np.testing.assert_allclose(lab_to_rgb(hsv_to_lab(hsv)), hsv2rgb(hsv[None])[0], atol=1e-3)


def test_a_table_of_answers_gets_its_coordinates():
    table = add_lab(pd.DataFrame({"h": [0.0], "s": [0.0], "v": [1.0]}))
    assert table[["L", "a", "b"]].iloc[0].tolist() == pytest.approx([100, 0, 0], abs=0.05)


def test_items_are_standardised_by_the_training_items_alone():
    split = pd.Series(["train", "train", "test"])
    table = items_table(split, np.array([[1.0, 5.0], [3.0, 5.0], [100.0, 7.0]]))
    np.testing.assert_allclose(matrix(table["feature"]), [[-1, 0], [1, 0], [98, 2]])
    assert table["split"].to_pylist() == ["train", "train", "test"]


def test_traces_hold_the_phrases_of_each_message():
    table = traces_table([4, 4, 9], phrases=[[1, 2], [], [3]])
    assert table.to_pydict() == {"item_id": [4, 4, 9], "phrases": [[1, 2], [], [3]]}


def test_an_inventory_counts_how_often_each_phrase_was_said():
    traces = traces_table([4, 4, 9], phrases=[[1, 3], [], [3]])
    table = inventory_table(["a", "b", "c", "d"], traces)
    assert table.to_dict("list") == {"phrase_id": [0, 1, 2, 3], "phrase": ["a", "b", "c", "d"], "count": [0, 1, 0, 2]}
