"""Algorithm 1 as the paper prints it, and the criterion of the authors' released code, written down as plain loops."""

import math
from pathlib import Path

import pandas as pd
import pytest
import torch
import yaml

from neuralese.games.reference import SPEAKER, ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.criteria import ALGORITHM_1, RELEASED, BeliefCriterion, make_criterion
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.families import members
from neuralese.translate.languages import Composed, English, Neuralese

CRITERIA = yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text())["criteria"]
PAPERS = {name: CRITERIA[name] for name in ("algorithm-1", "released")}
NOISE, ITEMS, CONTEXTS = 0.4, 30, 25
PHRASES = ["", "red", "green", "blue", "light"]  # the first is silence
UTTERANCES = ((0,), (1,), (2,), (3,), (4,), (1, 4), (2, 3, 4))


class World:
    """A small reference game whose speakers count in double precision, and what is said in it."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        torch.manual_seed(0)
        self.game = ReferenceGame(torch.randn(ITEMS, 3, generator=generator).double())
        self.robot = RobotSpeaker(self.game, hidden=8, message=4, scale=NOISE).double()
        self.human = HumanSpeaker(self.game, hidden=8, phrases=len(PHRASES), silence=0).double()
        with torch.no_grad():
            self.human.logits.phrases.weight.mul_(6)  # words that mean something
            self.robot.mean[2].weight.mul_(2)
        self.states = self.game.draw_states(CONTEXTS, generator)
        self.spoken, self.vocabulary = (self.say(n, first, generator) for n, first in ((7, 100), (9, 0)))

    def say(self, n: int, first: int, generator: torch.Generator) -> Neuralese:
        """Messages as the channel brings them."""
        with torch.no_grad():
            means = self.robot.mean(self.game.speaker_view(self.game.draw_states(n, generator)))
        messages = means + NOISE * torch.randn(means.shape, generator=generator)
        return Neuralese(self.game, self.robot, messages, torch.arange(first, first + n))

    @torch.no_grad()
    def mean(self, target: int, other: int) -> list[float]:
        """The robot's mean message about a target shown with another item."""
        return self.robot.mean(torch.tensor([[target, other, SPEAKER]]))[0].tolist()

    @torch.no_grad()
    def phrases(self, target: int) -> list[float]:
        """log p of every phrase for a target, which humans see alone."""
        return self.human.log_prob(torch.tensor([[target, ITEMS, SPEAKER]]))[:, 0].tolist()


def printed_message(z: list[float], mean: list[float]) -> float:
    """log of the Gaussian density that is as wide as the channel's noise."""
    off = [a - b for a, b in zip(z, mean, strict=True)]
    return sum(-(each**2) / (2 * NOISE**2) - math.log(NOISE * math.sqrt(2 * math.pi)) for each in off)


def released_message(z: list[float], mean: list[float]) -> float:
    return -sum((a - b) ** 2 for a, b in zip(z, mean, strict=True))


def printed_words(said: tuple[int, ...], log_phrases: list[float]) -> float:
    """Phrases said together are independent."""
    return sum(log_phrases[phrase] for phrase in said)


def released_words(said: tuple[int, ...], log_phrases: list[float]) -> float:
    return sum(log_phrases[phrase] for phrase in said) / len(said)


def printed_weight(log_likelihood: float, log_likelihood_target: float) -> float:
    return math.exp(log_likelihood + log_likelihood_target)


def released_weight(log_likelihood: float, log_likelihood_target: float) -> float:
    """A context counts if either message is likely in it."""
    return math.exp(log_likelihood) + math.exp(log_likelihood_target)


def softmax(values: list[float]) -> list[float]:
    odds = [math.exp(value - max(values)) for value in values]
    return [each / sum(odds) for each in odds]


def kl(p: list[float], q: list[float]) -> float:
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


RULES = {"algorithm-1": (printed_message, printed_words), "released": (released_message, released_words)}


