"""Dictionaries: for each message of one language, the best messages of the other under a criterion."""

import dataclasses
import logging
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.errors import NeuraleseError
from neuralese.tables import vectors
from neuralese.translate.criteria import BeliefCriterion, Criterion, DirectCriterion, PmiCriterion, RandomCriterion
from neuralese.translate.languages import SILENCE, Composed, English, Language, Neuralese
from neuralese.translate.pragmatics import Believe
from neuralese.translate.synthesis import SynthesisConfig, new_messages, new_phrases

log = logging.getLogger(__name__)

KINDS = {"belief": BeliefCriterion, "direct": DirectCriterion, "pmi": PmiCriterion, "random": RandomCriterion}


def make_criterion(settings: dict) -> Criterion:
    """Build a criterion from the config's settings: its `kind` and that kind's options."""
    options = {name: value for name, value in settings.items() if name not in ("kind", "scale")}
    kind = KINDS.get(settings.get("kind"))
    if kind is None:
        raise NeuraleseError(f"no criterion is of kind '{settings.get('kind')}'; choose from {', '.join(KINDS)}.")
    known = [field.name for field in dataclasses.fields(kind)]
    if unknown := [name for name in options if name not in known]:
        raise NeuraleseError(
            f"a {settings['kind']} criterion has no option '{unknown[0]}'; it has {', '.join(known) or 'none'}."
        )
    return kind(**options)


def n_best(scores: Tensor, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The `n` best targets of each source: positions and scores, (K, n). Equal scores keep the targets' order."""
    order = torch.sort(scores, dim=1, stable=True)
    return order.indices[:, :n].numpy(), order.values[:, :n].numpy()


def entries(direction: str, criterion: str, source: Language, target: Language, scores: Tensor, n: int) -> pd.DataFrame:
    """Rows of `dictionary.parquet` for one direction and criterion."""
    best, values = n_best(scores, n)
    ranks = best.shape[1]
    return pd.DataFrame(
        {
            "direction": direction,
            "criterion": criterion,
            "source_id": np.repeat(source.ids.numpy(), ranks),
            "source": np.repeat(np.array(source.texts(), dtype=object), ranks),
            "rank": np.tile(np.arange(1, ranks + 1), len(best)),
            "target_id": target.ids.numpy()[best].ravel(),
            "target": np.array(target.texts(), dtype=object)[best].ravel(),
            "score": values.ravel(),
        }
    )


def translate(
    criterion: Criterion, language: Neuralese, english: English, candidates: Tensor, messages: Tensor
) -> list[str]:
    """The best English for each of `messages` (n, message) of a language."""
    said = dataclasses.replace(language, messages=messages, ids=torch.arange(len(messages)))
    best, _ = n_best(criterion.scores(said, english, candidates), 1)
    texts = english.texts()
    return [texts[position] for position in best[:, 0]]


class Synthesis(NamedTuple):
    """What `synthesise` makes."""

    dictionary: pd.DataFrame  # criterion "synthesis", whose targets are those of the other two
    messages: pa.Table  # one new message for each phrase, with the phrase's id
    bags: pd.DataFrame  # phrases, and those said together
    utterances: pa.Table  # phrases and sets of them, each with its new message


def synthesise(
    english: English,
    spoken: list[Neuralese],
    vocabulary: Neuralese,
    candidates: Tensor,
    practice: Tensor,
    settings: dict,
    believe: Believe,
    radius: float,
    config: SynthesisConfig,
    n_best: int,
    generator: torch.Generator,
    utterances: list[tuple[int, ...]],
) -> Synthesis:
    """Translate `spoken` messages into bags of phrases, by the criterion of `settings`; phrases, into new messages.

    New messages are made for `utterances`, too: sets of phrases.

    Bags are compared in `candidates`, new messages in the contexts of `practice`, for which `believe` was made.
    """
    criterion, scale = make_criterion(settings), settings.get("scale", 1.0)
    said = [dataclasses.replace(each, scale=scale) for each in spoken]
    few = candidates[: config.contexts]
    bags = new_phrases(criterion, said[0], english.spoken(), few, config)
    parts = [entries("R->H", "synthesis", each, bags, criterion.scores(each, bags, few), n_best) for each in said]
    at_once = Composed(english, (*((number,) for number in english.ids.tolist()), *utterances))
    made, scores = new_messages(at_once, vocabulary, few, practice, believe, radius, config, generator)
    messages = made[: len(english)]
    for_phrase = entries("H->R", "synthesis", english, vocabulary, scores[: len(english), None], 1)
    for_phrase["target_id"] = english.ids.numpy()
    for_phrase["target"] = [f"new message {number}" for number in english.ids.tolist()]
    numbers = pa.array(english.ids.numpy().astype(np.int32))
    table = pa.table(
        {"message_id": numbers, "split": ["synthesised"] * len(english), "message": vectors(messages.numpy())}
    )
    texts = pd.DataFrame(
        {"bag_id": bags.ids.numpy(), "text": bags.texts(), "parts": [list(part) for part in bags.parts]}
    )
    told = pa.table(
        {
            "utterance_id": pa.array(at_once.ids.numpy().astype(np.int32)),
            "text": [text or SILENCE for text in at_once.texts()],
            "parts": pa.array([list(part) for part in at_once.parts], pa.list_(pa.int16())),
            "score": scores.double().numpy(),
            "message": vectors(made.numpy()),
        }
    )
    return Synthesis(pd.concat([*parts, for_phrase], ignore_index=True), table, texts, told)


def build_dictionary(
    english: English,
    spoken: list[Neuralese],
    vocabulary: Neuralese,
    candidates: Tensor,
    criteria: dict[str, dict],
    n_best: int,
) -> pd.DataFrame:
    """Translate the `spoken` messages into English, and English into the messages of the `vocabulary`.

    Silence is translated into a message, but no message into silence.

    `candidates` (n, s, ...) are the contexts in which messages are compared; `criteria` are the config's, by name.
    """
    parts, phrases = [], english.spoken()
    for name, settings in criteria.items():
        criterion, scale = make_criterion(settings), settings.get("scale", 1.0)
        for said in spoken:
            said = dataclasses.replace(said, scale=scale)
            scores = criterion.scores(said, phrases, candidates)
            parts.append(entries("R->H", name, said, phrases, scores, n_best))
        known = dataclasses.replace(vocabulary, scale=scale)
        scores = criterion.scores(english, known, candidates)
        parts.append(entries("H->R", name, english, known, scores, n_best))
        log.info("%s: scored", name)
    return pd.concat(parts, ignore_index=True)
