"""How well one message translates another: Equation 2 and Algorithm 1 of the paper, for all pairs at once.

For contexts i = 1..n with candidates s = 0..m (s = 0 is the true state), a message z has

    the posterior over contexts    w_i(z)    = p(z | x_i0) / sum_j p(z | x_j0)
    the belief in context i        beta_i(z) = softmax_s log p(z | x_is)                      (Equation 1)

and a pair (z, z') has, with weights w_i made of w_i(z) and w_i(z'),

    q(z, z') = sum_i w_i KL(beta_i(z) || beta_i(z')) / sum_i w_i                              (Equation 2)

Since KL(beta || beta') = sum_s beta_s log beta_s - sum_s beta_s log beta'_s, all K x K' pairs are a few matrix products
over the contexts, which are visited in blocks: memory does not grow with n. Beliefs sum to one, so that

    KL(beta || beta') = sum_s beta_s log beta_s - log beta'_0 + sum_{s>0} beta_s log (beta'_0 / beta'_s),

which is one column a context less to multiply. Lower scores are better for every criterion.

Products are in double precision, or in `SINGLE`, which is twice as fast and off by about a millionth: that is less than
what the speakers' own likelihoods, which are in single precision, are off by.

Whose criterion is which:

    ALGORITHM_1    the paper's, as printed: weights w_i(z) w_i(z'), forward KL, p(z | x) as wide as the channel's noise
    RELEASED       the authors' released code: the same weights, reverse KL, a Gaussian p(z | x) of variance 1/2, and
                   for phrases said together the mean of their log-likelihoods
    otherwise      ours; `BeliefCriterion()` has weights w_i(z) and reverse KL
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import torch
from torch import Tensor

from neuralese.errors import NeuraleseError
from neuralese.translate.languages import Language, Reading

WEIGHTS = ("product", "sum", "source", "target")
DIVERGENCES = ("forward", "reverse", "symmetric", "jensen-shannon")
JOINS = ("product", "mean")
NORM = "norm"
LOG_FLOOR = -690.0  # beliefs below e^-690 count as that, so that an impossible state costs much, not infinitely much
BLOCK = 256  # contexts held at a time, or fewer:
HELD = 2**22  # numbers of one kind held for all messages: larger tensors are slow, their memory being fetched anew
AT_ONCE = 2**20  # numbers held at a time where all pairs are looked at one by one: they fit into a processor's cache

SINGLE = torch.float32
NOTHING = 1e-30  # in single precision factors below count as zero: the smallest numbers would be multiplied slowly

Factor = Tensor | None  # of a product over contexts, (K, columns); None is one everywhere


def beliefs(log_likelihood: Tensor, dim: int = -1) -> Tensor:
    """Equation 1 in logarithms: the candidates of a context are equally likely before a word is said."""
    return torch.log_softmax(log_likelihood, dim).clamp(min=LOG_FLOOR)


def _log_sum(log_likelihood: Tensor) -> Tensor:
    """log sum_i exp, (K,), of (K, n), whose largest is set apart: it is known exactly."""
    highest = log_likelihood.amax(1, keepdim=True).clamp(min=-torch.finfo(log_likelihood.dtype).max)
    return highest[:, 0].double() + (log_likelihood - highest).exp_().sum(1).double().log()


@dataclass(frozen=True)
class Block:
    """What messages mean in some of the contexts. Contexts come last, so that sums over candidates are fast."""

    w: Tensor  # posterior over contexts, (K, b)
    log_belief: Tensor  # (K, s, b)

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

    Blocks are made when they are asked for and then forgotten, unless `keep` is set, which costs memory and saves time
    where several criteria are compared in the same contexts: sums over pairs with other meanings are kept, too.
    """

    def __init__(
        self,
        language: Language,
        candidates: Tensor,
        block: int = BLOCK,
        keep: bool = False,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        self.language, self.candidates, self.block, self.dtype = language, candidates, block, dtype
        self.sums: dict[Meanings, dict[tuple[str, str], Tensor]] = {}
        self.kept = list(self._blocks()) if keep else None

    def __len__(self) -> int:
        return len(self.language)

    def __iter__(self) -> Iterator[Block]:
        return iter(self.kept) if self.kept is not None else self._blocks()

    @cached_property
    def log_evidence(self) -> Tensor:
        """log sum_i p(z_k | x_i0), (K,), in double precision."""
        parts = (_log_sum(self._log_likelihood(part[:, :1]).flatten(1)) for part in self._parts())
        return reduce(torch.logaddexp, parts)

    @property
    def log_prior(self) -> Tensor:
        """log p(z_k), (K,): the density of messages that the speaker's model and the contexts make."""
        return self.log_evidence - math.log(len(self.candidates))

    def _parts(self) -> tuple[Tensor, ...]:
        return self.candidates.split(self.block)

    def _log_likelihood(self, part: Tensor) -> Tensor:
        """log p(z_k | x_is), (K, s, b): each candidate stands for itself, so they may be asked about in any order."""
        return self.language.log_likelihood(part.transpose(0, 1)).to(self.dtype)

    def _blocks(self) -> Iterator[Block]:
        evidence = self.log_evidence[:, None].to(self.dtype)
        rest = (self.log_evidence[:, None] - evidence).to(self.dtype)  # what single precision leaves of it
        for part in self._parts():
            log_likelihood = self._log_likelihood(part)
            w = (log_likelihood[:, 0] - evidence).sub_(rest).exp_()
            if hasattr(self.language, "log_beliefs"):
                log_likelihood = self.language.log_beliefs(part).transpose(1, 2).to(self.dtype)
            yield Block(w, beliefs(log_likelihood, dim=1))


def block_for(messages: int, candidates: int) -> int:
    """How many contexts to hold at a time."""
    return max(1, min(BLOCK, HELD // (messages * candidates)))


@dataclass(frozen=True, kw_only=True)
class Criterion(ABC):
    """Scores all pairs of two languages, each of them read as `reading` says."""

    scale: float = 1.0
    variance: float | None = None
    join: str = "product"

    def __post_init__(self) -> None:
        if self.join not in JOINS:
            raise NeuraleseError(f"phrases cannot be joined by '{self.join}'; choose from {', '.join(JOINS)}.")

    @property
    def reading(self) -> Reading:
        """How likelihoods are to be taken."""
        return Reading(self.scale, self.variance, self.join)

    def scores(
        self,
        source: Language,
        target: Language,
        candidates: Tensor,
        block: int | None = None,
        dtype: torch.dtype = torch.float64,
    ) -> Tensor:
        """The score of every pair, (K, K'), by what they mean in contexts with `candidates` (n, s, ...)."""
        block = block or block_for(max(len(source), len(target)), candidates.shape[1])
        return self.compare(
            *(Meanings(each.read(self.reading), candidates, block, dtype=dtype) for each in (source, target))
        )

    @abstractmethod
    def compare(self, source: Meanings, target: Meanings) -> Tensor:
        """The same by meanings in the same contexts."""


@dataclass(frozen=True)
class BeliefCriterion(Criterion):
    """Match beliefs: the divergence of what z and z' make a listener believe, averaged over weighted contexts."""

    weights: str = "source"  # what weights a context: product (Algorithm 1), sum, source (z alone), target (z' alone)
    divergence: str = "reverse"  # forward KL(beta(z) || beta(z')), reverse, symmetric (their mean), or jensen-shannon
    prior: float = 0.0  # by how many nats a nat of -log p(z') counts: rare translations are avoided

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights not in WEIGHTS or self.divergence not in DIVERGENCES:
            raise NeuraleseError(
                f"a belief criterion with weights '{self.weights}' and divergence '{self.divergence}' is unknown; "
                f"choose weights from {', '.join(WEIGHTS)} and divergence from {', '.join(DIVERGENCES)}."
            )

    @property
    def weighted(self) -> tuple[str, ...]:
        """The weights of which those of a context are the sum."""
        return ("source", "target") if self.weights == "sum" else (self.weights,)

    def compare(self, source: Meanings, target: Meanings) -> Tensor:
        """q(z_k, z'_k'), (K, K'), in nats; infinite for a pair that shares no context."""
        weights = self.weighted
        kinds = ("forward", "reverse") if self.divergence == "symmetric" else (self.divergence,)
        sums = pair_sums(source, target, [(weight, kind) for weight in weights for kind in (*kinds, NORM)])
        total = reduce(torch.add, (sums[weight, kind] for weight in weights for kind in kinds))
        norm = reduce(torch.add, (sums[weight, NORM] for weight in weights))
        divided = total.div_ if source.kept is None else total.div  # sums that are kept are needed again
        scores = divided(norm).div_(len(kinds)).clamp_(min=0)
        scores.masked_fill_(norm <= torch.finfo(norm.dtype).tiny, torch.inf)
        return scores.sub_(self.prior * target.log_prior) if self.prior else scores


ALGORITHM_1 = BeliefCriterion("product", "forward")
RELEASED = BeliefCriterion("product", "reverse", variance=0.5, join="mean")


@dataclass(frozen=True)
class DirectCriterion(Criterion):
    """Translate as machine translation does: -log p(z' | z), by the contexts in which both are said."""

    def compare(self, source: Meanings, target: Meanings) -> Tensor:
        """-log sum_i w_i(z_k) p(z'_k' | x_i), (K, K')."""
        return _shared(source, target).log().double().add_(target.log_evidence).neg_()


@dataclass(frozen=True)
class PmiCriterion(Criterion):
    """Pointwise mutual information, -log p(z' | z) / p(z'): direct translation that does not favour frequent words."""

    def compare(self, source: Meanings, target: Meanings) -> Tensor:
        """-log sum_i w_i(z_k) w_i(z'_k'), (K, K'), up to a constant."""
        return _shared(source, target).log().neg_()


@dataclass(frozen=True)
class RandomCriterion(Criterion):
    """Any translation is as good as any other: the baseline that also shows whether an evaluation leaks."""

    seed: int = 0

    def compare(self, source: Meanings, target: Meanings) -> Tensor:
        """Random numbers, (K, K')."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.rand(len(source), len(target), dtype=torch.float64, generator=generator)


class PairSums:
    """Sums over contexts of products a(z) b(z') for all pairs, (K, K'). Where a or b is one, they are vectors."""

    def __init__(self, source: Meanings, target: Meanings) -> None:
        self.shape, self.dtype = (len(source), len(target)), source.dtype
        self.rows = self.columns = 0.0
        self.matrix: Tensor | None = None

    def add(self, *products: tuple[Factor, Factor]) -> None:
        """Add a b^T for each of `products` a, b: one matrix product for all."""
        both = [(a, b) for a, b in products if a is not None and b is not None]
        self.rows = self.rows + sum(a.sum(1, keepdim=True) for a, b in products if b is None)
        self.columns = self.columns + sum(b.sum(1) for a, b in products if a is None)
        if both:
            left, right = (
                torch.cat(factors, dim=1) if len(both) > 1 else factors[0] for factors in zip(*both, strict=True)
            )
            if self.dtype == SINGLE:
                left, right = (torch.nn.functional.hardshrink(factor, NOTHING) for factor in (left, right))
            self.pairs().addmm_(left, right.T)

    def pairs(self) -> Tensor:
        """The part that is neither rows nor columns, to be added to."""
        if self.matrix is None:
            self.matrix = torch.zeros(self.shape, dtype=self.dtype)
        return self.matrix

    def result(self) -> Tensor:
        """The sums, (K, K'), or rows or columns alone, which broadcast to it."""
        return self.rows + self.columns if self.matrix is None else self.matrix.add_(self.rows).add_(self.columns)


def pair_sums(source: Meanings, target: Meanings, wanted: list[tuple[str, str]]) -> dict[tuple[str, str], Tensor]:
    """Sums over contexts for all pairs, (K, K'), by how a context is weighted and what is summed.

    Weights are source, target or product; what is summed is a divergence, or one (`NORM`). Of meanings that are kept,
    sums are kept too: the criteria of a family are made of the same few.
    """
    known = {} if source.kept is None else source.sums.setdefault(target, {})
    missing = {each: PairSums(source, target) for each in dict.fromkeys(wanted) if each not in known}
    if missing:
        for one, other in zip(source, target, strict=True):
            for (weight, kind), total in missing.items():
                u, v = None if weight == "target" else one.w, None if weight == "source" else other.w
                if kind == NORM:
                    total.add((u, v))
                elif kind == "forward":
                    total.add(*_divergence(u, one, v, other))
                elif kind == "reverse":
                    total.add(*((a, b) for b, a in _divergence(v, other, u, one)))
                else:
                    _add_jensen_shannon(total, u, one, v, other)
        known |= {each: total.result() for each, total in missing.items()}
    return known


def _shared(source: Meanings, target: Meanings) -> Tensor:
    """sum_i w_i(z_k) w_i(z'_k'), (K, K'): how much the contexts of two messages are the same."""
    return pair_sums(source, target, [("product", NORM)])["product", NORM]


def times(factor: Factor, value: Tensor) -> Tensor:
    """Weight `value` (K, b) or (K, s, b) by `factor` (K, b)."""
    if factor is None:
        return value
    return value * (factor if value.dim() == 2 else factor[:, None])


def _divergence(u: Factor, p: Block, v: Factor, q: Block) -> Iterator[tuple[Factor, Factor]]:
    """Factors a, b whose products sum to sum_i u_i v_i KL(p_i || q_i), as at the top of this file."""
    yield times(u, p.negative_entropy), v
    yield u, times(v, -q.log_belief[:, 0])
    yield times(u, p.belief[:, 1:]).flatten(1), times(v, q.log_odds).flatten(1)


def _add_jensen_shannon(total: PairSums, u: Factor, one: Block, v: Factor, other: Block) -> None:
    """Add sum_i u_i v_i JS(one_i, other_i). A mixture's entropy is no matrix product."""
    total.add((times(u, one.negative_entropy / 2), v), (u, times(v, other.negative_entropy / 2)))
    p, q = one.belief.float() / 2, other.belief.float() / 2  # single precision is enough here, and twice as fast
    smallest = torch.finfo(p.dtype).tiny
    for rows in torch.arange(len(p)).split(max(1, AT_ONCE // q.numel())):
        mixture = p[rows, None] + q
        negative_entropy = mixture.clamp(min=smallest).log_().mul_(mixture).sum(2)  # (rows, K', b)
        if v is not None:
            negative_entropy *= v.float()
        weight = torch.ones_like(one.w[rows]) if u is None else u[rows]
        total.pairs()[rows] -= (negative_entropy @ weight.float()[..., None]).squeeze(-1)
