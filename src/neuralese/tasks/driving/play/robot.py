"""A trained driver to play with, and its translator, from the files of a finished run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from neuralese.agents.cell import Cell, load_cell
from neuralese.errors import NeuraleseError
from neuralese.games.driving import DrivingGame
from neuralese.stages.run import Run
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.driving.behavior import translations
from neuralese.tasks.driving.tables import MAPS
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import n_best
from neuralese.translate.families import with_role
from neuralese.translate.languages import English, Neuralese

STEPS = 30  # maximum length of a game: 98 % of games between humans took at most 22
N_BEST = 4  # number of translations shown for a message

OF_TASK = ("maps.parquet", "inventory.parquet")
OF_SEED = (
    *("agent.safetensors", "robot_speaker.safetensors", "human_speaker.safetensors"),
    *("messages.parquet", "contexts.parquet", "dictionary.parquet"),
)

IntoEnglish = Callable[[Tensor], list[tuple[str, float]]]  # a message (message,) -> phrases with scores, best first


@dataclass(frozen=True)
class Robot:
    """One that drives, listens and speaks, with everything needed to talk to it."""

    cell: Cell
    game: DrivingGame
    roads: list[str]  # by map, eight lines of `#` and `.`
    phrases: list[str]  # the inventory; the empty one is silence
    into_neuralese: Tensor  # (phrases, message)
    into_english: IntoEnglish


def load_robot(results: Path, seed: int, criterion: str | None, steps: int = STEPS) -> Robot:
    """The driver trained with `seed`, and its translator by a criterion of the dictionary, by default ours."""
    task, of_seed = results / "driving", results / "driving" / f"seed{seed}"
    files = [*(task / name for name in OF_TASK), *(of_seed / name for name in OF_SEED)]
    made = of_seed / "dictionary.parquet"
    for path in files:
        if not path.exists():
            raise NeuraleseError(f"{path} does not exist yet; run `neuralese run {made}` first.")
    run = Run.open(results, "driving", seed, steps=steps)
    criteria = read_about(made).get("criteria", {}).get("R->H", {})
    criterion = criterion or with_role(criteria, "ours") or ""
    if criterion not in criteria:
        raise NeuraleseError(f"{made} has no translation by '{criterion}'; choose from {', '.join(criteria)}.")
    dictionary = read_table(made, "dictionary").to_pandas()
    return Robot(
        cell=load_cell(run.files["agent.safetensors"], run.states),
        game=run.states,
        roads=read_table(run.files["maps.parquet"], MAPS)["road"].to_pylist(),
        phrases=run.phrases,
        into_neuralese=translations(dictionary, criterion, run.said["train"]),
        into_english=_into_english(run.neuralese("train"), run.english.spoken(), run.contexts(), criteria[criterion]),
    )


def _into_english(language: Neuralese, english: English, candidates: Tensor, settings: dict) -> IntoEnglish:
    criterion, texts = make_criterion(settings), english.texts()

    def into_english(message: Tensor) -> list[tuple[str, float]]:
        said = replace(language, messages=message[None], ids=torch.zeros(1, dtype=torch.long))
        best, scores = n_best(criterion.scores(said, english, candidates), N_BEST)
        return [(texts[position], float(score)) for position, score in zip(best[0], scores[0], strict=True)]

    return into_english