def naive_scores(world: World, name: str, direction: str) -> dict[tuple[int, int], float]:
    """q of every pair, one context after another; the weights of a pair are normalised as it is met."""
    message_rule, words_rule = RULES[name]
    spoken = world.spoken if direction == "R->H" else world.vocabulary
    says = UTTERANCES[1:5] if direction == "R->H" else UTTERANCES  # messages become single phrases, and never silence
    messages = dict(zip(spoken.ids.tolist(), spoken.messages.tolist(), strict=True))
    words = {UTTERANCES.index(said): said for said in says}
    # log p in each context: of the true state and of its distractor, in which target and other are swapped
    pairs = world.states.tolist()
    of_message = {
        number: [[message_rule(z, world.mean(t, o)), message_rule(z, world.mean(o, t))] for t, o in pairs]
        for number, z in messages.items()
    }
    of_words = {
        number: [[words_rule(said, world.phrases(t)), words_rule(said, world.phrases(o))] for t, o in pairs]
        for number, said in words.items()
    }
    source, target = (of_message, of_words) if direction == "R->H" else (of_words, of_message)
    found = {}
    for one, z in source.items():
        for other, z_target in target.items():
            rule = printed_weight if name == "algorithm-1" else released_weight
            weights = [rule(z[i][0], z_target[i][0]) for i in range(CONTEXTS)]
            divergences = []
            for i in range(CONTEXTS):
                belief, belief_target = softmax(z[i]), softmax(z_target[i])
                forward = name == "algorithm-1"
                divergences.append(kl(belief, belief_target) if forward else kl(belief_target, belief))
            total = sum(weight * divergence for weight, divergence in zip(weights, divergences, strict=True))
            found[one, other] = total / sum(weights)
    return found


@pytest.fixture(scope="module")
def world() -> World:
    return World()


@pytest.fixture(scope="module")
def dictionary(world) -> pd.DataFrame:
    english = English(world.game, world.human, PHRASES)
    return build_dictionary(
        english,
        Composed(english, UTTERANCES),
        spoken=[world.spoken],
        vocabulary=world.vocabulary,
        candidates=world.game.candidates(world.states),
        criteria={"R->H": PAPERS, "H->R": PAPERS},
        n_best=100,
    )


@pytest.mark.parametrize("direction", ["R->H", "H->R"])
@pytest.mark.parametrize("name", PAPERS)
def test_the_dictionary_ranks_and_scores_as_the_plain_loop_does(world, dictionary, name, direction):
    expected = naive_scores(world, name, direction)
    rows = dictionary[(dictionary["criterion"] == name) & (dictionary["direction"] == direction)]
    scores = {(row.source_id, row.target_id): row.score for row in rows.itertuples()}
    assert scores == pytest.approx(expected, rel=1e-6, abs=1e-6)
    for source in {source for source, _ in expected}:
        targets = [target for one, target in expected if one == source]
        ranked = rows[rows["source_id"] == source].sort_values("rank")["target_id"].tolist()
        assert ranked == sorted(targets, key=lambda target: expected[source, target])


def test_the_two_criteria_rank_otherwise_so_that_neither_can_stand_in_for_the_other(world):
    for direction in ("R->H", "H->R"):
        printed, released = (naive_scores(world, name, direction) for name in PAPERS)
        assert sorted(printed, key=printed.get) != sorted(released, key=released.get)
        assert max(abs(printed[pair] - released[pair]) for pair in printed) > 0.01


def test_the_config_holds_the_papers_criteria():
    assert make_criterion(CRITERIA["algorithm-1"]) == ALGORITHM_1
    assert make_criterion(CRITERIA["released"]) == RELEASED
    assert BeliefCriterion(weights="product", divergence="forward", scale=1.0, variance=None) == ALGORITHM_1
    assert BeliefCriterion(weights="likelihood", divergence="reverse", variance=0.5, join="mean") == RELEASED


def test_the_default_criterion_is_the_first_of_the_configs_family():
    first = next(iter(members(CRITERIA["belief"]).values()))
    assert (first["weights"], first["divergence"], first["scale"]) == ("source", "reverse", 1.0)
    assert make_criterion(first) == BeliefCriterion()
