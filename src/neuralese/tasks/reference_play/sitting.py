"""The games that one person plays, one after another; each is saved when it ends."""

import logging
import threading
from pathlib import Path
from typing import ClassVar

from neuralese.errors import NeuraleseError, StorageError
from neuralese.play.options import PlayOptions
from neuralese.play.server import RefusedError
from neuralese.tasks.reference_play.deck import Deck
from neuralese.tasks.reference_play.game import ROUNDS, NamingGame, Translator
from neuralese.tasks.reference_play.logs import save_game
from neuralese.tasks.reference_play.relay import relay
from neuralese.tasks.reference_play.robot import Robot
from neuralese.tasks.reference_play.words import hear

log = logging.getLogger(__name__)


class Sitting:
    """See `play.server.Sitting`."""

    package = "neuralese.tasks.reference_play"
    asked: ClassVar = {
        "describe": {"round": int, "words": str},
        "pick": {"round": int, "place": int},
        "next": {"round": int},
        "choose": {"criterion": str, "interpreter": bool},
        "hear": {"words": str},
        "watch": {},
        "new": {},
    }

    def __init__(self, robot: Robot, options: PlayOptions) -> None:
        self.robot, self.options = robot, options
        self.logs = options.logs / options.task
        self.saved: list[Path] = []  # logs of finished games
        self._lock = threading.Lock()
        self._deck = Deck(robot, options.generator)
        self._watched = {"count": 0, "right": 0, "unaided": 0}
        self._translator = self._translated_by(options.criterion or robot.criterion, False)
        self._begin()

    @property
    def pictures(self) -> dict[str, bytes]:
        """See `play.server.Sitting`."""
        return self._deck.pictures

    def _translated_by(self, criterion: str, interpreter: bool) -> Translator:
        if criterion not in self.robot.names:
            known = ", ".join(self.robot.names)
            raise NeuraleseError(f"{self.robot.dictionary} has no translation by '{criterion}'; choose from {known}.")
        return Translator(self.robot, criterion, interpreter)

    def _begin(self) -> None:
        self._note = ""
        self._game = NamingGame(self.robot, self._deck, self.options.generator, self.options.steps or ROUNDS)
        self._game.deal(self._translator)

    def _view(self) -> dict:
        chosen = {"criterion": self._translator.criterion, "interpreter": self._translator.interpreter}
        return self._game.view() | chosen | {"note": self._note}

    def state(self) -> dict:
        """The game as the person may see it, and its constants."""
        run = self.robot.run
        known = {
            "title": run.task.title,
            "seed": run.seed,
            "criteria": self.robot.names,
            "phrases": [phrase for phrase in run.phrases if phrase],
            "watched": dict(self._watched),
        }
        with self._lock:
            return self._view() | known

    def new(self) -> dict:
        """Abandon the game, if it is not over, for a new one."""
        with self._lock:
            self._begin()
            return self._view()

    def describe(self, round: int, words: str) -> dict:
        """Describe the true state; the robot picks."""
        with self._lock:
            self._game.describe(round, words, self._translator)
            return self._played()

    def pick(self, round: int, place: int) -> dict:
        """Pick what the robot is talking about."""
        with self._lock:
            self._game.pick(round, place)
            return self._played()

    def _played(self) -> dict:
        if self._game.over:
            self._save()
        return self._view()

    def next(self, round: int) -> dict:
        """Continue after round number `round`; if that has happened already, return the game as it is."""
        with self._lock:
            if round == len(self._game.rounds):
                self._game.deal(self._translator)
            return self._view()

    def choose(self, criterion: str, interpreter: bool) -> dict:
        """Let another translator translate from now on."""
        with self._lock:
            try:
                self._translator = self._translated_by(criterion, interpreter)
            except NeuraleseError as error:
                raise RefusedError(str(error)) from None
            self._game.translate(self._translator)
            return self._view()

    def hear(self, words: str) -> dict:
        """The phrases that would be heard for words, or why none would."""
        try:
            return hear(words, self.robot.run.phrases).view()
        except RefusedError as error:
            return {"refused": str(error)}

    def watch(self) -> dict:
        """Let a robot say something to another, through English."""
        with self._lock:
            seen = relay(self.robot, self._deck, self._translator, self.options.generator)
            self._watched["count"] += 1
            self._watched["right"] += seen["right"]
            self._watched["unaided"] += seen["unaided"] == seen["target"]
            return seen | {"watched": dict(self._watched)}

    def _save(self) -> None:
        try:
            self.saved.append(save_game(self.logs, self._game, self.options.task))
            self._note = f"Saved as {self.saved[-1]}."
        except (OSError, StorageError) as error:
            why = getattr(error.__cause__ or error, "strerror", None) or error
            self._note = f"This game could not be saved ({why}); is there room in {self.logs}?"
            log.warning("%s", self._note)
