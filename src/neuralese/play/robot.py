"""A trained driver to play with, and its translator, from the files of a finished run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from neuralese.agents.cell import Cell, load_cell
from neuralese.agents.messages import read_contexts, read_messages
from neuralese.evaluate.behavior import translations
from neuralese.games.driving import DrivingGame
from neuralese.games.load import load_driving_game
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, load_model
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.tables import read_about, read_table
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import n_best
from neuralese.translate.families import with_role
from neuralese.translate.languages import English, Neuralese

STEPS = 30  # of a game, at most: 98 in 100 games between humans took at most 22
N_BEST = 4  # translations of a message that are shown

IntoEnglish = Callable[[Tensor], list[tuple[str, float]]]  # a message (message,) -> phrases with scores, best first


@dataclass(frozen=True)
class Robot:
    """One that drives, listens and speaks, and all that is needed to talk with it."""

    cell: Cell
    game: DrivingGame
    roads: list[str]  # of each map, eight lines of `#` and `.`
    phrases: list[str]  # the inventory; the empty one is silence
    into_neuralese: Tensor  # (phrases, message)
    into_english: IntoEnglish


def load_robot(results: Path, seed: int, criterion: str | None, steps: int = STEPS) -> Robot:
    """The driver that was trained with `seed`, and its translator by a criterion of the dictionary, or by ours."""
    task, run = results / "driving", results / "driving" / f"seed{seed}"
    tables = {name: task / f"{name}.parquet" for name in ("maps", "turns", "inventory")}
    made = {name: run / f"{name}.parquet" for name in ("messages", "contexts", "dictionary")}
    weights = {name: run / f"{name}.safetensors" for name in ("agent", "robot_speaker", "human_speaker")}
    for path in (*tables.values(), *weights.values(), *made.values()):
        if not path.exists():
            raise NeuraleseError(f"{path} does not exist yet; run `snakemake --cores all {made['dictionary']}` first.")
    game = load_driving_game(tables["maps"], tables["turns"], steps)
    phrases = read_table(tables["inventory"], "inventory")["phrase"].to_pylist()
    vocabulary = read_messages(made["messages"], game)["train"]
    dictionary = read_table(made["dictionary"], "dictionary").to_pandas()
    criteria = read_about(made["dictionary"]).get("criteria", {}).get("R->H", {})
    criterion = criterion or with_role(criteria, "ours") or ""
    if criterion not in criteria:
        raise NeuraleseError(
            f"{made['dictionary']} has no translation by '{criterion}'; choose from {', '.join(criteria)}."
        )
    settings = criteria[criterion]
    speaker = load_model(weights["robot_speaker"], RobotSpeaker, game)
    return Robot(
        cell=load_cell(weights["agent"], game),
        game=game,
        roads=read_table(tables["maps"], "maps")["road"].to_pylist(),
        phrases=phrases,
        into_neuralese=translations(dictionary, criterion, vocabulary),
        into_english=_into_english(
            Neuralese(game, speaker, vocabulary.messages, vocabulary.ids),
            English(game, load_model(weights["human_speaker"], HumanSpeaker, game), phrases).spoken(),
            game.candidates(read_contexts(made["contexts"], game)),
            settings,
        ),
    )


def _into_english(language: Neuralese, english: English, candidates: Tensor, settings: dict) -> IntoEnglish:
    criterion, texts = make_criterion(settings), english.texts()

    def into_english(message: Tensor) -> list[tuple[str, float]]:
        said = replace(language, messages=message[None], ids=torch.zeros(1, dtype=torch.long))
        best, scores = n_best(criterion.scores(said, english, candidates), N_BEST)
        return [(texts[position], float(score)) for position, score in zip(best[0], scores[0], strict=True)]

    return into_english
