"""Talk with a robot about one of several items: you describe and it picks, it speaks and you pick, or two robots talk.

This is the game of every task without a game of its own. Its states are drawn as in the report, and what the robot
says and understands comes from a finished run.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.resources import files
from typing import ClassVar

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from neuralese.agents.messages import NOTHING
from neuralese.evaluate.listeners import Listener, ModelRobot, PlayingRobot
from neuralese.play.session import Heard, PlayOptions, RefusedError, Session, TooLateError, criterion_of, open_run
from neuralese.stages.run import Run
from neuralese.translate.dictionary import Answer, Lookup
from neuralese.translate.languages import Composed, Language, Neuralese
from neuralese.translate.pairs import beliefs

SPLIT = "test"  # the split that is played: neither robot nor translator has learned from it
N_BEST = 5  # number of translations shown
NO_ANSWER = Answer("", "", [])
ROUNDS = 10  # default number of rounds in a game
DESCRIBE, PICK = "describe", "pick"  # what the person does in a round
DRAWN = 60  # contexts whose pictures are made at a time: looking one up may mean reading a whole archive
DIGITS = 5  # of a message's numbers


class Robot:
    """A robot that speaks and listens, and its translator, which uses one criterion of the dictionary.

    States are (1, s, ...), the true one first. A message is a `Neuralese` of one message.
    """

    def __init__(self, run: Run, criterion: str | None = None) -> None:
        self.run, self.game, self.lookup = run, run.games[SPLIT], Lookup(run)
        self.criterion = criterion_of(self.lookup, criterion)
        self._rows = {number: row for row, number in enumerate(run.said["train"].ids.tolist())}

    def message(self, split: str, row: int) -> Neuralese:
        """A message that the robot said in a split."""
        said = self.run.neuralese(split)
        return replace(said, messages=said.messages[row : row + 1], ids=said.ids[row : row + 1])

    def words(self, parts: Sequence[int]) -> Composed:
        """Phrases said together."""
        return Composed(self.run.english, (tuple(parts),))

    def into_english(self, message: Neuralese) -> Answer:
        """A message in English: by our criterion its description, and else, or for comparison, single phrases."""
        answer = self.lookup.message(int(message.ids), self.criterion, N_BEST)
        if self.criterion != self.lookup.default or "descriptions.parquet" not in self.run.files:
            return answer
        return replace(answer, best=[*self.lookup.described(int(message.ids)).best, *answer.best])

    def into_neuralese(self, parts: Sequence[int]) -> tuple[Answer, Neuralese]:
        """Phrases said together as messages, and the best of these."""
        answer = self.lookup.phrases(parts, self.criterion, N_BEST)
        return answer, self.message("train", self._rows[answer.best[0].id])

    @cached_property
    def _listener(self) -> Listener:
        return PlayingRobot(self.run.cell, self.game) if self.game.asks else ModelRobot(self.run.robot, self.game)

    def pick(self, message: Neuralese, states: Tensor, generator: torch.Generator) -> int:
        """Which candidate the robot picks; ties are broken at random."""
        preferred = self._listener.preferences(message.messages, states, generator)[0]
        best = torch.nonzero(preferred == preferred.max()).flatten()
        return int(best[torch.randint(len(best), (), generator=generator)])

    def belief(self, said: Language, states: Tensor) -> list[float]:
        """What a message, or words, make a listener believe about the candidates, by p(z | x) of their speaker."""
        return beliefs(said.log_likelihood(self.game.candidates(states))[0])[0].exp().tolist()


@dataclass(frozen=True)
class Context:
    """A held-out state with its candidates, and what the robot said in it."""

    states: Tensor  # (1, s, ...) the true one first
    message: Neuralese
    order: list[int]  # the candidate at each place of the page
    items: list[dict]  # what is there: id, picture, and name and color if known

    @property
    def target(self) -> int:
        """The place of the true state."""
        return self.order.index(0)

    def view(self, named: bool) -> list[dict]:
        """The candidates by place: their pictures and, once they give nothing away, their names."""
        return [{"picture": item["picture"]} | ({"name": item.get("name", "")} if named else {}) for item in self.items]


@dataclass
class Round:
    """One context, talked about once; what is said is not known until the speaker has spoken."""

    kind: str  # what the person does in it
    context: Context
    words: str = ""  # what was said, in English
    parts: tuple[int, ...] = ()  # the phrases that this is
    message: Neuralese | None = None  # and in neuralese
    translations: Answer = NO_ANSWER  # the best ones of what was said
    heard: Heard | None = None  # what the person's words were heard as
    picked: int | None = None  # the place, once picked

    @property
    def right(self) -> bool:
        """Whether the true state was picked."""
        return self.picked == self.context.target


class ReferenceSession(Session):
    """Games of several rounds, in which person and robot take turns to describe and to pick."""

    assets = files("neuralese.play") / "assets/reference"
    requests: ClassVar = {
        "describe": {"round": int, "words": str},
        "pick": {"round": int, "place": int},
        "next": {"round": int},
        "hear": {"words": str},
        "watch": {},
        "new": {},
    }

    def __init__(self, options: PlayOptions) -> None:
        super().__init__(options)
        self.logs, self.run = options.logs / options.task, open_run(options)
        self.robot, self.phrases = Robot(self.run, options.criterion), self.run.phrases
        self.length = options.steps or ROUNDS
        self._items: dict[int, dict] = {}  # of states, by their numbers
        self._drawn: list[int] = []  # the next messages to play
        self.begin()

    @property
    def over(self) -> bool:
        """Whether all rounds are played."""
        return len(self.rounds) == self.length and self.rounds[-1].picked is not None

    def begin(self) -> None:
        """See `Session`."""
        self.rounds: list[Round] = []
        self._next_round()

    def _next_round(self) -> None:
        """Begin a round; in the first, the person describes."""
        if self.rounds and self.rounds[-1].picked is None:
            raise RefusedError("This round is not over yet.")
        if self.over:
            raise TooLateError("This game is over; please start a new one.")
        context = self.draw()
        if len(self.rounds) % 2:
            english = self.robot.into_english(context.message)
            best = english.best[0]
            self.rounds.append(Round(PICK, context, best.text, best.phrases, context.message, english))
        else:
            self.rounds.append(Round(DESCRIBE, context))

    def _open_round(self, number: int, kind: str) -> Round:
        """The round of this number, which must be the current one and of this kind."""
        last = self.rounds[-1]
        if number != len(self.rounds) or last.picked is not None:
            raise TooLateError("That round has been played already.")
        if last.kind != kind:
            raise RefusedError("It is the robot's turn to pick." if kind == PICK else "It is your turn to pick.")
        return last

    def describe(self, round: int, words: str) -> dict:
        """Describe the true state; the robot picks. Refused words have not been said."""
        last = self._open_round(round, DESCRIBE)
        last.heard = self.heard(words)
        last.words, last.parts = words.strip(), last.heard.parts
        last.translations, last.message = self.robot.into_neuralese(last.parts)
        last.picked = last.context.order.index(self.robot.pick(last.message, last.context.states, self.generator))
        return self._played()

    def pick(self, round: int, place: int) -> dict:
        """Pick what the robot is talking about."""
        last = self._open_round(round, PICK)
        if place not in range(len(last.context.order)):
            raise RefusedError("There is nothing at that place; please pick one of those shown.")
        last.picked = place
        return self._played()

    def _played(self) -> dict:
        if self.over:
            self.save(self.log())
        return self.view()

    def next(self, round: int) -> dict:
        """Continue after round number `round`; if that has happened already, return the game as it is."""
        if round == len(self.rounds):
            self._next_round()
        return self.view()

    def watch(self) -> dict:
        """Let one robot tell another something through English, and show spectators everything."""
        robot, context = self.robot, self.draw()
        message = context.message
        english = robot.into_english(message)
        parts = english.best[0].phrases
        neuralese, received = robot.into_neuralese(parts)
        picked, unaided = (
            context.order.index(robot.pick(each, context.states, self.generator)) for each in (received, message)
        )
        return {
            "candidates": context.view(named=True),
            "target": context.target,
            "message": message_view(message),
            "message_belief": self._belief(message, context),
            "english": answer_view(english),
            "words_belief": self._belief(robot.words(parts), context),
            "received": message_view(received),
            "neuralese": answer_view(neuralese),
            "received_belief": self._belief(received, context),
            "picked": picked,
            "right": picked == context.target,
            "unaided": unaided,  # the listener's pick on hearing the message itself
        }

    def _belief(self, said: Language, context: Context) -> list[float]:
        """What a listener believes about the candidate at each place."""
        found = self.robot.belief(said, context.states)
        return [found[candidate] for candidate in context.order]

    def state(self) -> dict:
        """The game as the person may see it, and what does not change between games."""
        return self.view() | {
            "title": self.run.task.title,
            "seed": self.run.seed,
            "criterion": self.robot.criterion,
            "phrases": [phrase for phrase in self.phrases if phrase],
        }

    def view(self) -> dict:
        """See `Session`; until a round is over, only a person who describes the true state knows which it is."""
        last = self.rounds[-1]
        played = [each for each in self.rounds if each.picked is not None]
        answered = last.picked is not None
        return {
            "round": len(self.rounds),
            "rounds": self.length,
            "kind": last.kind,
            "answered": answered,
            "over": self.over,
            "score": sum(each.right for each in played),
            "played": len(played),
            "candidates": last.context.view(named=answered),
            "target": last.context.target if answered or last.kind == DESCRIBE else None,
            "english": answer_view(last.translations) if last.kind == PICK else None,
            "result": self._result(last) if answered else None,
            "history": [{"kind": each.kind, "words": each.words, "right": each.right} for each in played],
            "note": self.note,
        }

    def _result(self, played: Round) -> dict:
        """The outcome of a round, and why."""
        assert played.message is not None  # as something was said
        return {
            "picked": played.picked,
            "right": played.right,
            "words": played.words,
            "words_belief": self._belief(self.robot.words(played.parts), played.context),
            "message": message_view(played.message),
            "message_belief": self._belief(played.message, played.context),
            "heard": played.heard and played.heard.view(),
            "translations": answer_view(played.translations),
        }

    @cached_property
    def _playable(self) -> tuple[Tensor, Tensor]:
        """The rows of messages to play, without those of identical candidates, and the numbers of all states (n, s)."""
        codes = self.robot.game.codes(self.run.said[SPLIT].states)
        ordered = codes.sort(dim=1).values
        return torch.nonzero((ordered[:, 1:] != ordered[:, :-1]).all(1)).flatten(), codes

    def draw(self) -> Context:
        """The next context."""
        rows, codes = self._playable
        if not self._drawn:
            self._drawn = rows[torch.randperm(len(rows), generator=self.generator)[:DRAWN]].tolist()
            self._look_up({code for row in self._drawn for code in codes[row].tolist()} - self._items.keys())
        row, states = self._drawn.pop(), self.run.said[SPLIT].states
        order = torch.randperm(states.shape[1], generator=self.generator).tolist()
        items = [self._items[code] for code in codes[row, order].tolist()]
        return Context(states[row : row + 1], self.robot.message(SPLIT, row), order, items)

    def _look_up(self, codes: set[int]) -> None:
        """Look up what states look like, and draw them."""
        task, files = self.run.task, self.run.files
        known = task.described(files, [], [[code] for code in sorted(codes)])["items"]
        for code, pixels in task.pixels(files, codes).items():
            picture = f"state-{code}.png"
            self.pictures[picture] = png(pixels)
            self._items[code] = {name: known[code][name] for name in ("name", "color") if name in known[code]}
            self._items[code] |= {"id": code, "picture": picture}

    def log(self) -> dict:
        """A game as JSON."""
        run = self.run
        about = {"task": run.task.name, "seed": run.seed, "data": run.data, "criterion": self.robot.criterion}
        return about | {"time": f"{datetime.now(UTC):%FT%TZ}", "rounds": [_round_log(each) for each in self.rounds]}


def _round_log(played: Round) -> dict:
    context, message = played.context, played.message
    assert message is not None
    items = [{name: value for name, value in item.items() if name != "picture"} for item in context.items]
    about = {"candidates": items, "true": context.target, "picked": played.picked}
    if played.heard:
        said = {"text": played.heard.typed, "heard": list(played.heard.phrases)}
        return {"person": "describes", **about, **said, "received": numbers(message)}
    return {"person": "picks", **about, "message": numbers(message), "shown": played.words}


def answer_view(answer: Answer) -> dict:
    """Translations for the page; an infinite score, of a pair that shares no context, becomes None."""
    texts = [each.text if each.sure is None else f"{each.text} ({each.sure:.0%} sure)" for each in answer.best]
    scores = [round(each.score, 3) if each.score < np.inf else None for each in answer.best]
    best = [{"text": text, "score": score} for text, score in zip(texts, scores, strict=True)]
    return {"best": best, "how": answer.how}


def message_view(message: Neuralese) -> dict:
    """A message for the page."""
    return {"symbols": message.texts()[0].split()} if message.spells else {"vector": numbers(message)}


def numbers(message: Neuralese) -> list:
    """The message itself: the entries of a vector, or the numbers of the symbols."""
    if message.spells:
        return [symbol for symbol in message.messages.to_array()[0].tolist() if symbol != NOTHING]
    return [round(number, DIGITS) for number in message.messages[0].tolist()]


def png(pixels: np.ndarray) -> bytes:
    """A picture (h, w, 3), of bytes or of numbers from 0 to 1."""
    if pixels.dtype.kind == "f":
        pixels = np.round(255 * pixels).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, "PNG")
    return buffer.getvalue()
