"""How well one message translates another: the criteria, including the paper's Equation 2 and Algorithm 1.

Lower scores are better for every criterion. `BeliefCriterion` is Equation 2 (see `pairs.py`); its variants are

    ALGORITHM_1    the paper's, as printed: weights w_i(z) w_i(z'), forward KL, p(z | x) as wide as the channel's noise
    RELEASED       the authors' released code: weights p(z | x_i) + p(z' | x_i), reverse KL, a Gaussian p(z | x) of
                   variance 1/2 without its normalising constant, and the mean log-likelihood for phrases said together
    otherwise      ours; `BeliefCriterion()` has weights w_i(z) and reverse KL

A criterion is one class with the method `compare`, registered by `@criterion(kind)`: docs/tutorial-criterion.md shows
how to add one. Another package names its module in the entry point group `neuralese.criteria`.

The config is checked against the options declared here, so this module imports torch only where it scores.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, reduce
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar, dataclass_transform, get_args

from pydantic import ValidationError
from pydantic.dataclasses import dataclass
from pydantic.fields import FieldInfo

from neuralese.config.section import RULES, Seed, Width, between, key, says
from neuralese.errors import NeuraleseError
from neuralese.translate.families import options

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from neuralese.translate.languages import Language
    from neuralese.translate.pairs import Meanings

Join = Literal["product", "mean"]
Weights = Literal["product", "sum", "source", "target", "likelihood"]
Divergence = Literal["forward", "reverse", "symmetric", "jensen-shannon"]
JOINS, WEIGHTS, DIVERGENCES = get_args(Join), get_args(Weights), get_args(Divergence)


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a criterion reads the likelihoods of a language."""

    scale: float = 1.0  # width of a robot's p(z | x), as a multiple of the channel's noise
    variance: float | None = None  # or its variance, regardless of the noise
    join: Join = "product"  # p(phrases said together | x) is the product over the phrases, or their geometric mean

    def width(self, noise: float) -> float:
        """The standard deviation of p(z | x)."""
        return self.scale * noise if self.variance is None else math.sqrt(self.variance)


@dataclass(frozen=True, kw_only=True, config=RULES)
class Criterion(ABC):
    """Scores all pairs of two languages, each read according to `reading`. Its fields are the options of its kind."""

    kind: ClassVar[str]
    __pydantic_fields__: ClassVar[dict[str, FieldInfo]]  # its options by name
    by_meaning: ClassVar[bool] = True  # whether it scores meanings: if not, its scores carry no information

    scale: Width = key(1.0, "Width of the robot's p(z|x), as a multiple of the channel's noise.", "See below.")
    variance: Annotated[float, between(0.000001, 1_000_000)] | None = key(
        None,
        "Variance of the robot's p(z|x), regardless of the channel's noise; takes precedence over `scale`.",
        "0.5 is the released code's.",
    )
    join: Join = key(
        "product",
        "How the likelihoods of phrases said together are combined: `product` or geometric `mean`.",
        "`mean` is the released code's.",
    )

    @property
    def reading(self) -> Reading:
        """How likelihoods are computed."""
        return Reading(self.scale, self.variance, self.join)

    def meanings(self, language: "Language", candidates: "Tensor", **options: Any) -> "Meanings":
        """What the messages of a language, read as this criterion reads them, mean in contexts with `candidates`.

        `options` are those of `Meanings`.
        """
        from neuralese.translate.pairs import Meanings

        return Meanings(language.read(self.reading), candidates, **options)

    def scores(
        self,
        source: "Language",
        target: "Language",
        candidates: "Tensor",
        block: int | None = None,
        dtype: "torch.dtype | None" = None,
    ) -> "Tensor":
        """The score of every pair, (K, K'), by their meanings in contexts with `candidates` (n, s, ...)."""
        from neuralese.translate.pairs import DOUBLE, block_for

        block = block or block_for(max(len(source), len(target)), candidates.shape[1])
        both = (self.meanings(each, candidates, block=block, dtype=dtype or DOUBLE) for each in (source, target))
        return self.compare(*both)

    @abstractmethod
    def compare(self, source: "Meanings", target: "Meanings") -> "Tensor":
        """The score of every pair, (K, K'), from meanings in the same contexts, read according to `reading`."""

    def best(self, source: "Meanings", target: "Meanings") -> "Tensor":
        """The best target for each source, (K,): where `compare` is lowest."""
        return self.compare(source, target).argmin(1)


