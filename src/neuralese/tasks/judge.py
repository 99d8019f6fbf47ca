"""A run with those who guess: the robot, or its stand-in, and the model human."""

from functools import cached_property
from typing import Any

from neuralese.agents.cell import load_cell
from neuralese.evaluate.listeners import Listeners
from neuralese.speakers.models import HumanListener, load_model
from neuralese.speakers.robots import load_robot
from neuralese.tasks.talk import TalkRun


class JudgeRun(TalkRun):
    """See `TalkRun`."""

    @cached_property
    def cell(self) -> Any:
        """The agent, a `Cell`; none if there are only its recordings, and so no game."""
        path = self.files.get("agent.safetensors")
        return None if path is None else load_cell(path, self.states)

    @cached_property
    def listener(self) -> HumanListener:
        """The model human."""
        return load_model(self.files["human_listener.safetensors"], HumanListener, self.states)

    def listeners(self, split: str) -> Listeners:
        """Those who guess in one split."""
        path = self.files.get(f"judge_{split}.safetensors")
        judge = None if path is None else load_robot(path, self.states)
        return Listeners.of(self.games[split], self.cell, self.robot, self.listener, judge)
