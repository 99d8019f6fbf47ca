"""Descriptions: whole meanings, no words for nothing, and the greedy choice of a naive loop."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from neuralese.config.models import DescriptionConfig
from neuralese.tasks.corpus.game import CorpusStates
from neuralese.translate.descriptions import WORDLESS, Describer, _greedy, calibrated, draw, worded
from neuralese.translate.languages import English

TRUE = 0.98  # p of the phrases that are true of a state


def toy(values: tuple[int, ...], noise: float, contexts: int) -> SimpleNamespace:
    """A run whose speaker names each attribute, sometimes wrongly; message k is of state k."""
    random = torch.Generator().manual_seed(0)
    states = torch.cartesian_prod(*(torch.arange(each) for each in values)).view(-1, len(values))
    phrases = [(column, value) for column, count in enumerate(values) for value in range(count)]
    true = torch.tensor([[float(state[column] == value) for column, value in phrases] for state in states])
    likely = (true * TRUE / len(values) + (1 - true) * (1 - TRUE) / (len(phrases) - len(values))).log()
    agree = states[:, None] == states
    right = 1 - noise + noise / torch.tensor(values)
    said = torch.where(agree, right, (1 - right) / (torch.tensor(values) - 1).clamp(min=1)).clamp(min=1e-9).log().sum(2)
    attributes = torch.cat([torch.zeros(len(states), 1, dtype=torch.long), states], dim=1)
    game = CorpusStates(torch.zeros(len(states), 1), np.zeros(len(states), dtype=int), 2, attributes=attributes)
    people = SimpleNamespace(log_prob=lambda views: likely[views[:, 0]].T)
    robot = SimpleNamespace(
        width=1.0, log_prob=lambda messages, views, scale: said[messages[:, 0].long()][:, views[:, 0]]
    )
    pairs = torch.randint(len(states), (contexts, 2), generator=random)
    names = [f"{'abcde'[column]}{value}" for column, value in phrases]
    return SimpleNamespace(
        states=game,
        robot=robot,
        english=English(game, people, names),
        context_states=pairs,
        words="attributes",
        generator=lambda label: random,
        meant=[{f"{'abcde'[column]}{value}" for column, value in enumerate(state)} for state in states.tolist()],
    )


def described(run: SimpleNamespace, **config: float) -> list[str]:
    messages = torch.arange(len(run.meant), dtype=torch.float32)[:, None]
    return Describer(run, DescriptionConfig(**config)).describe(messages).texts()


@pytest.mark.parametrize(("values", "noise"), [((5, 3), 0.0), ((5, 3), 0.1), ((3, 3, 3, 3), 0.1)])
def test_every_attribute_is_said_and_nothing_else(values, noise):
    run = toy(values, noise, 2000)
    found = [set(text.split(", ")) for text in described(run)]
    assert np.mean([one == other for one, other in zip(found, run.meant, strict=True)]) >= 0.95


def test_what_says_nothing_is_left_without_words():
    assert set(described(toy((5, 3), 1.0, 1000))) == {WORDLESS}


def test_phrases_are_added_as_in_a_naive_loop():
    random = torch.Generator().manual_seed(0)
    heard, cost = torch.randn(2, 4, 6, 30, generator=random), 0.1 * torch.rand(4, 6, generator=random) - 0.05
    chosen, _, score, gain = _greedy(heard, cost.clone(), 3)
    for row in range(4):
        told: list[int] = []

        def value(phrases, row=row):
            odds = heard[:, row, phrases].sum(1) if phrases else torch.zeros(2, 30)
            return float((1 + odds.exp().sum(0)).log().mean() + cost[row, phrases].sum())

        for number in range(3):
            others = [each for each in range(6) if each not in told]
            best = min(others, key=lambda each: value([*told, each]))
            if value([*told, best]) >= value(told) - (0 if number else 0.02):
                break
            told.append(best)
        assert chosen[row] == told
        assert float(score[row]) == pytest.approx(value(told), abs=1e-5)
        assert float(gain[row]) == pytest.approx(math.log(3) - value(told), abs=1e-5)


def test_contexts_are_drawn_as_often_as_they_weigh():
    w = torch.tensor([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    assert draw(w, 4).tolist() == [[0, 0, 1, 2], [2, 2, 2, 2]]


def test_what_is_sure_is_what_was_measured_and_never_falls():
    expected = np.linspace(0.5, 1, 1000)
    credit = (np.random.default_rng(0).random(1000) < expected - 0.2).astype(float)
    x, y = calibrated(expected, credit)
    assert (np.diff(y) >= 0).all()
    assert np.abs(np.interp(expected, x, y) - (expected - 0.2)).mean() < 0.05


@pytest.mark.parametrize(
    ("text", "seen", "reads"),
    [
        ("yellow", "all", "the more yellow one"),
        ("long neck, large", "all", "the one that is more: long neck, large"),
        (WORDLESS, "all", WORDLESS),
        ("yellow", "target", "yellow"),
        ("yellow", None, "yellow"),
    ],
)
def test_where_speakers_see_all_candidates_descriptions_are_comparisons(text, seen, reads):
    states = SimpleNamespace() if seen is None else SimpleNamespace(speaker_sees=seen)
    assert worded(text, SimpleNamespace(states=states)) == reads
