"""The isotropic Gaussian, in which robots speak: p(z | x) = N(z; mean(x), width^2)."""

import math

import torch
from torch import Tensor


def log_density(points: Tensor, means: Tensor, width: float) -> Tensor:
    """log N(z_k; m_i, width^2), (K, n), of points (K, d) around means (n, d)."""
    # |z - m|^2 expanded, so that the work is one matrix product
    distance = (-2 * points) @ means.T
    distance += points.square().sum(1)[:, None]
    distance += means.square().sum(1)
    distance = distance.clamp_(min=0)
    distance /= -2 * width**2
    distance += log_peak(points.shape[1], width)
    return distance


def log_peak(size: int, width: float) -> float:
    """The log density of an isotropic Gaussian of `size` dimensions at its mean."""
    return -size * math.log(width * math.sqrt(2 * math.pi))


def half_squares(means: Tensor) -> Tensor:
    """|m|^2 / 2 of means (..., d)."""
    return means.square().sum(-1) / 2


def log_density_but_for_z(points: Tensor, means: Tensor, halves: Tensor, width: float) -> Tensor:
    """log N(z_pr; m_pbs, width^2), (p, r, b, s), up to a term of z alone, which no belief depends on.

    For points (p, r, d) around means (p, b, s, d), with the `half_squares` (p, b, s) of the means.
    """
    return (torch.einsum("prd,pbsd->prbs", points, means) - halves[:, None]) / width**2
