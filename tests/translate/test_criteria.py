"""The fast dictionary is Algorithm 1 of the paper, written as matrix products, and every variant of it is right."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import Tabled, cells

from neuralese.translate import pairs
from neuralese.translate.algorithm1 import belief, q
from neuralese.translate.criteria import (
    DIVERGENCES,
    WEIGHTS,
    BeliefCriterion,
    DirectCriterion,
    PmiCriterion,
    RandomCriterion,
)
from neuralese.translate.dictionary import n_best
from neuralese.translate.pairs import DOUBLE, LOG_FLOOR, SINGLE, Meanings


def kl(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    return (p * (p / q).log()).sum(1)


def naive_q(z: torch.Tensor, z_other: torch.Tensor, weights: str, divergence: str) -> float:
    """Algorithm 1 and its variants for one pair of messages."""
    said, said_other = z[:, 0].exp(), z_other[:, 0].exp()
    w, w_other = said / said.sum(), said_other / said_other.sum()
    p, p_other = belief(z), belief(z_other)
    mixture = (p + p_other) / 2
    weight = {
        "product": w * w_other,
        "sum": w + w_other,
        "source": w,
        "target": w_other,
        "likelihood": said + said_other,
    }[weights]
    k = {
        "forward": kl(p, p_other),
        "reverse": kl(p_other, p),
        "symmetric": (kl(p, p_other) + kl(p_other, p)) / 2,
        "jensen-shannon": (kl(p, mixture) + kl(p_other, mixture)) / 2,
    }[divergence]
    return float((weight * k).sum() / weight.sum())


@st.composite
def languages(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor]:
    k, k_target, n, s = (draw(st.integers(1, high)) for high in (4, 4, 9, 4))
    spread = draw(st.sampled_from([0.1, 1.0, 8.0]))
    random = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))

    def table(size: int) -> torch.Tensor:
        return spread * torch.randn(size, n, s, dtype=torch.float64, generator=random)

    return table(k), table(k_target)


@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("weights", WEIGHTS)
@settings(max_examples=40)
@given(pair=languages(), block=st.sampled_from([1, 4, 1024]))
def test_fast_dictionary_equals_naive_loop(weights, divergence, pair, block):
    source, target = (Tabled(table) for table in pair)
    criterion, candidates = BeliefCriterion(weights=weights, divergence=divergence), cells(*pair[0].shape[1:])
    fast = criterion.scores(source, target, candidates, block)
    naive = [[naive_q(z, z_other, weights, divergence) for z_other in pair[1]] for z in pair[0]]
    if (weights, divergence) == ("product", "forward"):
        assert naive == [pytest.approx([q(z, z_other) for z_other in pair[1]]) for z in pair[0]]  # as printed
    naive = torch.tensor(naive, dtype=torch.float64)
    torch.testing.assert_close(fast, naive, rtol=1e-6, atol=1e-6)
    single = criterion.scores(source, target, candidates, block, SINGLE)
    torch.testing.assert_close(single.double(), fast, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("criterion", [BeliefCriterion(), BeliefCriterion(weights="product"), DirectCriterion()])
def test_scores_do_not_depend_on_whether_likelihoods_are_held(criterion, monkeypatch):
    source, target = torch.randn(2, 6, 10, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    held = criterion.scores(Tabled(source), Tabled(target), cells(10, 2), block=4)
    monkeypatch.setattr(pairs, "HELD", 0)
    assert torch.equal(criterion.scores(Tabled(source), Tabled(target), cells(10, 2), block=4), held)


@settings(max_examples=20)
@given(pair=languages(), order=st.randoms())
def test_criteria_that_share_meanings_score_as_each_alone_whatever_was_compared_before(pair, order):
    source, target = (Tabled(table) for table in pair)
    candidates = cells(*pair[0].shape[1:])
    criteria = [
        BeliefCriterion(weights=weights, divergence=divergence) for weights in WEIGHTS for divergence in DIVERGENCES
    ]
    criteria += [BeliefCriterion(prior=0.5), BeliefCriterion(truth=0.5), DirectCriterion(), PmiCriterion()]
    every = criteria * 2  # each of them again
    order.shuffle(every)
    kept = [BeliefCriterion().meanings(each, candidates, keep=True) for each in (source, target)]
    for criterion in every:
        alone = criterion.scores(source, target, candidates)
        torch.testing.assert_close(criterion.compare(*kept), alone, rtol=1e-6, atol=1e-6)


@given(pair=languages())
def test_direct_is_the_posterior_predictive_of_the_other_language_and_pmi_does_not_favour_frequent_words(pair):
    source, target = pair
    expected = -(torch.softmax(source[..., 0], dim=1) @ target[..., 0].exp().T).log()
    direct, pmi = (
        kind().scores(Tabled(source), Tabled(target), cells(*source.shape[1:]), block=2)
        for kind in (DirectCriterion, PmiCriterion)
    )
    torch.testing.assert_close(direct, expected)
    frequency = target[..., 0].logsumexp(1)
    torch.testing.assert_close(pmi, direct + frequency)
    for exponent in (0.0, 0.5):
        between = PmiCriterion(exponent=exponent).scores(Tabled(source), Tabled(target), cells(*source.shape[1:]))
        torch.testing.assert_close(between, direct + exponent * frequency)
    belief, truthful = (
        BeliefCriterion(truth=truth).scores(Tabled(source), Tabled(target), cells(*source.shape[1:]))
        for truth in (0.0, 0.3)
    )
    torch.testing.assert_close(truthful, belief + 0.3 * direct)


def test_a_prior_turns_to_frequent_translations(generator):
    table = torch.randn(3, 20, 2, dtype=torch.float64, generator=generator)
    both = Tabled(torch.cat([table, table + 3.0]))  # the same again, e^3 times as frequent
    candidates = cells(20, 2)
    plain = BeliefCriterion(weights="source").scores(Tabled(table), both, candidates)
    torch.testing.assert_close(plain[:, :3], plain[:, 3:])
    favoured = BeliefCriterion(weights="source", prior=0.01).scores(Tabled(table), both, candidates)
    torch.testing.assert_close(favoured[:, :3] - favoured[:, 3:], torch.full((3, 3), 0.03, dtype=torch.float64))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_message_means_the_same_as_itself_and_its_paraphrase(weights, generator):
    table = torch.randn(3, 20, 2, dtype=torch.float64, generator=generator)
    paraphrase = table - 5.0  # said e^5 times less often, in the very same states
    scores = BeliefCriterion(weights=weights).scores(Tabled(table), Tabled(paraphrase), cells(20, 2))
    assert scores.argmin(1).tolist() == [0, 1, 2]
    assert scores.diagonal().abs().max() < 1e-9


def test_a_pair_that_shares_no_context_ranks_last():
    never = -1e4
    source = torch.tensor([[[0.0, -1.0], [never, never - 1]]], dtype=torch.float64)
    target = torch.tensor(
        [
            [[never, never - 1], [0.0, -1.0]],  # the same beliefs, but only where the source is never said
            [[0.0, 3.0], [never, never]],  # other beliefs, where the source is said
        ],
        dtype=torch.float64,
    )
    scores = BeliefCriterion(weights="product").scores(Tabled(source), Tabled(target), cells(2, 2))
    assert scores[0, 0] == torch.inf
    assert torch.isfinite(scores[0, 1])
    assert n_best(scores, 2)[0].tolist() == [[1, 0]]


def test_an_impossible_state_costs_much_but_not_infinitely_much():
    source = torch.zeros(1, 3, 2, dtype=torch.float64)
    target = torch.tensor([[[0.0, -torch.inf]] * 3], dtype=torch.float64)
    for criterion, (one, other) in {
        BeliefCriterion(divergence="forward"): (source, target),
        BeliefCriterion(divergence="reverse"): (target, source),
    }.items():
        score = criterion.scores(Tabled(one), Tabled(other), cells(3, 2))
        assert 100 < score.item() < -LOG_FLOOR


def test_random_is_the_same_for_a_seed_and_prefers_nothing():
    source, target = Tabled(torch.zeros(500, 1, 2)), Tabled(torch.zeros(10, 1, 2))
    scores = RandomCriterion(seed=3).scores(source, target, cells(1, 2))
    assert torch.equal(scores, RandomCriterion(seed=3).scores(source, target, cells(1, 2)))
    assert len(scores.argmin(1).unique()) == 10


# ---- the best translation by Jensen-Shannon divergence is found without looking at every pair


def meanings(spread: float, candidates: int, dtype: torch.dtype, seed: int = 0) -> list[Meanings]:
    random = torch.Generator().manual_seed(seed)
    tables = [spread * torch.randn(size, 60, candidates, dtype=torch.float64, generator=random) for size in (40, 90)]
    return [Meanings(Tabled(table), cells(60, candidates), block=25, keep=True, dtype=dtype) for table in tables]


def test_no_divergence_is_farther_from_its_estimate_than_the_error():
    t = np.concatenate([np.logspace(-300, -0.001, 20_000), 1 - np.logspace(-4, -2, 100)])
    exact = (t * np.log(t) - (1 + t) * np.log((1 + t) / 2)) / 2
    estimate = sum(share * (1 + t - t**a - t ** (1 - a)) for a, share in pairs.NEARLY.items())
    assert np.abs(estimate / exact - 1).max() < pairs.ERROR


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("spread", [0.1, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("candidates", [2, 4])
def test_the_best_is_the_least_of_all_scores(weights, spread, candidates):
    criterion = BeliefCriterion(weights=weights, divergence="jensen-shannon")
    pair = meanings(spread, candidates, DOUBLE)
    scores = criterion.compare(*pair)
    for found in (criterion.best(*pair), criterion.best(*meanings(spread, candidates, SINGLE))):
        torch.testing.assert_close(scores.gather(1, found[:, None])[:, 0], scores.min(1).values, rtol=1e-5, atol=1e-5)
