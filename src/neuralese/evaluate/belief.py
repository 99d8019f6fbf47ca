"""The paper's belief evaluation: a listener hears a (translated) message and guesses which state the speaker was in.

    R -> R    a robot hears a robot's message                 H -> H*   the model human hears a human's words
    R -> H*   the model human hears its translation           H -> R    a robot hears the translation of words

A guess between the true state and its distractors is worth 1 if right and 0 if wrong, and is shared if the listener is
indifferent. Who guesses, and when R is R*, is in `listeners`; English is judged by H* and by others (`judges`). Human
utterances are translated whole (`unit` is "utterance") and also by one of their phrases ("phrase"). Only what was said
aloud counts: silence can be translated into a message, as the behaviour evaluation needs, but is not evaluated here.
Every message that a robot hears has passed through the channel once, when it was recorded.

Distractors are drawn the way the true state was drawn ("play"), so that a listener that hears nothing is at chance.
States may offer other ways to draw them (`States.other_distractors`), such as that of the authors' released code; each
is evaluated as well.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Speech
from neuralese.evaluate.listeners import Listener, Listeners, ModelRobot, credit, ties, truthfulness
from neuralese.evaluate.outcomes import Condition, Outcome, conditions_of, outcome_table
from neuralese.games.states import Redraw, States
from neuralese.speakers.traces import Traces
from neuralese.storage.tables import read_about, read_table
from neuralese.translate.criteria import BeliefCriterion, kind_of
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.families import DIRECTIONS, SPEAKERS
from neuralese.translate.interpreter import interpret_message, interpret_words, words_in_context
from neuralese.translate.languages import Composed, English, Neuralese, Parts, utterance_ids

NATIVE: Condition = Condition("none", "same language", "native")
OTHER_WORDS: Condition = Condition("shuffled", "words of another message (control)", "control")
# what a robot hears instead of the actual message; none of these can help, unless the evaluation leaks
SHUFFLED: Condition = Condition("shuffled", "the message of another state (control)", "control")
CONSTANT: Condition = Condition("constant", "always the same message (control)", "control")
SILENCE: Condition = Condition("silence", "no message (control)", "control")


@dataclass(frozen=True)
class Translated:
    """What listeners hear instead of what was said."""

    phrases: Tensor | None = None  # (n, phrases) how often each is said instead of the robot's messages
    messages: dict[str, Tensor] = field(default_factory=dict)  # by unit, (n, message) instead of the humans' words
    dev: Mapping[str, float] = field(default_factory=dict)  # the accuracy on dev by direction, where it was chosen
    english: str = "phrase"  # what `phrases` are together


DESCRIPTIONS: tuple[Condition, Condition] = (
    Condition("description", "descriptions (phrases put together)", "extension"),
    Condition("description-shuffled", "the description of another message (control)", "control"),
)
INTERPRETER: Condition = Condition("interpreter", "interpreter (knows the listener's context)", "upper bound")


@dataclass(frozen=True)
class HumanSpeech:
    """What humans said on held-out states."""

    states: Tensor  # (n, s, ...)
    bags: Tensor  # (n, words) everything that was said
    units: dict[str, Tensor]  # units of translation, each (n,) utterance ids: the whole "utterance", or one "phrase"
    games: Tensor  # (n,) which messages belong together
    traces: Tensor  # (n,) which message it is

    @classmethod
    def draw(
        cls, game: States, traces: Traces, silence: int | None, parts: Parts, n: int, generator: torch.Generator
    ) -> "HumanSpeech":
        """Draw `n` messages from `traces`, all equally often, with a new distractor each time."""
        spoken = traces.not_silent(silence)
        order = spoken[torch.randperm(len(spoken), generator=generator)]
        chosen = order.repeat(-(-n // len(order)))[:n]
        states = game.redraw(traces.states[chosen], generator)
        units = {"phrase": traces.phrases.one(chosen, generator)}
        units = {"utterance": utterance_ids(traces.phrases.bags(chosen), parts)} | units
        return cls(states, traces.words.bags(chosen), units, traces.games[chosen], chosen)


Informed = Callable[[Speech, HumanSpeech], Condition[Translated]]  # a translator that sees what the listener sees


def evaluate_belief(
    listeners: Listeners,
    robot: Speech,
    human: HumanSpeech,
    conditions: Sequence[Condition[Translated]],
    resamples: int,
    generator: torch.Generator,
    informed: Informed | None = None,
    redrawn: Callable[[Redraw], Sequence[Condition[Translated]]] | None = None,
) -> pd.DataFrame:
    """The table of `belief_outcomes` with the states' own distractors, and with all others that they offer.

    A cell is the speaker, the listener, the judge, the unit and the distractors. `informed` makes one more condition
    for exactly the states that listeners choose among; `redrawn` makes the `conditions` for contexts that are drawn as
    other distractors are. Further columns: distinct (messages), candidates and chance.
    """
    redraws: dict[str, Any] = {listeners.states.distractors: None} | listeners.states.other_distractors()
    tables = []
    for name, redraw in redraws.items():
        ours, theirs = robot, human
        if redraw:
            ours = replace(robot, states=redraw(robot.states, generator))
            theirs = replace(human, states=redraw(human.states, generator))
        every = [*(redrawn(redraw) if redraw and redrawn else conditions)]
        every += [informed(ours, theirs)] if informed else []
        outcomes = belief_outcomes(listeners, ours, theirs, every, generator)
        random = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
        tables.append(outcome_table(outcomes, random, resamples=resamples).assign(distractors=name))
    candidates = robot.states.shape[1]
    return pd.concat(tables, ignore_index=True).assign(candidates=candidates, chance=1 / candidates)


def belief_outcomes(
    listeners: Listeners,
    robot: Speech,
    human: HumanSpeech,
    conditions: Iterable[Condition[Translated]],
    generator: torch.Generator,
) -> list[Outcome]:
    """The credit of every listener for every message, under every condition."""
    together = human.games.numpy() if len(human.games.unique()) < len(human.games) else None
    found, judges = [], (listeners.human, *listeners.others)
    likely = {name: listeners.likelihoods(each.states) for name, each in (("R", robot), ("H", human))}

    def add(
        speaker: str,
        listener: Listener,
        unit: str,
        condition: Condition,
        heard: Tensor | None,
        random: torch.Generator,
        phrases: Tensor | None = None,
    ) -> None:
        states = robot.states if speaker == "R" else human.states
        preferences = listener.preferences(heard, states, random)
        # robots: one message is drawn from each game
        groups, distinct = (None, len(states)) if speaker == "R" else (together, len(human.traces.unique()))
        name = listeners.human.name if listener.name in {each.name for each in judges} else listener.name
        cell = {"speaker": speaker, "listener": name, "judge": listener.name, "unit": unit}
        facts: dict[str, Any] = {
            "distinct": distinct,
            "ties": ties(preferences),
            **truthfulness(likely[speaker], phrases),
        }
        facts["english"] = condition.heard.english if speaker == "R" and phrases is not None and condition.heard else ""
        facts["dev"] = condition.heard.dev.get(SPEAKERS[speaker], math.nan) if condition.heard else math.nan
        found.append(Outcome(condition, cell, {"accuracy": credit(preferences)}, groups, facts))

    add("R", listeners.robot, "message", NATIVE, robot.messages, generator)
    one = None if likely["H"] is None else torch.nn.functional.one_hot(human.units["phrase"], likely["H"].shape[1])
    for judge in judges:
        add("H", judge.unaware(), "utterance", NATIVE, human.bags, generator, one)
        add("H", judge, "utterance", OTHER_WORDS, human.bags.roll(1, 0), generator)
    if robot.picked is not None and (robot.picked >= 0).any():
        picked = robot.picked[robot.picked >= 0].double().numpy()  # the real listener's choice
        cell = {"speaker": "R", "listener": "R", "judge": "R", "unit": "message"}
        found.append(Outcome(NATIVE, cell, {"accuracy": picked}, facts={"distinct": len(picked), "english": ""}))
    for each in conditions:
        told = each.heard or Translated()
        if told.phrases is not None:
            words = listeners.heard(told.phrases)
            for judge in judges:
                add("R", judge, "message", each, words, generator, told.phrases)
        for unit, messages in told.messages.items():
            add("H", listeners.judge, unit, each, messages, generator)
    random = torch.Generator().manual_seed(0)  # of its own, so that the other results do not depend on the controls
    others = robot.messages[torch.randperm(len(robot.ids), generator=random)]
    same = robot.messages[torch.zeros(len(robot.ids), dtype=torch.long)]
    for condition, heard in ((SHUFFLED, others), (CONSTANT, same), (SILENCE, None)):
        add("R", listeners.robot, "message", condition, heard, random)
    return found


def best_translations(dictionary: pd.DataFrame, direction: str, criterion: str) -> dict[int, int]:
    """The first-ranked target of every source message."""
    rows = dictionary.query("direction == @direction and criterion == @criterion and rank == 1")
    return dict(zip(rows["source_id"], rows["target_id"], strict=True))


@dataclass(frozen=True)
class Translations:
    """What was said, and what it can be translated into."""

    robot: Speech
    human: HumanSpeech
    english: English
    utterances: Composed
    vocabulary: Neuralese

    def by_dictionary(
        self, path: str | Path, best: int, generator: torch.Generator, candidates: Tensor | None = None
    ) -> list[Condition[Translated]]:
        """One condition for each criterion of the dictionary; a random one is redrawn for every item.

        Those who judge English hear the first `best` phrases that translate a message. If `candidates` (n, s, ...) are
        given, the same criteria translate again, in these contexts.
        """
        criteria = read_about(path)["criteria"]
        if candidates is None:
            table = read_table(path, "dictionary").to_pandas()
        else:
            robot = replace(self.vocabulary, messages=self.robot.messages, ids=self.robot.ids)
            languages = (self.english, self.utterances, [robot], self.vocabulary)
            table = build_dictionary(*languages, candidates, criteria, best)
        position = {int(message): row for row, message in enumerate(self.vocabulary.ids)}

        def heard(name: str, settings: Mapping[str, Any]) -> Translated:
            if not kind_of(settings).by_meaning:
                return self.at_random(generator)
            into = best_translations(table, "H->R", name)
            messages = {
                unit: self.vocabulary.messages[torch.tensor([position[into[number]] for number in said.tolist()])]
                for unit, said in self.human.units.items()
            }
            dev = {direction: criteria[direction][name].get("dev", math.nan) for direction in DIRECTIONS}
            return Translated(self.phrases(table, name, self.each, best), messages, dev)

        return conditions_of(criteria["R->H"], heard)

    @property
    def each(self) -> Tensor:
        """Every phrase of the inventory by itself, (phrases, phrases)."""
        return torch.eye(len(self.english.phrases))

    def phrases(self, dictionary: pd.DataFrame, criterion: str, targets: Tensor, best: int = 1) -> Tensor:
        """The phrases (n, phrases) of the first `best` translations of each message.

        `targets` (targets, phrases) are those of each target of the dictionary.
        """
        rows = dictionary.query("direction == 'R->H' and criterion == @criterion and rank <= @best")
        place = {int(message): row for row, message in enumerate(self.robot.ids)}
        rows = rows[rows["source_id"].isin(place)]
        target = torch.from_numpy(rows["target_id"].to_numpy().astype("int64"))
        source = torch.tensor([place[number] for number in rows["source_id"]])
        return torch.zeros(len(self.robot.ids), targets.shape[1]).index_add_(0, source, targets[target])

    def at_random(self, generator: torch.Generator) -> Translated:
        """Everything translated into anything, but not into silence."""
        phrases, count = self.english.spoken().ids, len(self.robot.ids)
        said = self.each[phrases[torch.randint(len(phrases), (count,), generator=generator)]]
        messages = {
            unit: self.vocabulary.messages[torch.randint(len(self.vocabulary), each.shape, generator=generator)]
            for unit, each in self.human.units.items()
        }
        return Translated(said, messages)

    def by_description(self, path: str | Path) -> list[Condition[Translated]]:
        """With the description of each message, and, to compare, with that of another message."""
        table = read_table(path, "descriptions").to_pandas().set_index("message_id")
        parts = tuple(tuple(each) for each in table.loc[self.robot.ids.tolist(), "parts"])
        bags = Composed(self.english, parts).bags
        return [
            replace(each, heard=Translated(said, english="description"))
            for each, said in zip(DESCRIPTIONS, (bags, bags.roll(1, 0)), strict=True)
        ]

    def interpreted(self, robot: Speech, human: HumanSpeech) -> Condition[Translated]:
        """What a translator makes of `robot` and `human` who knows each listener's context: an upper bound.

        It uses the same models of p(z | x) as the dictionaries.
        """
        game, phrases, vocabulary = self.vocabulary.game, self.english.spoken(), self.vocabulary
        meant = ModelRobot(vocabulary.speaker, game).preferences(robot.messages, robot.states)
        best = interpret_message(meant, phrases, game.candidates(robot.states))
        candidates = game.candidates(human.states)
        messages: dict[str, Tensor] = {}
        for unit, said in human.units.items():
            words = words_in_context(self.english, self.utterances.bags[said], candidates)
            messages[unit] = vocabulary.messages[interpret_words(words, vocabulary, candidates)]
        return replace(INTERPRETER, heard=Translated(self.each[phrases.ids[best]], messages))


def measured_bound(
    spoken: Neuralese,
    english: English,
    candidates: Tensor,
    dictionary: pd.DataFrame,
    belief: pd.DataFrame,
    criterion: str,
) -> pd.DataFrame:
    """Proposition 1 on a real task: the accuracy lost in translation, next to sqrt(2 D) of the translations made.

    Picking the right state is worth 1. The native pair is R -> R, the bilingual pair R -> H*. The proposition is about
    rational listeners of exact languages; here beliefs come from fitted models, so this is a comparison, not a test.

    One row: criterion, mean divergence D, bound, accuracy native and translated, lost.
    """
    best = best_translations(dictionary, "R->H", criterion)
    place = {int(phrase): column for column, phrase in enumerate(english.ids)}
    chosen = torch.tensor([place[best[int(message)]] for message in spoken.ids])
    scores = BeliefCriterion(weights="source", divergence="forward").scores(spoken, english, candidates)
    divergence = float(scores.gather(1, chosen[:, None]).mean())
    own = belief[belief["distractors"] == belief["distractors"].iloc[0]]  # the game's own come first
    keys = ["speaker", "unit", "criterion"]
    accuracy = own.drop_duplicates(keys).set_index(keys)["value"]  # what the real listener picked comes second
    native, translated = accuracy["R", "message", "none"], accuracy["R", "message", criterion]
    row = {"criterion": criterion, "divergence": divergence, "bound": math.sqrt(2 * divergence)}
    return pd.DataFrame([row | {"native": native, "translated": translated, "lost": native - translated}])
