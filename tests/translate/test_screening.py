"""The best translation by Jensen-Shannon divergence is found without looking at every pair."""

import numpy as np
import pytest
import torch

from neuralese.translate import pairs
from neuralese.translate.criteria import WEIGHTS, BeliefCriterion, DirectCriterion, Reading
from neuralese.translate.languages import Language
from neuralese.translate.pairs import DOUBLE, SINGLE, Meanings


class Tabled(Language):
    """A language whose log-likelihoods (K, n, s) are written down: candidates are the numbers of their cells."""

    def __init__(self, table: torch.Tensor) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def read(self, reading: Reading) -> "Tabled":
        return self

    def log_likelihood(self, candidates: torch.Tensor) -> torch.Tensor:
        return self.table.flatten(1)[:, candidates.flatten()].unflatten(1, candidates.shape)


def meanings(spread: float, candidates: int, dtype: str, seed: int = 0) -> list[Meanings]:
    random = torch.Generator().manual_seed(seed)
    cells = torch.arange(60 * candidates).view(60, candidates)
    return [
        Meanings(
            Tabled(spread * torch.randn(size, 60, candidates, dtype=torch.float64, generator=random)),
            cells,
            block=25,
            keep=True,
            dtype=dtype,
        )
        for size in (40, 90)
    ]


def test_no_divergence_is_farther_from_its_estimate_than_the_error():
    t = np.concatenate([np.logspace(-300, -0.001, 20_000), 1 - np.logspace(-4, -2, 100)])
    exact = (t * np.log(t) - (1 + t) * np.log((1 + t) / 2)) / 2
    estimate = sum(share * (1 + t - t**a - t ** (1 - a)) for a, share in pairs.NEARLY.items())
    assert np.abs(estimate / exact - 1).max() < pairs.ERROR


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("spread", [0.1, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("candidates", [2, 4])
def test_the_best_is_the_least_of_all_scores(weights, spread, candidates):
    criterion = BeliefCriterion(weights=weights, divergence="jensen-shannon")
    pair = meanings(spread, candidates, DOUBLE)
    scores, found = criterion.compare(*pair), criterion.best(*pair)
    torch.testing.assert_close(scores.gather(1, found[:, None])[:, 0], scores.min(1).values, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("spread", [0.1, 1.0, 8.0])
def test_in_single_precision_the_best_is_as_good(spread):
    criterion = BeliefCriterion(weights="source", divergence="jensen-shannon")
    exact = criterion.compare(*meanings(spread, 2, DOUBLE))
    found = criterion.best(*meanings(spread, 2, SINGLE))
    torch.testing.assert_close(exact.gather(1, found[:, None])[:, 0], exact.min(1).values, rtol=1e-5, atol=1e-5)


def test_few_pairs_are_looked_at(monkeypatch):
    looked, exact = [], pairs._jensen_shannon

    def counted(*given):
        looked.append(len(given[-1]))
        return exact(*given)

    monkeypatch.setattr(pairs, "_jensen_shannon", counted)
    BeliefCriterion(weights="source", divergence="jensen-shannon").best(*meanings(8.0, 2, SINGLE))
    assert sum(looked) < 40 * 90 / 2


@pytest.mark.parametrize("criterion", [DirectCriterion(), BeliefCriterion(prior=0.5), BeliefCriterion(weights="sum")])
def test_other_criteria_look_at_every_pair(criterion):
    pair = meanings(1.0, 2, DOUBLE)
    assert torch.equal(criterion.best(*pair), criterion.compare(*pair).argmin(1))
