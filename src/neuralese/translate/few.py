"""The criteria of `criteria.py` for a few messages, pair by pair as Equation 2 has it, and without torch.

Importing torch takes longer than scoring a message, so this is what answers on the command line. Likelihoods are
(K, s, n), as `Meanings` gives them: messages, candidates (the true state first), contexts.
"""

import numpy as np

from neuralese.errors import NeuraleseError

LOG_FLOOR = -690.0  # as in `criteria.py`


def scores(settings: dict, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """How well each target translates each source, (K, K'), by the criterion with these settings; lower is better."""
    if settings["kind"] == "random":
        raise NeuraleseError(
            "the random criterion scores only what is in the dictionary; choose another one with --criterion."
        )
    settings = {"weights": "source", "divergence": "reverse", "prior": 0.0} | settings
    alone = settings["kind"] == "belief" and settings["weights"] == "source" and not settings["prior"]
    w_target, evidence = (None, None) if alone else _weights(target)
    log_q = _log_beliefs(target) if settings["kind"] == "belief" else None
    rows = []
    for w, one in zip(_weights(source)[0], source, strict=True):
        if settings["kind"] == "belief":
            rows.append(_belief(settings, w, _log_beliefs(one[None])[0], w_target, log_q))
        else:
            with np.errstate(divide="ignore"):
                rows.append(-np.log(w_target @ w) - (evidence if settings["kind"] == "direct" else 0))
    prior = settings["prior"] and settings["prior"] * (evidence - np.log(target.shape[2]))
    return np.stack(rows) - prior


def _weights(log_likelihood: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """w_i(z_k), (K, n), and log sum_i p(z_k | x_i0), (K,)."""
    true = log_likelihood[:, 0].astype(np.float64)
    highest = true.max(1, keepdims=True)
    likelihood = np.exp(true - highest)
    total = likelihood.sum(1, keepdims=True)
    return likelihood / total, (highest + np.log(total))[:, 0]


def _log_beliefs(log_likelihood: np.ndarray) -> np.ndarray:
    """Equation 1 in logarithms, (K, s, n)."""
    shifted = log_likelihood - log_likelihood.max(1, keepdims=True)
    return (shifted - np.log(np.exp(shifted).sum(1, keepdims=True))).clip(min=LOG_FLOOR)


def _belief(
    settings: dict, w: np.ndarray, log_p: np.ndarray, w_target: np.ndarray | None, log_q: np.ndarray
) -> np.ndarray:
    """Equation 2 of one source, its w (n,) and beliefs (s, n), and every target: (K',)."""
    weights = {
        "product": lambda: w * w_target,
        "sum": lambda: w + w_target,
        "source": lambda: w[None],
        "target": lambda: w_target,
    }[settings["weights"]]()
    divergence = {
        "forward": lambda: _kl(log_p, log_q),
        "reverse": lambda: _kl(log_q, log_p),
        "symmetric": lambda: (_kl(log_p, log_q) + _kl(log_q, log_p)) / 2,
        "jensen-shannon": lambda: _jensen_shannon(log_p, log_q),
    }[settings["divergence"]]()
    total, norm = np.einsum("kn,kn->k", *np.broadcast_arrays(weights, divergence)), weights.sum(1)
    shared = norm > np.finfo(norm.dtype).tiny
    return np.where(shared, (total / np.where(shared, norm, 1)).clip(min=0), np.inf)


def _kl(log_p: np.ndarray, log_q: np.ndarray) -> np.ndarray:
    """KL(p || q) in every context: sums over the candidates, the last axis but one."""
    return (np.exp(log_p) * (log_p - log_q)).sum(-2)


def _jensen_shannon(log_p: np.ndarray, log_q: np.ndarray) -> np.ndarray:
    log_mixture = np.logaddexp(log_p, log_q) - np.log(2)
    return (_kl(log_p, log_mixture) + _kl(log_q, log_mixture)) / 2
