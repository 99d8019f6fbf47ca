"""Judges of English: each against plain loops, what they can tell, and what must be at chance by all of them."""

import math

import numpy as np
import pytest
import torch

from neuralese.evaluate.judges import Comparative, Neighbours
from neuralese.evaluate.listeners import Listener, ModelHuman, credit, ties, truthfulness
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.fit import FitConfig, fit_human_listener
from neuralese.speakers.models import HumanListener
from neuralese.speakers.traces import Lists, Traces

WORDS, ITEMS = 6, 150
FIT = FitConfig(hidden=16, steps=400, batch=128, learning_rate=0.01, check_every=100)


def lists(said: list[list[int]]) -> Lists:
    starts = torch.tensor([0, *np.cumsum([len(each) for each in said])])
    return Lists(torch.tensor([word for each in said for word in each], dtype=torch.long), starts, WORDS)


def spoken(features: torch.Tensor, items: torch.Tensor, generator: torch.Generator, shuffled: bool = False) -> Traces:
    """Each of `items` is called by the sixth of the circle in which it is; every third speaker adds the next one."""
    hue = torch.atan2(features[:, 1], features[:, 0]).div(2 * math.pi).remainder(1).mul(WORDS).long()
    names = hue[items]
    if shuffled:
        names = names[torch.randperm(len(names), generator=generator)]
    said = [[name, (name + 1) % WORDS][: 1 + (place % 3 == 0)] for place, name in enumerate(names.tolist())]
    others = items[torch.randperm(len(items), generator=generator)]
    words = lists(said)
    return Traces(torch.stack([items, others], dim=1), words, words, items)


class People:
    """Items on a circle; what two halves of people say of them, and judges who know what the second half says."""

    def __init__(self, shuffled: bool = False, swapped: bool = False) -> None:
        random = torch.Generator().manual_seed(0)
        self.features = torch.nn.functional.normalize(torch.randn(ITEMS, 2, generator=random))
        self.game = ReferenceGame(self.features)
        everybody = spoken(self.features, torch.arange(ITEMS).repeat(8), random)
        self.first, self.second = everybody.half(True), everybody.half(False)
        known = spoken(self.features, self.second.states[:, 0], random, shuffled)
        order = torch.tensor([3, 4, 5, 0, 1, 2]) if swapped else torch.arange(WORDS)
        known = Traces(known.states, *[lists([order[each].tolist() for each in rows(known.words)])] * 2, known.games)
        listener = fit_human_listener(self.game, known, known, FIT, random)
        self.judges: list[Listener] = [
            ModelHuman(listener, self.game),
            Neighbours(known, self.features, 40),
            Comparative(known, self.features),
        ]
        self.states = self.game.draw_states(2000, random)
        self.random = random

    def right(self, words: torch.Tensor) -> dict[str, float]:
        """How often each judge is right on hearing `words` (n,), one for each state."""
        bags = torch.eye(WORDS)[words]
        return {each.name: float(each.credit(bags, self.states).mean()) for each in self.judges}

    def own(self) -> torch.Tensor:
        """What people say of the true states."""
        return spoken(self.features, self.states[:, 0], self.random).words.bags(torch.arange(2000)).argmax(1)


def rows(words: Lists) -> list[torch.Tensor]:
    return list(words.values.split(words.starts.diff().tolist()))


@pytest.fixture(scope="module")
def people() -> People:
    return People()


def test_halves_share_no_item_and_are_dealt_alike(people):
    first, second = (set(half.games.tolist()) for half in (people.first, people.second))
    assert not first & second
    assert first | second == set(range(ITEMS))
    assert abs(len(first) - len(second)) <= 1
    words = people.second.words
    again = spoken(people.features, torch.arange(ITEMS).repeat(8), torch.Generator().manual_seed(5)).half(False)
    assert torch.equal(again.games, people.second.games)
    whole = people.second[torch.tensor([4, 0])]
    assert [each.tolist() for each in rows(whole.words)] == [rows(words)[place].tolist() for place in (4, 0)]
    one = Traces(people.second.states, words, words, torch.zeros(len(words.starts) - 1))
    assert one.half(True) is one.half(False) is one  # what belongs together cannot be split


def naive_shares(traces: Traces, features: torch.Tensor, item: int, nearest: int) -> tuple[list[float], int]:
    """The share of people near an item, or who spoke of it, who said each word, and their number."""
    items = traces.states[:, 0].tolist()
    if nearest:
        apart = [float((features[each] - features[item]).square().sum()) for each in items]
        asked = sorted(range(len(items)), key=lambda place: apart[place])[:nearest]
    else:
        asked = [place for place, each in enumerate(items) if each == item]
    said = [rows(traces.words)[place].tolist() for place in asked]
    return [sum(each.count(word) for each in said) for word in range(WORDS)], len(asked)


