"""Stages that evaluate. Each returns a table."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from neuralese.stages.run import Run

if TYPE_CHECKING:
    from neuralese.evaluate.belief import Condition, Translated
    from neuralese.games.states import Redraw

Families = Mapping[str, Mapping[str, Any]]  # settings of criteria as a config gives them, by name


def ablate(
    run: Run,
    families: Families,
    messages: int,
    contexts: int,
    humans: int,
    resamples: int,
    splits: Sequence[str] = ("dev", "test"),
) -> pd.DataFrame:
    """The belief evaluation of every member of every family of criteria."""
    from neuralese.evaluate.ablation import Ablation
    from neuralese.evaluate.belief import HumanSpeech

    vocabulary, candidates = run.neuralese("train", messages), run.contexts(contexts)
    cell = run.cell if run.states.asks else None
    ablation = Ablation(run.english, vocabulary, candidates, run.heard, families, run.listener, cell)
    tables = []
    for split in splits:
        random = run.generator(f"ablation {split}")
        human = HumanSpeech.draw(run.games[split], run.traces(split, random), run.silence, run.parts, humans, random)
        robot = run.said[split].first(messages)
        belief = ablation.run(run.listeners(split, judges=True), robot, human, run.parts, resamples, random)
        tables.append(belief.assign(split=split))
    return run.label(pd.concat(tables))


def evaluate_belief(run: Run, split: str, held_out: int, phrases_heard: int, resamples: int) -> pd.DataFrame:
    """How often every listener guesses the speaker's state from original and from translated messages."""
    from neuralese.evaluate.belief import HumanSpeech, Translations
    from neuralese.evaluate.belief import evaluate_belief as evaluate

    random = run.generator(f"belief {split}")
    human = HumanSpeech.draw(run.games[split], run.traces(split, random), run.silence, run.parts, held_out, random)
    robot, vocabulary = run.said[split], run.neuralese("train")
    translations = Translations(robot, human, run.english, run.utterances, vocabulary)
    dictionary = run.files["dictionary.parquet"]
    conditions = translations.by_dictionary(dictionary, phrases_heard, random)
    conditions += translations.by_description(run.files["descriptions.parquet"])

    def redrawn(redraw: "Redraw") -> "list[Condition[Translated]]":
        """What dictionaries say that are made for contexts with other distractors; descriptions stay as they are."""
        contexts = run.states.candidates(redraw(run.context_states, random))
        found = translations.by_dictionary(dictionary, phrases_heard, random, contexts)
        return [*found, *conditions[len(found) :]]

    listeners, informed = run.listeners(split, judges=True), translations.interpreted
    belief = evaluate(listeners, robot, human, conditions, resamples, random, informed, redrawn)
    return run.label(belief).assign(words=run.words)


def measure_bound(run: Run, belief: pd.DataFrame, messages: int, criterion: str) -> pd.DataFrame:
    """The divergence of translations, and the accuracy that they lose in a belief evaluation."""
    from neuralese.evaluate.belief import measured_bound

    bound = measured_bound(
        run.neuralese("test", messages),
        run.english.spoken(),
        run.contexts(),
        run.table("dictionary.parquet"),
        belief,
        criterion,
    )
    return run.label(bound)


def relay(
    run: Run, criteria: Families, messages: int, contexts: int, resamples: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How a robot understands another whose messages go into English and back, and what was chosen for it on dev."""
    import numpy as np

    from neuralese.evaluate.outcomes import outcome_table
    from neuralese.evaluate.relay import RELAY_OVER, SHARES, Relay, relay_outcomes, round_trips

    listeners = {split: run.listeners(split) for split in ("dev", "test")}
    played = Relay(run.english.spoken(), run.neuralese("train"), run.contexts(contexts), listeners, run.heard)
    conditions, choices = round_trips(played, criteria, run.said["dev"].first(messages), run.said["test"])
    outcomes = relay_outcomes(played, conditions, run.said["test"])
    return run.label(outcome_table(outcomes, np.random.default_rng(0), RELAY_OVER, SHARES, resamples)), choices


def check_theory(games: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What random games lose under the bound of Proposition 1, and how the policy of Proposition 2 recovers."""
    from neuralese.evaluate.theory import RARITIES, check_proposition_1, recovery

    return check_proposition_1(games, seed=0), recovery(RARITIES, max(1, games // 100), seed=0)
