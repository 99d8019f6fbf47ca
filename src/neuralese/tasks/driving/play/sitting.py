"""The games that one person plays, one after another; each is saved when it ends."""

import logging
import threading
from pathlib import Path
from typing import ClassVar

import torch

from neuralese.errors import StorageError
from neuralese.play.server import RefusedError, TooLateError
from neuralese.tasks.driving.play.game import FogGame
from neuralese.tasks.driving.play.logs import save_game
from neuralese.tasks.driving.play.phrases import hear
from neuralese.tasks.driving.play.relay import watch_game
from neuralese.tasks.driving.play.robot import Robot

log = logging.getLogger(__name__)


class Sitting:
    """See `play.server.Sitting`."""

    package = "neuralese.tasks.driving.play"
    pictures: ClassVar[dict[str, str]] = {}  # the page draws its own
    asked: ClassVar = {
        "act": {"turn": int, "action": int, "message": str},
        "hear": {"message": str},
        "watch": {},
        "new": {},
    }

    def __init__(self, robot: Robot, logs: Path, generator: torch.Generator) -> None:
        self.robot, self.logs, self.generator = robot, logs, generator
        self.saved: list[Path] = []  # logs of finished games
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._game, self._note = FogGame(self.robot, self.generator), ""

    def _view(self) -> dict:
        return self._game.view() | {"note": self._note}

    def state(self) -> dict:
        """The game as the person may see it."""
        with self._lock:
            return self._view()

    def new(self) -> dict:
        """Abandon the game, if it is not over, for a new one."""
        with self._lock:
            self._begin()
            return self._view()

    def act(self, turn: int, action: int, message: str) -> dict:
        """Play turn number `turn`; a turn already played (by an impatient second click) is refused."""
        with self._lock:
            if turn != len(self._game.turns) and not self._game.outcome:
                raise TooLateError("That turn has been played already.")
            self._game.act(action, message)
            if self._game.outcome:
                self._save()
            return self._view()

    def watch(self) -> dict:
        """Let two robots play a game, through English."""
        with self._lock:
            return watch_game(self.robot, self.generator)

    def _save(self) -> None:
        try:
            self.saved.append(save_game(self.logs, self._game))
            self._note = f"Saved as {self.saved[-1]}."
        except (OSError, StorageError) as error:
            why = getattr(error.__cause__ or error, "strerror", None) or error
            self._note = f"This game could not be saved ({why}); is there room in {self.logs}?"
            log.warning("%s", self._note)

    def hear(self, message: str) -> dict:
        """What the robot would hear for a typed message, or why it would not."""
        try:
            heard = hear(message, self.robot.phrases)
        except RefusedError as error:
            return {"refused": str(error)}
        return {"heard": heard.phrase, "exact": heard.exact}
