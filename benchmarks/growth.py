"""How processor time and memory grow with the size of the problem.

Each work is a function of the library, run at sizes that double, with all else fixed. If time is size to the power of
an exponent, that exponent is the slope of a straight line through the logarithms of both, fitted to the largest sizes;
with its standard error. Peak memory is what comes on top of the process before the first size; its exponent is
found in the same way, and left out if hardly anything comes on top.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import torch
from dictionary import models
from measure import peak_megabytes, seconds

from neuralese import tasks
from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import utterances
from neuralese.config.models import CRITERIA
from neuralese.evaluate.comparison import compare
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.fit import FitConfig, fit_human_speaker, fit_robot_speaker
from neuralese.speakers.traces import Lists, Traces
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.families import choose, members

LARGEST = 4  # sizes through which the line goes
LEAST = 2.0  # megabytes of memory that count as growth
STEPS = 100  # of a fit
PIXELS = 256  # side of a picture
FAMILIES = {name: CRITERIA[name] for name in ("belief", "direct")}
LONG = 2.0  # seconds above which a work is not repeated
Work = Callable[[], object]
COLUMNS = {
    "work": "work",
    "what grows": "grows",
    "sizes": "size_span",
    "CPU s": "seconds_span",
    "exponent": "exponent",
    "± standard error": "error",
    "peak MB on top": "megabytes_span",
    "exponent of memory": "memory_exponent",
    "± its standard error": "memory_error",
}


def scoring(messages: int = 2000, phrases: int = 200, contexts: int = 1000, distractors: int = 1) -> Work:
    """Score all pairs by the belief criterion, with likelihoods from models."""
    source, target, candidates = models(messages, phrases, contexts, distractors)
    return lambda: BeliefCriterion().scores(source, target, candidates)


def speaking(messages: int) -> Work:
    """An agent that speaks in fresh states."""
    game, random = colors()
    cell = Cell(game, CellConfig())
    return lambda: utterances(cell, game, messages, random)


def fitting_robot(messages: int) -> Work:
    """Fit p(z | x) of a robot to a corpus, with a fraction of the steps of a run."""
    game, random = colors()
    said = game.draw_states(messages, random), torch.randn(messages, 64, generator=random)
    held_out = tuple(each[: max(1, messages // 10)] for each in said)
    return lambda: fit_robot_speaker(game, said, held_out, 0.3, FitConfig(steps=STEPS), random)


def fitting_human(messages: int) -> Work:
    """Fit p(z | x) of humans to a corpus of messages of two phrases each, with as many steps."""
    game, random = colors()
    lists = Lists(torch.randint(200, (2 * messages,), generator=random), 2 * torch.arange(messages + 1), 200)
    traces = Traces(game.draw_states(messages, random), lists, lists, torch.arange(messages))
    return lambda: fit_human_speaker(game, traces, traces, FitConfig(steps=STEPS), random)


def colors() -> tuple[ReferenceGame, torch.Generator]:
    """A game as large as that of the colours."""
    random = torch.Generator().manual_seed(0)
    return ReferenceGame(torch.randn(2000, 3, generator=random)), random


@cache  # it is the same for any number of pictures
def bird() -> tuple:
    """A picture of a bird, where the bird is, and a backbone made for such pictures."""
    from features import COMPONENTS, NETWORK  # imports networks that no other work needs

    from neuralese.tasks.birds.data import crop
    from neuralese.tasks.birds.embedded import Species, draw
    from neuralese.tasks.birds.features import Network, export_backbone, principal_axes, quantise, with_pooling

    species = Species("red", "grey", "white", "black", "short", "black", "large")
    picture, box = draw(species, np.random.default_rng(0))
    floats, seen = export_backbone(NETWORK, PIXELS), [crop(picture, box, PIXELS)]
    axes = principal_axes(Network(floats), seen, COMPONENTS)
    return picture, box, Network(with_pooling(quantise(floats, seen), axes))


def pooling(images: int) -> Work:
    """Crop pictures, run the backbone and pool its maps."""
    from neuralese.tasks.birds.features import extract

    picture, box, network = bird()
    wanted = {str(number): (number, box) for number in range(images)}
    return lambda: extract(network, ((name, picture) for name in wanted), wanted)


def training_head(images: int) -> Work:
    """Train the layer that recognises the species, for one epoch."""
    from neuralese.config.models import HeadConfig
    from neuralese.tasks.birds.head import train_head

    random = torch.Generator().manual_seed(0)
    sizes = {"train": images, "dev": images // 4, "test": images // 4}
    pooled = torch.randn(sum(sizes.values()), 4095 + 1280, generator=random)
    numbers = torch.arange(len(pooled))
    rows = dict(zip(sizes, numbers.split([*sizes.values()]), strict=True))
    return lambda: train_head(pooled, numbers % 200, rows, HeadConfig(epochs=1), seed=0)


def choosing(seeds: int) -> Work:
    """Choose members of families from the ablations of all seeds."""
    rows = [
        (split, speaker, family, member)
        for split, speaker in product(("dev", "test"), "RH")
        for family, settings in FAMILIES.items()
        for member in members(settings)
    ]
    one = pd.DataFrame(rows, columns=["split", "speaker", "family", "criterion"])
    table = pd.concat([one] * seeds, ignore_index=True).assign(seed=np.repeat(np.arange(seeds), len(one)))
    table = table.assign(task="colors", value=np.random.default_rng(0).random(len(table)))
    return lambda: choose(table, FAMILIES)


def tabulating(seeds: int) -> Work:
    """Compare the results of all seeds with the paper's."""
    pairs = [("R", "H*", "message"), ("H", "R", "utterance"), ("H", "R", "phrase")]
    roles = {"belief": "ours", "direct": "baseline", "random": "control", "released": "released"}
    cells = product(range(seeds), tasks.BUILT_IN, pairs, roles.items())
    keys = [(seed, task, *pair, *criterion) for seed, task, pair, criterion in cells]
    table = pd.DataFrame(keys, columns=["seed", "task", "speaker", "listener", "unit", "criterion", "role"])
    random = np.random.default_rng(0).random((3, len(table)))
    table = table.assign(title=table["criterion"], distractors="play", data="mirror", candidates=2, chance=0.5)
    table = table.assign(measure="accuracy", value=random[0], ci_low=random[0] - 0.1, ci_high=random[0] + 0.1)
    table = table.assign(n=100, distinct=80, groups=60, over_baseline=random[1], over_control=random[2])
    table = table.assign(over_baseline_error=0.01, over_control_error=0.01)
    papers = {task: tasks.get(task).paper for task in tasks.BUILT_IN}
    return lambda: compare(table, papers=papers)


