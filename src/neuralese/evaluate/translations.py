"""What listeners hear under each criterion, from the files of a task and seed.

Besides the criteria of the config there are `synthesis`, with new messages and combined phrases, and, if the
judging robot can be asked, `synthesis-judge`, whose messages were made by asking it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Way
from neuralese.speakers.traces import Lists
from neuralese.storage.tables import matrix, read_about, read_table
from neuralese.translate.criteria import kind_of
from neuralese.translate.families import ASKS_JUDGE, title

SYNTHESIS = {
    "synthesis": ("synthesis (new messages, phrases put together)", "beyond"),
    "synthesis-judge": ("synthesis that asks the judge", ASKS_JUDGE),
}


def best_translations(dictionary: pd.DataFrame, direction: str, criterion: str) -> dict[int, int]:
    """The first-ranked target of every source message."""
    rows = dictionary.query("direction == @direction and criterion == @criterion and rank == 1")
    return dict(zip(rows["source_id"], rows["target_id"], strict=True))


def into_english(dictionary: pd.DataFrame, criterion: str, robot: Speech, heard: Tensor, best: int = 1) -> Tensor:
    """The words (n, words) that replace a robot's messages: their first `best` translations, phrases `heard`."""
    rows = dictionary.query("direction == 'R->H' and criterion == @criterion and rank <= @best")
    place = {int(message): row for row, message in enumerate(robot.ids)}
    rows = rows[rows["source_id"].isin(place)]
    phrases = heard[torch.from_numpy(rows["target_id"].to_numpy().astype("int64"))]
    source = torch.tensor([place[number] for number in rows["source_id"]])
    return torch.zeros(len(robot.ids), heard.shape[1]).index_add_(0, source, phrases)


def into_neuralese(dictionary: pd.DataFrame, criterion: str, said: Tensor, vocabulary: Speech) -> Tensor:
    """The messages (n, message) of the vocabulary that replace the utterances `said` (n,)."""
    position = {int(message): row for row, message in enumerate(vocabulary.ids)}
    best = best_translations(dictionary, "H->R", criterion)
    return vocabulary.messages[[position[best[number]] for number in said.tolist()]]


@dataclass(frozen=True)
class Said:
    """What was said and is translated, and into what."""

    robot: Speech
    human: HumanSpeech
    vocabulary: Speech  # messages into which words are translated
    heard: Tensor  # (phrases, words) what the model human hears for each phrase
    silence: int | None  # the phrase that stands for saying nothing


def load_ways(dictionary: str | Path, said: Said, best: int, generator: torch.Generator) -> list[Way]:
    """One way for each criterion of the dictionary; a random one is redrawn for every item."""
    table = read_table(dictionary, "dictionary").to_pandas()
    ways = []
    for name, settings in read_about(dictionary)["criteria"]["R->H"].items():
        if not kind_of(settings).by_meaning:
            bags, messages = _at_random(said, generator)
        else:
            bags = into_english(table, name, said.robot, said.heard, best)
            messages = {
                unit: into_neuralese(table, name, each, said.vocabulary) for unit, each in said.human.units.items()
            }
        ways.append(Way(name, title(name, settings), settings.get("role", ""), settings["kind"], bags, messages))
    return ways


def _at_random(said: Said, generator: torch.Generator) -> tuple[Tensor, dict[str, Tensor]]:
    """Translate everything into anything, but not into silence."""
    sayable = torch.tensor([phrase for phrase in range(len(said.heard)) if phrase != said.silence])
    phrases = sayable[torch.randint(len(sayable), (len(said.robot.ids),), generator=generator)]
    messages = {
        unit: said.vocabulary.messages[torch.randint(len(said.vocabulary.ids), each.shape, generator=generator)]
        for unit, each in said.human.units.items()
    }
    return said.heard[phrases], messages


def load_synthesis(
    files: Mapping[str, Path], said: Said, ways: list[Way], cell: Any, generator: torch.Generator
) -> list[Way]:
    """The ways with new messages, sent through the channel; an utterance without one is translated by the dictionary.

    If no messages were made, only phrases are combined.
    """
    path = files["synthesis.parquet"]
    dictionary = read_table(path, "dictionary").to_pandas()
    otherwise = next(way for way in ways if way.name == read_about(path)["otherwise"])
    new: Any = None
    if "new_messages.parquet" in files:
        new = torch.from_numpy(matrix(read_table(files["new_messages.parquet"], "messages")["message"]).copy())
    found = []
    for name in dictionary.sort_values("direction")["criterion"].unique():
        best, messages = best_translations(dictionary, "H->R", name), {}
        for unit, each in said.human.units.items() if best else ():
            row = torch.tensor([best.get(number, -1) for number in each.tolist()])
            sent = cell.channel(new[row], generator)
            messages[unit] = torch.where(row[:, None] < 0, otherwise.messages[unit], sent)
        bags = None
        if name in dictionary.loc[dictionary["direction"] == "R->H", "criterion"].unique():
            bags = into_english(dictionary, name, said.robot, heard_bags(files["bags.parquet"], said.heard))
        found.append(Way(name, *SYNTHESIS[name], "synthesis", bags, messages))
    return found


def heard_bags(path: str | Path, heard: Tensor) -> Tensor:
    """The bag of words that the model human hears for phrases said together: (bags, words)."""
    bags = read_table(path, "bags")
    return Lists.of(bags["parts"].combine_chunks(), len(heard)).bags(torch.arange(len(bags))) @ heard
