"""Channels through which drivers hear each other.

*Translators* translate by any criterion of the config. Into English, a robot's message is scored as it was heard,
including noise, against every phrase. Into neuralese, a phrase becomes one message, spoken in one of these voices:

    recorded    the best message of the vocabulary as it was once heard, with its noise at the time
    mean        what the robot says on average in the state of the best message, sent through the channel like any other

A recorded message has the same noise whenever it is said, and a robot that hears it repeatedly hears that noise as
if it meant something; which voice is better is decided on dev for every criterion.

An *interpreter* sees what the listener sees: its own car, its goal and the map, x_b. Where the other is must be summed
over: p(x_a | x_b), counted in games of two robots. Roads are small and states few, so the sums are exact. With it

    into English      the phrase z' of least KL(beta(z) || beta(z')) in the one context x_b: Equation 2 without its
                      expectation
    into neuralese    what the robot itself says on average in each state x_a, weighted by what the phrase makes one
                      believe about x_a in x_b

No translator that is fixed before the game can know x_b, so its results are an upper bound, and labelled so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from neuralese.config.models import RelayConfig
from neuralese.evaluate.relay import PhraseMessages
from neuralese.games.driving import CELLS, GONE
from neuralese.stages.run import Run
from neuralese.tasks.driving.loop import Channel, Said, robots, unchanged
from neuralese.translate.criteria import Criterion, Reading
from neuralese.translate.dictionary import best_targets
from neuralese.translate.languages import Language, Neuralese
from neuralese.translate.pairs import SINGLE, Meanings

RECORDED, MEAN = "recorded", "mean"
TRANSLATED, NOTHING, LAST = "translation", "nothing", "last"  # what a robot hears while a human is silent
PSEUDO_COUNT = 5.0  # weight of a state's frequency on its map relative to counts in a context
NOWHERE = -1e4  # the log-probability of being on another map


@dataclass(frozen=True)
class Translator:
    """One way into English and one back, and how they were chosen."""

    english: Callable[[Tensor], Tensor]  # messages (n, message) -> phrases (n,) of the inventory
    spoken: PhraseMessages
    facts: Mapping[str, Any] = field(default_factory=dict)


class Translators:
    """Translates by any criterion; what English means is computed once for each way of reading likelihoods."""

    def __init__(self, run: Run, config: RelayConfig) -> None:
        self.inventory, self.phrases = run.english, run.english.spoken()
        self.candidates, self.noise = run.contexts(config.contexts), run.cell.config.noise
        recorded = run.neuralese("train", config.vocabulary)
        states = run.said["train"].first(config.vocabulary).states
        with torch.no_grad():
            means = run.robot.mean(run.states.speaker_view(states))
        means = run.cell.config.radius * nn.functional.normalize(means, dim=1)
        self.vocabulary = {RECORDED: recorded, MEAN: replace(recorded, messages=means)}
        self._meant: dict[Reading, Meanings] = {}

    def to_english(self, criterion: Criterion) -> Callable[[Tensor], Tensor]:
        """A function from messages (n, message) to the best phrases (n,)."""

        def english(messages: Tensor) -> Tensor:
            if criterion.reading not in self._meant:
                self._meant[criterion.reading] = self._meanings(criterion, self.phrases, keep=True)
            scores = criterion.compare(self._meanings(criterion, self.heard(messages)), self._meant[criterion.reading])
            return self.phrases.ids[scores.argmin(1)]

        return english

    def best_phrases(self, criteria: Mapping[str, Criterion], messages: Tensor) -> dict[str, Tensor]:
        """The best phrases (n,) for messages (n, message) by several criteria at once."""
        best = best_targets(criteria, self.heard(messages), self.phrases, self.candidates)
        return {name: self.phrases.ids[rows] for name, rows in best.items()}

    def to_neuralese(self, criteria: Mapping[str, Criterion], voice: str) -> dict[str, PhraseMessages]:
        """The best message for each phrase, by criterion."""
        vocabulary, noise = self.vocabulary[voice], 0.0 if voice == RECORDED else self.noise
        best = best_targets(criteria, self.inventory, vocabulary, self.candidates)
        return {name: PhraseMessages(vocabulary.messages[rows], noise) for name, rows in best.items()}

    def heard(self, messages: Tensor) -> Neuralese:
        """Messages as a language."""
        return replace(self.vocabulary[RECORDED], messages=messages, ids=torch.arange(len(messages)))

    def _meanings(self, criterion: Criterion, language: Language, keep: bool = False) -> Meanings:
        return criterion.meanings(language, self.candidates, keep=keep, dtype=SINGLE)


def silence(phrase: int) -> Channel:
    """Nobody hears anything: robots hear zeros, as before the first word, and humans `phrase`, which says nothing."""

    def hear(said: Said) -> tuple[Tensor, Tensor]:
        first, second = (
            torch.zeros_like(listener) if listener.is_floating_point() else torch.full_like(listener, phrase)
            for listener in said.words[::-1]
        )
        return first, second

    return hear


def of_another_game(said: Said) -> tuple[Tensor, Tensor]:
    """Each hears what the driver in the same seat said in another game at the same step."""
    first, second = (words.roll(1, 0) for words in said.words)
    return first, second


@dataclass(frozen=True)
class RelayChannel:
    """Between two robots: everything goes into English and back."""

    translator: Translator
    at_random: Tensor | None = None  # phrases, one of which is said at random whatever was said

    def english(self, messages: Tensor) -> Tensor:
        """The phrases (n,) that messages (n, message) become."""
        if self.at_random is None:
            return self.translator.english(messages)
        random = torch.Generator().manual_seed(0)
        return self.at_random[torch.randint(len(self.at_random), (len(messages),), generator=random)]

    def __call__(self, said: Said) -> tuple[Tensor, Tensor]:
        if self.at_random is None:
            phrases = self.english(torch.cat(said.words))
        else:
            phrases = torch.cat([said.chance.choose(self.at_random) for _ in range(2)])
        messages, noise = self.translator.spoken.messages[phrases], self.translator.spoken.noise
        if noise:
            messages = messages + noise * torch.cat([said.chance.normal(messages.shape[1]) for _ in range(2)])
        first, second = messages.split(len(said.games))
        return first, second


@dataclass
class HumanChannel:
    """Between a robot and a human: messages become English, and phrases messages."""

    translator: Translator
    at_random: Tensor | None = None  # phrases, one of which is heard at random instead of any that was said
    silence: int = 0  # the phrase that stands for saying nothing
    while_silent: str = TRANSLATED
    last: Tensor | None = None  # (games, message) what each robot heard last, if that is repeated

    def __call__(self, said: Said) -> tuple[Tensor, Tensor]:
        messages, phrases = said.words
        silent = phrases == self.silence
        if self.at_random is None:
            english = self.translator.english(messages)
        else:
            english, instead = (said.chance.choose(self.at_random) for _ in range(2))
            phrases = torch.where(silent, self.silence, instead)
        answer = self.translator.spoken.messages[phrases]
        answer = answer + self.translator.spoken.noise * said.chance.normal(answer.shape[1])
        if self.while_silent == NOTHING:
            answer = answer.masked_fill(silent[:, None], 0.0)
        elif self.while_silent == LAST:
            if said.time == 0 or self.last is None:
                self.last = torch.zeros(said.chance.games, answer.shape[1])
            answer = torch.where(silent[:, None], self.last[said.games], answer)
            self.last[said.games] = answer
        return english, answer


class Places:
    """Where the other may be: the states seen in play, and how likely each is given what one sees."""

    def __init__(self, pairs: Tensor, maps: int) -> None:
        """`pairs` (n, 2, 3): what the driver whose state is asked for and the other saw at the same time."""
        speaker, listener = pairs[pairs[:, 0, 1] != GONE].unbind(1)
        self.states, state = speaker.unique(dim=0, return_inverse=True)  # (k, 3), ordered by their codes
        self.codes, size = _codes(self.states), len(self.states)
        once, context = torch.ones(len(state)), self.contexts(listener)
        seen = torch.zeros(size + maps, size).index_put_((context, state), once, accumulate=True)
        on_map = torch.zeros(maps, size).index_put_((listener[:, 0], state), once, accumulate=True)
        usual = on_map / on_map.sum(1, keepdim=True).clamp(min=1)
        likely = seen + PSEUDO_COUNT * usual[torch.cat([self.states[:, 0], torch.arange(maps)])]
        likely[size:] = usual  # for a state that was never seen, or a car that has left the road
        chance = likely / likely.sum(1, keepdim=True).clamp(min=1e-9)
        self.log_prior = chance.log().clamp(min=NOWHERE)  # (k + maps, k)

    def contexts(self, seen: Tensor) -> Tensor:
        """The context of those who see (n, 3): a state, or everything on a map if the own state is unknown: (n,)."""
        codes = _codes(seen)
        place = torch.searchsorted(self.codes, codes).clamp(max=len(self.codes) - 1)
        return torch.where(self.codes[place] == codes, place, len(self.codes) + seen[:, 0])


def _codes(seen: Tensor) -> Tensor:
    where, pose, goal = seen.unbind(1)
    return (where * (GONE + 1) + pose) * CELLS + goal


def places_in_play(run: Run, games: int) -> Places:
    """Where the other may be, as counted in fresh games of two robots."""
    seen = [views for turn in robots(run, "places", games).turns(unchanged) for views in (turn.seen, turn.seen.flip(1))]
    return Places(torch.cat(seen), len(run.states.layouts.road))


class Interpreter:
    """Between two robots: into English and back, knowing what the listener sees."""

    def __init__(self, run: Run, places: Places, scale: float) -> None:
        """`scale` is the width of p(z | x) as a multiple of the channel's noise."""
        self.places, self.robot, self.scale, self.noise = places, run.robot, scale, run.cell.config.noise
        with torch.no_grad():
            ids = run.english.spoken().ids
            self.log_phrases = run.english.speaker.log_prob(places.states)[ids]  # (phrases, k)
            means = run.robot.mean(places.states)
        joint = places.log_prior[:, None] + self.log_phrases  # (contexts, phrases, k)
        self.log_norm = joint.logsumexp(2)  # (contexts, phrases)
        self.spoken = run.cell.config.radius * nn.functional.normalize(joint.softmax(2) @ means, dim=2)

    @torch.no_grad()
    def phrases(self, messages: Tensor, contexts: Tensor) -> Tensor:
        """The position of the best phrase for each message (n, message) in its context (n,)."""
        likely = self.robot.log_prob(messages, self.places.states, self.scale)  # (n, k)
        believed = (likely + self.places.log_prior[contexts]).softmax(1)
        # KL(beta(z) || beta(z')) up to terms that do not depend on z'
        return (self.log_norm[contexts] - believed @ self.log_phrases.T).argmin(1)

    def __call__(self, said: Said) -> tuple[Tensor, Tensor]:
        heard = []
        for speaker in (0, 1):
            contexts = self.places.contexts(said.seen[:, 1 - speaker])
            message = self.spoken[contexts, self.phrases(said.words[speaker], contexts)]
            heard.append(message + self.noise * said.chance.normal(message.shape[1]))
        return heard[0], heard[1]
