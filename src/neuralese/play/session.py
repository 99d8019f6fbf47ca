"""What all games with a person share: options, how typed words are heard, the requests of a page, and logs.

A task names its game, a `Session`, by `Task.play`; `open_session` opens it on the files of a finished run.
"""

import json
import logging
import secrets
import string
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from importlib import import_module
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, ClassVar

from torch import Generator

from neuralese import tasks
from neuralese.errors import NeuraleseError, StorageError
from neuralese.stages.run import Run
from neuralese.storage.files import write_text
from neuralese.translate.dictionary import Lookup
from neuralese.translate.hearing import Heard, hear, words_of

log = logging.getLogger(__name__)

MAX_CHARACTERS = 80


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
        if len(words) > MAX_CHARACTERS:
            raise RefusedError(f"That is {len(words)} characters; please keep to {MAX_CHARACTERS}.")
        if (count := len(words_of(words))) > self.max_words:
            raise RefusedError(f"That is {count} words; please use {self.max_words} or fewer.")
        try:
            return hear(words, self.phrases, self.single)
        except NeuraleseError as error:
            raise RefusedError(str(error)) from None

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