@dataclass(frozen=True)
class Growth:
    """A work that gets larger."""

    grows: str
    make: Callable[[int], Work]
    least: int  # size, which is doubled
    sizes: int = 5


GROWTHS = {
    "score, contexts": Growth("contexts", lambda n: scoring(contexts=n), 500, 6),
    "score, messages": Growth("messages of a vocabulary or corpus", lambda n: scoring(messages=n), 1000, 6),
    "score, phrases": Growth("phrases", lambda n: scoring(phrases=n), 400, 6),
    "score, candidates": Growth("candidates in a context", lambda n: scoring(distractors=n - 1, contexts=500), 2, 6),
    "speak": Growth("messages of a corpus", speaking, 10_000),
    "fit robot speaker": Growth("messages of a corpus", fitting_robot, 12_500),
    "fit human speaker": Growth("messages of a corpus", fitting_human, 12_500),
    "pool images": Growth("images", pooling, 32, 4),
    "train head": Growth("images", training_head, 500),
    "choose criteria": Growth("seeds", choosing, 500),
    "tables": Growth("seeds", tabulating, 200),
}


def cases(quick: bool) -> list[dict]:
    """Every work at its sizes, or three tiny ones."""
    if quick:
        return [{"work": work, "sizes": [4, 8, 16], "repeats": 1} for work in GROWTHS]
    return [
        {"work": work, "sizes": [growth.least * 2**step for step in range(growth.sizes)], "repeats": 3}
        for work, growth in GROWTHS.items()
    ]


def power(sizes: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """The exponent with which values grow over the largest sizes, and its standard error."""
    x, y = np.log(sizes[-LARGEST:]), np.log(values[-LARGEST:])
    x = x - x.mean()
    slope = float(x @ y / (x @ x))
    left = y - y.mean() - slope * x
    return slope, float(np.sqrt(left @ left / (len(x) - 2) / (x @ x)))


def measure(work: str, sizes: list[int], repeats: int) -> dict:
    """Do the work at each size, the smallest first, so that the memory peak belongs to the current size."""
    growth, taken, held = GROWTHS[work], [], []
    growth.make(sizes[0])()  # what is loaded on first use does not count as growth
    before = peak_megabytes()
    for size in sizes:
        do = growth.make(size)
        (least,) = seconds(do, repeats=1)
        if least < LONG:
            least = min(least, *seconds(do, repeats=repeats - 1))
        taken.append(least)
        held.append(max(0.0, peak_megabytes() - before))  # the kernel's own count wavers by some pages
        del do
    exponent, error = power(sizes, taken)
    grown = min(held[-LARGEST:]) > LEAST
    memory, memory_error = power(sizes, held) if grown else (None, None)
    return {
        "grows": growth.grows,
        "seconds": taken,
        "megabytes": held,
        "exponent": exponent,
        "error": error,
        "memory_exponent": memory,
        "memory_error": memory_error,
        "size_span": f"{sizes[0]:,} to {sizes[-1]:,}",
        "seconds_span": f"{taken[0]:.2g} to {taken[-1]:.2g}",
        "megabytes_span": f"{held[0]:.0f} to {held[-1]:.0f}",
    }
