"""The fast form of Algorithm 1 (`algorithm1.py`) and its variants: sums over contexts for all pairs of messages.

For contexts i = 1..n with candidates s = 0..m (s = 0 is the true state), a message z has

    the posterior over contexts    w_i(z)    = p(z | x_i0) / sum_j p(z | x_j0)
    the belief in context i        beta_i(z) = softmax_s log p(z | x_is)                      (Equation 1)

A criterion scores a pair by an expectation over contexts; with weights w_i made of w_i(z) and w_i(z'), it is

    q(z, z') = sum_i w_i KL(beta_i(z) || beta_i(z')) / sum_i w_i                              (Equation 2)

Since KL(beta || beta') = sum_s beta_s log beta_s - sum_s beta_s log beta'_s, the sums over contexts are, for all
K x K' pairs, a few matrix products, computed in blocks of contexts, so memory does not grow with n. Beliefs sum to
one, so

    KL(beta || beta') = sum_s beta_s log beta_s - log beta'_0 + sum_{s>0} beta_s log (beta'_0 / beta'_s),

which saves one column per context.

Products are in double precision, or in `SINGLE`, which is twice as fast and off by about a millionth: less than the
error of the speakers' own single-precision likelihoods.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import torch
from torch import Tensor

from neuralese.translate.languages import Language

NORM = "norm"
LOG_FLOOR = -690.0  # lower beliefs are raised to e^-690, so that an impossible state has a large but finite cost
BLOCK = 256  # contexts held at a time, or fewer:
HELD = 2**22  # numbers of one kind held for all messages: larger tensors are slow, as their memory is reallocated
FEW = 4  # times as many are held while a posterior is computed
AT_ONCE = 2**20  # numbers held at a time when pairs are processed one by one: they fit into a processor's cache
NEGLIGIBLE = 1e-30  # smaller factors count as zero in single precision, in which denormal numbers are slow to multiply

SINGLE, DOUBLE = torch.float32, torch.float64

# what listeners do in contexts: candidates (b, s, ...) -> log p(u | z_k, x_bi), (K, b, s)
Respond = Callable[[Tensor], Tensor]
Factor = Any  # a factor of a product over contexts, a tensor (K, columns); None stands for ones


def beliefs(log_likelihood: Tensor, dim: int = -1) -> Tensor:
    """Equation 1 in logarithms: the candidates of a context are equally likely before anything is said."""
    return log_likelihood.log_softmax(dim).clamp(min=LOG_FLOOR)


@dataclass(frozen=True)
class Block:
    """What messages mean in some contexts. Contexts come last, so that sums over candidates are fast."""

    w: Tensor  # posterior over contexts, (K, b), and
    log_belief: Tensor  # (K, s, b), each empty unless requested

    @cached_property
    def belief(self) -> Tensor:
        """beta, (K, s, b)."""
        return self.log_belief.exp()

    @cached_property
    def negative_entropy(self) -> Tensor:
        """sum_s beta_s log beta_s, (K, b)."""
        return (self.belief * self.log_belief).sum(1)

    @cached_property
    def log_odds(self) -> Tensor:
        """log beta_0 / beta_s for s > 0, (K, m, b)."""
        return self.log_belief[:, :1] - self.log_belief[:, 1:]


class Meanings:
    """What the messages of a language mean in contexts with `candidates` (n, s, ...), block by block.

    Blocks are made on request and then discarded, unless `keep` is set, which trades memory for time when several
    criteria are compared in the same contexts: sums over pairs with other meanings are kept, too. With `respond`, what
    listeners do takes the place of what they believe.
    """

    def __init__(
        self,
        language: Language,
        candidates: Tensor,
        block: int = BLOCK,
        keep: bool = False,
        dtype: torch.dtype = DOUBLE,
        respond: Respond | None = None,
    ) -> None:
        self.language, self.candidates, self.block, self.dtype = language, candidates, block, dtype
        self.respond = respond
        self.sums: dict[Meanings, dict[tuple[str, str], Tensor]] = {}
        self.kept = list(self._made()) if keep else None
        if keep:
            self.__dict__.pop("_held", None)  # blocks have been made of them

    def __len__(self) -> int:
        return len(self.language)

    def blocks(self, weighted: bool = True, believed: bool = True) -> Iterator[Block]:
        """The blocks of contexts, with the posterior over contexts and with beliefs only if needed."""
        return iter(self.kept) if self.kept is not None else self._made(weighted, believed)

    @cached_property
    def log_evidence(self) -> Tensor:
        """log sum_i p(z_k | x_i0), (K,)."""
        true = self._held or (self._log_likelihood(part[:, :1]) for part in self.candidates.split(self.block))
        return reduce(torch.logaddexp, (likely[:, 0].double().logsumexp(1) for likely in true))

    @property
    def log_prior(self) -> Tensor:
        """log p(z_k), (K,): the density of messages under the speaker's model and the contexts."""
        return self.log_evidence - math.log(len(self.candidates))

    def _log_likelihood(self, part: Tensor) -> Tensor:
        """log p(z_k | x_is), (K, s, b): candidates are independent, so their order does not matter."""
        return self.language.log_likelihood(part.swapaxes(0, 1))

    @cached_property
    def _held(self) -> list[Tensor] | None:
        """The likelihoods of all blocks, if they are few: the posterior takes them twice."""
        few = len(self) * math.prod(self.candidates.shape[:2]) <= FEW * HELD
        return [self._log_likelihood(part) for part in self.candidates.split(self.block)] if few else None

    def _made(self, weighted: bool = True, believed: bool = True) -> Iterator[Block]:
        w = log_belief = torch.empty(0)
        for place, part in enumerate(self.candidates.split(self.block)):
            seen = part if believed else part[:, :1]
            likely = self._held[place] if self._held else self._log_likelihood(seen)
            if weighted:
                w = (likely[:, 0] - self.log_evidence[:, None]).exp().to(self.dtype)
            if believed:
                preferred = self.respond(part).double().swapaxes(1, 2) if self.respond else likely
                log_belief = beliefs(preferred.to(self.dtype), dim=1)
            yield Block(w, log_belief)


