"""The reference game with two items, as in the paper, and with more."""

from dataclasses import replace

import pytest
import torch

from neuralese.agents.cell import Cell
from neuralese.agents.players import speak
from neuralese.config.models import CellConfig
from neuralese.games.reference import LISTENER, SPEAKER, ReferenceGame


@pytest.fixture(params=[2, 3, 5])
def game(request):
    return ReferenceGame(torch.arange(24.0).view(12, 2), pool=torch.tensor([1, 2, 3]), n_candidates=request.param)


def rng(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def at_choice(game, batch, generator):
    """A world in which the listener sees the items."""
    world = game.reset(batch, generator)
    return game.step(world, torch.full((batch, 2), game.n_candidates))[0]


def test_the_listener_sees_nothing_at_first_and_all_items_a_step_later(game, generator):
    world = game.reset(400, generator)
    speaker, listener = game.observe(world).unbind(1)
    assert torch.equal(speaker[:, :-1], world.states)
    assert (listener[:, :-1] == len(game.items)).all()
    later = at_choice(game, 400, generator)
    seen = game.observe(later)[:, LISTENER]
    assert torch.equal(seen[:, :-1].sort(1).values, later.states.sort(1).values)
    assert torch.equal(seen[:, :-1].gather(1, later.place[:, None]).squeeze(1), later.states[:, 0])
    assert (speaker[:, -1] == SPEAKER).all()
    assert (seen[:, -1] == LISTENER).all()


def test_right_is_worth_one_wrong_nothing_waiting_costs_a_tenth_and_nothing_counts_at_first(game, generator):
    world = at_choice(game, 300, generator)
    right, count = world.place, game.n_candidates
    wrong = [(right + further) % count for further in range(1, count)]
    waiting = torch.full_like(right, count)
    assert game.n_actions == count + 1
    for time, action, reward, done, success in (
        (1, right, 1, True, True),
        *((1, each, 0, True, False) for each in wrong),
        (1, waiting, -0.1, False, False),
        *((0, each, 0, False, False) for each in (right, waiting)),  # before the listener sees the items
    ):
        actions = torch.stack([torch.zeros_like(action), action], dim=1)
        _, outcome = game.step(replace(world, time=time), actions)
        torch.testing.assert_close(outcome.reward, torch.full((300,), float(reward)))
        assert (outcome.done == done).all()
        assert (outcome.success == success).all()
        assert game.acting(replace(world, time=time)).tolist() == [[False, bool(time)]] * 300


def test_every_candidate_is_first_once_and_the_others_keep_their_order(game):
    """So of two candidates one is the other's swap: they are exchangeable."""
    count = game.n_candidates
    states = torch.arange(2 * count).view(2, count)
    for state, candidates in zip(states.tolist(), game.candidates(states).tolist(), strict=True):
        for number, candidate in enumerate(candidates):
            assert candidate == [state[number], *state[:number], *state[number + 1 :]]


def test_whichever_item_is_the_target_the_listener_sees_the_same_items_with_it_at_its_place(game, generator):
    """So nothing but the message tells one candidate from another."""
    states = torch.stack([torch.randperm(12, generator=generator)[: game.n_candidates] for _ in range(50)])
    place = game.places(50, generator)
    views = [game.listener_view(candidate, place) for candidate in game.candidates(states).unbind(1)]
    for number, view in enumerate(views):
        assert torch.equal(view[:, :-1].sort(1).values, states.sort(1).values)
        assert torch.equal(view[:, :-1].gather(1, place[:, None]).squeeze(1), states[:, number])


def test_a_question_is_what_a_listener_sees_in_play_and_is_answered_by_the_place_of_an_item(game, generator):
    states = torch.stack([torch.randperm(12, generator=generator)[: game.n_candidates] for _ in range(2000)])
    asked, place = game.question(states, rng(4)), game.places(2000, rng(4))
    assert torch.equal(asked.seen, game.listener_view(states, place))
    assert torch.equal(asked.picks[:, 0], place)
    for state, seen, picks in zip(states.tolist(), asked.seen.tolist(), asked.picks.tolist(), strict=True):
        assert seen[-1] == LISTENER
        assert [seen[pick] for pick in picks] == state
    shown = torch.bincount(place, minlength=game.n_candidates) / 2000
    assert (shown - 1 / game.n_candidates).abs().max() < 0.04


def test_distractors_are_the_targets_of_other_states(game, generator):
    true = torch.arange(12).repeat_interleave(torch.arange(1, 13))
    states = game.with_distractors(true, generator)
    assert states.shape == (len(true), game.n_candidates)
    assert torch.equal(states[:, 0], true)
    for other in states[:, 1:].unbind(1):
        assert torch.equal(other.sort().values, true)
        assert not torch.equal(other, true)
    assert not torch.equal(game.redraw(states, generator), states)


def test_states_come_from_the_pool_and_survive_the_way_into_a_table_and_back(game, generator):
    states = game.draw_states(500, generator)
    assert states.shape == (500, game.n_candidates)
    assert set(states.flatten().tolist()) == {1, 2, 3}
    columns = game.to_columns(states)
    assert list(columns) == ["target", "other", "other_2", "other_3", "other_4"][: game.n_candidates]
    assert torch.equal(columns["target"], states[:, 0])
    assert torch.equal(game.from_columns(columns), states)


def test_a_speaker_shown_the_target_alone_says_the_same_whatever_the_others_are(game, generator):
    alone = ReferenceGame(game.items, game.pool, n_candidates=game.n_candidates, speaker_sees="target")
    states = alone.draw_states(50, generator)
    others = torch.cat([states[:, :1], alone.draw_states(50, generator)[:, 1:]], dim=1)
    differ = (states != others).any(1)
    assert differ.any()
    cell = Cell(alone, CellConfig(hidden=16, message=4))
    assert not [name for name in cell.state_dict() if "items" in name]  # they are no weights
    assert torch.equal(speak(cell, alone, states), speak(cell, alone, others))
    assert not torch.equal(speak(cell, game, states)[differ], speak(cell, game, others)[differ])
    world = alone.reset(50, generator)
    assert torch.equal(alone.observe(world)[:, SPEAKER], alone.human_view(world.states))
    for one, other in zip(*(each.question(states, rng(1)) for each in (game, alone)), strict=True):
        assert torch.equal(one, other)  # a listener sees the same whatever the speaker is shown
