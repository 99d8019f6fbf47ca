"""Dictionaries: for each message of one language, the best messages of the other under a criterion; and their use."""

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import torch
from pydantic import TypeAdapter, ValidationError
from torch import Tensor

from neuralese.agents.messages import Messages
from neuralese.errors import NeuraleseError
from neuralese.storage.tables import matrix, read_about, read_table
from neuralese.translate.criteria import Criterion, make_criterion
from neuralese.translate.families import with_role
from neuralese.translate.hearing import Heard, hear
from neuralese.translate.languages import SILENCE, Composed, English, Language, Neuralese
from neuralese.translate.pairs import SINGLE

if TYPE_CHECKING:
    from neuralese.stages.run import Run

FEW = 5  # default number of translations

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
            "score": values.ravel().clip(max=np.finfo(np.float32).max),  # finite even for pairs that share no context
        }
    )


def best_targets(
    criteria: Mapping[str, Criterion], source: Language, target: Language, candidates: Tensor
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
    pairs: dict[str, tuple[Sequence[Language], Language]]
    pairs, parts = {"R->H": (spoken, english.spoken()), "H->R": ([utterances], vocabulary)}, []
    for direction, (sources, target) in pairs.items():
        for name, settings in criteria[direction].items():
            for source in sources:
                scores = make_criterion(settings).scores(source, target, candidates, dtype=SINGLE)
                parts.append(entries(direction, name, source, target, scores, n_best))
            log.info("%s: %s", name, direction)
    return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True)
class Translation:
    """One of the best translations of something."""

    rank: int
    id: int  # of a message or a phrase; -1 for a description
    text: str
    score: float  # lower is better
    parts: tuple[int, ...] = ()  # the phrases of a description
    sure: float | None = None  # how often a listener guesses right from descriptions like it

    @property
    def phrases(self) -> tuple[int, ...]:
        """The phrases that it is, by id."""
        return (self.id,) if self.id >= 0 else self.parts


@dataclass(frozen=True)
class Answer:
    """The best translations of one message, or of phrases said together."""

    source: str
    how: str  # "dictionary", or "scored" just now; "described"
    best: list[Translation]


