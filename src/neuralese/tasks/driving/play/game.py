"""One driving game between a person and a robot who cannot see each other and talk through the translator.

Both act at once, and what one says is heard by the other a step later. The dictionary turns the person's phrase into a
message; the robot's message, as it comes out of the noisy channel, becomes English. A car that has arrived is gone:
as in the games that humans played with each other, its driver waits and says nothing until the game is over.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from neuralese.agents.episodes import rounds
from neuralese.games.driving import ACTIONS, FORWARD, LEFT, RIGHT, SIZE, WAIT, DrivingWorld, move_table
from neuralese.play.server import RefusedError, TooLateError
from neuralese.tasks.driving.play.phrases import Heard, hear
from neuralese.tasks.driving.play.robot import Robot

OUT_OF_TIME = "out of time"


@dataclass(frozen=True)
class Turn:
    """What both did and said in one step."""

    actions: tuple[int, int]  # of the two seats
    heard: Heard  # what the person typed, and what it was heard as
    said: list[tuple[str, float]]  # the robot's message in English, best first; nothing from a robot that has arrived
    neuralese: Tensor  # (message,) the robot's message


class FogGame:
    """A game from its start to its end; `outcome` is None, then arrived, crashed or out of time."""

    def __init__(self, robot: Robot, generator: torch.Generator) -> None:
        self.robot = robot
        self.seat = int(torch.randint(2, (), generator=generator))  # the person's
        self.worlds: list[DrivingWorld] = [robot.game.reset(1, generator)]  # one more than turns
        self.turns: list[Turn] = []
        self.reward = 0.0
        self.outcome: str | None = None
        self._rounds = rounds(robot.cell, robot.game, self.worlds[0], generator, intervene=self._intervene)
        self._person: tuple[int, Tensor]  # the person's action and message in the current step
        self._sent: Tensor  # (2, message) what went through the channel in that step

    def _intervene(self, time: int, actions: Tensor, sent: Tensor) -> tuple[Tensor, Tensor]:
        """Put the person into their seat (see `rounds`)."""
        actions, sent = actions.clone(), sent.clone()
        actions[0, self.seat], sent[0, self.seat] = self._person[0], self._person[1]
        self._sent = sent[0]
        return actions, sent

    def act(self, action: int, message: str = "") -> None:
        """Play a step and, once the person has arrived, all that follow. A refused step has not been played."""
        if self.outcome:
            raise TooLateError("This game is over; please start a new one.")
        if action not in range(ACTIONS):
            raise RefusedError("A car can wait, go forward, turn left or turn right, and nothing else.")
        self._step(action, hear(message, self.robot.phrases))
        while not self.outcome and self.worlds[-1].arrived[0, self.seat]:
            self._step(WAIT, hear("", self.robot.phrases))

    def _step(self, action: int, heard: Heard) -> None:
        self._person = (action, self.robot.into_neuralese[heard.phrase_id])
        played, world = next(self._rounds), self.worlds[-1]
        self.worlds.append(self.robot.game.step(world, played.actions)[0])
        other = 1 - self.seat
        actions = torch.where(world.arrived, WAIT, played.actions)[0].tolist()
        neuralese = self._sent[other]
        said = [] if world.arrived[0, other] else self.robot.into_english(neuralese)
        self.turns.append(Turn((actions[0], actions[1]), heard, said, neuralese))
        self.reward += float(played.reward[0])
        if played.over[0]:
            self.outcome = "arrived" if played.success[0] else "crashed"
        elif len(self.turns) == self.robot.game.max_steps:
            self.outcome = OUT_OF_TIME

    def view(self) -> dict:
        """What the person may know, as JSON: only the robot's words, until the game is over."""
        world, game = self.worlds[-1], self.robot.game
        seen = {
            "turn": len(self.turns),
            "steps_left": game.max_steps - len(self.turns),
            "road": self.robot.roads[int(world.map[0])].splitlines(),
            "seat": self.seat,
            "car": car(world, self.seat),
            "moves": self._moves(),
            "phrases": [phrase for phrase in self.robot.phrases if phrase],
            "talk": [self._talk(turn) for turn in self.turns],
            "outcome": self.outcome,
        }
        if self.outcome:
            seen["reward"] = round(self.reward, 2)
            seen["states"] = [[car(world, seat) for seat in (0, 1)] for world in self.worlds]
            seen["actions"] = [turn.actions for turn in self.turns]
        return seen

    def _talk(self, turn: Turn) -> dict:
        heard = turn.heard
        return {
            "action": turn.actions[self.seat],
            "typed": heard.typed,
            "heard": heard.phrase,
            "exact": heard.exact,
            "said": [{"phrase": phrase, "score": round(score, 2)} for phrase, score in turn.said],
        }

    def _moves(self) -> list[dict]:
        """Where each action that moves the person's car would lead, and whether that is on the road."""
        if self.outcome:
            return []
        world = self.worlds[-1]
        road, poses = self.robot.game.layouts.road[world.map[0]], move_table()[world.pose[0, self.seat]]
        return [
            {"action": action, **place(int(poses[action])), "on_road": bool(road[poses[action] // 4])}
            for action in (FORWARD, LEFT, RIGHT)
        ]


def place(pose: int) -> dict:
    """A pose as row, column and direction."""
    return {"row": pose // 4 // SIZE, "col": pose // 4 % SIZE, "direction": pose % 4}


def car(world: DrivingWorld, seat: int) -> dict:
    """One car of a game: where it is or last was, and where it has to go."""
    goal = int(world.goal[0, seat])
    return {
        **place(int(world.pose[0, seat])),
        "goal": [goal // SIZE, goal % SIZE],
        "arrived": bool(world.arrived[0, seat]),
    }
