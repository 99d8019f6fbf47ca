"""The Gaussian in which robots speak."""

import pytest
import torch

from neuralese.speakers.gaussian import half_squares, log_density, log_density_but_for_z

WIDTHS = [0.3, 1.0, 4.0]


def by_torch(points: torch.Tensor, means: torch.Tensor, width: float) -> torch.Tensor:
    return torch.distributions.Normal(means, width).log_prob(points).sum(-1)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_density_is_that_of_independent_normal_numbers(width, generator):
    points, means = (torch.randn(size, 6, dtype=torch.float64, generator=generator) for size in (5, 7))
    found = log_density(points, means, width)
    torch.testing.assert_close(found, by_torch(points[:, None], means, width))


def test_single_precision_stays_single_and_what_it_is_given_stays_as_it_was(generator):
    points, means = (torch.randn(size, 6, generator=generator) for size in (5, 7))
    before = points.clone(), means.clone()
    assert log_density(points, means, 0.3).dtype == torch.float32
    assert torch.equal(points, before[0])
    assert torch.equal(means, before[1])


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_left_out_is_the_same_for_all_means(width, generator):
    points = torch.randn(2, 3, 6, dtype=torch.float64, generator=generator)
    means = torch.randn(2, 4, 5, 6, dtype=torch.float64, generator=generator)
    left_out = by_torch(points[:, :, None, None], means[:, None], width) - log_density_but_for_z(
        points, means, half_squares(means), width
    )
    torch.testing.assert_close(left_out, left_out[..., :1, :1].expand_as(left_out))
