"""Talk with a robot about one of several items: you describe and it picks, it speaks and you pick, or two robots talk.

This is the game of every task without a game of its own. Its states are drawn as in the report, and what the robot
says and understands comes from a finished run.
"""

import io
from collections.abc import Iterable, Sequence
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
from neuralese.play.recorded import FORMAT
from neuralese.play.session import (
    Heard,
    PlayOptions,
    RefusedError,
    Session,
    TooLateError,
    criteria,
    criterion_of,
    open_run,
)
from neuralese.stages.run import Run
from neuralese.storage.tables import matrix, read_table
from neuralese.translate.dictionary import Answer, Lookup, Translation, n_best
from neuralese.translate.interpreter import cross_entropies, interpret_words
from neuralese.translate.languages import Composed, Language, Neuralese
from neuralese.translate.pairs import beliefs

SPLIT = "test"  # the split that is played: neither robot nor translator has learned from it
INTERPRETER = "interpreter"  # a translator who knows the candidates
N_BEST = 5  # number of translations shown
NO_ANSWER = Answer("", INTERPRETER, [])
ROUNDS = 10  # default number of rounds in a game
DESCRIBE, PICK = "describe", "pick"  # what the person does in a round
DRAWN = 60  # contexts whose pictures are made at a time: looking one up may mean reading a whole archive
DIGITS = 5  # of a message's numbers


class Robot:
    """A robot that speaks and listens, and its translators. States are (1, s, ...), the true one first.

    A message is a `Neuralese` of one message; `translator` is a criterion of the dictionary, or the interpreter.
    """

    def __init__(self, run: Run) -> None:
        self.run, self.game, self.lookup = run, run.games[SPLIT], Lookup(run)
        self._rows = {number: row for row, number in enumerate(run.said["train"].ids.tolist())}

    def message(self, split: str, row: int) -> Neuralese:
        """A message that the robot said in a split."""
        said = self.run.neuralese(split)
        return replace(said, messages=said.messages[row : row + 1], ids=said.ids[row : row + 1])

    def words(self, parts: Sequence[int]) -> Composed:
        """Phrases said together."""
        return Composed(self.run.english, (tuple(parts),))

    def into_english(self, message: Neuralese, states: Tensor, translator: str) -> Answer:
        """A message in English: single phrases."""
        if translator != INTERPRETER:
            return self.lookup.message(int(message.ids), translator, N_BEST)
        phrases, likely = self.run.english.spoken(), self._likelihood(message, states)
        belief = beliefs(likely)  # the score is the divergence of beliefs about these candidates
        scores = cross_entropies(likely, phrases, self.game.candidates(states)) + (belief.exp() * belief).sum()
        best, values = n_best(scores.clamp(min=0), N_BEST)
        ids, texts, found = phrases.ids.tolist(), phrases.texts(), enumerate(zip(best[0], values[0], strict=True), 1)
        return Answer(
            "", INTERPRETER, [Translation(rank, ids[k], texts[k], float(score)) for rank, (k, score) in found]
        )

    def into_neuralese(self, parts: Sequence[int], states: Tensor, translator: str) -> tuple[Answer, Neuralese]:
        """Phrases said together as messages, and the best of these.

        The interpreter says what the robot itself would most likely say in the candidate that the words point to.
        """
        if translator != INTERPRETER:
            answer = self.lookup.phrases(parts, translator, N_BEST)
            return answer, self.message("train", self._rows[answer.best[0].id])
        likely, candidates = self._likelihood(self.words(parts), states), self.game.candidates(states)
        row = int(interpret_words(likely, self.run.neuralese("train"), candidates))
        return NO_ANSWER, self.message("train", row)

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
        return beliefs(self._likelihood(said, states))[0].exp().tolist()

    def _likelihood(self, said: Language, states: Tensor) -> Tensor:
        return said.log_likelihood(self.game.candidates(states))[0]


@dataclass(frozen=True)
class Context:
    """A held-out state with its candidates, and what the robot said in it."""

    states: Tensor  # (1, s, ...) the true one first
    message: Neuralese
    order: list[int]  # the candidate at each place of the page
    items: list[dict]  # what is there: id, picture, and name, color, feature if known

    @property
    def target(self) -> int:
        """The place of the true state."""
        return self.order.index(0)

    def view(self, named: bool) -> list[dict]:
        """The candidates by place: their pictures and, once they give nothing away, their names."""
        return [{"picture": item["picture"]} | ({"name": item.get("name", "")} if named else {}) for item in self.items]


