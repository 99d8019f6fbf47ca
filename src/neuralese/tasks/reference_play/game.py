"""A game of several rounds: in one the person describes and the robot picks, in the next it is the other way round."""

from dataclasses import dataclass, field
from typing import Any

import torch

from neuralese.play.server import RefusedError, TooLateError
from neuralese.tasks.reference_play.deck import Card, Deck, picture_name
from neuralese.tasks.reference_play.robot import Robot
from neuralese.tasks.reference_play.translation import Said, Translation
from neuralese.tasks.reference_play.words import hear

ROUNDS = 10  # default number of rounds in a game
DESCRIBE, PICK = "describe", "pick"  # what the person does


@dataclass(frozen=True)
class Translator:
    """Who translates: a criterion of the dictionary, or an interpreter who knows the candidates."""

    robot: Robot
    criterion: str
    interpreter: bool = False

    @property
    def name(self) -> str:
        """Its name in logs."""
        return "interpreter" if self.interpreter else self.criterion

    def into_english(self, card: Card) -> Translation:
        """What the robot said, in English."""
        if self.interpreter:
            return self.robot.interpret_into_english(card.said, card.states)
        return self.robot.into_english(card.said, self.criterion)

    def into_neuralese(self, parts: tuple[int, ...], card: Card) -> tuple[Translation, Said]:
        """Phrases that were said together, in neuralese."""
        if self.interpreter:
            return self.robot.interpret_into_neuralese(parts, card.states)
        return self.robot.into_neuralese(parts, self.criterion)


@dataclass
class Round:
    """One state, talked about once."""

    kind: str  # what the person does in it
    card: Card
    english: Any = None  # a `Translation` of what the robot said, if the person picks
    heard: Any = None  # what the person said, `Heard`, if they describe
    received: Any = None  # and the message that it became, `Said`
    neuralese: Any = None  # as a `Translation`, with the runners-up
    translator: str = ""  # who translated
    picked: int | None = None  # the place, once picked

    @property
    def right(self) -> bool:
        """Whether the true state was picked."""
        return self.picked == self.card.target


@dataclass
class NamingGame:
    """A game from its first round to its last."""

    robot: Robot
    deck: Deck
    generator: torch.Generator
    length: int = ROUNDS
    rounds: list[Round] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether all rounds are played."""
        return len(self.rounds) == self.length and self.rounds[-1].picked is not None

    def deal(self, translator: Translator) -> None:
        """Begin the next round; in the first, the person describes."""
        if self.rounds and self.rounds[-1].picked is None:
            raise RefusedError("This round is not over yet.")
        if self.over:
            raise TooLateError("This game is over; please start a new one.")
        self.rounds.append(Round(PICK if len(self.rounds) % 2 else DESCRIBE, self.deck.deal()))
        self.translate(translator)

    def translate(self, translator: Translator) -> None:
        """Put what the robot says in this round into English, again if the translator has changed."""
        last = self.rounds[-1]
        if last.kind == PICK and last.picked is None:
            last.english, last.translator = translator.into_english(last.card), translator.name

    def _open(self, number: int, kind: str) -> Round:
        """The round of this number, which must be the current one."""
        last = self.rounds[-1]
        if number != len(self.rounds) or last.picked is not None:
            raise TooLateError("That round has been played already.")
        if last.kind != kind:
            raise RefusedError("It is the robot's turn to pick." if kind == PICK else "It is your turn to pick.")
        return last

    def describe(self, number: int, words: str, translator: Translator) -> None:
        """Describe the true state of a round; the robot picks. Refused words have not been said."""
        last = self._open(number, DESCRIBE)
        heard = hear(words, self.robot.run.phrases)
        last.neuralese, last.received = translator.into_neuralese(heard.parts, last.card)
        last.heard, last.translator = heard, translator.name
        candidate = self.robot.pick(last.received, last.card.states, self.generator)
        last.picked = last.card.order.index(candidate)

    def pick(self, number: int, place: int) -> None:
        """Pick what the robot is talking about in a round."""
        last = self._open(number, PICK)
        if place not in range(len(last.card.order)):
            raise RefusedError("There is nothing at that place; please pick one of those shown.")
        last.picked = place

    def view(self) -> dict:
        """What the person may know, as JSON: which state is true only if they describe it, or once it is over."""
        last = self.rounds[-1]
        done = [each.right for each in self.rounds if each.picked is not None]
        answered = last.picked is not None
        return {
            "round": len(self.rounds),
            "rounds": self.length,
            "kind": last.kind,
            "answered": answered,
            "over": self.over,
            "score": sum(done),
            "played": len(done),
            "streak": streak(done),
            "candidates": shown(self.deck, last.card, answered),
            "target": last.card.target if answered or last.kind == DESCRIBE else None,
            "translator": last.translator,
            "english": last.english.view() if last.english else None,
            "result": self._result(last) if answered else None,
            "history": [
                {"kind": each.kind, "words": _words(each), "right": each.right}
                for each in self.rounds
                if each.picked is not None
            ],
        }

    def _result(self, played: Round) -> dict:
        """The outcome of a round, and why."""
        card, robot = played.card, self.robot
        said, parts = (
            (played.received, played.heard.parts)
            if played.kind == DESCRIBE
            else (card.said, (played.english.best[0].id,))
        )
        result = {
            "picked": played.picked,
            "right": played.right,
            "words": _words(played),
            "words_belief": card.by_place(robot.words_belief(parts, card.states)),
            "message": said.view(),
            "message_belief": card.by_place(robot.message_belief(said, card.states)),
        }
        if played.kind == DESCRIBE:
            result |= {"heard": played.heard.view(), "neuralese": played.neuralese.view()}
        return result


def shown(deck: Deck, card: Card, named: bool) -> list[dict]:
    """The candidates by place: their pictures and, once they give nothing away, their names."""
    codes = card.by_place(card.codes)
    return [
        {"picture": picture_name(code)} | ({"name": deck.items[code].get("name", "")} if named else {})
        for code in codes
    ]


def _words(played: Round) -> str:
    return played.heard.typed.strip() if played.kind == DESCRIBE else played.english.best[0].text


def streak(right: list[bool]) -> int:
    """The number of most recent rounds in a row that went well."""
    return next((number for number, each in enumerate(reversed(right)) if not each), len(right))