@pytest.mark.parametrize("nearest", [0, 16])  # as many as speak of two items: the naive order has no ties to break
def test_neighbours_prefer_what_people_near_it_said_as_plain_loops_do(nearest):
    random = torch.Generator().manual_seed(1)
    features = torch.randn(30, 2, generator=random)
    traces = spoken(features, torch.arange(30).repeat(8), random)
    states = torch.randint(30, (50, 3), generator=random)
    bags = torch.randint(2, (50, WORDS), generator=random).float()
    found = Neighbours(traces, features, nearest).preferences(bags, states)
    for row in range(50):
        for place, item in enumerate(states[row].tolist()):
            counts, asked = naive_shares(traces, features, item, nearest)
            least = 1 / (2 * asked)
            expected = sum(math.log(counts[word] / asked + least) for word in range(WORDS) if bags[row, word])
            assert float(found[row, place]) == pytest.approx(expected, abs=1e-4)


def test_a_judge_who_knows_the_very_words_leaves_them_out():
    features, words = torch.eye(2), lists([[0], [1], [1], [1]])
    traces = Traces(torch.tensor([[0, 1], [0, 1], [1, 0], [1, 0]]), words, words, torch.arange(4))
    judge, bags = Neighbours(traces, features), torch.eye(WORDS)[[0]]
    states = torch.tensor([[0, 1]])
    assert judge.credit(bags, states) == 1  # somebody said 0 of the first item
    assert judge.unaware().credit(bags, states) == 0.5  # but nobody else
    assert ties(judge.unaware().preferences(bags, states)) == 1
    assert judge.unaware().credit(torch.eye(WORDS)[[1]], states) == 0  # of the first nobody else, of the second all
    alone = Neighbours(traces[torch.tensor([0, 2, 3])], features).unaware()  # nobody else spoke of the first
    assert alone.credit(torch.eye(WORDS)[[0]], states) == alone.credit(torch.eye(WORDS)[[1]], states) == 0.5
    near = Neighbours(traces, features, 2)
    assert near.unaware() is near  # who asks others cannot know


def test_a_comparative_is_the_direction_of_the_mean():
    features = torch.tensor([[0.0, 0], [1, 0], [2, 0], [0, 3]])
    words = lists([[0], [1], [1], [2]])
    traces = Traces(torch.tensor([[item, 0] for item in range(4)]), words, words, torch.arange(4))
    judge = Comparative(traces, features)
    mean = features.mean(0)
    for word, expected in ((0, features[0] - mean), (1, features[1:3].mean(0) - mean), (2, features[3] - mean)):
        assert judge.directions[word].tolist() == pytest.approx((expected / expected.norm()).tolist(), abs=1e-6)
    assert judge.directions[3].tolist() == [0, 0]  # a word nobody said prefers nobody
    states = torch.tensor([[2, 1], [1, 2]])
    assert judge.credit(torch.eye(WORDS)[[1, 1]], states).tolist() == [1, 0]  # the more so of the two
    assert judge.credit(torch.eye(WORDS)[[3, 3]], states).tolist() == [0.5, 0.5]


def test_the_credit_of_several_networks_is_the_mean_of_theirs():
    preferences = torch.tensor([[[2.0, 1], [0, 1]], [[1, 1], [1, 0]]])
    assert credit(preferences).tolist() == [0.75, 0.5]
    assert ties(preferences) == 0.25
    listener = HumanListener(ReferenceGame(torch.eye(3)), hidden=4, words=WORDS)
    assert ModelHuman(listener, ReferenceGame(torch.eye(3))).preferences(
        torch.eye(WORDS)[:2], torch.tensor([[0, 1], [1, 2]])
    ).shape == (3, 2, 2)


def test_people_are_understood_by_every_judge_who_speaks_their_language(people):
    assert min(people.right(people.own()).values()) > 0.75
    assert [each.preferences(None, people.states).abs().sum() for each in people.judges] == [0, 0, 0]


def test_random_words_and_those_of_another_state_are_at_chance_by_every_judge(people):
    for words in (torch.randint(WORDS, (2000,), generator=people.random), people.own().roll(1)):
        for name, right in people.right(words).items():
            assert right == pytest.approx(0.5, abs=0.04), name


def test_judges_who_learned_from_shuffled_speech_are_at_chance():
    people = People(shuffled=True)
    for name, right in people.right(people.own()).items():
        assert right == pytest.approx(0.5, abs=0.1), name


def test_a_vocabulary_in_the_wrong_order_shows_in_what_peoples_own_words_reach(people):
    """A translator with the same error would be understood perfectly well; people are not."""
    wrong = People(swapped=True)
    theirs = (wrong.own() + 3) % WORDS  # what such a translator says of the true state
    assert min(wrong.right(theirs).values()) > 0.75
    assert max(wrong.right(wrong.own()).values()) < 0.4


def test_truthfulness_is_how_rarely_and_how_often_people_say_so():
    likely = torch.tensor([[0.001, 0.5, 0.2, 0.1, 0.09, 0.05, 0.02]]).expand(2, -1)
    phrases = torch.nn.functional.one_hot(torch.tensor([0, 1]), 7).float()
    assert truthfulness(likely, phrases) == {"truth": 0.5, "said": 0.5}
    assert truthfulness(likely, torch.ones(2, 7)) == {"truth": pytest.approx(1 / 7), "said": pytest.approx(5 / 7)}
    assert all(math.isnan(each) for each in truthfulness(None, phrases).values())
