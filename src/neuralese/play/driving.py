"""Drive one of two cars in fog: type short messages to the robot that drives the other.

Both act at once, and what one says is heard by the other a step later. The dictionary turns the person's phrase into a
message; the robot's message, as it comes out of the noisy channel, becomes English. A car that has arrived is gone:
as in the games that humans played with each other, its driver waits and says nothing until the game is over.

Finished games are saved in the format of those games (`tasks.driving.logs`). A move also says who made it (`player`:
human or robot); a human's has the phrase that the robot `heard`; a robot's has its message in `neuralese`, of which
`message` is the translation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar

import torch
from torch import Generator, Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import Intervene, rounds
from neuralese.games.driving import ACTIONS, FORWARD, LEFT, RIGHT, SIZE, WAIT, DrivingGame, DrivingWorld, move_table
from neuralese.play.session import Heard, PlayOptions, RefusedError, Session, TooLateError, criterion_of, open_run
from neuralese.tasks.driving.logs import LONGEST
from neuralese.tasks.driving.tables import MAPS
from neuralese.translate.dictionary import Lookup, Translation

STEPS = 30  # maximum length of a game: 98 % of games between humans took at most 22
ARRIVED, CRASHED, OUT_OF_TIME = "arrived", "crashed", "out of time"


@dataclass(frozen=True)
class Robot:
    """A driver and its translator."""

    cell: Cell
    game: DrivingGame
    roads: list[str]  # by map, eight lines of `#` and `.`
    phrases: list[str]  # the inventory; the empty one is silence
    into_neuralese: Tensor  # (phrases, message)
    into_english: Callable[[Tensor], list[Translation]]  # a message (message,) -> phrases, best first


def load_robot(options: PlayOptions) -> Robot:
    """The driver trained with a seed, and its translator, which uses one criterion of the dictionary."""
    run = open_run(options, steps=options.steps or STEPS)
    lookup, said = Lookup(run), run.said["train"]
    criterion = criterion_of(lookup, options.criterion)
    message_ids = [lookup.phrases((phrase,), criterion, 1).best[0].id for phrase in range(len(run.phrases))]
    rows = {number: row for row, number in enumerate(said.ids.tolist())}
    return Robot(
        run.cell,
        run.states,
        run.table("maps.parquet", MAPS)["road"].tolist(),
        run.phrases,
        said.messages[[rows[number] for number in message_ids]],
        lambda message: lookup.messages(message[None], criterion)[0].best,
    )


class Course:
    """One game of two drivers, step by step; `outcome` is None, then arrived, crashed or out of time."""

    def __init__(self, robot: Robot, generator: Generator, intervene: Intervene) -> None:
        self.robot, self.worlds = robot, [robot.game.reset(1, generator)]  # one more than steps
        self.actions: list[list[int]] = []  # of both seats; who has arrived waits
        self.reward, self.outcome = 0.0, ""
        self._rounds = rounds(robot.cell, robot.game, self.worlds[0], generator, intervene=intervene)

    def step(self) -> Tensor:
        """Play a step; return what both sent: (2, message)."""
        played, world = next(self._rounds), self.worlds[-1]
        self.worlds.append(self.robot.game.step(world, played.actions)[0])
        self.actions.append(torch.where(world.arrived, WAIT, played.actions)[0].tolist())
        self.reward += float(played.reward[0])
        if played.over[0]:
            self.outcome = ARRIVED if played.success[0] else CRASHED
        elif len(self.actions) == self.robot.game.max_steps:
            self.outcome = OUT_OF_TIME
        return played.sent[0]

    @property
    def road(self) -> list[str]:
        """The road, eight lines of `#` and `.`."""
        return self.robot.roads[int(self.worlds[0].map[0])].splitlines()

    def states(self) -> list[list[dict]]:
        """Both cars in every state."""
        return [[car(world, seat) for seat in (0, 1)] for world in self.worlds]


@dataclass(frozen=True)
class Talk:
    """What was said in one step."""

    heard: Heard  # what the person typed, and what it was heard as
    said: list[Translation]  # the robot's message in English, best first; nothing from a robot that has arrived
    neuralese: Tensor  # (message,) the robot's message


class DrivingSession(Session):
    """Games of driving, one after another."""

    assets = files("neuralese.play") / "assets/driving"
    requests: ClassVar = {
        "act": {"turn": int, "action": int, "message": str},
        "hear": {"words": str},
        "watch": {},
        "new": {},
    }
    max_words = LONGEST
    single = True

    def __init__(self, options: PlayOptions, robot: Robot | None = None) -> None:
        super().__init__(options)
        self.robot = load_robot(options) if robot is None else robot
        self.phrases = self.robot.phrases
        self.begin()

    def begin(self) -> None:
        """See `Session`."""
        self.seat = int(torch.randint(2, (), generator=self.generator))  # the person's
        self.talk: list[Talk] = []
        self._move: tuple[int, Tensor]  # the person's action and message in the current step
        self.course = Course(self.robot, self.generator, self._intervene)

    def _intervene(self, time: int, actions: Tensor, sent: Tensor) -> tuple[Tensor, Tensor]:
        """Put the person into their seat (see `rounds`)."""
        actions, sent = actions.clone(), sent.clone()
        actions[0, self.seat], sent[0, self.seat] = self._move
        return actions, sent

    def act(self, turn: int, action: int, message: str = "") -> dict:
        """Play a turn and, once the person has arrived, all that follow. A refused turn has not been played."""
        if self.course.outcome:
            raise TooLateError("This game is over; please start a new one.")
        if turn != len(self.talk):  # an impatient second click
            raise TooLateError("That turn has been played already.")
        if action not in range(ACTIONS):
            raise RefusedError("A car can wait, go forward, turn left or turn right, and nothing else.")
        self._step(action, self.heard(message))
        while not self.course.outcome and self.course.worlds[-1].arrived[0, self.seat]:
            self._step(WAIT, self.heard(""))
        if self.course.outcome in (ARRIVED, CRASHED):  # the parser of logs accepts finished games only
            self.save(self.log())
        return self.view()

    def _step(self, action: int, heard: Heard) -> None:
        self._move = (action, self.robot.into_neuralese[heard.parts[0]])
        silent = self.course.worlds[-1].arrived[0, 1 - self.seat]
        neuralese = self.course.step()[1 - self.seat]
        self.talk.append(Talk(heard, [] if silent else self.robot.into_english(neuralese), neuralese))

    def view(self) -> dict:
        """See `Session`: only the robot's words, until the game is over."""
        course = self.course
        world, steps = course.worlds[-1], len(self.talk)
        seen = {
            "turn": steps,
            "steps_left": self.robot.game.max_steps - steps,
            "road": course.road,
            "seat": self.seat,
            "car": car(world, self.seat),
            "moves": [] if course.outcome else self._moves(world),
            "phrases": [phrase for phrase in self.phrases if phrase],
            "talk": [
                {"action": actions[self.seat], "typed": talk.heard.typed, "said": said_view(talk.said)}
                | talk.heard.view()
                for actions, talk in zip(course.actions, self.talk, strict=True)
            ],
            "outcome": course.outcome,
            "note": self.note,
        }
        if course.outcome:
            seen |= {"reward": round(course.reward, 2), "states": course.states(), "actions": course.actions}
        return seen

    def _moves(self, world: DrivingWorld) -> list[dict]:
        """Where each action would move the person's car, and whether that is on the road."""
        road, poses = self.robot.game.layouts.road[world.map[0]], move_table()[world.pose[0, self.seat]]
        return [
            {"action": action, **place(int(poses[action])), "on_road": bool(road[poses[action] // 4])}
            for action in (FORWARD, LEFT, RIGHT)
        ]

    def log(self) -> list:
        """A game: its states, and between them the moves of both players."""
        cells = [[float(cell == "#") for cell in line] for line in self.course.road]
        states = [{"cars": [car_log(each) for each in cars], "road": cells} for cars in self.course.states()]
        log: list[Any] = states[:1]
        for actions, talk, state in zip(self.course.actions, self.talk, states[1:], strict=True):
            neuralese = [round(number, 4) for number in talk.neuralese.tolist()]
            human: dict[str, Any] = {"message": talk.heard.typed, "player": "human", "heard": talk.heard.phrases[0]}
            robot = {"message": talk.said[0].text if talk.said else "", "player": "robot", "neuralese": neuralese}
            moves = [human, robot] if self.seat == 0 else [robot, human]
            log += [[{"action": actions[seat], **moves[seat]} for seat in (0, 1)], state]
        return log

    def watch(self) -> dict:
        """A game of two robots that hear each other's messages only after translation into English and back."""
        robot, spoken = self.robot, list[list[Translation]]()

        def translated(time: int, actions: Tensor, sent: Tensor) -> tuple[Tensor, Tensor]:
            """Let each robot hear the message that the other's English becomes (see `rounds`)."""
            spoken[:] = [robot.into_english(sent[0, seat]) for seat in (0, 1)]
            return actions, torch.stack([robot.into_neuralese[best[0].id] for best in spoken])[None]

        course, turns = Course(robot, self.generator, translated), []
        while not course.outcome:
            arrived = course.worlds[-1].arrived[0].tolist()  # who has arrived says nothing
            course.step()
            views = [[] if done else said_view(said) for done, said in zip(arrived, spoken, strict=True)]
            seats = zip(course.actions[-1], arrived, views, strict=True)
            turns.append([{"action": action, "arrived": done, "said": said} for action, done, said in seats])
        states, reward = course.states(), round(course.reward, 2)
        return {"road": course.road, "states": states, "turns": turns, "outcome": course.outcome, "reward": reward}


def said_view(said: list[Translation]) -> list[dict]:
    """What a robot says, for the page."""
    return [{"phrase": each.text, "score": round(each.score, 2)} for each in said]


def place(pose: int) -> dict:
    """A pose as row, column and direction."""
    return {"row": pose // 4 // SIZE, "col": pose // 4 % SIZE, "direction": pose % 4}


def car(world: DrivingWorld, seat: int) -> dict:
    """One car of a game: where it is, or was last, and its goal."""
    goal = int(world.goal[0, seat])
    where = place(int(world.pose[0, seat]))
    return {**where, "goal": [goal // SIZE, goal % SIZE], "arrived": bool(world.arrived[0, seat])}


def car_log(car: dict) -> dict:
    """One car of a game, as logs have it."""
    return {"done": car["arrived"], "pos": [car["row"], car["col"]], "dir": car["direction"], "goal": car["goal"]}
