"""Stages that translate: the choice of criteria, the dictionary, and new messages and phrases."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from neuralese.config.models import SynthesisConfig
from neuralese.stages.evaluate import Families, ablate
from neuralese.stages.run import Run

if TYPE_CHECKING:
    import pyarrow as pa

Criteria = Mapping[str, Mapping[str, Mapping[str, Any]]]  # settings by direction and name
UNREAD = 100  # resamples of intervals that nobody reads


def choose_members(
    run: Run, families: Families, messages: int, contexts: int, humans: int
) -> dict[str, dict[str, dict[str, Any]]]:
    """The member of each family that translates, chosen on dev of one run alone: settings by direction and name."""
    from neuralese.translate.families import DIRECTIONS, choose, members

    found: dict[str, dict[str, dict]] = {direction: {} for direction in DIRECTIONS}
    for name, settings in families.items():
        for direction in DIRECTIONS:
            found[direction][name] = {**next(iter(members(settings).values())), "members": len(members(settings))}
    if several := {name: settings for name, settings in families.items() if len(members(settings)) > 1}:
        compared = ablate(run, several, messages, contexts, humans, UNREAD, splits=["dev"])
        for row in choose(compared, several).itertuples():
            found[row.direction][row.criterion] = json.loads(row.settings)
    return found


def score_dictionary(run: Run, n_best: int, criteria: Criteria | None = None) -> pd.DataFrame:
    """The best translations in both directions, by the chosen criteria or by others."""
    from neuralese.translate.dictionary import build_dictionary

    return build_dictionary(
        run.english,
        run.utterances,
        spoken=[run.neuralese("dev"), run.neuralese("test")],
        vocabulary=run.neuralese("train"),
        candidates=run.contexts(),
        criteria=run.criteria if criteria is None else criteria,
        n_best=n_best,
    )


class Synthesis(NamedTuple):
    """What `synthesise` makes."""

    dictionary: pd.DataFrame
    about: dict[str, Any]  # by which criterion
    bags: pd.DataFrame  # phrases said together
    messages: "pa.Table"  # new ones; none if there is no agent to send them


def synthesise(run: Run, criterion: str, synthesis: Mapping[str, Any], n_best: int, radius: float) -> Synthesis:
    """New messages for utterances, and new phrases for messages."""
    from neuralese.translate.criteria import make_criterion
    from neuralese.translate.dictionary import entries
    from neuralese.translate.families import named
    from neuralese.translate.pairs import SINGLE
    from neuralese.translate.synthesis import CONTEXTS, bags_table, new_phrases

    config, few = SynthesisConfig(**synthesis), run.contexts(CONTEXTS)
    settings = named(run.criteria["R->H"], criterion)
    dev, test = run.neuralese("dev"), run.neuralese("test")
    chosen = make_criterion(settings)
    bags, scores = new_phrases(chosen, dev, run.english.spoken(), few, config)
    rows = [entries("R->H", "synthesis", dev, bags, scores, n_best)]
    scores = chosen.scores(test, bags, few, dtype=SINGLE)
    rows.append(entries("R->H", "synthesis", test, bags, scores, n_best))
    del scores
    about = {"criteria": {"R->H": {"synthesis": settings}}, "contexts": CONTEXTS, "otherwise": criterion}
    messages, new = _new_messages(run, config, radius)
    rows += [new] if len(new) else []
    return Synthesis(pd.concat(rows, ignore_index=True), about, bags_table(bags), messages)


def _new_messages(run: Run, config: SynthesisConfig, radius: float) -> "tuple[pa.Table, pd.DataFrame]":
    """New messages, and rows of a dictionary for them; none if there is no agent to send them."""
    import torch

    from neuralese.translate.languages import Composed
    from neuralese.translate.pragmatics import believe_by_playing
    from neuralese.translate.synthesis import CONTEXTS, DISTRACTORS, MessageMaker, believe_by_likelihood, new_messages

    if run.cell is None:
        return new_messages([], [], {"synthesis": (torch.zeros(0, 1), torch.zeros(0))})
    random, vocabulary = run.generator("synthesis"), run.neuralese("train")
    drawn = [run.states.redraw(run.context_states, random) for _ in range(DISTRACTORS)]
    practice = run.states.candidates(torch.cat(drawn))
    ways = {"synthesis": believe_by_likelihood(vocabulary, practice, config.scale)}
    if config.ask_judge and run.states.asks:
        ways["synthesis-judge"] = believe_by_playing(run.cell, run.states, practice, random)
    told = Composed(run.english, run.parts[: len(run.phrases) + config.utterances])
    maker = MessageMaker(vocabulary, run.contexts(CONTEXTS), practice, radius, config, random)
    return new_messages(told.ids.tolist(), told.texts(), {name: maker.make(told, way) for name, way in ways.items()})
