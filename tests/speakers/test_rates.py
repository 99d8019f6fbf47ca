"""A second learning rate is tried where a config names one, and kept where it did better on held-out data."""

import math

import pytest
import torch

from neuralese.speakers.fit import FitConfig, fit
from neuralese.tasks.corpus.task import FITTING

TARGET = 3.0


def fitted(learning_rate: float, faster: float) -> tuple[float, float]:
    """How far from its target one number is after a fit, and what the fit says of it."""
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)

    def error(batch: int = 1) -> torch.Tensor:
        return (model(torch.ones(batch, 1)) - TARGET).square().mean()

    config = FitConfig(steps=20, batch=1, check_every=10, learning_rate=learning_rate, faster=faster, decay=False)
    said = fit(model, error, lambda: float(error()), config, "number")
    return abs(model.weight.item() - TARGET), said


def test_the_faster_rate_is_kept_where_the_slower_does_not_arrive():
    alone, _ = fitted(0.001, 1.0)
    both, _ = fitted(0.001, 200.0)
    assert both < alone / 2


def test_the_slower_rate_is_kept_where_the_faster_goes_too_far():
    assert fitted(0.15, 1000.0) == fitted(0.15, 1.0)


@pytest.mark.parametrize("faster", [1.0, 5.0, 100.0])
def test_what_a_fit_returns_is_the_error_of_the_weights_it_keeps(faster):
    distance, said = fitted(0.01, faster)
    assert math.isclose(said, distance**2, rel_tol=1e-5)


def test_both_rates_start_from_the_same_weights():
    starts = []
    model = torch.nn.Linear(1, 1)

    def loss(batch: int) -> torch.Tensor:
        starts.append(model.weight.item())
        return model(torch.ones(batch, 1)).square().sum()

    fit(model, loss, lambda: 0.0, FitConfig(steps=3, batch=1, check_every=3, faster=5.0), "line")
    assert starts[0] == starts[3]


def test_corpora_try_a_second_rate_and_games_do_not():
    assert FITTING.faster > 1
    assert FitConfig().faster == 1
