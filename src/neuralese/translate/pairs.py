"""Sums over contexts for all pairs of messages at once, from which the criteria are built.

For contexts i = 1..n with candidates s = 0..m (s = 0 is the true state), a message z has

    the posterior over contexts    w_i(z)    = p(z | x_i0) / sum_j p(z | x_j0)
    the belief in context i        beta_i(z) = softmax_s log p(z | x_is)                      (Equation 1)

Since KL(beta || beta') = sum_s beta_s log beta_s - sum_s beta_s log beta'_s, sums over contexts of weighted divergences
are, for all K x K' pairs, a few matrix products over the contexts, processed in blocks, so memory does not grow
with n. Beliefs sum to one, so

    KL(beta || beta') = sum_s beta_s log beta_s - log beta'_0 + sum_{s>0} beta_s log (beta'_0 / beta'_s),

which saves one column per context.

Products are in double precision, or in `SINGLE`, which is twice as fast and off by about a millionth: less than the
error of the speakers' own single-precision likelihoods. Everything works on arrays of both NumPy and torch: the
pipeline uses tensors, and the command line, which cannot wait for torch, uses NumPy.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

from neuralese.arrays import Array, add_product, cast, exp, flat, library, log_softmax, logsumexp
from neuralese.translate.reading import Language

NORM = "norm"
LOG_FLOOR = -690.0  # lower beliefs are raised to e^-690, so that an impossible state has a large but finite cost
BLOCK = 256  # contexts held at a time, or fewer:
HELD = 2**22  # numbers of one kind held for all messages: larger tensors are slow, as their memory is reallocated
FEW = 4  # times as many are held while a posterior is computed
AT_ONCE = 2**20  # numbers held at a time when pairs are processed one by one: they fit into a processor's cache

SINGLE, DOUBLE = "float32", "float64"

Factor = Array  # a factor of a product over contexts, (K, columns); None stands for ones


def beliefs(log_likelihood: Array, axis: int = -1) -> Array:
    """Equation 1 in logarithms: the candidates of a context are equally likely before anything is said."""
    return log_softmax(log_likelihood, axis).clip(min=LOG_FLOOR)


@dataclass(frozen=True)
class Block:
    """What messages mean in some contexts. Contexts come last, so that sums over candidates are fast."""

    w: Array  # posterior over contexts, (K, b), and
    log_belief: Array  # (K, s, b), each None unless requested

    @cached_property
    def belief(self) -> Array:
        """beta, (K, s, b)."""
        return library(self.log_belief).exp(self.log_belief)

    @cached_property
    def negative_entropy(self) -> Array:
        """sum_s beta_s log beta_s, (K, b)."""
        return (self.belief * self.log_belief).sum(1)

    @cached_property
    def log_odds(self) -> Array:
        """log beta_0 / beta_s for s > 0, (K, m, b)."""
        return self.log_belief[:, :1] - self.log_belief[:, 1:]


class Meanings:
    """What the messages of a language mean in contexts with `candidates` (n, s, ...), block by block.

    Blocks are made on request and then discarded, unless `keep` is set, which trades memory for time when several
    criteria are compared in the same contexts: sums over pairs with other meanings are kept, too.
    """

    def __init__(
        self, language: Language, candidates: Array, block: int = BLOCK, keep: bool = False, dtype: str = DOUBLE
    ) -> None:
        self.language, self.candidates, self.block, self.dtype = language, candidates, block, dtype
        self.library = library(candidates)
        self.sums: dict[Meanings, dict[tuple[str, str], Array]] = {}
        self.kept = list(self._made()) if keep else None
        if keep:
            self.__dict__.pop("_held", None)  # blocks have been made of them

    def __len__(self) -> int:
        return len(self.language)

    def __iter__(self) -> Iterator[Block]:
        return self.blocks()

    def blocks(self, weighted: bool = True, believed: bool = True) -> Iterator[Block]:
        """The blocks of contexts, with the posterior over contexts and with beliefs only if needed."""
        return iter(self.kept) if self.kept is not None else self._made(weighted, believed)

    @cached_property
    def log_evidence(self) -> Array:
        """log sum_i p(z_k | x_i0), (K,)."""
        true = self._held or (self._log_likelihood(part[:, :1]) for part in self._parts())
        return reduce(self.library.logaddexp, (logsumexp(likely[:, 0], 1) for likely in true))

    @property
    def log_prior(self) -> Array:
        """log p(z_k), (K,): the density of messages under the speaker's model and the contexts."""
        return self.log_evidence - math.log(len(self.candidates))

    def _parts(self) -> Iterator[Array]:
        return (self.candidates[start : start + self.block] for start in range(0, len(self.candidates), self.block))

    def _log_likelihood(self, part: Array) -> Array:
        """log p(z_k | x_is), (K, s, b): candidates are independent, so their order does not matter."""
        return self.language.log_likelihood(part.swapaxes(0, 1))

    @cached_property
    def _held(self) -> list[Array] | None:
        """The likelihoods of all blocks, if they are few: the posterior takes them twice."""
        few = len(self) * math.prod(self.candidates.shape[:2]) <= FEW * HELD
        return [self._log_likelihood(part) for part in self._parts()] if few else None

    def _made(self, weighted: bool = True, believed: bool = True) -> Iterator[Block]:
        for place, part in enumerate(self._parts()):
            seen = part if believed else part[:, :1]
            likely = self._held[place] if self._held else self._log_likelihood(seen)
            yield Block(self._w(likely) if weighted else None, self._log_belief(part, likely) if believed else None)

    def _w(self, log_likelihood: Array) -> Array:
        """w_i(z_k), (K, b)."""
        return exp(log_likelihood[:, 0] - self.log_evidence[:, None], self.dtype)

    def _log_belief(self, part: Array, log_likelihood: Array) -> Array:
        """log beta_i(z_k), (K, s, b)."""
        believed = self.language.log_beliefs(part, log_likelihood.swapaxes(1, 2)).swapaxes(1, 2)
        return beliefs(cast(believed, self.dtype), axis=1)


