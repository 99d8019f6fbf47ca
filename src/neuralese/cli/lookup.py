"""Translations of one run: looked up in its dictionary, or scored by the dictionary's own criteria and contexts.

Nothing here imports torch or pandas: an answer takes less time than importing either.
"""

import difflib
import os
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from neuralese.cli.results import Results
from neuralese.errors import NeuraleseError
from neuralese.storage.files import atomic
from neuralese.storage.tables import matrix, numbers, read_about, read_table
from neuralese.translate.criteria import make_criterion
from neuralese.translate.families import with_role
from neuralese.translate.meanings import MeaningsTable, read_meanings
from neuralese.translate.pairs import SINGLE
from neuralese.translate.reading import Language

SILENCE = "(silence)"  # as written in dictionaries
FEW = 5  # default number of translations
ALIKE = 0.75  # similarity from which a word may be a misspelling: bleu and blue are, coming and going are not
CHUNK = 400  # messages of the vocabulary scored at a time: intermediate results then fit into the cache
COLUMNS = ["direction", "criterion", "source_id", "rank", "target_id", "target", "score"]


@dataclass(frozen=True)
class Translation:
    """One of the best translations of something."""

    rank: int
    id: int
    text: str
    score: float


@dataclass(frozen=True)
class Answer:
    """The best translations of one message or phrase."""

    source: str
    how: str  # "dictionary", or "scored" just now
    best: list[Translation]


# answers must be quick, and the values were checked when the workflow wrote them
quick_table = partial(read_table, check_every_value=False)


