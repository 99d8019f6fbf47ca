"""What the paper proves, on games that can be enumerated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralese.evaluate.theory import (
    ExactGame,
    actions,
    beliefs,
    check_proposition_1,
    contexts_of,
    proposition_1,
    quality,
    random_game,
    random_speaker,
    recovery,
    rewards,
    translate_shape,
)


@pytest.mark.parametrize(
    ("shape", "by", "word"),
    [
        ("hexagon", "belief", "many"),
        ("hexagon", "pragmatics", "few"),
        ("triangle", "belief", "few"),
        ("octagon", "belief", "many"),
    ],
)
def test_the_shapes_of_the_paper(shape, by, word):
    assert translate_shape(shape, by) == word


def test_belief_reward_and_quality_of_a_game_done_by_hand():
    game = ExactGame(np.full((2, 1), 0.5), np.eye(2)[:, None])  # guess the state
    clear, vague = np.eye(2), np.array([[0.75, 0.25], [0.25, 0.75]])
    assert beliefs(game, vague)[0, 0].tolist() == [0.75, 0.25]
    assert contexts_of(game, vague).tolist() == [[1.0], [1.0]]
    assert rewards(game, clear, actions(game, beliefs(game, clear))).tolist() == [1, 1]
    assert rewards(game, vague, actions(game, beliefs(game, vague))).tolist() == [0.75, 0.75]
    assert quality(game, clear, vague)[0].tolist() == pytest.approx([np.log(4 / 3), np.log(4)])
    assert quality(game, vague, vague).diagonal().tolist() == pytest.approx([0, 0])
    lost = proposition_1(game, clear, vague)
    assert lost["lost"].tolist() == [0, 0]  # the listener still picks the right state


@settings(deadline=None, max_examples=300)
@given(seed=st.integers(0, 2**32), sizes=st.tuples(*[st.integers(2, 6)] * 5))
def test_proposition_1_holds_in_every_game(seed, sizes):
    random = np.random.default_rng(seed)
    states, contexts, choices, robot, human = sizes
    game = random_game(random, states, contexts, choices)
    table = proposition_1(game, random_speaker(random, robot, states), random_speaker(random, human, states))
    assert (table["lost"] <= table["bound"] + 1e-9).all()


def test_proposition_1_is_checked_on_many_games_and_something_is_lost():
    table = check_proposition_1(games=300, seed=1)
    assert table["game"].nunique() == 300
    assert (table["lost"] <= table["bound"] + 1e-9).all()
    assert table["lost"].max() > 0.1


def test_belief_finds_a_strategy_however_rare_and_direct_does_not():
    table = recovery([0.05, 0.9], games=20, seed=0).set_index(["criterion", "rarity"])["recovered"]
    assert table["belief", 0.05] == table["belief", 0.9] == 1
    assert table["direct", 0.05] == 0
    assert table["direct", 0.9] == 1
