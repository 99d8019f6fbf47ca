"""What all games with a person share: options, how typed words are heard, the requests of a page, and logs.

A task names its game, a `Session`, by `Task.play`; `open_session` opens it on the files of a finished run.
"""

import json
import logging
import re
import secrets
import string
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from http import HTTPStatus
from importlib import import_module
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from torch import Generator

from neuralese import tasks
from neuralese.errors import NeuraleseError, StorageError
from neuralese.stages.run import Run
from neuralese.storage.files import write_text
from neuralese.translate.dictionary import Lookup

log = logging.getLogger(__name__)

MAX_CHARACTERS = 80
SIMILAR = 0.8  # similarity (by `difflib`) from which one word is taken for another
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


class RefusedError(NeuraleseError):
    """The person asked for something impossible: one sentence for them."""

    status = HTTPStatus.BAD_REQUEST


class TooLateError(RefusedError):
    """The person asked too late: one sentence for them."""

    status = HTTPStatus.CONFLICT


@dataclass(frozen=True)
class PlayOptions:
    """Options of `neuralese play`."""

    task: str
    results: Path
    logs: Path  # the folder in which finished games are saved
    generator: Generator
    seed: int = 0
    criterion: str | None = None  # used to translate; by default, ours
    steps: int | None = None  # maximum length of a game; by default, the game's choice


@dataclass(frozen=True)
class Heard:
    """Typed words and the phrases of the inventory that they are heard as."""

    typed: str
    parts: tuple[int, ...]  # ids of the phrases, each once, in the order of the words
    phrases: tuple[str, ...]
    exact: bool  # the words are a phrase
    corrected: dict[str, str]  # words that were taken for others
    left_out: tuple[str, ...]  # words in none of the phrases

    def view(self) -> dict:
        """For the page."""
        return {name: getattr(self, name) for name in ("phrases", "exact", "corrected", "left_out")}


def hear(typed: str, inventory: Sequence[str], max_words: int, single: bool = False) -> Heard:
    """The phrases of the `inventory` that are heard for typed words: all they contain, or a `single` one.

    A word in no phrase is taken for the known word with the most similar spelling, if any is similar. Words that
    contain no phrase are heard as the nearest one, which shares the largest part of words, and of pairs of neighbouring
    words, with them; ties go to the more frequent phrase. A `single` phrase is the typed one or else the nearest, and
    nothing typed is heard as silence.
    """
    if len(typed) > MAX_CHARACTERS:
        raise RefusedError(f"That is {len(typed)} characters; please keep to {MAX_CHARACTERS}.")
    said = _words(typed)
    if len(said) > max_words:
        raise RefusedError(f"That is {len(said)} words; please use {max_words} or fewer.")
    phrases = {_words(phrase): number for number, phrase in enumerate(inventory)}
    if not single:
        phrases.pop((), None)  # silence
    if not said and () not in phrases:
        raise RefusedError("Please say something first.")
    known = sorted({word for phrase in phrases for word in phrase})
    close = {word: get_close_matches(word, known, n=1, cutoff=SIMILAR) for word in said if word not in known}
    corrected = {word: found[0] for word, found in close.items() if found}
    meant = tuple(corrected.get(word, word) for word in said)
    spans = [meant[start:end] for start in range(len(meant)) for end in range(start + 1, len(meant) + 1)]
    contained = [said] if single else spans
    parts = list(dict.fromkeys(phrases[span] for span in contained if span in phrases))
    if not parts:
        understood = [word for word in meant if word in known]
        if not understood:
            raise RefusedError(f"The dictionary has no word like “{typed.strip()}”; please use other words.")
        parts = [phrases[max(phrases, key=lambda phrase: _likeness(phrase, understood))]]
    covered = {word for phrase, number in phrases.items() if number in parts for word in phrase}
    return Heard(
        typed,
        tuple(parts),
        tuple(inventory[each] for each in parts),
        said in phrases,
        {word: instead for word, instead in corrected.items() if instead in covered},
        tuple(word for word in said if corrected.get(word, word) not in covered),
    )


