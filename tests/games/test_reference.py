import pytest
import torch

from neuralese.games.reference import LEFT, LISTENER, RIGHT, SPEAKER, WAIT, ReferenceGame


@pytest.fixture
def game():
    return ReferenceGame(torch.arange(12.0).view(6, 2), pool=torch.tensor([1, 2, 3]))


def at_choice(game, batch, generator):
    """A world in which the listener sees the items."""
    world = game.reset(batch, generator)
    return game.step(world, torch.full((batch, 2), WAIT))[0]


def test_states_come_from_the_pool_and_nowhere_else(game, generator):
    assert set(game.draw_states(500, generator).flatten().tolist()) == {1, 2, 3}


def test_the_listener_sees_nothing_at_first_and_both_items_a_step_later(game, generator):
    world = game.reset(200, generator)
    speaker, listener = game.observe(world).unbind(1)
    assert torch.equal(speaker[:, :2], world.states)
    assert (listener[:, :2] == len(game.items)).all()
    later = at_choice(game, 200, generator)
    seen = game.observe(later)[:, LISTENER]
    assert torch.equal(seen[:, :2].sort(1).values, later.states.sort(1).values)
    target_place = torch.where(later.target_right, 1, 0)
    assert torch.equal(seen[:, :2].gather(1, target_place[:, None]).squeeze(1), later.states[:, 0])
    assert 0.35 < later.target_right.float().mean() < 0.65
    assert (speaker[:, 2] == SPEAKER).all()
    assert (seen[:, 2] == LISTENER).all()


def test_right_is_worth_one_wrong_nothing_and_waiting_costs_a_tenth(game, generator):
    world = at_choice(game, 300, generator)
    right = torch.where(world.target_right, RIGHT, LEFT)
    for action, reward, done, success in (
        (right, 1, True, True),
        (1 - right, 0, True, False),
        (right * 0 + WAIT, -0.1, False, False),
    ):
        actions = torch.stack([torch.zeros_like(action), action], dim=1)
        _, outcome = game.step(world, actions)
        torch.testing.assert_close(outcome.reward, torch.full((300,), float(reward)))
        assert (outcome.done == done).all()
        assert (outcome.success == success).all()


def test_nothing_the_players_do_counts_before_the_listener_sees_the_items(game, generator):
    world = game.reset(10, generator)
    assert not game.acting(world).any()
    _, outcome = game.step(world, torch.zeros(10, 2, dtype=torch.long))
    assert not outcome.done.any()
    assert (outcome.reward == 0).all()
    assert game.acting(at_choice(game, 10, generator)).tolist() == [[False, True]] * 10


def test_the_distractor_is_the_swap_so_candidates_are_exchangeable(game):
    states = torch.tensor([[1, 2], [3, 1]])
    candidates = game.candidates(states)
    assert candidates.tolist() == [[[1, 2], [2, 1]], [[3, 1], [1, 3]]]
    assert torch.equal(game.candidates(candidates[:, 1]), candidates.flip(1))


def test_a_human_describes_the_target_whatever_the_other_item_is(game):
    encoder = game.encoder(5)
    views = game.human_view(torch.tensor([[1, 2], [1, 3], [2, 1]]))
    encoded = encoder(views)
    torch.testing.assert_close(encoded[0], encoded[1])
    assert not torch.allclose(encoded[0], encoded[2])


def test_items_are_not_among_the_encoders_weights(game):
    assert set(game.encoder(5).state_dict()) == {"linear.weight", "linear.bias", "role.weight"}
