"""The relay: everything a robot says goes into English and back into neuralese before another robot hears it.

    z  --R->H-->  a phrase  --H->R-->  z'        and the listener gets only z'

If the listener still knows what to do, the English carried what the message meant. But a relay also rewards a private
code: two dictionaries that agree on some absurd phrase for every message also pass it. So each row says how well the
model human understands that same English (`understood`), and what English is worth is its gain over nonsense, which is
translated by the same family of criteria: a language of as many words whose p(z | x) is that of people with its weights
shuffled. What a single bit relays is a row, too. A round trip takes two dictionaries: for each family of
criteria a pair of members is chosen jointly, on dev, by the average of how often the robot at the end and the model
human on the way guess the state; for nonsense, by the robot alone.

Rows also say how much of the value of communication survives:

    share   = (relay - silence) / (neuralese - silence)
    content = (relay - shuffled) / (neuralese - shuffled)

Both are 1 if English carries everything neuralese does, and below 0 if it misleads. Agents that always talk have never
heard silence, which in a long game may confuse them by itself. The messages of another state or game sound as usual and
say nothing, so `content` is about what messages say alone.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import INTERPRETER
from neuralese.evaluate.listeners import Listeners, ModelRobot
from neuralese.evaluate.outcomes import Condition, Outcome
from neuralese.translate.criteria import Criterion, kind_of, make_criterion
from neuralese.translate.dictionary import best_targets
from neuralese.translate.families import members, title, with_role
from neuralese.translate.interpreter import interpret_message, interpret_words, words_in_context
from neuralese.translate.languages import English, Neuralese

SHARES = {"share": "silence", "content": "shuffled"}  # what survives, relative to these conditions
OVER = ("baseline", "control", "silence")  # roles over which gains are computed
RELAY_OVER = (*OVER, "nonsense", "silent")


@dataclass(frozen=True)
class PhraseMessages:
    """A message (phrases, message) for each phrase that may be said."""

    messages: Tensor
    noise: float = 0.0  # of the channel, for messages that have not passed through it yet


@dataclass(frozen=True)
class RoundTrip:
    """What became of n messages."""

    messages: Tensor | None  # (n, message) as heard; None if nothing is heard
    phrases: Tensor | None = None  # (n,) positions of the phrases said in English, if any


NATIVE: Condition = Condition("neuralese", "no translation", "native")
SILENCE: Condition = Condition("silence", "no message (control)", "silence")
SHUFFLED: Condition = Condition("shuffled", "the message of another state (control)", "control")
RANDOM: Condition = Condition("random", "a random phrase (control)", "control")
NONSENSE: Condition = Condition("nonsense", "nonsense in place of English", "nonsense")
ONE_BIT: Condition = Condition("one-bit", "one bit in place of English")


@dataclass(frozen=True)
class Relay:
    """Both languages, the contexts in which they are compared, and those who hear what comes back."""

    english: English  # the phrases that may be said
    vocabulary: Neuralese
    candidates: Tensor
    listeners: Mapping[str, Listeners]  # by split
    words: Tensor  # (inventory, words) what the model human hears for each phrase

    def understood(self, phrases: Tensor, states: Tensor, split: str) -> np.ndarray:
        """Credit (n,) of the model human on hearing phrases (n,), given by position."""
        return self.listeners[split].human.credit(self.english.heard(self.words)[phrases], states)

    def credit(self, messages: Tensor | None, states: Tensor, split: str) -> np.ndarray:
        """Credit (n,) of a robot on hearing messages (n, message), or nothing, in `states` (n, s, ...).

        Candidates are shown at the same places whatever is heard, so conditions can be compared item by item.
        """
        return self.listeners[split].robot.credit(messages, states, torch.Generator().manual_seed(0))

    def to_english(self, criteria: Mapping[str, Criterion], said: Speech) -> dict[str, Tensor]:
        """The phrase, by position, for each message: (n,), by criterion."""
        spoken = replace(self.vocabulary, messages=said.messages, ids=said.ids)
        return best_targets(criteria, spoken, self.english, self.candidates)

    def to_neuralese(self, criteria: Mapping[str, Criterion]) -> dict[str, PhraseMessages]:
        """The message of the vocabulary for each phrase, by criterion."""
        best = best_targets(criteria, self.english, self.vocabulary, self.candidates)
        return {name: PhraseMessages(self.vocabulary.messages[place]) for name, place in best.items()}

    def ranked(self, there: Mapping[str, Tensor], back: Mapping[str, PhraseMessages], dev: Speech) -> pd.DataFrame:
        """Every pair of a member into English and one back by how well both are understood on `dev`, best first.

        Ties go to the first that the config names. Columns: there, back, accuracy, understood.
        """
        count = len(dev.ids)
        ways = torch.stack(list(there.values())) * count + torch.arange(count)  # (members, n)
        asked, place = torch.unique(ways, return_inverse=True)  # a phrase for a message is judged only once
        phrases, states = asked // count, dev.states[asked % count]
        human = self.understood(phrases, states, "dev")[place.numpy()].mean(1)
        credit = {name: self.credit(each.messages[phrases], states, "dev") for name, each in back.items()}
        robot = {name: each[place.numpy()].mean(1) for name, each in credit.items()}
        pairs = [(one, other, robot[other][row], human[row]) for (row, one), other in product(enumerate(there), back)]
        table = pd.DataFrame(pairs, columns=["there", "back", "accuracy", "understood"])
        order = (-table["accuracy"] - table["understood"]).argsort(kind="stable")
        return table.iloc[order].reset_index(drop=True)

    def interpreted(self, said: Speech) -> RoundTrip:
        """The round trip of an interpreter that sees what the listener sees."""
        game, english = self.vocabulary.game, self.english
        candidates = game.candidates(said.states)
        meant = ModelRobot(self.vocabulary.speaker, game).preferences(said.messages, said.states)
        phrases = interpret_message(meant, english, candidates)
        words = words_in_context(english, torch.nn.functional.one_hot(phrases, len(english)), candidates)
        return RoundTrip(self.vocabulary.messages[interpret_words(words, self.vocabulary, candidates)], phrases)


def nonsense(english: English) -> English:
    """A language of as many words whose model has the same weights, shuffled."""
    speaker, random = copy.deepcopy(english.speaker), torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in speaker.parameters():
            weights.copy_(weights.flatten()[torch.randperm(weights.numel(), generator=random)].view_as(weights))
    return replace(english, speaker=speaker)


def one_bit(vocabulary: Tensor, messages: Tensor) -> Tensor:
    """What is heard if only the side on which a message (n, message) lies is told: the mean message of that side.

    Sides are those of the main direction of the `vocabulary` (K, message).
    """
    center = vocabulary.mean(0)
    direction = torch.linalg.svd(vocabulary - center, full_matrices=False).Vh[0]
    sides, side = (((each - center) @ direction > 0).long() for each in (vocabulary, messages))
    means = torch.stack([vocabulary[sides == each].mean(0) for each in range(2)])
    return means[side]


def round_trips(
    relay: Relay,
    criteria: Mapping[str, Mapping[str, Any]],
    dev: Speech,
    test: Speech,
) -> tuple[list[Condition[RoundTrip]], pd.DataFrame]:
    """The round trip of `test` under every condition, and what was chosen on `dev` for each, with the runner-up.

    `criteria` are those of the config. A random phrase goes back by the last family's choice.
    """
    random = torch.Generator().manual_seed(0)
    shuffled = test.messages[torch.randperm(len(test.ids), generator=random)]
    plain = ((NATIVE, test.messages), (SILENCE, None), (SHUFFLED, shuffled))
    found = [replace(each, heard=RoundTrip(messages)) for each, messages in plain]
    choices, drawn = [], torch.randint(len(relay.english), (len(test.ids),), generator=random)
    families = {name: members(settings) for name, settings in criteria.items() if kind_of(settings).by_meaning}
    every = {label: make_criterion(each) for family in families.values() for label, each in family.items()}
    there, known = relay.to_english(every, dev), relay.to_neuralese(every)  # families share meanings

    def add(relay: Relay, condition: Condition, ranked: pd.DataFrame, back: Mapping[str, PhraseMessages]) -> None:
        out, home, accuracy = ranked.loc[0, ["there", "back", "accuracy"]]
        places = relay.to_english({out: every[out]}, test)[out]
        facts = {"there": out, "back": home, "dev": accuracy}
        found.append(replace(condition, heard=RoundTrip(back[home].messages[places], places), facts=facts))
        choices.append(ranked.head(2).assign(criterion=condition.name, pairs=len(ranked)))

    for name, family in families.items():
        condition = Condition[RoundTrip](name, title(name, criteria[name]), criteria[name].get("role", ""))
        back = {label: known[label] for label in family}
        ranked = relay.ranked({label: there[label] for label in family}, back, dev)
        add(relay, condition, ranked, back)
        last = back[ranked.loc[0, "back"]]
    babble = replace(relay, english=nonsense(relay.english))
    family = families[with_role(criteria, "ours") or next(iter(families))]
    same = {label: every[label] for label in family}
    back = babble.to_neuralese(same)
    ranked = babble.ranked(babble.to_english(same, dev), back, dev)
    add(babble, NONSENSE, ranked.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True), back)
    found.append(replace(ONE_BIT, heard=RoundTrip(one_bit(relay.vocabulary.messages, test.messages))))
    found.append(replace(RANDOM, heard=RoundTrip(last.messages[drawn], drawn)))
    found.append(replace(INTERPRETER, heard=relay.interpreted(test)))
    return found, pd.concat(choices, ignore_index=True)


def relay_outcomes(relay: Relay, conditions: Sequence[Condition[RoundTrip]], test: Speech) -> list[Outcome]:
    """How often a robot at the end guesses the state under every condition.

    Facts: there and back, the members chosen on dev; how often the model human guesses the state from the English
    (understood), and how many phrases are said.
    """
    found = []
    for each in conditions:
        assert each.heard is not None
        facts: dict[str, Any] = {"there": "", "back": "", **each.facts, "understood": np.nan, "phrases": 0}
        if (phrases := each.heard.phrases) is not None:
            facts["understood"] = relay.understood(phrases, test.states, "test").mean()
            facts["phrases"] = len(phrases.unique())
        values = {"accuracy": relay.credit(each.heard.messages, test.states, "test")}
        found.append(Outcome(each, {}, values, facts=facts))
    return found
