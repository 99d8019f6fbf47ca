"""What listeners hear under each criterion, from the files of a task and seed.

Beside the criteria of the config there are `synthesis`, with new messages and phrases put together, and, where the
robot that judges can be asked, `synthesis-judge`, whose messages were made by asking it.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Way
from neuralese.speakers.traces import Lists, load_heard, load_silence
from neuralese.storage.tables import matrix, read_about, read_table
from neuralese.translate.criteria import kind_of
from neuralese.translate.families import title

Tables = Mapping[str, str | Path]
ASKS_JUDGE = "asks-judge"  # the role of what was made by asking the very listener that judges it
SYNTHESIS = {
    "synthesis": ("synthesis (new messages, phrases put together)", "beyond"),
    "synthesis-judge": ("synthesis that asks the judge", ASKS_JUDGE),
}


def best_translations(dictionary: pd.DataFrame, direction: str, criterion: str) -> dict[int, int]:
    """The first-ranked target of every source message."""
    rows = dictionary.query("direction == @direction and criterion == @criterion and rank == 1")
    return dict(zip(rows["source_id"], rows["target_id"], strict=True))


def into_english(dictionary: pd.DataFrame, criterion: str, robot: Speech, heard: Tensor, best: int = 1) -> Tensor:
    """The words (n, words) that replace a robot's messages: their `best` first translations, phrases `heard`."""
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


def load_ways(
    tables: Tables, robot: Speech, human: HumanSpeech, vocabulary: Speech, best: int, generator: torch.Generator
) -> list[Way]:
    """One way for each criterion of the dictionary; a random one is drawn anew for every item."""
    dictionary, heard = read_table(tables["dictionary"], "dictionary").to_pandas(), load_heard(tables)
    ways = []
    for name, settings in read_about(tables["dictionary"])["criteria"]["R->H"].items():
        if not kind_of(settings).by_meaning:
            bags, messages = _at_random(tables, robot, human, vocabulary, generator)
        else:
            bags = into_english(dictionary, name, robot, heard, best)
            messages = {unit: into_neuralese(dictionary, name, said, vocabulary) for unit, said in human.units.items()}
        ways.append(Way(name, title(name, settings), settings.get("role", ""), settings["kind"], bags, messages))
    return ways


def _at_random(
    tables: Tables, robot: Speech, human: HumanSpeech, vocabulary: Speech, generator: torch.Generator
) -> tuple[Tensor, dict[str, Tensor]]:
    """Translate everything into anything, but not into silence."""
    heard, silence = load_heard(tables), load_silence(tables)
    sayable = torch.tensor([phrase for phrase in range(len(heard)) if phrase != silence])
    phrases = sayable[torch.randint(len(sayable), (len(robot.ids),), generator=generator)]
    messages = {
        unit: vocabulary.messages[torch.randint(len(vocabulary.ids), said.shape, generator=generator)]
        for unit, said in human.units.items()
    }
    return heard[phrases], messages


def load_synthesis(
    tables: Tables, robot: Speech, human: HumanSpeech, ways: list[Way], cell: Cell, generator: torch.Generator
) -> list[Way]:
    """The ways with new messages, sent through the channel; an utterance without one is translated as otherwise."""
    dictionary = read_table(tables["synthesis"], "dictionary").to_pandas()
    otherwise = next(way for way in ways if way.name == read_about(tables["synthesis"])["otherwise"])
    made = read_table(tables["new_messages"], "messages")
    new = torch.from_numpy(matrix(made["message"]).copy())
    found = []
    for name in dictionary.loc[dictionary["direction"] == "H->R", "criterion"].unique():
        best, messages = best_translations(dictionary, "H->R", name), {}
        for unit, said in human.units.items():
            row = torch.tensor([best.get(number, -1) for number in said.tolist()])
            sent = cell.channel(new[row], generator)
            messages[unit] = torch.where(row[:, None] < 0, otherwise.messages[unit], sent)
        bags = None
        if name in dictionary.loc[dictionary["direction"] == "R->H", "criterion"].unique():
            bags = into_english(dictionary, name, robot, load_heard_bags(tables))
        found.append(Way(name, *SYNTHESIS[name], "synthesis", bags, messages))
    return found


def load_heard_bags(tables: Tables) -> Tensor:
    """As which bag of words the model human hears phrases said together: (bags, words)."""
    heard, bags = load_heard(tables), read_table(tables["bags"], "bags")
    return Lists.of(bags["parts"].combine_chunks(), len(heard)).bags(torch.arange(len(bags))) @ heard