def _words(text: str) -> tuple[str, ...]:
    """The words of a text, without apostrophes: "I'll wait!" has ill and wait."""
    return tuple(re.sub("['\u2019]", "", word.casefold()) for word in WORD.findall(text))


def _likeness(phrase: Sequence[str], words: Sequence[str]) -> float:
    """The share of words, and of pairs of neighbouring words, that two texts have in common."""
    one, other = ({*each, *pairwise(each)} for each in (words, phrase))
    return len(one & other) / len(one | other)


class Session(ABC):
    """The games that one person plays, one after another; each is saved when it ends.

    The page calls the methods in `requests`, which return JSON.
    """

    assets: Traversable  # the folder with the files of its page: page.html, and what only this page refers to
    requests: ClassVar[Mapping[str, Mapping[str, type]]]  # methods that the page may call, with the fields of each
    phrases: list[str]  # the inventory
    max_words = 12  # that a person may say at once
    single = False  # whether they are heard as a single phrase

    def __init__(self, options: PlayOptions) -> None:
        self.options, self.generator = options, options.generator
        self.logs = options.logs  # the folder in which finished games are saved
        self.saved: list[Path] = []
        self.note = ""  # what became of the game's log
        self.pictures: dict[str, bytes] = {}  # PNG files beside the page, by name
        self._lock = threading.Lock()

    def answer(self, request: str, fields: Mapping[str, Any]) -> dict:
        """Call a method for the page, from any thread."""
        with self._lock:
            return getattr(self, request)(**fields)

    @abstractmethod
    def begin(self) -> None:
        """Begin a new game."""

    @abstractmethod
    def view(self) -> dict:
        """The game as the person may see it."""

    def state(self) -> dict:
        """The game as a page needs it when it is opened: by default the same as later."""
        return self.view()

    def new(self) -> dict:
        """Abandon the game, if it is not over, for a new one."""
        self.note = ""
        self.begin()
        return self.view()

    def heard(self, words: str) -> Heard:
        """What typed words are heard as; words that cannot be heard are refused."""
        return hear(words, self.phrases, self.max_words, self.single)

    def hear(self, words: str) -> dict:
        """What words would be heard as, or why they would be refused."""
        try:
            return self.heard(words).view()
        except RefusedError as error:
            return {"refused": str(error)}

    def save(self, game: Any) -> None:
        """Save the log of a game as a JSON file of its own, and note where."""
        letters = "".join(secrets.choice(string.ascii_lowercase) for _ in range(8))
        path = self.logs / f"{datetime.now(UTC):%Y-%m-%d_%H-%M-%S}_{letters}.json"
        try:
            write_text(path, json.dumps(game))
        except (OSError, StorageError) as error:
            reason = getattr(error.__cause__ or error, "strerror", None) or error
            self.note = f"This game could not be saved ({reason}); is there room in {self.logs}?"
            log.warning("%s", self.note)
        else:
            self.saved.append(path)
            self.note = f"Saved as {path}."


def open_session(options: PlayOptions) -> Session:
    """The game of a task, with the robot trained with a seed."""
    module, _, name = tasks.get(options.task).play.partition(":")
    return getattr(import_module(module), name)(options)


def open_run(options: PlayOptions, **rules: Any) -> Run:
    """The run to play with, which must have a dictionary."""
    run = Run.open(options.results, options.task, options.seed, **rules)
    if "dictionary.parquet" not in run.files:
        made = options.results / options.task / f"seed{run.seed}/dictionary.parquet"
        raise NeuraleseError(f"{made} does not exist; make it with: neuralese run {made}")
    return run


def criterion_of(lookup: Lookup, criterion: str | None) -> str:
    """A criterion of the dictionary that translates in both directions, by default ours; any other is refused."""
    criterion = criterion or lookup.default
    known = [name for name in lookup.criteria["R->H"] if name in lookup.criteria.get("H->R", {})]
    if criterion not in known:
        raise NeuraleseError(f"{lookup.path} has no translation by '{criterion}'; choose from {', '.join(known)}.")
    return criterion
