"""How well one message translates another: Equation 2 and Algorithm 1 of the paper, for all pairs at once.

For contexts i = 1..n with candidates s = 0..m (s = 0 is the true state), a message z has

    the posterior over contexts    w_i(z)    = p(z | x_i0) / sum_j p(z | x_j0)
    the belief in context i        beta_i(z) = softmax_s log p(z | x_is)                      (Equation 1)

and a pair (z, z') has, with weights w_i made of w_i(z) and w_i(z'),

    q(z, z') = sum_i w_i KL(beta_i(z) || beta_i(z')) / sum_i w_i                              (Equation 2)

Since KL(beta || beta') = sum_s beta log beta - sum_s beta log beta', all K x K' pairs are a few matrix products over
the contexts, which are visited in blocks: memory does not grow with n. Lower scores are better for every criterion.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from neuralese.errors import NeuraleseError
from neuralese.translate.languages import Language

WEIGHTS = ("product", "sum", "source", "target")
DIVERGENCES = ("forward", "reverse", "symmetric", "jensen-shannon")
LOG_FLOOR = -690.0  # beliefs below e^-690 count as that, so that an impossible state costs much, not infinitely much
BLOCK = 256  # contexts held at a time
ROWS = 64  # source messages at a time where all pairs are looked at one by one


@dataclass(frozen=True)
class BeliefCriterion:
    """Match beliefs: the divergence of what z and z' make a listener believe, averaged over weighted contexts."""

    weights: str = "product"  # what weights a context: product (Algorithm 1), sum, source (z alone), target (z' alone)
    divergence: str = "forward"  # forward KL(beta(z) || beta(z')), reverse, symmetric (their mean), or jensen-shannon
    prior: float = 0.0  # by how many nats a nat of -log p(z') counts: rare translations are avoided

    def __post_init__(self) -> None:
        if self.weights not in WEIGHTS or self.divergence not in DIVERGENCES:
            raise NeuraleseError(
                f"a belief criterion with weights '{self.weights}' and divergence '{self.divergence}' is unknown; "
                f"choose weights from {', '.join(WEIGHTS)} and divergence from {', '.join(DIVERGENCES)}."
            )

    def scores(self, source: Language, target: Language, candidates: Tensor, block: int = BLOCK) -> Tensor:
        """q(z_k, z'_k'), (K, K'), in nats; infinite for a pair that shares no context."""
        total = torch.zeros(len(source), len(target), dtype=torch.float64)
        norm = torch.zeros_like(total)
        blocks = zip(_meanings(source, candidates, block), _meanings(target, candidates, block), strict=True)
        for (w, log_belief), (w_target, log_belief_target) in blocks:
            for u, v in _factors(self.weights, w, w_target):
                norm.addmm_(u, v.T)
                if self.divergence == "jensen-shannon":
                    _add_jensen_shannon(total, u, log_belief, v, log_belief_target)
                if self.divergence in ("forward", "symmetric"):
                    _add_divergence(total, u, log_belief, v, log_belief_target)
                if self.divergence in ("reverse", "symmetric"):
                    _add_divergence(total.T, v, log_belief_target, u, log_belief)
        if self.divergence == "symmetric":
            total /= 2
        shared = norm > torch.finfo(norm.dtype).tiny
        scores = torch.where(shared, (total / norm).clamp(min=0), torch.inf)
        return scores - self.prior * log_prior(target, candidates, block) if self.prior else scores


@dataclass(frozen=True)
class DirectCriterion:
    """Translate as machine translation does: -log p(z' | z), by the contexts in which both are said."""

    def scores(self, source: Language, target: Language, candidates: Tensor, block: int = BLOCK) -> Tensor:
        """-log sum_i w_i(z_k) p(z'_k' | x_i), (K, K')."""
        return -(_shared(source, target, candidates, block).log() + log_evidence(target, candidates, block))


@dataclass(frozen=True)
class PmiCriterion:
    """Pointwise mutual information, -log p(z' | z) / p(z'): direct translation that does not favour frequent words."""

    def scores(self, source: Language, target: Language, candidates: Tensor, block: int = BLOCK) -> Tensor:
        """-log sum_i w_i(z_k) w_i(z'_k'), (K, K'), up to a constant."""
        return -_shared(source, target, candidates, block).log()


