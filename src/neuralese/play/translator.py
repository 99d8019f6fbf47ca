"""Between a robot and a person: messages into English and back, with the files of a finished run.

Entries of the dictionary are looked up; other messages, and other phrases said together, are scored by the
dictionary's own criteria in its own contexts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.play.session import RefusedError
from neuralese.stages.run import Run
from neuralese.storage.tables import read_about, read_table
from neuralese.translate.criteria import make_criterion
from neuralese.translate.families import with_role
from neuralese.translate.languages import Composed, Neuralese
from neuralese.translate.pairs import SINGLE

N_BEST = 5  # number of translations shown


@dataclass(frozen=True)
class Translation:
    """One of the best translations."""

    id: int
    text: str
    score: float  # lower is better


@dataclass(frozen=True)
class Answer:
    """The best translations, best first, and how they were found: dictionary, scored just now, or interpreter."""

    best: list[Translation]
    how: str

    def view(self) -> dict:
        """For the page; an infinite score, of a pair that shares no context, becomes none."""
        scores = [None if np.isinf(each.score) else round(each.score, 3) for each in self.best]
        best = [{"text": each.text, "score": score} for each, score in zip(self.best, scores, strict=True)]
        return {"best": best, "how": self.how}


class Translator:
    """Translates by any criterion of a run's dictionary. A message is a `Neuralese` of one message."""

    def __init__(self, run: Run) -> None:
        self.run, self.dictionary = run, run.files["dictionary.parquet"]
        about = read_about(self.dictionary)
        self.criteria: dict[str, dict[str, dict]] = about["criteria"]
        self.names = [name for name in self.criteria["R->H"] if name in self.criteria["H->R"]]
        self._contexts = run.contexts(about.get("contexts"))

    def check(self, criterion: str | None) -> str:
        """A criterion of the dictionary, by default ours; any other is refused."""
        criterion = criterion or with_role(self.criteria["R->H"], "ours") or self.names[0]
        if criterion not in self.names:
            known = ", ".join(self.names)
            raise RefusedError(f"{self.dictionary} has no translation by '{criterion}'; choose from {known}.")
        return criterion

    @cached_property
    def _entries(self) -> pd.DataFrame:
        table = read_table(self.dictionary, "dictionary").to_pandas()
        return table.set_index(["direction", "criterion", "source_id"]).sort_index()

    @cached_property
    def _vocabulary(self) -> dict[int, int]:
        """The position of each message that phrases may be translated into, by its id."""
        return {number: row for row, number in enumerate(self.run.said["train"].ids.tolist())}

    @cached_property
    def _utterances(self) -> dict[tuple[int, ...], int]:
        return {tuple(sorted(parts)): number for number, parts in enumerate(self.run.parts)}

    def message(self, split: str, row: int) -> Neuralese:
        """A message that the robot said in a split."""
        said = self.run.neuralese(split)
        return replace(said, messages=said.messages[row : row + 1], ids=said.ids[row : row + 1])

    def _looked_up(self, direction: str, criterion: str, source: int | None) -> list[Translation]:
        if (direction, criterion, source) not in self._entries.index:
            return []
        rows = self._entries.loc[(direction, criterion, source)].sort_values("rank").head(N_BEST)
        return [Translation(row.target_id, row.target, row.score) for row in rows.itertuples()]

    def into_english(self, message: Neuralese, criterion: str) -> Answer:
        """A message as single phrases."""
        if best := self._looked_up("R->H", criterion, int(message.ids)):
            return Answer(best, "dictionary")
        phrases = self.run.english.spoken()
        scores = make_criterion(self.criteria["R->H"][criterion]).scores(message, phrases, self._contexts)
        return Answer(ranked(scores[0], phrases.ids.tolist(), phrases.texts()), "scored")

    def into_neuralese(self, parts: Sequence[int], criterion: str) -> tuple[Answer, Neuralese]:
        """Phrases that were said together as messages, and the best of these."""
        best, how = self._looked_up("H->R", criterion, self._utterances.get(tuple(sorted(set(parts))))), "dictionary"
        if not best:
            how, vocabulary = "scored", self.run.neuralese("train")
            said, asked = Composed(self.run.english, (tuple(parts),)), make_criterion(self.criteria["H->R"][criterion])
            scores = asked.scores(said, vocabulary, self._contexts, dtype=SINGLE)
            best = ranked(scores[0], vocabulary.ids.tolist(), vocabulary.texts())
        return Answer(best, how), self.message("train", self._vocabulary[best[0].id])


def ranked(scores: Tensor, ids: Sequence[int], texts: Sequence[str]) -> list[Translation]:
    """The lowest of `scores` (K,); equal ones keep their order."""
    order = torch.as_tensor(scores).sort(stable=True).indices[:N_BEST].tolist()
    return [Translation(ids[place], texts[place], float(scores[place])) for place in order]
