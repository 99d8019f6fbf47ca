"""Algorithm 1 of the paper as one would write it in NumPy: one pair after another, compared in all contexts.

z and z' are given as log p(z | x_is), arrays (contexts, candidates).
"""

import numpy as np

LOG_FLOOR = -690.0


def posterior(z: np.ndarray) -> np.ndarray:
    """w_i(z), (contexts,)."""
    said = np.exp(z[:, 0] - z[:, 0].max())
    return said / said.sum()


def log_belief(z: np.ndarray) -> np.ndarray:
    """log beta_i(z), (contexts, candidates)."""
    shifted = z - z.max(axis=1, keepdims=True)
    return np.maximum(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), LOG_FLOOR)


def compare(
    w: np.ndarray, log_p: np.ndarray, w_target: np.ndarray, log_q: np.ndarray, weights: str, divergence: str
) -> float:
    """q(z, z') from posteriors and beliefs; weights are `product`, or `source` for those of z alone."""
    if divergence == "reverse":
        log_p, log_q = log_q, log_p
    weight = w * w_target if weights == "product" else w
    return (weight * (np.exp(log_p) * (log_p - log_q)).sum(axis=1)).sum() / weight.sum()


def score(z: np.ndarray, z_target: np.ndarray, weights: str, divergence: str) -> float:
    """q(z, z') of one pair."""
    return compare(posterior(z), log_belief(z), posterior(z_target), log_belief(z_target), weights, divergence)
