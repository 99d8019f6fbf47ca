"""Two robots talk through English, for a person to follow: message, English, the message it became, the pick."""

import torch

from neuralese.tasks.reference_play.deck import Deck
from neuralese.tasks.reference_play.game import Translator, shown
from neuralese.tasks.reference_play.robot import Robot


def relay(robot: Robot, deck: Deck, translator: Translator, generator: torch.Generator) -> dict:
    """One message from a robot to another, as JSON: everything at once, since spectators may know everything."""
    card = deck.deal()
    english = translator.into_english(card)
    parts = (english.best[0].id,)
    back, received = translator.into_neuralese(parts, card)
    picked, unaided = (robot.pick(each, card.states, generator) for each in (received, card.said))
    return {
        "candidates": shown(deck, card, named=True),
        "target": card.target,
        "translator": translator.name,
        "message": card.said.view(),
        "message_belief": card.by_place(robot.message_belief(card.said, card.states)),
        "english": english.view(),
        "words_belief": card.by_place(robot.words_belief(parts, card.states)),
        "received": received.view(),
        "neuralese": back.view(),
        "received_belief": card.by_place(robot.message_belief(received, card.states)),
        "picked": card.order.index(picked),
        "right": picked == 0,
        "unaided": card.order.index(unaided),  # the listener's pick on hearing the message itself
    }