def block_for(messages: int, candidates: int) -> int:
    """Number of contexts to hold at a time."""
    return max(1, min(BLOCK, HELD // (messages * candidates)))


class PairSums:
    """Sums over contexts of products a(z) b(z') for all pairs, (K, K'). Where a or b is one, they are vectors."""

    def __init__(self, source: Meanings, target: Meanings) -> None:
        self.shape, self.dtype, self.library = (len(source), len(target)), source.dtype, source.library
        self.rows = self.columns = 0.0
        self.matrix: Array | None = None

    def add(self, *products: tuple[Factor, Factor]) -> None:
        """Add a b^T for each of `products` a, b: one matrix product for all."""
        both = [(a, b) for a, b in products if a is not None and b is not None]
        self.rows = self.rows + sum(a.sum(1)[:, None] for a, b in products if b is None)
        self.columns = self.columns + sum(b.sum(1) for a, b in products if a is None)
        if both:
            left, right = (
                self.library.concatenate(factors, 1) if len(both) > 1 else factors[0]
                for factors in zip(*both, strict=True)
            )
            add_product(self.pairs(), left, right)

    def pairs(self) -> Array:
        """The part that is neither rows nor columns only, to be added to."""
        if self.matrix is None:
            self.matrix = self.library.zeros(self.shape, dtype=getattr(self.library, self.dtype))
        return self.matrix

    def result(self) -> Array:
        """The sums, (K, K'), or only rows or columns, which broadcast to it."""
        if self.matrix is None:
            return self.rows + self.columns
        self.matrix += self.rows
        self.matrix += self.columns
        return self.matrix


def pair_sums(source: Meanings, target: Meanings, wanted: list[tuple[str, str]]) -> dict[tuple[str, str], Array]:
    """Sums over contexts for all pairs, (K, K'), by the weighting of contexts and by what is summed.

    Weights are source, target or product; the summand is a divergence (`SUMMED`) or one (`NORM`). For kept
    meanings, sums are kept too: the criteria of a family share the same few.
    """
    known = {} if source.kept is None else source.sums.setdefault(target, {})
    missing = {each: PairSums(source, target) for each in dict.fromkeys(wanted) if each not in known}
    if missing:
        weights, believed = {weight for weight, _ in missing}, any(kind != NORM for _, kind in missing)
        blocks = source.blocks(weights != {"target"}, believed), target.blocks(weights != {"source"}, believed)
        for one, other in zip(*blocks, strict=True):
            for (weight, kind), total in missing.items():
                u, v = None if weight == "target" else one.w, None if weight == "source" else other.w
                SUMMED[kind](total, u, one, v, other)
        known |= {each: total.result() for each, total in missing.items()}
    return known


def shared(source: Meanings, target: Meanings) -> Array:
    """sum_i w_i(z_k) w_i(z'_k'), (K, K'): how much the contexts of two messages overlap."""
    return pair_sums(source, target, [("product", NORM)])["product", NORM]


def times(factor: Factor, value: Array) -> Array:
    """Weight `value` (K, b) or (K, s, b) by `factor` (K, b)."""
    if factor is None:
        return value
    return value * (factor if value.ndim == 2 else factor[:, None])


def _divergence(u: Factor, p: Block, v: Factor, q: Block) -> Iterator[tuple[Factor, Factor]]:
    """Factors a, b whose products sum to sum_i u_i v_i KL(p_i || q_i), as at the top of this file."""
    yield times(u, p.negative_entropy), v
    yield u, times(v, -q.log_belief[:, 0])
    yield flat(times(u, p.belief[:, 1:])), flat(times(v, q.log_odds))


def _add_norm(total: PairSums, u: Factor, one: Block, v: Factor, other: Block) -> None:
    """Add sum_i u_i v_i."""
    total.add((u, v))


def _add_forward(total: PairSums, u: Factor, one: Block, v: Factor, other: Block) -> None:
    """Add sum_i u_i v_i KL(one_i || other_i)."""
    total.add(*_divergence(u, one, v, other))


def _add_reverse(total: PairSums, u: Factor, one: Block, v: Factor, other: Block) -> None:
    """Add sum_i u_i v_i KL(other_i || one_i)."""
    total.add(*((a, b) for b, a in _divergence(v, other, u, one)))


def _add_jensen_shannon(total: PairSums, u: Factor, one: Block, v: Factor, other: Block) -> None:
    """Add sum_i u_i v_i JS(one_i, other_i). A mixture's entropy is not a matrix product."""
    total.add((times(u, one.negative_entropy / 2), v), (u, times(v, other.negative_entropy / 2)))
    p, q = (cast(each.belief, SINGLE) / 2 for each in (one, other))  # precise enough here, and twice as fast
    step = max(1, AT_ONCE // math.prod(q.shape))
    for start in range(0, len(p), step):
        rows = slice(start, start + step)
        negative_entropy = negative_entropies(p[rows, None] + q, axis=2)  # (rows, K', b)
        if v is not None:
            negative_entropy *= cast(v, SINGLE)
        weight = total.library.ones_like(one.log_belief[rows, 0]) if u is None else u[rows]
        total.pairs()[rows] -= (negative_entropy @ cast(weight, SINGLE)[..., None])[..., 0]


def negative_entropies(mixture: Array, axis: int) -> Array:
    """sum_s p_s log p_s along an axis."""
    xp = library(mixture)
    log = mixture.clip(min=xp.finfo(mixture.dtype).tiny)
    xp.log(log, out=log)
    log *= mixture
    return log.sum(axis)


SUMMED = {
    NORM: _add_norm,
    "forward": _add_forward,
    "reverse": _add_reverse,
    "jensen-shannon": _add_jensen_shannon,
}