class Lookup:
    """Translations of one run: looked up in its dictionary, or else scored by its criteria in its contexts.

        lookup = Lookup(Run.open("results", "colors"))
        lookup.phrases(lookup.heard("light blue").parts).best[0].text
        lookup.message(17, "direct")

    Without the name of a criterion, that whose role is ours translates.
    """

    def __init__(self, run: "Run") -> None:
        self.run, self.path = run, run.files["dictionary.parquet"]

    @cached_property
    def criteria(self) -> dict[str, dict[str, dict]]:
        """The settings of the dictionary's criteria, by direction and name."""
        try:
            criteria = TypeAdapter(dict[str, dict[str, dict]]).validate_python(self._about.get("criteria"))
            return {"R->H": criteria["R->H"], **criteria}
        except (ValidationError, KeyError):
            raise NeuraleseError(
                f"{self.path} does not name its criteria; delete it and remake it with: neuralese run {self.path}"
            ) from None

    @cached_property
    def default(self) -> str:
        """The criterion whose role is ours, or else the first."""
        return with_role(self.criteria["R->H"], "ours") or next(iter(self.criteria["R->H"]))

    def message(self, number: int, criterion: str | None = None, n: int | None = None) -> Answer:
        """Translate a message of `messages.parquet`; without `n`, return all in the dictionary."""
        found = self._found("R->H", criterion, number)
        if len(found) >= (n or 1):
            return Answer(f"message {number}", "dictionary", found[:n])
        (answer,) = self.messages(self._said(number), criterion, n)
        return dataclasses.replace(answer, source=f"message {number}")

    def described(self, number: int) -> Answer:
        """The description of a message of `messages.parquet`."""
        if number not in self._descriptions.index:
            return dataclasses.replace(self.descriptions(self._said(number))[0], source=f"message {number}")
        return Answer(f"message {number}", "described", [self._description(self._descriptions.loc[number])])

    def descriptions(self, messages: Messages) -> list[Answer]:
        """Describe any messages."""
        from neuralese.translate.descriptions import Describer

        rows, many = Describer.of(self.run).table(messages).itertuples(), len(messages)
        return [
            Answer(f"message {k} of {many}", "described", [self._description(row)]) for k, row in enumerate(rows, 1)
        ]

    def messages(self, messages: Messages, criterion: str | None = None, n: int | None = None) -> list[Answer]:
        """Translate any messages: vectors (K, message), or K sequences of symbols."""
        target, ids = self.run.english.spoken(), torch.arange(len(messages))
        language = dataclasses.replace(self.run.neuralese("train"), messages=messages, ids=ids)
        scores, many = self.scores("R->H", criterion, language, target), len(messages)
        return [Answer(f"message {k + 1} of {many}", "scored", _best(scores[k], target, n)) for k in range(many)]

    def phrases(self, parts: Sequence[int], criterion: str | None = None, n: int | None = None) -> Answer:
        """Translate phrases said together, by their ids; without `n`, return all in the dictionary."""
        source = " + ".join(self.run.phrases[part] or SILENCE for part in parts)
        number = parts[0] if len(parts) == 1 else self._utterances.get(tuple(sorted(set(parts))))
        found = [] if number is None else self._found("H->R", criterion, number)
        if len(found) >= (n or 1):
            return Answer(source, "dictionary", found[:n])
        vocabulary, told = self.run.neuralese("train"), Composed(self.run.english, (tuple(parts),))
        return Answer(source, "scored", _best(self.scores("H->R", criterion, told, vocabulary)[0], vocabulary, n))

    def scores(self, direction: str, criterion: str | None, source: Language, target: Language) -> Tensor:
        """The score of every pair, (K, K'), by a criterion of the dictionary, in its contexts."""
        made = make_criterion(self._settings(direction, criterion))
        if not made.by_meaning:
            raise NeuraleseError(
                f"the {made.kind} criterion scores only what is in the dictionary; choose another one."
            )
        return made.scores(source, target, self._candidates, dtype=SINGLE)

    def heard(self, text: str) -> Heard:
        """What any English `text` is heard as: the fewest phrases that cover all its words, or else all it contains."""
        words = text.replace(",", " ").lower().split()
        best: list[list[int] | None] = [[]] + [None] * len(words)  # the fewest phrases that cover each prefix
        known = {phrase or SILENCE: number for number, phrase in enumerate(self.run.phrases)}
        for end in range(1, len(words) + 1):
            for start in range(end):
                number = known.get(" ".join(words[start:end]))
                before, now = best[start], best[end]
                if number is not None and before is not None and (now is None or len(before) + 1 < len(now)):
                    best[end] = [*before, number]
        if not best[-1]:
            return hear(text, self.run.phrases)
        parts = tuple(dict.fromkeys(best[-1]))
        return Heard(text, parts, tuple(self.run.phrases[part] for part in parts), len(parts) == 1, {}, ())

    def vectors(self, answer: Answer) -> np.ndarray | None:
        """The messages (n, message) into which phrases were translated; none if the agent speaks in symbols."""
        table = read_table(self.run.files["messages.parquet"], "messages")
        if not pa.types.is_fixed_size_list(table["message"].type):
            return None
        place = {number: row for row, number in enumerate(table["message_id"].to_pylist())}
        return matrix(table["message"])[[place[each.id] for each in answer.best]]

    def _description(self, row: Any) -> Translation:
        """A row of `descriptions.parquet`."""
        from neuralese.translate.descriptions import worded

        parts = tuple(int(part) for part in row.parts)
        return Translation(1, -1, worded(row.text, self.run), float(row.score), parts, float(row.sure))

    @cached_property
    def _descriptions(self) -> pd.DataFrame:
        return self.run.table("descriptions.parquet").set_index("message_id")

    @cached_property
    def _about(self) -> dict[str, Any]:
        return read_about(self.path)

    @cached_property
    def _entries(self) -> pa.Table:
        return read_table(self.path, "dictionary")

    @cached_property
    def _candidates(self) -> Tensor:
        return self.run.contexts(self._about.get("contexts"))

    @cached_property
    def _utterances(self) -> dict[tuple[int, ...], int]:
        return {tuple(sorted(parts)): number for number, parts in enumerate(self.run.parts)}

    def _said(self, number: int) -> Messages:
        """A message of `messages.parquet`."""
        for said in self.run.said.values():
            if (said.ids == number).any():
                return said.messages[said.ids == number]
        ids = torch.cat([said.ids for said in self.run.said.values()])
        raise NeuraleseError(f"there is no message {number}; choose one from {int(ids.min())} to {int(ids.max())}.")

    def _settings(self, direction: str, criterion: str | None) -> dict[str, Any]:
        known, name = self.criteria.get(direction, {}), criterion or self.default
        if name not in known:
            raise NeuraleseError(f"{self.path} has no criterion '{name}'; it has {', '.join(known)}.")
        return known[name]

    def _found(self, direction: str, criterion: str | None, source: int) -> list[Translation]:
        """What the dictionary holds, best first."""
        self._settings(direction, criterion)  # which must exist
        name, field = criterion or self.default, pc.field
        wanted = (field("direction") == direction) & (field("criterion") == name) & (field("source_id") == source)
        rows = self._entries.filter(wanted).sort_by("rank").to_pylist()
        return [Translation(row["rank"], row["target_id"], row["target"], row["score"]) for row in rows]


def _best(scores: Tensor, target: Language, n: int | None) -> list[Translation]:
    best, values = n_best(scores[None], n or FEW)
    ids, texts = target.ids.tolist(), target.texts()
    found = zip(best[0].tolist(), values[0].tolist(), strict=True)
    return [Translation(rank, ids[place], texts[place], score) for rank, (place, score) in enumerate(found, 1)]
