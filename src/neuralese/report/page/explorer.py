"""The dictionary as shown by the page's explorer: translations, and what each makes a listener believe."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.translate.languages import Composed, English, Language, Neuralese
from neuralese.translate.pairs import beliefs

# kinds of translations: a phrase, phrases said together, a message the robot said, or one made for a phrase
KINDS = {
    ("R->H", False): "phrase",
    ("R->H", True): "bag",
    ("H->R", False): "message",
    ("H->R", True): "new",
}


@dataclass(frozen=True)
class Explorer:
    """The languages to translate between."""

    english: English
    spoken: Neuralese  # messages that can be looked up
    vocabulary: Neuralese  # into which phrases are translated
    made: Neuralese  # new messages, by phrase
    bags: pd.DataFrame

    def values(self, dictionary: pd.DataFrame, candidates: Tensor) -> dict:
        """Translations by criterion and direction, beliefs in percent that the first candidate is true, and texts.

        For human utterances, single phrases are shown. If `new` is true, translations are new messages or bags.
        """
        sources = dictionary["source_id"]
        dictionary = dictionary[
            ((dictionary["direction"] == "H->R") & sources.isin(self.english.ids.tolist()))
            | ((dictionary["direction"] == "R->H") & sources.isin(self.spoken.ids.tolist()))
        ]
        translations = []
        used: dict[str, set[int]] = {kind: set() for kind in KINDS.values()}
        for (criterion, direction, new), rows in dictionary.groupby(["criterion", "direction", "new"], sort=False):
            kind = KINDS[direction, new]
            used[kind].update(rows["target_id"].tolist())
            best = {
                int(source): [[int(target), _score(score)] for target, score in zip(*columns, strict=True)]
                for source, columns in _by_source(rows)
            }
            translations.append({"criterion": criterion, "direction": direction, "kind": kind, "best": best})
        made = dictionary[dictionary["new"] & (dictionary["direction"] == "H->R")]
        made_for = dict(zip(map(int, made["target_id"]), made["source"], strict=True))
        bags = self.bags.set_index("bag_id").loc[sorted(used["bag"])]
        composed = Composed(self.english, tuple(tuple(parts) for parts in bags["parts"]))
        languages: dict[str, list[Any]] = {
            "phrase": [self.english],
            "message": [self.spoken, _only(self.vocabulary, used["message"])],
            "new": [_only(self.made, used["new"])],
        }
        found = {kind: _percent(parts, candidates) for kind, parts in languages.items()}
        found["bag"] = dict(zip(map(int, bags.index), _rows(composed, candidates), strict=True))
        texts = dict(zip(map(int, bags.index), bags["text"], strict=True))
        return {"translations": translations, "beliefs": found, "bags": texts, "made_for": made_for}


def _by_source(rows: pd.DataFrame) -> list[tuple[int, tuple]]:
    ranked = rows.sort_values(["source_id", "rank"])
    return [(source, (part["target_id"], part["score"])) for source, part in ranked.groupby("source_id")]


def _score(score: float) -> float | None:
    """A score with few digits; none for a pair that shares no context."""
    return round(score, 3) if np.isfinite(score) else None


def _only(language: Neuralese, ids: set[int]) -> Neuralese:
    rows = torch.tensor([number in ids for number in language.ids.tolist()], dtype=torch.bool)
    return replace(language, messages=language.messages[rows], ids=language.ids[rows])


def _rows(language: Language, candidates: Tensor) -> list[list[int]]:
    if not len(language):
        return []
    return beliefs(language.log_likelihood(candidates).double())[..., 0].exp().mul(100).round().int().tolist()


def _percent(languages: list[Any], candidates: Tensor) -> dict[int, list[int]]:
    """For each message, how strongly its listener believes that the first candidate of each context is true."""
    found: dict[int, list[int]] = {}
    for language in languages:
        found |= dict(zip(language.ids.tolist(), _rows(language, candidates), strict=True))
    return found