def block_for(messages: int, candidates: int) -> int:
    """Number of contexts to hold at a time."""
    return max(1, min(BLOCK, HELD // (messages * candidates)))


class PairSums:
    """Sums over contexts of products a(z) b(z') for all pairs, (K, K'). Where a or b is one, they are vectors."""

    def __init__(self, source: Meanings, target: Meanings) -> None:
        self.shape, self.dtype = (len(source), len(target)), source.dtype
        self.rows: Tensor | float = 0.0
        self.columns: Tensor | float = 0.0
        self.matrix: Tensor | None = None

    def add(self, *products: tuple[Factor, Factor]) -> None:
        """Add a b^T for each of `products` a, b: one matrix product for all."""
        both = [(a, b) for a, b in products if a is not None and b is not None]
        self.rows = self.rows + sum(a.sum(1)[:, None] for a, b in products if b is None)
        self.columns = self.columns + sum(b.sum(1) for a, b in products if a is None)
        if both:
            left, right = both[0] if len(both) == 1 else (torch.cat(factors, 1) for factors in zip(*both, strict=True))
            if self.dtype == SINGLE:
                left, right = (torch.nn.functional.hardshrink(factor, NEGLIGIBLE) for factor in (left, right))
            self.pairs().addmm_(left, right.T)

    def pairs(self) -> Tensor:
        """The part that is neither rows nor columns only, to be added to."""
        if self.matrix is None:
            self.matrix = torch.zeros(self.shape, dtype=self.dtype)
        return self.matrix

    def result(self) -> Tensor:
        """The sums, (K, K'), or only rows or columns, which broadcast to it."""
        if self.matrix is None:
            return torch.as_tensor(self.rows + self.columns)
        self.matrix += self.rows
        self.matrix += self.columns
        return self.matrix


def pair_sums(source: Meanings, target: Meanings, wanted: list[tuple[str, str]]) -> dict[tuple[str, str], Tensor]:
    """Sums over contexts for all pairs, (K, K'), by the weighting of contexts and by what is summed.

    Weights are source, target or product; the summand is a divergence or one (`NORM`). For kept meanings, sums are kept
    too: the criteria of a family share the same few.
    """
    known = {} if source.kept is None else source.sums.setdefault(target, {})
    missing = {each: PairSums(source, target) for each in dict.fromkeys(wanted) if each not in known}
    if missing:
        weights, believed = {weight for weight, _ in missing}, any(kind != NORM for _, kind in missing)
        blocks = source.blocks(weights != {"target"}, believed), target.blocks(weights != {"source"}, believed)
        for one, other in zip(*blocks, strict=True):
            for (weight, kind), total in missing.items():
                u, v = factors(weight, one, other)
                if kind == NORM:
                    total.add((u, v))
                elif kind == "forward":
                    total.add(*divergence(u, v, one, other))
                elif kind == "reverse":
                    total.add(*((a, b) for b, a in divergence(v, u, other, one)))
                else:
                    _add_jensen_shannon(total, u, v, one, other)
        known |= {each: total.result() for each, total in missing.items()}
    return known


def factors(weight: str, one: Block, other: Block) -> tuple[Factor, Factor]:
    """The weights of contexts, as a product u(z) v(z')."""
    return None if weight == "target" else one.w, None if weight == "source" else other.w


def shared(source: Meanings, target: Meanings) -> Tensor:
    """sum_i w_i(z_k) w_i(z'_k'), (K, K'): how much the contexts of two messages overlap."""
    return pair_sums(source, target, [("product", NORM)])["product", NORM]


def times(factor: Factor, value: Tensor) -> Tensor:
    """Weight `value` (K, b) or (K, s, b) by `factor` (K, b)."""
    if factor is None:
        return value
    return value * (factor if value.ndim == 2 else factor[:, None])


def divergence(u: Factor, v: Factor, p: Block, q: Block) -> Iterator[tuple[Factor, Factor]]:
    """Factors a, b whose products sum to sum_i u_i v_i KL(p_i || q_i), as at the top of this file."""
    yield times(u, p.negative_entropy), v
    yield u, times(v, -q.log_belief[:, 0])
    yield times(u, p.belief[:, 1:]).flatten(1), times(v, q.log_odds).flatten(1)


def _add_jensen_shannon(total: PairSums, u: Factor, v: Factor, one: Block, other: Block) -> None:
    """Add sum_i u_i v_i JS(one_i, other_i). A mixture's entropy is not a matrix product."""
    total.add((times(u, one.negative_entropy / 2), v), (u, times(v, other.negative_entropy / 2)))
    p, q = (each.belief.float() / 2 for each in (one, other))  # precise enough here, and twice as fast
    step = max(1, AT_ONCE // q.numel())
    for start in range(0, len(p), step):
        rows = slice(start, start + step)
        negative_entropy = _negative_entropies(p[rows, None] + q, dim=2)  # (rows, K', b)
        if v is not None:
            negative_entropy *= v.float()
        weight = torch.ones_like(p[rows, 0]) if u is None else u[rows].float()
        total.pairs()[rows] -= (negative_entropy @ weight[..., None])[..., 0]


def _negative_entropies(mixture: Tensor, dim: int) -> Tensor:
    """sum_s p_s log p_s along a dimension."""
    log = mixture.clamp(min=torch.finfo(mixture.dtype).tiny).log_()
    return log.mul_(mixture).sum(dim)


# The entropy of a mixture is not a matrix product, but the Jensen-Shannon divergence is nearly one: with
#
#     G_a(p, q) = 2 - sum_s (p_s^a q_s^(1-a) + p_s^(1-a) q_s^a)
#
# JS(p, q) never differs by more than the fraction `ERROR` from NEARLY[.5] G_.5 + NEARLY[.3] G_.3. (All are sums of
# p_s f(q_s / p_s), so it is enough to compare f.) A pair that is worse than another by more than that can be skipped.
NEARLY = {0.5: 1.21292533, 0.3: -0.89092498}
POWERS = {0.5: 2 * NEARLY[0.5], 0.3: NEARLY[0.3], 0.7: NEARLY[0.3]}  # the coefficient of p^a q^(1-a)
ERROR = 0.071
ROUNDING = 1e-5  # the possible error of sums, in nats


def best_by_jensen_shannon(weights: tuple[str, ...], source: Meanings, target: Meanings) -> Tensor:
    """The best target for each source, (K,), without the divergence of every pair; `weights` are summed."""
    sums = pair_sums(source, target, [(weight, NORM) for weight in weights])
    norm = reduce(torch.add, (sums[weight, NORM] for weight in weights)).expand(len(source), len(target))
    rough = nearly_jensen_shannon(weights, source, target).div_(norm)
    rough.masked_fill_(norm <= torch.finfo(norm.dtype).tiny, torch.inf)
    rows = torch.arange(len(source))
    first = rough.argmin(1)
    least = _jensen_shannon(weights, source, target, rows, first) / norm[rows, first]
    some, columns = torch.nonzero(rough <= ((least + ROUNDING) * (1 + ERROR))[:, None], as_tuple=True)
    scores = torch.full_like(rough, torch.inf)
    exact = _jensen_shannon(weights, source, target, some, columns) / norm[some, columns]
    scores[some, columns] = exact.to(rough.dtype)
    return scores.argmin(1)


def nearly_jensen_shannon(weights: tuple[str, ...], source: Meanings, target: Meanings) -> Tensor:
    """The weighted sum over contexts of the divergence of every pair, up to `ERROR`: (K, K')."""
    total, constant = PairSums(source, target), 2 * sum(NEARLY.values())
    for one, other in zip(source.blocks(), target.blocks(), strict=True):
        for weight in weights:
            u, v = factors(weight, one, other)
            total.add((constant * u, v) if u is not None else (u, constant * v))
            for a, share in POWERS.items():
                left, right = (one.log_belief * a).exp_(), (other.log_belief * (1 - a)).exp_()
                total.add((times(u, left.mul_(-share)).flatten(1), times(v, right).flatten(1)))
    return total.result()


def _jensen_shannon(
    weights: tuple[str, ...], source: Meanings, target: Meanings, rows: Tensor, columns: Tensor
) -> Tensor:
    """The weighted sum over contexts of the divergence of some pairs, (pairs,)."""
    total = torch.zeros(len(rows), dtype=torch.float64)
    for one, other in zip(source.blocks(), target.blocks(), strict=True):
        p, q = one.belief.float() / 2, other.belief.float() / 2
        for part in torch.arange(len(rows)).split(max(1, AT_ONCE // q[0].numel())):
            row, column = rows[part], columns[part]
            mixture = p.index_select(0, row).add_(q.index_select(0, column))  # faster than an index
            entropies = one.negative_entropy.index_select(0, row) + other.negative_entropy.index_select(0, column)
            entropies /= 2
            value = entropies - _negative_entropies(mixture, dim=1)
            for weight in weights:
                u, v = factors(weight, one, other)
                weighted = value if u is None else value * u.index_select(0, row)
                total[part] += (weighted if v is None else weighted * v.index_select(0, column)).sum(1)
    return total