KINDS: dict[str, type[Criterion]] = {}
GROUP = "neuralese.criteria"  # the entry point group of modules that define criteria
Kind = TypeVar("Kind", bound=type[Criterion])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def criterion(kind: str) -> Callable[[Kind], Kind]:
    """Make a class a frozen dataclass and register it as the criterion of a kind, which settings can then name."""

    def register(found: Kind) -> Kind:
        if kind in KINDS:
            raise NeuraleseError(f"a criterion of kind '{kind}' exists already; give {found.__name__} another kind.")
        KINDS[kind] = dataclass(frozen=True, kw_only=True, config=RULES)(found)  # type: ignore[assignment]
        found.kind = kind
        return found

    return register


@cache
def kinds() -> dict[str, type[Criterion]]:
    """Every kind, including those of other packages."""
    for each in sorted(entry_points(group=GROUP)):
        try:
            import_module(each.value)
        except ImportError as error:
            raise NeuraleseError(
                f"the criterion '{each.name}' of another package cannot be loaded ({error}); fix or uninstall it."
            ) from error
    return KINDS


def kind_of(settings: Mapping[str, Any]) -> type[Criterion]:
    """The class of a criterion with these settings."""
    kind = settings.get("kind")
    known = KINDS if isinstance(kind, str) and kind in KINDS else kinds()  # searching other packages takes a while
    if not isinstance(kind, str) or kind not in known:
        raise NeuraleseError(f"there is no criterion of kind '{kind}'; choose from {', '.join(known)}.")
    return known[kind]


def make_criterion(settings: Mapping[str, Any]) -> Criterion:
    """Build a criterion from its settings in the config: its `kind` and that kind's options."""
    kind, given = kind_of(settings), options(settings)
    known = list(kind.__pydantic_fields__)
    if unknown := [name for name in given if name not in known]:
        raise NeuraleseError(
            f"a criterion of kind '{kind.kind}' has no option '{unknown[0]}'; it has {', '.join(known)}."
        )
    if many := [name for name, value in given.items() if isinstance(value, list)]:
        raise NeuraleseError(
            f"a criterion of kind '{kind.kind}' takes one value of '{many[0]}', not a list, which makes a family."
        )
    try:
        return kind(**given)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise NeuraleseError(f"'{wrong['loc'][0]}' of a criterion of kind '{kind.kind}': {says(wrong)}.") from None