@dataclass(frozen=True)
class RandomCriterion:
    """Any translation is as good as any other: the baseline that also shows whether an evaluation leaks."""

    seed: int = 0

    def scores(self, source: Language, target: Language, candidates: Tensor, block: int = BLOCK) -> Tensor:
        """Random numbers, (K, K')."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.rand(len(source), len(target), dtype=torch.float64, generator=generator)


Criterion = BeliefCriterion | DirectCriterion | PmiCriterion | RandomCriterion


def beliefs(log_likelihood: Tensor) -> Tensor:
    """Equation 1 in logarithms, (K, n, s): the candidates of a context are equally likely before a word is said."""
    return torch.log_softmax(log_likelihood, dim=-1).clamp(min=LOG_FLOOR)


def log_evidence(language: Language, candidates: Tensor, block: int = BLOCK) -> Tensor:
    """log sum_i p(z_k | x_i0), (K,)."""
    parts = [language.log_likelihood(part[:, :1]).squeeze(-1).logsumexp(1) for part in candidates.split(block)]
    return torch.stack(parts).logsumexp(0)


def log_prior(language: Language, candidates: Tensor, block: int = BLOCK) -> Tensor:
    """log p(z_k), (K,): the density of messages that the speaker's model and the contexts make."""
    return log_evidence(language, candidates, block) - math.log(len(candidates))


def _shared(source: Language, target: Language, candidates: Tensor, block: int) -> Tensor:
    """sum_i w_i(z_k) w_i(z'_k'), (K, K'): how much the contexts of two messages are the same."""
    joint = torch.zeros(len(source), len(target), dtype=torch.float64)
    blocks = zip(_meanings(source, candidates, block), _meanings(target, candidates, block), strict=True)
    for (w, _), (w_target, _) in blocks:
        joint.addmm_(w, w_target.T)
    return joint


def _meanings(language: Language, candidates: Tensor, block: int) -> Iterator[tuple[Tensor, Tensor]]:
    """For each block of contexts: posterior over contexts (K, b) and log beliefs (K, b, s) of every message."""
    evidence = log_evidence(language, candidates, block)
    for part in candidates.split(block):
        log_likelihood = language.log_likelihood(part)
        log_belief = language.log_beliefs(part) if hasattr(language, "log_beliefs") else beliefs(log_likelihood)
        yield (log_likelihood[..., 0] - evidence[:, None]).exp(), log_belief


def _factors(weights: str, w: Tensor, w_target: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Context weights as sums of products u_i(z) v_i(z')."""
    ones, ones_target = torch.ones_like(w), torch.ones_like(w_target)
    return {
        "product": [(w, w_target)],
        "source": [(w, ones_target)],
        "target": [(ones, w_target)],
        "sum": [(w, ones_target), (ones, w_target)],
    }[weights]


def _add_divergence(total: Tensor, u: Tensor, log_p: Tensor, v: Tensor, log_q: Tensor) -> None:
    """Add sum_i u_i v_i KL(p_i || q_i) for all pairs to `total` (K, K'): two matrix products."""
    p = log_p.exp()
    total.addmm_(u * (p * log_p).sum(-1), v.T)
    total.addmm_((u[..., None] * p).flatten(1), (v[..., None] * log_q).flatten(1).T, alpha=-1)


def _add_jensen_shannon(total: Tensor, u: Tensor, log_p: Tensor, v: Tensor, log_q: Tensor) -> None:
    """Add sum_i u_i v_i JS(p_i, q_i) for all pairs to `total` (K, K'). A mixture's entropy is no matrix product."""
    p, q = log_p.exp(), log_q.exp()
    total.addmm_(u * (p * log_p).sum(-1), v.T, alpha=0.5)
    total.addmm_(u, (v * (q * log_q).sum(-1)).T, alpha=0.5)
    p, q = p.float() / 2, q.float() / 2  # single precision is enough here, and twice as fast
    for rows in torch.arange(len(p)).split(ROWS):
        mixture = p[rows, None] + q[None]
        entropy = -(mixture * mixture.clamp(min=torch.finfo(mixture.dtype).tiny).log()).sum(-1)
        total[rows] += torch.einsum("kb,jb,kjb->kj", u[rows], v, entropy.double())
