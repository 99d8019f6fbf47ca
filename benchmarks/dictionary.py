"""Scoring all pairs of K messages and K' phrases in n contexts with a true state and m distractors.

The arithmetic that a criterion needs is 2 K K' n c operations, where c counts the products that have to be summed for a
pair in a context. KL(beta || beta') is an entropy, log beta'_0, and m products of beliefs with log odds. With weights
of z alone either the entropy or log beta'_0 is the same for all z (or z') and not a product: c = m + 1. With weights
w(z) w(z') both are products, and so is the sum of the weights: c = m + 3.

`given` likelihoods are a table of a few contexts that is read repeatedly; those of `models` come from the models of
speakers, as in the pipeline. The naive loop is Algorithm 1 as printed (`translate/algorithm1.py`), or the default
criterion written in the same way, timed on a few pairs, over which the largest error is taken. The share is of a matrix
product in double precision as large as that of a block.
"""

from dataclasses import dataclass, replace

import torch
from measure import peak_megabytes, product_rate, seconds
from torch import Tensor

from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.algorithm1 import belief, q
from neuralese.translate.criteria import ALGORITHM_1, BeliefCriterion, Reading
from neuralese.translate.languages import English, Language, Neuralese
from neuralese.translate.pairs import block_for

CRITERIA = {"default": BeliefCriterion(), "Algorithm 1": ALGORITHM_1}
PERIOD = 256  # contexts in a table of given likelihoods
LONG = 2e11  # operations above which scoring is not repeated
PAIRS = 40  # number of pairs on which the naive loop is timed
FULL = {"messages": 20_000, "phrases": 2_000, "contexts": 4_000, "distractors": 3}
COLUMNS = {
    "K": "messages",
    "K'": "phrases",
    "n": "contexts",
    "m": "distractors",
    "criterion": "criterion",
    "likelihoods": "likelihoods",
    "CPU s": "seconds",
    "Gflop/s": "gigaflops",
    "matrix product, Gflop/s": "product_gigaflops",
    "share of it": "share",
    "naive loop / ours": "times_naive",
    "peak MB": "megabytes",
    "MB before": "megabytes_before",
    "largest error": "error",
}


def cases(quick: bool) -> list[dict]:
    """Sizes that grow one after another, up to the full size with a quarter of its contexts and with all of them."""
    if quick:
        small = {"messages": 40, "phrases": 20, "contexts": 300, "distractors": 3}
        return [{**small, "criterion": name, "likelihoods": "given"} for name in CRITERIA]
    grown = ((1000, 200, 1000, 1), (4000, 200, 1000, 1), (4000, 1000, 1000, 1), (4000, 1000, 4000, 1))
    sizes = [dict(zip(FULL, size, strict=True)) for size in grown]
    sizes += [FULL | {"messages": 4000, "phrases": 1000}, FULL | {"contexts": 1000}, FULL]
    found = [{**size, "criterion": "default", "likelihoods": "given"} for size in sizes]
    found += [{**FULL, "criterion": "Algorithm 1", "likelihoods": "given"}]
    return [*found, {**FULL, "criterion": "default", "likelihoods": "models"}]


@dataclass(frozen=True)
class Given(Language):
    """A language whose likelihoods are a table (K, cells); candidates are numbers of cells, and go round."""

    table: Tensor

    def __len__(self) -> int:
        return len(self.table)

    def read(self, reading: Reading) -> "Given":
        """Given likelihoods are always read the same way."""
        return self

    def log_likelihood(self, candidates: Tensor) -> Tensor:
        """See `Language`."""
        return self.table[:, candidates.flatten() % self.table.shape[1]].unflatten(1, candidates.shape)


def given(messages: int, phrases: int, contexts: int, distractors: int) -> tuple[Given, Given, Tensor]:
    """Two languages and the candidates of contexts."""
    random, s = torch.Generator().manual_seed(0), distractors + 1
    tables = [torch.randn(size, PERIOD * s, dtype=torch.float64, generator=random) for size in (messages, phrases)]
    return Given(2 * tables[0]), Given(2 * tables[1]), torch.arange(contexts * s).view(contexts, s)


def models(messages: int, phrases: int, contexts: int, distractors: int) -> tuple[Neuralese, English, Tensor]:
    """The same with speakers as large as the pipeline's; untrained, at the same cost."""
    random = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    game = ReferenceGame(torch.randn(1000, 3, generator=random))
    robot, human = RobotSpeaker(game, 128, 64, scale=0.3), HumanSpeaker(game, 128, phrases)
    with torch.no_grad():
        said = robot.mean(game.speaker_view(game.draw_states(messages, random)))
    said = said + 0.3 * torch.randn(said.shape, generator=random)
    candidates = game.draw_states(contexts * (distractors + 1), random).view(contexts, -1, 2)
    english = English(game, human, [str(number) for number in range(phrases)])
    return Neuralese(game, robot, said, torch.arange(messages)), english, candidates


def some(language: Language, chosen: Tensor) -> Language:
    """A few messages of a language."""
    if isinstance(language, Given):
        return Given(language.table[chosen])
    if isinstance(language, English):
        return replace(language, chosen=tuple(chosen.tolist()))
    return replace(language, messages=language.messages[chosen], ids=chosen)


def reverse_q(z: Tensor, z_other: Tensor) -> float:
    """The default criterion of a pair: contexts weighted by z alone, and reverse divergence."""
    p, p_other = belief(z), belief(z_other)
    return float((z[:, 0].softmax(0) * (p_other * (p_other / p).log()).sum(1)).sum())


def measure(
    messages: int, phrases: int, contexts: int, distractors: int, criterion: str, likelihoods: str
) -> dict[str, float | None]:
    """Score everything, a few pairs by the naive loop, and multiply matrices as large as those of a block."""
    scoring = CRITERIA[criterion]
    make = given if likelihoods == "given" else models
    source, target, candidates = make(messages, phrases, contexts, distractors)
    rows, columns = torch.arange(PAIRS) % messages, torch.arange(PAIRS) % phrases
    picked, before = [], peak_megabytes()

    def score() -> None:
        picked.append(scoring.scores(source, target, candidates)[rows, columns])

    def multiply() -> float:
        inner = block_for(messages, distractors + 1) * (distractors + 1)
        return product_rate(messages, inner, phrases, torch.float64)

    operations = 2 * messages * phrases * contexts * (distractors + (1 if scoring.weights == "source" else 3))
    rates, scored = [multiply()], []
    for _ in range(1 if operations > LONG else 3):
        scored += seconds(score, repeats=1)
        rates.append(multiply())
    memory, scored, rate = peak_megabytes(), min(scored), max(rates)

    few = some(source, rows), some(target, columns)
    pairs = list(zip(*(each.log_likelihood(candidates) for each in few), strict=True))
    loop = q if scoring is ALGORITHM_1 else reverse_q
    (naive,) = seconds(lambda: [loop(z, y) for z, y in pairs])
    errors = picked[-1] - torch.tensor([loop(z, y) for z, y in pairs], dtype=torch.float64)
    per_pair = scored / (messages * phrases)
    return {
        "seconds": scored,
        "gigaflops": operations / scored / 1e9,
        "product_gigaflops": rate / 1e9,
        "share": operations / scored / rate,
        "times_naive": naive / PAIRS / per_pair,
        "megabytes": memory,
        "megabytes_before": before,
        # the models' single precision rounds differently for a few messages than for many
        "error": float(errors.abs().max()) if likelihoods == "given" else None,
    }