@dataclass
class Round:
    """One context, talked about once."""

    kind: str  # what the person does in it
    context: Context
    translator: str = ""  # who translated
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
        "choose": {"translator": str},
        "hear": {"words": str},
        "watch": {},
        "new": {},
    }

    def __init__(self, options: PlayOptions) -> None:
        super().__init__(options, options.logs / options.task)
        self.run = open_run(options)
        self.robot, self.phrases = Robot(self.run), self.run.phrases
        self.translator = criterion_of(self.robot.lookup, options.criterion)
        self.length = options.steps or ROUNDS
        self.watched = {"count": 0, "right": 0, "unaided": 0}
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
        self.rounds.append(Round(PICK if len(self.rounds) % 2 else DESCRIBE, self.draw()))
        self._speak()

    def _speak(self) -> None:
        """Translate what the robot says in this round, again if the translator has changed."""
        last = self.rounds[-1]
        if last.kind == PICK and last.picked is None:
            message = last.context.message
            english = self.robot.into_english(message, last.context.states, self.translator)
            last.translations, last.translator, last.message = english, self.translator, message
            last.words, last.parts = english.best[0].text, (english.best[0].id,)

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
        heard, states = self.heard(words), last.context.states
        last.translations, message = self.robot.into_neuralese(heard.parts, states, self.translator)
        last.heard, last.words, last.parts = heard, words.strip(), heard.parts
        last.message, last.translator = message, self.translator
        last.picked = last.context.order.index(self.robot.pick(message, states, self.generator))
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
            self.save(self.log(), self.logs)
        return self.view()

    def next(self, round: int) -> dict:
        """Continue after round number `round`; if that has happened already, return the game as it is."""
        if round == len(self.rounds):
            self._next_round()
        return self.view()

    def choose(self, translator: str) -> dict:
        """Let another translator translate from now on."""
        if translator != INTERPRETER:
            criterion_of(self.robot.lookup, translator)
        self.translator = translator
        self._speak()
        return self.view()

    def watch(self) -> dict:
        """Let one robot tell another something through English, and show spectators everything."""
        robot, context = self.robot, self.draw()
        states, message = context.states, context.message
        english = robot.into_english(message, states, self.translator)
        parts = (english.best[0].id,)
        neuralese, received = robot.into_neuralese(parts, states, self.translator)
        picked, unaided = (
            context.order.index(robot.pick(each, states, self.generator)) for each in (received, message)
        )
        self.watched["count"] += 1
        self.watched["right"] += picked == context.target
        self.watched["unaided"] += unaided == context.target
        return {
            "candidates": context.view(named=True),
            "target": context.target,
            "translator": self.translator,
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
            "watched": dict(self.watched),
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
            "translators": [*criteria(self.robot.lookup), INTERPRETER],
            "phrases": [phrase for phrase in self.phrases if phrase],
            "watched": dict(self.watched),
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
            "translator": last.translator,
            "english": answer_view(last.translations) if last.kind == PICK else None,
            "result": self._result(last) if answered else None,
            "history": [{"kind": each.kind, "words": each.words, "right": each.right} for each in played],
            "chosen": self.translator,
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
        items = files.get("items.parquet")
        features = None if items is None else matrix(read_table(items, "items")["feature"])
        for code, pixels in task.pixels(files, codes).items():
            picture = f"state-{code}.png"
            self.pictures[picture] = png(pixels)
            self._items[code] = {name: known[code][name] for name in ("name", "color") if name in known[code]}
            self._items[code] |= {"id": code, "picture": picture}
            if features is not None:
                self._items[code]["feature"] = rounded(features[code])

    def log(self) -> dict:
        """A game as JSON."""
        run = self.run
        about = {"format": FORMAT, "task": run.task.name, "seed": run.seed, "data": run.data}
        return about | {"time": f"{datetime.now(UTC):%FT%TZ}", "rounds": [_round_log(each) for each in self.rounds]}


def _round_log(played: Round) -> dict:
    context, message = played.context, played.message
    assert message is not None
    items = [{name: value for name, value in item.items() if name != "picture"} for item in context.items]
    about = {"candidates": items, "true": context.target, "picked": played.picked, "translator": played.translator}
    if played.heard:
        said = {"text": played.heard.typed, "heard": list(played.heard.phrases)}
        return {"person": "describes", **about, **said, "received": numbers(message)}
    return {"person": "picks", **about, "message": numbers(message), "shown": played.words}


def answer_view(answer: Answer) -> dict:
    """Translations for the page; an infinite score, of a pair that shares no context, becomes None."""
    scores = [None if np.isinf(each.score) else round(each.score, 3) for each in answer.best]
    best = [{"text": each.text, "score": score} for each, score in zip(answer.best, scores, strict=True)]
    return {"best": best, "how": answer.how}


def message_view(message: Neuralese) -> dict:
    """A message for the page."""
    return {"symbols": message.texts()[0].split()} if message.spells else {"vector": numbers(message)}


def numbers(message: Neuralese) -> list:
    """The message itself: the entries of a vector, or the numbers of the symbols."""
    if message.spells:
        return [symbol for symbol in message.messages.to_array()[0].tolist() if symbol != NOTHING]
    return rounded(message.messages[0].tolist())


def rounded(values: Iterable[float]) -> list[float]:
    """Numbers with few digits."""
    return [round(float(value), DIGITS) for value in values]


def png(pixels: np.ndarray) -> bytes:
    """A picture (h, w, 3), of bytes or of numbers from 0 to 1."""
    if pixels.dtype.kind == "f":
        pixels = np.round(255 * pixels).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, "PNG")
    return buffer.getvalue()
