"""Carriers between two robots that drive: every message goes to English and back before the other hears it.

A *booth* has everything needed to translate by any criterion of the config. Into English, a robot's message is scored
as it was heard, including noise, against every phrase. Into neuralese, a phrase becomes one message, spoken in one of
two voices:

    recorded    the best message of the vocabulary as it was once heard, with its noise at the time
    mean        what the robot says on average in the state of the best message, sent through the channel like any other

A recorded message has the same noise whenever it is said, and a robot that hears it repeatedly hears that noise as
if it meant something; which voice is better is decided on dev for every criterion.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from neuralese.agents.cell import Cell
from neuralese.stages.run import Run
from neuralese.storage.tables import matrix, read_table
from neuralese.tasks.driving.loop import Carry, Said
from neuralese.translate.criteria import Criterion, Reading
from neuralese.translate.dictionary import best_targets
from neuralese.translate.languages import Language, Neuralese
from neuralese.translate.pairs import BLOCK, SINGLE, Meanings

RECORDED, MEAN, NEW = "recorded", "mean", "new"  # voices; new messages were made by synthesis
Interpret = Callable[[Tensor], Tensor]  # messages (n, message) -> phrases (n,) of the inventory


@dataclass(frozen=True)
class Spoken:
    """The message (phrases, message) that each phrase of the inventory becomes."""

    messages: Tensor
    fresh: bool  # whether it has yet to pass through the channel


class Booth:
    """Translates by any criterion; what English means is computed once for each way of reading likelihoods."""

    def __init__(self, run: Run, cell: Cell, contexts: int, vocabulary: int) -> None:
        """Messages are compared in the first `contexts`, and chosen among the first of the `vocabulary`."""
        self.english, self.candidates, self.noise = run.english, run.contexts(contexts), cell.config.noise
        self.phrases = run.english.spoken()
        recorded, states = run.neuralese("train", vocabulary), run.said["train"].first(vocabulary).states
        with torch.no_grad():
            means = run.robot.mean(run.states.speaker_view(states))
        means = cell.config.radius * nn.functional.normalize(means, dim=1)
        self.voices = {RECORDED: recorded, MEAN: dataclasses.replace(recorded, messages=means)}
        self._meant: dict[Reading, Meanings] = {}

    def interpreter(self, criterion: Criterion) -> Interpret:
        """Into English, by a criterion: the best phrase for any messages."""
        if criterion.reading not in self._meant:
            self._meant[criterion.reading] = self._meanings(criterion, self.phrases, keep=True)
        meant, ids = self._meant[criterion.reading], self.phrases.ids

        def interpret(messages: Tensor) -> Tensor:
            return ids[criterion.compare(self._meanings(criterion, self._heard(messages)), meant).argmin(1)]

        return interpret

    def spoken(self, criterion: Criterion, voice: str) -> Spoken:
        """Into neuralese, by a criterion: a message for each phrase."""
        return self.spoken_by_all({"": criterion}, voice)[""]

    def spoken_by_all(self, criteria: Mapping[str, Criterion], voice: str) -> dict[str, Spoken]:
        """The same by several criteria."""
        vocabulary = self.voices[voice]
        best = best_targets(criteria, self.english, vocabulary, self.candidates)
        return {name: Spoken(vocabulary.messages[rows], voice != RECORDED) for name, rows in best.items()}

    def phrases_by_all(self, criteria: Mapping[str, Criterion], messages: Tensor) -> dict[str, Tensor]:
        """The best phrase (n,) for each of messages (n, message), by several criteria."""
        best = best_targets(criteria, self._heard(messages), self.phrases, self.candidates)
        return {name: self.phrases.ids[rows] for name, rows in best.items()}

    def _heard(self, messages: Tensor) -> Neuralese:
        return dataclasses.replace(self.voices[RECORDED], messages=messages, ids=torch.arange(len(messages)))

    def _meanings(self, criterion: Criterion, language: Language, keep: bool = False) -> Meanings:
        return criterion.meanings(language, self.candidates, BLOCK, keep, SINGLE)


def new_messages(run: Run, phrases: int) -> Spoken:
    """The new messages that synthesis made for the single phrases without asking a judge."""
    table = read_table(run.files["new_messages.parquet"], "messages").to_pandas()
    made = table[~table["judge"] & (table["utterance_id"] < phrases)].sort_values("utterance_id")
    rows = torch.from_numpy(made.index.to_numpy())
    every = torch.from_numpy(matrix(read_table(run.files["new_messages.parquet"], "messages")["message"]).copy())
    return Spoken(every[rows], fresh=True)


@dataclass(frozen=True)
class Relay:
    """Carries messages to English and back."""

    interpret: Interpret
    spoken: Spoken
    noise: float

    def __call__(self, said: Said) -> tuple[Tensor, Tensor]:
        """See `loop.Carry`."""
        return speak(self.spoken, self.interpret(torch.cat(said.words)), said, self.noise)


def speak(spoken: Spoken, phrases: Tensor, said: Said, noise: float) -> tuple[Tensor, Tensor]:
    """What both players hear instead of `phrases` (2 n,), those of the first player before those of the second."""
    messages = spoken.messages[phrases]
    if spoken.fresh:
        width = messages.shape[1]
        messages = messages + noise * torch.cat([said.chance.normal(width) for _ in range(2)])
    first, second = messages.split(len(said.games))
    return first, second


def silence(said: Said) -> tuple[Tensor, Tensor]:
    """Nobody hears anything: zeros, as before the first word."""
    first, second = (torch.zeros_like(words) for words in said.words)
    return first, second


def of_another_game(said: Said) -> tuple[Tensor, Tensor]:
    """Each hears what the player in the same seat said in another game at the same step."""
    first, second = (words.roll(1, 0) for words in said.words)
    return first, second


def any_phrase(spoken: Spoken, phrases: Iterable[int], noise: float) -> Carry:
    """Each hears the translation of a phrase unrelated to what was said."""
    sayable = torch.tensor(list(phrases))

    def carry(said: Said) -> tuple[Tensor, Tensor]:
        drawn = torch.cat([(said.chance.uniform() * len(sayable)).long() for _ in range(2)])
        return speak(spoken, sayable[drawn], said, noise)

    return carry