class Lookup:
    """Translates with the tables of one task and seed; `synthesis` uses new messages and combined phrases."""

    def __init__(self, results: Results, task: str, seed: int, criterion: str | None, synthesis: bool = False) -> None:
        """Without a `criterion`, use the one whose role is ours."""
        self.run = results.run(task, seed)
        self.synthesis = synthesis
        inventory = quick_table(results / f"{task}/inventory.parquet", "inventory", ["phrase"])
        self.phrases = [phrase or SILENCE for phrase in inventory["phrase"].to_pylist()]
        self.dictionary = self.run / ("synthesis.parquet" if synthesis else "dictionary.parquet")
        self.utterances = results / f"{task}/utterances.parquet"
        self.criterion = "synthesis" if synthesis else criterion or our_criterion(self.dictionary)

    def phrase(self, text: str, n: int | None) -> Answer:
        """Translate a phrase of the inventory, or several said together; without `n`, return all in the dictionary."""
        parts = self.parts(text)
        number = self._utterance(parts)
        found = [] if number is None else self._looked_up("H->R", number)
        source = " + ".join(self.phrases[part] for part in parts)
        if found and (self.synthesis or len(found) >= (n or 1)):
            return Answer(source, "dictionary", found[:n])
        if self.synthesis:
            raise NeuraleseError(
                "new messages exist only for single phrases and for frequent human utterances; leave out --new."
            )
        return Answer(source, "scored", self._score_phrases(parts, n))

    def _utterance(self, parts: list[int]) -> int | None:
        """The id of the utterance that consists of these phrases, if anybody said it."""
        if len(parts) == 1:
            return parts[0]
        table = quick_table(self.utterances, "utterances", ["utterance_id", "parts"])
        said = {tuple(each): number for number, each in enumerate(table["parts"].to_pylist())}
        return said.get(tuple(sorted(set(parts))))

    def message(self, number: int, n: int | None) -> Answer:
        """Translate a message of `messages.parquet`."""
        found = self._looked_up("R->H", number)
        if found and len(found) >= (n or 1):
            return Answer(f"message {number}", "dictionary", found[:n])
        asked = self._place(number) if self._spells else self.vectors([number])
        assert asked is not None  # which vectors of symbols are
        return Answer(f"message {number}", "scored", self._score_messages(asked, n)[0])

    def messages(self, messages: np.ndarray, n: int | None) -> list[Answer]:
        """Translate any messages (K, message)."""
        if self._spells:
            raise NeuraleseError("this agent speaks in symbols, not in vectors; name a message by --message-id.")
        scored = self._score_messages(messages, n)
        return [Answer(f"message {place} of {len(scored)}", "scored", best) for place, best in enumerate(scored, 1)]

    def parts(self, text: str) -> list[int]:
        """The phrases of the inventory, by id, that make up `text`: one, or the fewest that cover all its words."""
        words = text.replace(",", " ").lower().split()
        best: list[list[int] | None] = [[]] + [None] * len(words)  # the fewest phrases that cover each prefix
        known = {phrase: number for number, phrase in enumerate(self.phrases)}
        for end in range(1, len(words) + 1):
            for start in range(end):
                number = known.get(" ".join(words[start:end]))
                before, now = best[start], best[end]
                if number is not None and before is not None:
                    longer = [*before, number]
                    best[end] = longer if now is None or len(longer) < len(now) else now
        if not best[-1]:
            raise NeuraleseError(self._unknown(text, words))
        return list(dict.fromkeys(best[-1]))

    def _unknown(self, text: str, words: list[str]) -> str:
        """The likely meaning, or else phrases that share a word with it, or else some phrases that exist."""
        known = list(dict.fromkeys(word for phrase in self.phrases for word in phrase.split()))
        meant = [difflib.get_close_matches(word, known, 3, ALIKE) for word in words if word not in self.phrases]
        near = {each for close in meant for each in close} if all(meant) else set()
        close = sorted((each for each in self.phrases if near & set(each.split())), key=lambda each: each not in near)
        shared = [phrase for phrase in self.phrases if set(words) & set(phrase.split())]
        some = ", ".join((close or shared or self.phrases)[:6])
        hint = f"did you mean {some}?" if close else f"its words occur in {some}." if shared else f"it has {some}, …"
        return f"'{text}' does not consist of phrases of the inventory; {hint}"

    def _looked_up(self, direction: str, source: int) -> list[Translation]:
        """What the dictionary holds."""
        table = quick_table(self.dictionary, "dictionary", COLUMNS)
        chosen = numbers(table["source_id"]) == source
        for column, value in (("criterion", self.criterion), ("direction", direction)):
            codes = table[column].combine_chunks().dictionary_encode()
            names = codes.dictionary.to_pylist()
            if value not in names:
                raise NeuraleseError(f"{self.dictionary} has no {column} '{value}'; it has {', '.join(names)}.")
            chosen &= numbers(codes.indices) == names.index(value)
        rows = [table.slice(row, 1).to_pylist()[0] for row in np.flatnonzero(chosen).tolist()]
        return [Translation(row["rank"], row["target_id"], row["target"], row["score"]) for row in rows]

    @cached_property
    def _about(self) -> dict:
        about = known_about(self.dictionary)
        if "criteria" not in about:
            raise NeuraleseError(
                f"{self.dictionary} was made by an older version and does not name its criteria; "
                f"delete it and remake it with: neuralese run {self.dictionary}"
            )
        return about

    @cached_property
    def _meanings(self) -> MeaningsTable:
        return read_meanings(self.run / "meanings.parquet").first(self._about.get("contexts"))

    def _scores(self, direction: str, source: Language, target: Language) -> np.ndarray:
        """How well each target translates each source, (K, K'), by the criterion of that direction."""
        criteria = self._about["criteria"].get(direction, {})
        if self.criterion not in criteria:
            known = ", ".join(criteria)
            raise NeuraleseError(f"{self.dictionary} has no criterion '{self.criterion}'; it has {known}.")
        criterion = make_criterion(criteria[self.criterion])
        if not criterion.by_meaning:
            raise NeuraleseError(
                f"the {criterion.kind} criterion scores only what is in the dictionary; "
                "choose another one with --criterion."
            )
        return criterion.scores(source, target, self._meanings.candidates, dtype=SINGLE)

    def _score_messages(self, messages: np.ndarray, n: int | None) -> list[list[Translation]]:
        """The `n` best phrases, or combinations of phrases, for each of `messages` (K, message)."""
        expected = self._meanings.message.shape[1]
        if not self._spells and messages.shape[1] != expected:
            raise NeuraleseError(f"this agent's messages have {expected} numbers; the file's have {messages.shape[1]}.")
        if self.synthesis:
            table = quick_table(self.run / "bags.parquet", "bags")
            ids, texts, bags = (table[name].to_pylist() for name in ("bag_id", "text", "parts"))
        else:
            ids = [number for number, phrase in enumerate(self.phrases) if phrase != SILENCE]
            texts, bags = [self.phrases[number] for number in ids], [[number] for number in ids]
        scores = self._scores("R->H", self._meanings.messages(messages), self._meanings.phrases(bags))
        return [_best(row, ids, texts, n) for row in scores]

    def _score_phrases(self, parts: list[int], n: int | None) -> list[Translation]:
        """The `n` best messages of the vocabulary for phrases said together."""
        ids, messages, texts = self._vocabulary
        source = self._meanings.phrases([parts])
        chunks = (messages[start : start + CHUNK] for start in range(0, len(messages), CHUNK))
        row = np.concatenate([self._scores("H->R", source, self._meanings.messages(chunk))[0] for chunk in chunks])
        return _best(row, ids, texts, n)

    @property
    def _vocabulary(self) -> tuple[list[int], np.ndarray, list[str]]:
        """The messages into which phrases are translated: ids, vectors (or places, for symbols), and texts."""
        table = self._messages("messages")
        row = np.flatnonzero(np.array(table["split"].to_pylist()) == "train")
        ids = numbers(table["message_id"])[row].tolist()
        if self._spells:
            said, names = table["message"].to_pylist(), self._spelling.get("names")
            called = str if names is None else names.__getitem__
            return ids, np.arange(len(row)), [" ".join(map(called, said[each])) for each in row]
        return ids, matrix(table["message"])[row], [f"message {number}" for number in ids]

    @cached_property
    def _spells(self) -> bool:
        """Whether the agent speaks in symbols."""
        return self._spelling.get("kind") == "symbols"

    @cached_property
    def _spelling(self) -> dict:
        """Whether messages are symbols, and what these are called."""
        return known_about(self.run / "messages.parquet")

    def _place(self, number: int) -> np.ndarray:
        """Where a message is in the vocabulary of an agent that speaks in symbols."""
        ids, _, _ = self._vocabulary
        if number not in ids:
            raise NeuraleseError(f"message {number} is not in the dictionary, nor in the vocabulary.")
        return np.array([ids.index(number)])

    def _messages(self, name: str) -> pa.Table:
        return quick_table(self.run / f"{name}.parquet", "messages", ["message_id", "split", "message"])

    def vectors(self, chosen: list[int], new: bool = False) -> np.ndarray | None:
        """The messages (n, message) with these ids, or the new messages for the phrases with these ids.

        None for an agent that speaks in symbols, whose messages are their own texts.
        """
        if not new and self._spells:
            return None
        table = self._messages("new_messages" if new else "messages")
        ids, rows = numbers(table["message_id"]), []
        for number in chosen:
            row = np.flatnonzero(ids == number)
            if not len(row):
                raise NeuraleseError(f"there is no message {number}; choose one from {ids.min()} to {ids.max()}.")
            rows.append(row[0])
        return matrix(table["message"])[rows]