@criterion("belief")
class BeliefCriterion(Criterion):
    """Match beliefs: the divergence between what z and z' make a listener believe, averaged over weighted contexts."""

    # source and target are z and z' alone; likelihood is the sum of both before they are normalised over contexts
    weights: Weights = key(
        "source",
        "How a belief criterion weights a context; `product` is Algorithm 1's, `likelihood` the released code's.",
        "See below.",
    )
    divergence: Divergence = key(
        "reverse",
        "Divergence of beliefs used by a belief criterion: `forward` KL(z to z'), `reverse`, `symmetric`, "
        "`jensen-shannon`.",
        "See below; `jensen-shannon` is slower: it is not a matrix product.",
    )
    prior: Annotated[float, between(0, 1000)] = key(
        0.0,
        "Penalty, in nats, per nat of -log p(z') (the density of messages under the speaker's model) on a "
        "translation z'.",
        "Above 0, rare translations are penalised.",
    )
    truth: Annotated[float, between(0, 1000)] = key(
        0.0,
        "Penalty, in nats, per nat of -log p(z'|z) on a translation z'.",
        "Above 0, words that nobody would say in the states where the message is sent are penalised.",
    )

    @property
    def weighted(self) -> tuple[str, ...]:
        """The weights whose sum is the weight of a context."""
        return ("source", "target") if self.weights in ("sum", "likelihood") else (self.weights,)

    def compare(self, source: "Meanings", target: "Meanings") -> "Tensor":
        """q(z_k, z'_k'), (K, K'), in nats: Equation 2; infinite for a pair that shares no context."""
        import torch

        from neuralese.translate.pairs import NORM, pair_sums

        weights = self.weighted
        kinds = ("forward", "reverse") if self.divergence == "symmetric" else (self.divergence,)
        sums = pair_sums(source, target, [(weight, kind) for weight in weights for kind in (*kinds, NORM)])
        if self.weights == "likelihood":  # p(z | x_i) is w_i(z) times its sum over contexts, its evidence
            share = evidence_shares(source, target)
            sums = {(weight, kind): sums[weight, kind] * share[weight] for weight in weights for kind in (*kinds, NORM)}
        total = reduce(torch.add, (sums[weight, kind] for weight in weights for kind in kinds))
        norm = reduce(torch.add, (sums[weight, NORM] for weight in weights))
        # kept sums are needed again
        scores = torch.divide(total, norm, out=total) if source.kept is None else total / norm
        scores.div_(len(kinds)).clamp_(min=0)
        scores.masked_fill_(norm <= torch.finfo(norm.dtype).tiny, torch.inf)
        if self.prior:
            scores -= self.prior * target.log_prior
        if self.truth:
            scores += self.truth * DirectCriterion().compare(source, target)
        return scores

    def best(self, source: "Meanings", target: "Meanings") -> "Tensor":
        """The best target for each source, (K,); not every pair is scored by a slow divergence."""
        if self.divergence != "jensen-shannon" or self.weights == "likelihood" or self.prior or self.truth:
            return super().best(source, target)
        from neuralese.translate.pairs import best_by_jensen_shannon

        return best_by_jensen_shannon(self.weighted, source, target)


def evidence_shares(source: "Meanings", target: "Meanings") -> "dict[str, Tensor]":
    """The evidence of z and of z' as shares of their sum, (K, K'); densities are relative to their greatest value."""
    from neuralese.translate.pairs import LOG_FLOOR

    of_source, of_target = (each.log_evidence - each.language.log_peak for each in (source, target))
    odds = of_target[None] - of_source[:, None]
    share = (1 / (1 + odds.clamp(min=LOG_FLOOR, max=-LOG_FLOOR).exp())).to(source.dtype)
    return {"source": share, "target": 1 - share}


ALGORITHM_1 = BeliefCriterion(weights="product", divergence="forward")
RELEASED = BeliefCriterion(weights="likelihood", divergence="reverse", variance=0.5, join="mean")


@criterion("direct")
class DirectCriterion(Criterion):
    """Translate as machine translation does: -log p(z' | z), from the contexts in which both are said."""

    def compare(self, source: "Meanings", target: "Meanings") -> "Tensor":
        """-log sum_i w_i(z_k) p(z'_k' | x_i), (K, K')."""
        from neuralese.translate.pairs import shared

        scores = shared(source, target).log().double()
        scores += target.log_evidence
        return scores.neg_()


@criterion("pmi")
class PmiCriterion(Criterion):
    """Pointwise mutual information, -log p(z' | z) / p(z')^a: direct translation that favours frequent words less."""

    exponent: Annotated[float, between(0, 10)] = key(
        1.0,
        "How much the frequency of a translation counts in a pmi criterion: p(z'|z) / p(z')^a.",
        "0 is direct translation, 1 pointwise mutual information.",
    )

    def compare(self, source: "Meanings", target: "Meanings") -> "Tensor":
        """-log sum_i w_i(z_k) p(z'_k' | x_i) / p(z'_k')^a, (K, K'), up to a constant."""
        return DirectCriterion().compare(source, target).add_(self.exponent * target.log_evidence)


@criterion("random")
class RandomCriterion(Criterion):
    """Any translation is as good as any other: the baseline that reveals whether an evaluation leaks."""

    by_meaning: ClassVar[bool] = False

    seed: Seed = key(0, "Seed of a random criterion.")

    def compare(self, source: "Meanings", target: "Meanings") -> "Tensor":
        """Random numbers, (K, K')."""
        import torch

        generator = torch.Generator().manual_seed(self.seed)
        return torch.rand(len(source), len(target), dtype=torch.float64, generator=generator)
