"""The relay: everything a robot says goes into English and back into neuralese before another robot hears it.

    z  --R->H-->  a phrase  --H->R-->  z'        and the listener gets only z'

If the listener still knows what to do, the English carried what the message meant. But a relay also rewards a private
code: two dictionaries that agree on some absurd phrase for every message also pass it. So each row says how well the
model human understands that same English (`understood`). A round trip takes two dictionaries: for each family of
criteria a pair of members is chosen jointly, on dev, by the average of how often the robot at the end and the model
human on the way guess the state.

    neuralese      nothing is translated            shuffled       the message of another state
    silence        the listener hears nothing       random         a phrase drawn at random, and its message
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import CONTROL
from neuralese.evaluate.interpreted import NAME as INTERPRETER
from neuralese.evaluate.interpreted import TITLE as INTERPRETER_TITLE
from neuralese.evaluate.listeners import Listeners, guess_by_likelihood
from neuralese.evaluate.relayed import NATIVE, SHUFFLED, SILENT, relay_rows
from neuralese.evaluate.translations import best_translations
from neuralese.storage.tables import matrix, read_about, read_table
from neuralese.translate.criteria import Criterion, kind_of, make_criterion
from neuralese.translate.dictionary import best_targets
from neuralese.translate.families import INFORMED, members, title
from neuralese.translate.interpreter import interpret_message, interpret_words, words_in_context
from neuralese.translate.languages import English, Neuralese

SYNTHESIS = "synthesis"
NEURALESE, SILENCE, RANDOM = "neuralese", "silence", "random"
MADE = "beyond"  # the role of new messages
TITLES = {
    NEURALESE: ("no translation", NATIVE),
    SILENCE: ("no message (control)", SILENT),
    SHUFFLED: ("the message of another state (control)", CONTROL),
    RANDOM: ("a random phrase (control)", CONTROL),
}


@dataclass(frozen=True)
class Back:
    """A way back from English: a message (phrases, message) for each phrase that may be said."""

    messages: Tensor
    noise: float = 0.0  # of the channel, for messages that have not passed through it yet

    def sent(self, phrases: Tensor) -> Tensor:
        """What is heard for phrases (n,), given by position: (n, message)."""
        random = torch.Generator().manual_seed(0)
        messages = self.messages[phrases]
        return messages + self.noise * torch.randn(messages.shape, generator=random) if self.noise else messages


@dataclass(frozen=True)
class Trip:
    """One way into English and back, for n messages."""

    name: str
    title: str
    role: str
    messages: Tensor | None  # (n, message) as heard; None if nothing is heard
    phrases: Tensor | None = None  # (n,) positions of the phrases said in English, if any
    members: tuple[str, str] = ("", "")  # of the family: out of neuralese, back into it


@dataclass(frozen=True)
class Relay:
    """Both languages, the contexts in which they are compared, and who hears what comes back."""

    english: English  # the phrases that may be said
    vocabulary: Neuralese
    candidates: Tensor
    listeners: Mapping[str, Listeners]  # by split
    heard: Tensor  # (inventory, words) what the model human hears for each phrase

    def understood(self, phrases: Tensor, states: Tensor, split: str) -> np.ndarray:
        """Credit (n,) of the model human on hearing phrases (n,), given by position."""
        return self.listeners[split].human_credit(self.heard[self.english.ids[phrases]], states)

    def credit(self, messages: Tensor | None, states: Tensor, split: str) -> np.ndarray:
        """Credit (n,) of a robot on hearing messages (n, message), or nothing, in `states` (n, s, ...).

        Candidates are shown at the same places whatever is heard, so ways can be compared item by item.
        """
        random, listeners = torch.Generator().manual_seed(0), self.listeners[split]
        if messages is None:
            return listeners.silent_credit(self.vocabulary.messages[:1].expand(len(states), -1), states, random)
        return listeners.robot_credit(messages, states, random)

    def there(self, criteria: Mapping[str, Criterion], said: Speech) -> dict[str, Tensor]:
        """The phrase, by position, for each message: (n,), by criterion."""
        spoken = replace(self.vocabulary, messages=said.messages, ids=said.ids)
        return best_targets(criteria, spoken, self.english, self.candidates)

    def back(self, criteria: Mapping[str, Criterion]) -> dict[str, Back]:
        """The message of the vocabulary for each phrase, by criterion."""
        best = best_targets(criteria, self.english, self.vocabulary, self.candidates)
        return {name: Back(self.vocabulary.messages[place]) for name, place in best.items()}

    def ranked(self, there: Mapping[str, Tensor], back: Mapping[str, Back], dev: Speech) -> pd.DataFrame:
        """Every pair of a way there and a way back by how well both are understood on `dev`, best first.

        Ties go to the first that the config names. Columns: there, back, accuracy, understood.
        """
        count = len(dev.ids)
        ways = torch.stack(list(there.values())) * count + torch.arange(count)  # (members, n)
        asked, place = torch.unique(ways, return_inverse=True)  # a phrase for a message is judged only once
        phrases, states = asked // count, dev.states[asked % count]

        def means(credit: np.ndarray) -> np.ndarray:
            return credit[place.numpy()].mean(1)

        human = means(self.understood(phrases, states, "dev"))
        robot = {name: means(self.credit(each.sent(phrases), states, "dev")) for name, each in back.items()}
        pairs = [(one, other, robot[other][row], human[row]) for (row, one), other in product(enumerate(there), back)]
        table = pd.DataFrame(pairs, columns=["there", "back", "accuracy", "understood"])
        order = (-table["accuracy"] - table["understood"]).argsort(kind="stable")
        return table.iloc[order].reset_index(drop=True)

    def interpreted(self, said: Speech) -> Trip:
        """The round trip of an interpreter that sees what the listener sees."""
        game, english = self.vocabulary.game, self.english
        candidates = game.candidates(said.states)
        meant = guess_by_likelihood(self.vocabulary.speaker, game)(said.messages, said.states, torch.Generator())
        places = interpret_message(meant, english, candidates)
        bags = torch.nn.functional.one_hot(places, len(english))
        heard = words_in_context(english, bags, candidates)
        messages = self.vocabulary.messages[interpret_words(heard, self.vocabulary, candidates)]
        return Trip(INTERPRETER, INTERPRETER_TITLE, INFORMED, messages, places)


@dataclass(frozen=True)
class Made:
    """New messages for phrases, and the family of criteria that translates into English with them."""

    name: str
    family: str
    back: Back


def made_messages(files: Mapping[str, Path], english: English, noise: float) -> list[Made]:
    """The new messages made for phrases without asking the listener who judges here, if any."""
    if "new_messages.parquet" not in files:
        return []
    new = torch.from_numpy(matrix(read_table(files["new_messages.parquet"], "messages")["message"]).copy())
    dictionary = read_table(files["synthesis.parquet"], "dictionary").to_pandas()
    best = best_translations(dictionary, "H->R", SYNTHESIS)
    if not set(english.ids.tolist()) <= set(best):
        return []
    family = read_about(files["synthesis.parquet"])["otherwise"]
    return [Made(SYNTHESIS, family, Back(new[[best[phrase] for phrase in english.ids.tolist()]], noise))]


def trips(
    relay: Relay, criteria: Mapping[str, Mapping[str, Any]], made: list[Made], dev: Speech, test: Speech
) -> tuple[list[Trip], pd.DataFrame]:
    """Every way into English and back on `test`, and what was chosen on `dev` for each, with the runner-up.

    `criteria` are those of the config. A random phrase goes back by the last family's choice.
    """
    random = torch.Generator().manual_seed(0)
    shuffled = test.messages[torch.randperm(len(test.ids), generator=random)]
    plain = {NEURALESE: test.messages, SILENCE: None, SHUFFLED: shuffled}
    found = [Trip(name, *TITLES[name], messages) for name, messages in plain.items()]
    choices, drawn = [], torch.randint(len(relay.english), (len(test.ids),), generator=random)
    families = {name: members(settings) for name, settings in criteria.items() if kind_of(settings).by_meaning}
    every = {label: make_criterion(each) for family in families.values() for label, each in family.items()}
    all_there, all_back = relay.there(every, dev), relay.back(every)  # families share meanings
    for name, family in families.items():
        there, known = {label: all_there[label] for label in family}, {label: all_back[label] for label in family}
        settings = criteria[name]
        ways = [(name, title(name, settings), settings.get("role", ""), known)]
        ways += [
            (each.name, f"{each.name} (new messages)", MADE, {each.name: each.back})
            for each in made
            if each.family == name
        ]
        for label, heading, role, back in ways:
            ranked = relay.ranked(there, back, dev)
            out, home = ranked.loc[0, ["there", "back"]]
            places = relay.there({out: every[out]}, test)[out]
            found.append(Trip(label, heading, role, back[home].sent(places), places, (out, home)))
            choices.append(ranked.head(2).assign(criterion=label, pairs=len(ranked)))
            by_chance = back[home]
    found.append(Trip(RANDOM, *TITLES[RANDOM], by_chance.sent(drawn), drawn))
    return [*found, relay.interpreted(test)], pd.concat(choices, ignore_index=True)


def play_relay(
    relay: Relay,
    criteria: Mapping[str, Mapping[str, Any]],
    made: list[Made],
    dev: Speech,
    test: Speech,
    resamples: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of `relay.parquet` for a game that asks for the state, and what was chosen on dev."""
    found, choices = trips(relay, criteria, made, dev, test)
    values = {trip.name: relay.credit(trip.messages, test.states, "test") for trip in found}
    table = relay_rows("accuracy", values, {trip.name: trip.role for trip in found}, resamples)
    return table.assign(
        title=[trip.title for trip in found],
        role=[trip.role for trip in found],
        understood=[
            np.nan if trip.phrases is None else relay.understood(trip.phrases, test.states, "test").mean()
            for trip in found
        ],
        phrases=[0 if trip.phrases is None else len(trip.phrases.unique()) for trip in found],
        there=[trip.members[0] for trip in found],
        back=[trip.members[1] for trip in found],
    ), choices
