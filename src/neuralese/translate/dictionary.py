"""Dictionaries: for each message of one language, the best messages of the other under a criterion."""

import dataclasses
import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.translate.criteria import Criterion, make_criterion
from neuralese.translate.languages import Composed, English, Neuralese
from neuralese.translate.pairs import SINGLE
from neuralese.translate.reading import Listed

log = logging.getLogger(__name__)


def n_best(scores: Tensor, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The `n` best targets of each source: positions and scores, (K, n). Equal scores keep the targets' order."""
    n = min(n, scores.shape[1])
    values, best = scores.topk(n, dim=1, largest=False)
    best = best.sort(dim=1).values  # so that the next sort keeps the targets' order
    values, order = scores.gather(1, best).sort(dim=1, stable=True)
    best = best.gather(1, order)
    tied = torch.nonzero((scores <= values[:, -1:]).sum(1) > n).flatten()  # ties at the last rank: any may be in it
    if len(tied):
        values[tied], best[tied] = (each[:, :n] for each in scores[tied].sort(dim=1, stable=True))
    return best.numpy(), values.double().numpy()


def entries(direction: str, criterion: str, source: Listed, target: Listed, scores: Tensor, n: int) -> pd.DataFrame:
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


def best_targets(
    criteria: Mapping[str, Criterion], source: Listed, target: Listed, candidates: Tensor
) -> dict[str, Tensor]:
    """For each criterion, the best target for each source, (K,). Criteria with the same reading share meanings."""
    best: dict[str, Any] = dict.fromkeys(criteria)  # in this order
    for reading in dict.fromkeys(criterion.reading for criterion in criteria.values()):
        alike = {name: each for name, each in criteria.items() if each.reading == reading}
        first = next(iter(alike.values()))
        meanings = [first.meanings(each, candidates, keep=True, dtype=SINGLE) for each in (source, target)]
        best |= {name: criterion.best(*meanings) for name, criterion in alike.items()}
        log.info("criteria with %s scored", reading)
    return best


def translate(
    criterion: Criterion, language: Neuralese, english: English, candidates: Tensor, messages: Tensor
) -> list[str]:
    """The best English for each of `messages` (n, message) of a language."""
    said = dataclasses.replace(language, messages=messages, ids=torch.arange(len(messages)))
    best, _ = n_best(criterion.scores(said, english, candidates), 1)
    texts = english.texts()
    return [texts[position] for position in best[:, 0]]


def build_dictionary(
    english: English,
    utterances: Composed,
    spoken: list[Neuralese],
    vocabulary: Neuralese,
    candidates: Tensor,
    criteria: Mapping[str, Mapping[str, Mapping]],
    n_best: int,
) -> pd.DataFrame:
    """Translate the `spoken` messages into English, and `utterances` into the messages of the `vocabulary`.

    Silence is translated into a message, but no message into silence.

    `candidates` (n, s, ...) are the contexts in which messages are compared; `criteria` are settings by direction
    (`R->H`, `H->R`) and name.
    """
    parts, phrases = [], english.spoken()
    for name, settings in criteria["R->H"].items():
        for said in spoken:
            scores = make_criterion(settings).scores(said, phrases, candidates, dtype=SINGLE)
            parts.append(entries("R->H", name, said, phrases, scores, n_best))
        log.info("%s: messages into English", name)
    for name, settings in criteria["H->R"].items():
        scores = make_criterion(settings).scores(utterances, vocabulary, candidates, dtype=SINGLE)
        parts.append(entries("H->R", name, utterances, vocabulary, scores, n_best))
        log.info("%s: English into messages", name)
    return pd.concat(parts, ignore_index=True)
