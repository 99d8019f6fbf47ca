"""The isotropic Gaussian, in which robots speak: p(z | x) = N(z; mean(x), width^2). For both NumPy and torch."""

import math

from neuralese.arrays import Array, at_least, library


def log_density(points: Array, means: Array, width: float) -> Array:
    """log N(z_k; m_i, width^2), (K, n), of points (K, d) around means (n, d)."""
    square = library(points).square
    # |z - m|^2 expanded, so that the work is one matrix product
    distance = (-2 * points) @ means.T
    distance += square(points).sum(1)[:, None]
    distance += square(means).sum(1)
    distance = at_least(distance, 0)
    distance /= -2 * width**2
    distance += log_peak(points.shape[1], width)
    return distance


def log_peak(size: int, width: float) -> float:
    """The log density of an isotropic Gaussian of `size` dimensions at its mean."""
    return -size * math.log(width * math.sqrt(2 * math.pi))


def half_squares(means: Array) -> Array:
    """|m|^2 / 2 of means (..., d)."""
    return library(means).square(means).sum(-1) / 2


def log_density_but_for_z(points: Array, means: Array, halves: Array, width: float) -> Array:
    """log N(z_pr; m_pbs, width^2), (p, r, b, s), up to a term of z alone, which no belief depends on.

    For points (p, r, d) around means (p, b, s, d), with the `half_squares` (p, b, s) of the means.
    """
    return (library(points).einsum("prd,pbsd->prbs", points, means) - halves[:, None]) / width**2
