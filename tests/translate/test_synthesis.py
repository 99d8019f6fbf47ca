"""New messages and phrases: better by the criterion than those chosen among what was heard, and on the shell."""

from dataclasses import replace
from itertools import accumulate

import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import guess
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.speakers.traces import Lists
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.languages import Composed, English, Neuralese
from neuralese.translate.pragmatics import TEMPERATURE, believe_by_playing
from neuralese.translate.synthesis import (
    SynthesisConfig,
    believe_by_likelihood,
    new_messages,
    new_phrases,
    said_at_once,
)


@pytest.fixture
def game(generator) -> ReferenceGame:
    return ReferenceGame(torch.randn(60, 3, generator=generator))


@pytest.fixture
def english(game) -> English:
    torch.manual_seed(1)
    speaker = HumanSpeaker(game, hidden=16, phrases=5)
    with torch.no_grad():
        speaker.logits.phrases.weight.mul_(8)
    return English(game, speaker, ["light", "dark", "red", "green", "blue"])


@pytest.fixture
def neuralese(game, generator) -> Neuralese:
    torch.manual_seed(2)
    speaker = RobotSpeaker(game, hidden=16, message=6, scale=0.3)
    states = game.draw_states(40, generator)
    said = speaker.mean(game.speaker_view(states)).detach() + 0.3 * torch.randn(40, 6, generator=generator)
    return Neuralese(game, speaker, said, torch.arange(40))


def disagreement(english: English, neuralese: Neuralese, candidates: torch.Tensor) -> torch.Tensor:
    """How often listeners to a phrase and to a message pick different states, (phrases, messages)."""
    said, heard = english.log_likelihood(candidates), neuralese.log_likelihood(candidates)
    weights = torch.softmax(said[..., 0], dim=1)
    return 1 - torch.einsum("pn,pns,kns->pk", weights, torch.softmax(said, -1), torch.softmax(heard, -1))


def test_new_messages_mean_more_of_the_same_than_any_that_was_heard(game, english, neuralese, generator):
    candidates = game.candidates(game.draw_states(300, generator))
    believe = believe_by_likelihood(neuralese, candidates, scale=2.0)
    config = SynthesisConfig(batch=200)
    messages, scores = new_messages(english, neuralese, candidates, candidates, believe, 1.0, config, generator)
    assert messages.shape == (5, 6)
    torch.testing.assert_close(messages.norm(dim=1), torch.ones(5))
    on_the_shell = torch.nn.functional.normalize(neuralese.messages, dim=1)
    heard = Neuralese(game, neuralese.speaker, on_the_shell, neuralese.ids, scale=2.0)
    best = disagreement(english, heard, candidates).min(1).values
    made = disagreement(english, replace(heard, messages=messages), candidates).diagonal()
    assert made.mean() < best.mean() - 1e-3
    torch.testing.assert_close(made.float(), scores, rtol=0, atol=0.05)  # of a sample of contexts


def test_a_robot_believes_what_it_would_pick(game, generator):
    torch.manual_seed(3)
    cell = Cell(game, CellConfig(hidden=8, message=6))
    states = game.draw_states(40, generator)
    believe = believe_by_playing(cell, game, game.candidates(states), generator)
    messages = torch.randn(1, 2, 6, generator=generator)
    log_belief = believe(messages, torch.arange(40)[None])
    assert log_belief.shape == (1, 2, 40, 2)
    torch.testing.assert_close(log_belief.exp().sum(-1), torch.ones(1, 2, 40))
    for number in (0, 1):  # whichever side the target was shown on
        sides = [
            guess(cell, game, messages[0, number].expand(40, -1), states, torch.full((40,), side)) / TEMPERATURE
            for side in (False, True)
        ]
        odds = (log_belief[0, number, :, 0] - log_belief[0, number, :, 1]).detach()
        assert torch.minimum((odds - sides[0]).abs(), (odds - sides[1]).abs()).max() < 1e-4


def test_a_bag_is_as_likely_as_all_its_phrases_together(game, english, generator):
    candidates = game.candidates(game.draw_states(7, generator))
    bags = Composed(english, ((0,), (0, 3), (1, 2, 4)))
    single = english.log_likelihood(candidates)
    expected = torch.stack([single[0], single[0] + single[3], single[1] + single[2] + single[4]])
    torch.testing.assert_close(bags.log_likelihood(candidates), expected)
    assert bags.texts() == ["light", "light, green", "dark, red, blue"]
    assert bags.bags().tolist()[1] == [1, 0, 0, 1, 0]


def test_new_phrases_hold_all_pairs_and_some_triples_and_never_translate_worse(game, english, neuralese, generator):
    candidates = game.candidates(game.draw_states(200, generator))
    criterion = BeliefCriterion("source", "reverse")
    language = new_phrases(criterion, neuralese, english, candidates, SynthesisConfig(beam=2))
    sizes = [len(part) for part in language.parts]
    assert sizes.count(1) == 5
    assert sizes.count(2) == 10
    assert 0 < sizes.count(3) <= 6
    assert len(set(language.parts)) == len(language.parts)
    composed = criterion.scores(neuralese, language, candidates).min(1).values
    alone = criterion.scores(neuralese, english, candidates).min(1).values
    assert (composed <= alone + 1e-9).all()
    assert (composed < alone - 1e-6).any()


def test_what_is_often_said_at_once_is_a_set_of_phrases():
    said = [[0, 1], [1, 0], [2], [2], [2], [1, 2, 1], [0, 1], [0, 1, 2]]
    starts = torch.tensor([0, *accumulate(len(each) for each in said)])
    phrases = Lists(torch.tensor([phrase for each in said for phrase in each]), starts, 3)
    assert said_at_once(phrases, 2) == [(0, 1), (0, 1, 2)]
    assert said_at_once(phrases, 9) == [(0, 1), (0, 1, 2), (1, 2)]
