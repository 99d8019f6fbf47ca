"""The interpreter translates for one listener's context alone: Equation 2 there, one pair at a time."""

import math

import pytest
import torch
from worlds import World

from neuralese.translate import interpreter
from neuralese.translate.interpreter import interpret_message, interpret_words, words_in_context

PHRASES = ["red", "green", "blue", "light"]


def kl(p: list[float], q: list[float]) -> float:
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


@pytest.mark.parametrize(("seed", "candidates"), [(0, 2), (1, 3), (2, 4)])
def test_a_message_becomes_the_phrase_of_the_nearest_belief_in_this_context(seed, candidates):
    world = World(PHRASES, 12, seed, candidates)
    likely = torch.randn(12, candidates, generator=world.generator, dtype=torch.float64)
    found = interpret_message(likely, world.english, world.candidates)
    for item, phrase in enumerate(found.tolist()):
        told = likely[item].softmax(0).tolist()
        believed = world.english.log_likelihood(world.candidates[item : item + 1])[:, 0].softmax(-1).tolist()
        divergences = [kl(told, each) for each in believed]
        assert divergences[phrase] <= min(divergences) + 1e-9


def test_words_become_what_the_robot_would_likeliest_say_in_the_candidate_that_they_point_at():
    world = World(PHRASES, 12)
    vocabulary, likely = world.say(20), torch.randn(12, 2, generator=world.generator)
    found = interpret_words(likely, vocabulary, world.candidates)
    for item, place in enumerate(found.tolist()):
        meant = world.candidates[item, int(likely[item].argmax())][None]
        with torch.no_grad():
            mean = world.robot.mean(world.game.speaker_view(meant))
        assert place == int((vocabulary.messages - mean).square().sum(1).argmin())


def test_the_likelihood_of_words_in_their_own_context_is_that_of_the_language(monkeypatch):
    world = World(PHRASES, 12)
    told = world.told(*([(0,), (1, 3), (2,)] * 4))
    monkeypatch.setattr(interpreter, "AT_ONCE", 20)  # in several blocks
    found = words_in_context(world.english, told.bags, world.candidates)
    whole = told.log_likelihood(world.candidates)
    torch.testing.assert_close(found, torch.stack([whole[item, item] for item in range(12)]))
