"""Candidates are exchangeable: no listener that hears nothing does better than chance, whatever it knows of states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralese.tasks.corpus.candidates import draw_candidates


def skewed(n: int, n_states: int, seed: int = 0) -> np.ndarray:
    """States of messages, some of them far more frequent than others."""
    weights = 1 / np.arange(1, n_states + 1)
    return np.random.default_rng(seed).choice(n_states, n, p=weights / weights.sum())


def deaf_accuracy(candidates: np.ndarray, states: np.ndarray) -> float:
    """How often one is right who always picks the candidate that is most frequently true."""
    frequency = np.bincount(states)[candidates]
    best = frequency == frequency.max(1, keepdims=True)
    return float((best[:, 0] / best.sum(1)).mean())


@pytest.mark.parametrize("candidates", [2, 3, 5, 8])
def test_a_deaf_listener_is_right_by_chance(candidates):
    states = skewed(20_000, 40)
    drawn = draw_candidates(states, candidates, np.random.default_rng(1))
    error = np.sqrt((1 - 1 / candidates) / candidates / len(states))
    assert abs(deaf_accuracy(drawn, states) - 1 / candidates) < 3 * error


def test_distractors_drawn_without_the_true_state_would_let_a_deaf_listener_win():
    states, rng = skewed(20_000, 40), np.random.default_rng(1)
    naive = np.stack([states, rng.choice(states, len(states))], axis=1)
    while (equal := naive[:, 0] == naive[:, 1]).any():
        naive[equal, 1] = rng.choice(states, equal.sum())
    assert deaf_accuracy(naive, states) > 0.52  # five standard errors above chance


@pytest.mark.parametrize("candidates", [2, 3, 5])
def test_every_candidate_of_a_block_is_the_true_one_once(candidates):
    states = skewed(600, 30)
    drawn = draw_candidates(states, candidates, np.random.default_rng(0))
    seen, times = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    for block, n in zip(seen, times, strict=True):
        true = drawn[(np.sort(drawn, axis=1) == block).all(1), 0]
        assert sorted(true) == sorted(np.repeat(block, n // candidates))


@given(
    states=st.lists(st.integers(0, 12), min_size=1, max_size=80),
    candidates=st.integers(2, 6),
    n_groups=st.integers(1, 4),
    seed=st.integers(0, 100),
)
@settings(deadline=None)
def test_the_true_state_is_first_and_distractors_are_of_its_group(states, candidates, n_groups, seed):
    states = np.array(states)
    groups = states % n_groups  # a group has states of its own
    drawn = draw_candidates(states, candidates, np.random.default_rng(seed), groups)
    assert drawn.shape == (len(states), candidates)
    assert (drawn[:, 0] == states).all()
    assert (drawn % n_groups == groups[:, None]).all()
    assert set(drawn.flatten()) == set(states)


@pytest.mark.parametrize("candidates", [2, 3, 4])
def test_states_of_a_block_differ_wherever_they_can(candidates):
    rng = np.random.default_rng(0)
    for n_states in (candidates, candidates + 1, 20):
        states = rng.permutation(np.repeat(np.arange(n_states), 30))
        drawn = draw_candidates(states, candidates, rng)
        assert all(len(set(row)) == candidates for row in drawn.tolist())


def test_of_a_state_that_is_too_frequent_only_the_excess_meets_itself():
    states = np.array([0] * 60 + list(range(1, 41)))
    drawn = draw_candidates(states, 2, np.random.default_rng(0))
    equal = drawn[:, 0] == drawn[:, 1]
    assert equal.sum() == 20  # forty of the sixty meet the forty others
    assert abs(deaf_accuracy(drawn, states) - 0.5) < 1e-9


def test_distractors_depend_on_the_generator_alone():
    states = skewed(2000, 50)
    one, again, other = (draw_candidates(states, 2, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert (one == again).all()
    assert (one != other).any()
    assert min(len(set(one[states == state, 1])) for state in range(5)) > 20
