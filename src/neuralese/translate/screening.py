"""The best translation of each message under a criterion that matrix products cannot compute for all pairs.

The entropy of a mixture is not a matrix product, but the Jensen-Shannon divergence is nearly one: with

    G_a(p, q) = 2 - sum_s (p_s^a q_s^(1-a) + p_s^(1-a) q_s^a)

JS(p, q) never differs by more than the fraction `ERROR` from NEARLY[.5] G_.5 + NEARLY[.3] G_.3. (All are sums of
p_s f(q_s / p_s), so it is enough to compare f.) A pair that is worse than another by more than that can be skipped.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.pairs import (
    AT_ONCE,
    NORM,
    Block,
    Factor,
    Meanings,
    PairSums,
    negative_entropies,
    pair_sums,
    times,
)

NEARLY = {0.5: 1.21292533, 0.3: -0.89092498}
POWERS = {0.5: 2 * NEARLY[0.5], 0.3: NEARLY[0.3], 0.7: NEARLY[0.3]}  # the coefficient of p^a q^(1-a)
ERROR = 0.071
ROUNDING = 1e-5  # the possible error of sums, in nats


def best(criterion: BeliefCriterion, source: Meanings, target: Meanings) -> Tensor:
    """The best target for each source, (K,), by the Jensen-Shannon divergence, weighted as the criterion does."""
    rough, norm = _rough(criterion, source, target), _norm(criterion, source, target)
    rows = torch.arange(len(source))
    first = rough.argmin(1)
    least = _exact(criterion, source, target, rows, first) / norm[rows, first]
    some, columns = torch.nonzero(rough <= ((least + ROUNDING) * (1 + ERROR))[:, None], as_tuple=True)
    scores = torch.full_like(rough, torch.inf)
    scores[some, columns] = (_exact(criterion, source, target, some, columns) / norm[some, columns]).to(rough.dtype)
    return scores.argmin(1)


def _factors(criterion: BeliefCriterion, one: Block, other: Block) -> Iterator[tuple[Factor, Factor]]:
    """The weights of each context, as sums of products."""
    for weight in criterion.weighted:
        yield None if weight == "target" else one.w, None if weight == "source" else other.w


def _norm(criterion: BeliefCriterion, source: Meanings, target: Meanings) -> Tensor:
    sums = pair_sums(source, target, [(weight, NORM) for weight in criterion.weighted])
    return sum(sums[weight, NORM] for weight in criterion.weighted).expand(len(source), len(target))


def _rough(criterion: BeliefCriterion, source: Meanings, target: Meanings) -> Tensor:
    """The divergence of every pair up to `ERROR`, (K, K'); infinite for a pair that shares no context."""
    total = PairSums(source, target)
    for one, other in zip(source, target, strict=True):
        for u, v in _factors(criterion, one, other):
            constant = 2 * sum(NEARLY.values())
            total.add((constant * u, v) if u is not None else (u, constant * v))
            for a, share in POWERS.items():
                left, right = (one.log_belief * a).exp_(), (other.log_belief * (1 - a)).exp_()
                total.add((times(u, left.mul_(-share)).flatten(1), times(v, right).flatten(1)))
    norm = _norm(criterion, source, target)
    return (total.result() / norm).masked_fill_(norm <= torch.finfo(norm.dtype).tiny, torch.inf)


def _exact(criterion: BeliefCriterion, source: Meanings, target: Meanings, rows: Tensor, columns: Tensor) -> Tensor:
    """The weighted sum over contexts of the divergence of some pairs, (pairs,)."""
    total = torch.zeros(len(rows), dtype=torch.float64)
    for one, other in zip(source, target, strict=True):
        p, q = one.belief.float() / 2, other.belief.float() / 2
        for part in torch.arange(len(rows)).split(max(1, AT_ONCE // q[0].numel())):
            row, column = rows[part], columns[part]
            mixture = p.index_select(0, row).add_(q.index_select(0, column))  # faster than an index
            entropies = one.negative_entropy.index_select(0, row) + other.negative_entropy.index_select(0, column)
            entropies /= 2
            value = entropies - negative_entropies(mixture, axis=1)
            for u, v in _factors(criterion, one, other):
                weighted = value if u is None else value * u.index_select(0, row)
                total[part] += (weighted if v is None else weighted * v.index_select(0, column)).sum(1)
    return total
