"""Whether messages say anything, and how much: both have to be right where they say nothing at all."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

from neuralese.evaluate.information import (
    SymbolEvidence,
    VectorEvidence,
    entropy,
    information,
    learned_information,
    mutual_information,
    p_values,
)

DRAWS = 200


def states(random: np.random.Generator, n: int) -> pd.DataFrame:
    """Two columns that have to do with each other, and one that does not."""
    shape = random.integers(4, size=n)
    return pd.DataFrame(
        {"shape": shape, "size": (shape + random.integers(2, size=n)) % 4, "angle": random.integers(8, size=n)}
    )


def symbols(random: np.random.Generator, n: int) -> np.ndarray:
    """Messages of different lengths, some of them frequent."""
    said = np.minimum(random.geometric(0.4, size=(n, 3)), 5) - 1
    said[np.arange(3) >= random.integers(1, 4, size=n)[:, None]] = -1
    return said


def uniform(found: pd.DataFrame, bins: int) -> None:
    """p-values of many draws, which are multiples of 1 / bins, are uniform on these."""
    random = np.random.default_rng(0)
    for name in found:
        smooth = found[name] - random.random(len(found)) / bins
        assert kstest(smooth, "uniform").pvalue > 0.005, name
        assert 0.01 <= (found[name] <= 0.05).mean() <= 0.1, name


def vectors(random: np.random.Generator, n: int) -> np.ndarray:
    return random.standard_normal((n, 6)) ** 3


@pytest.mark.parametrize(
    ("evidence", "say", "n"),
    [(SymbolEvidence, symbols, 40), (SymbolEvidence, symbols, 300), (VectorEvidence, vectors, 100)],
)
def test_p_values_of_messages_that_say_nothing_are_uniform(evidence, say, n):
    found = []
    for draw in range(DRAWS):
        random = np.random.default_rng(draw)
        found.append(p_values(evidence(say(random, n)), states(random, n), seed=draw, permutations=99))
    uniform(pd.DataFrame(found), 100)


@pytest.mark.parametrize("length", [2, 12])
def test_what_symbols_are_about_is_found_and_what_they_are_silent_about_is_not(length):
    """Even if messages are so long that no two are the same."""
    random = np.random.default_rng(0)
    table = states(random, 500)[["shape", "angle"]]
    said = random.integers(10, size=(500, length))
    said[:, 1] = np.where(random.random(500) < 0.5, table["shape"], said[:, 1])
    found = p_values(SymbolEvidence(said), table)
    assert found[""] <= 0.01
    assert found["shape"] <= 0.01
    assert found["angle"] > 0.05


def test_what_only_all_columns_together_show_is_found():
    random = np.random.default_rng(0)
    table = pd.DataFrame([[0, 0], [0, 1], [1, 0], [1, 1]] * 125, columns=["one", "two"])
    odd = (table["one"] ^ table["two"]).to_numpy()
    for evidence in (SymbolEvidence(odd[:, None]), VectorEvidence(odd[:, None] + random.standard_normal((500, 1)))):
        found = p_values(evidence, table)
        assert found[""] <= 0.01
        assert found[["one", "two"]].min() > 0.05


@pytest.mark.parametrize("relation", ["mean", "spread", "quiet direction"])
def test_what_vectors_are_about_is_found_whatever_the_relation(relation):
    random = np.random.default_rng(0)
    table = states(random, 1000)[["shape", "angle"]]
    said = random.standard_normal((1000, 5))
    shape = table["shape"].to_numpy()
    if relation == "mean":
        said[:, 0] += shape / 4
    elif relation == "spread":
        said[:, 0] *= 1 + shape
    else:
        said = (said + np.outer(1000 * random.standard_normal(1000), np.ones(5))) + np.outer(
            shape / 4, [1, -1, 0, 0, 0]
        )
    found = p_values(VectorEvidence(said), table)
    assert found[["", "shape"]].max() <= 0.01
    assert found["angle"] > 0.05


@pytest.mark.parametrize(("messages", "classes"), [(5, 4), (200, 8), (50, 64)])
def test_information_is_nothing_on_average_for_labels_that_are_independent(messages, classes):
    random = np.random.default_rng(0)
    draws = [(random.integers(messages, size=400), random.integers(classes, size=400)) for _ in range(30)]
    plain = np.mean([mutual_information(*draw) for draw in draws])
    assert np.mean([information(*draw) for draw in draws]) < min(0.05, plain / 2)


def test_information_is_all_there_is_if_one_determines_the_other():
    classes = np.random.default_rng(0).integers(8, size=500)
    synonyms = classes * 10 + np.random.default_rng(1).integers(10, size=500)
    assert information(synonyms, classes) == pytest.approx(entropy(classes))
    assert information(classes, synonyms) == pytest.approx(entropy(classes))
    assert information(np.zeros(500, dtype=int), classes) == 0


def test_information_of_a_noisy_channel_is_nearer_the_truth_than_the_plug_in():
    random, noise = np.random.default_rng(0), 0.5
    state = random.integers(8, size=500)
    word = np.where(random.random(500) < noise, random.integers(8, size=500), state)
    synonym = word * 10 + random.integers(10, size=500)
    right = 1 - noise + noise / 8
    truth = 3 + right * np.log2(right) + 7 * noise / 8 * np.log2(noise / 8)
    assert abs(information(synonym, state) - truth) < 0.15 < mutual_information(synonym, state) - truth


def test_information_of_constants_is_nothing_and_undefined_where_recordings_are_too_few_for_that_many_labels():
    assert entropy(np.array([0, 0, 1, 1])) == 1
    assert learned_information(np.zeros((10, 2)), np.zeros(10, dtype=int)) == 0
    assert np.isnan(information(np.arange(100), np.arange(100) % 50))