def known_about(path: Path) -> dict:
    """The metadata of a table, in which criteria are settings by name, for each direction."""
    try:
        about = read_about(path)
        for criteria in about.get("criteria", {}).values():
            for settings in criteria.values():
                settings.get("role")
    except (ValueError, AttributeError, RecursionError):
        raise NeuraleseError(
            f"the metadata of {path} is damaged; delete it and remake it with: neuralese run {path}"
        ) from None
    return about


def our_criterion(dictionary: Path) -> str:
    """The criterion of a dictionary whose role is ours, or else its first."""
    criteria = known_about(dictionary).get("criteria", {}).get("R->H", {})
    return with_role(criteria, "ours") or next(iter(criteria), "")


def _best(row: np.ndarray, ids: list[int], texts: list[str], n: int | None) -> list[Translation]:
    """The `n` lowest scores; equal ones keep their order."""
    order = np.argsort(row, kind="stable")[: n or FEW].tolist()
    return [Translation(rank, ids[place], texts[place], float(row[place])) for rank, place in enumerate(order, 1)]


def load_messages(path: Path) -> np.ndarray:
    """Messages (K, message) from a NumPy file, which may hold a single one."""
    try:
        messages = np.atleast_2d(np.load(path, allow_pickle=False)).astype(np.float32)
    except FileNotFoundError:
        raise NeuraleseError(
            f"{path} does not exist; --message takes a file written by numpy.save, with one message or one per row."
        ) from None
    except (ValueError, OSError, EOFError, TypeError, AttributeError):
        raise NeuraleseError(
            f"{path} is not an array of numbers; --message takes a file written by numpy.save, with one message or "
            "one per row."
        ) from None
    if messages.ndim != 2 or not len(messages) or not np.isfinite(messages).all():
        raise NeuraleseError(f"{path} holds an array {messages.shape}, but finite numbers (n, message) are needed.")
    return messages


def save_messages(path: Path, messages: np.ndarray) -> None:
    """Write messages (K, message) as `load_messages` reads them; a device, pipe or folder is never replaced."""
    if path.suffix != ".npy":
        raise NeuraleseError(f"--save writes a NumPy array, so its file must end in .npy, unlike '{path.name}'.")
    if not path.parent.is_dir():
        raise NeuraleseError(f"the folder {path.parent} does not exist; create it, or choose another one for --save.")
    if os.path.lexists(path) and not path.is_file():
        raise NeuraleseError(f"{path} is not a regular file and is not replaced; choose another name for --save.")
    with atomic(path) as temporary, temporary.open("wb") as file:
        np.save(file, messages)
