"""What listeners hear under each criterion, from the files of a task.

Beside the criteria of the config there are two with new messages: `synthesis`, which translates one phrase as they do,
and `utterance`, which translates all that a human said at once.
"""

from collections.abc import Mapping
from pathlib import Path

import torch

from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Translation, draw_at_random, look_up
from neuralese.speakers.traces import Lists, load_heard, load_silence
from neuralese.tables import matrix, read_table

Tables = Mapping[str, str | Path]


def load_translations(
    tables: Tables, robot: Speech, human: HumanSpeech, vocabulary: Speech, generator: torch.Generator
) -> dict[str, Translation]:
    """One translation for each criterion of `dictionary`; a criterion called random is drawn anew for every item."""
    dictionary, heard = read_table(tables["dictionary"], "dictionary").to_pandas(), load_heard(tables)
    translations = {}
    for name in dictionary["criterion"].unique():
        if name == "random":
            translations[name] = draw_at_random(robot, human, vocabulary, heard, load_silence(tables), generator)
        else:
            translations[name] = look_up(dictionary, name, robot, human, vocabulary, heard)
    return translations


def load_synthesis(tables: Tables, robot: Speech, human: HumanSpeech) -> Translation:
    """The translation by new messages and new phrases: `synthesis`, `new_messages` and `bags`."""
    dictionary = read_table(tables["synthesis"], "dictionary").to_pandas()
    return look_up(dictionary, "synthesis", robot, human, load_new_messages(tables), load_heard_bags(tables))


def load_utterances(tables: Tables, human: HumanSpeech, synthesis: Translation) -> Translation:
    """Like `synthesis`, but the robot is told all that a human said, where there is a message for it: `utterances`."""
    table = read_table(tables["utterances"], "utterances")
    messages = torch.from_numpy(matrix(table["message"]).copy())
    row = {tuple(parts): number for number, parts in enumerate(table["parts"].to_pylist())}
    rows = torch.tensor([row.get(tuple(torch.nonzero(said).flatten().tolist()), -1) for said in human.said])
    return Translation(synthesis.bags, torch.where(rows[:, None] < 0, synthesis.messages, messages[rows]))


def load_new_messages(tables: Tables) -> Speech:
    """The messages that were made for phrases; nobody said them in any state."""
    table = read_table(tables["new_messages"], "messages")
    ids = torch.from_numpy(table["message_id"].to_numpy().astype("int64"))
    return Speech(ids, torch.empty(len(ids), 2, 0), torch.from_numpy(matrix(table["message"]).copy()))


def load_heard_bags(tables: Tables) -> torch.Tensor:
    """As which bag of words the model human hears phrases said together: (bags, words)."""
    heard, bags = load_heard(tables), read_table(tables["bags"], "bags")
    return Lists.of(bags["parts"].combine_chunks(), len(heard)).bags(torch.arange(len(bags))) @ heard
