"""The interpreter translates for one listener's context alone: Equation 2 there, one pair at a time."""

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate import interpreter
from neuralese.translate.interpreter import interpret_message, interpret_words, words_in_context
from neuralese.translate.languages import Composed, English, Neuralese

PHRASES = ["red", "green", "blue", "light"]


def world(seed: int, candidates: int = 2):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    game = ReferenceGame(torch.randn(30, 3, generator=generator), n_candidates=candidates)
    english = English(game, HumanSpeaker(game, hidden=8, phrases=len(PHRASES)), PHRASES)
    robot = RobotSpeaker(game, hidden=8, message=4, scale=0.3)
    vocabulary = Neuralese(game, robot, torch.randn(20, 4, generator=generator), torch.arange(20))
    states = game.draw_states(12, generator)
    return game, english, vocabulary, states, generator


def kl(p: list[float], q: list[float]) -> float:
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), candidates=st.integers(2, 4))
def test_a_message_becomes_the_phrase_of_the_nearest_belief_in_this_context(seed, candidates):
    game, english, _, states, generator = world(seed, candidates)
    likely = torch.randn(len(states), candidates, generator=generator, dtype=torch.float64)
    found = interpret_message(likely, english, game.candidates(states))
    for item, phrase in enumerate(found.tolist()):
        told = likely[item].softmax(0).tolist()
        believed = english.log_likelihood(game.candidates(states[item : item + 1]))[:, 0].softmax(-1).tolist()
        divergences = [kl(told, each) for each in believed]
        assert divergences[phrase] <= min(divergences) + 1e-9


def test_words_become_what_the_robot_would_likeliest_say_in_the_candidate_that_they_point_at():
    game, _, vocabulary, states, generator = world(3)
    likely = torch.randn(len(states), 2, generator=generator)
    found = interpret_words(likely, vocabulary, game.candidates(states))
    for item, place in enumerate(found.tolist()):
        meant = game.candidates(states[item : item + 1])[0, int(likely[item].argmax())][None]
        with torch.no_grad():
            mean = vocabulary.speaker.mean(game.speaker_view(meant))
        assert place == int((vocabulary.messages - mean).square().sum(1).argmin())


def test_the_likelihood_of_words_in_their_own_context_is_that_of_the_language(monkeypatch):
    game, english, _, states, _ = world(4)
    parts = tuple([(0,), (1, 3), (2,)][item % 3] for item in range(len(states)))
    told = Composed(english, parts)
    monkeypatch.setattr(interpreter, "AT_ONCE", 20)  # in several blocks
    found = words_in_context(english, told.bags, game.candidates(states))
    whole = told.log_likelihood(game.candidates(states))
    torch.testing.assert_close(found, torch.stack([whole[item, item] for item in range(len(states))]))
