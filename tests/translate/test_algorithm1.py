"""The dictionary is Algorithm 1 as the paper prints it, and beside it the criterion of the authors' released code."""

from pathlib import Path

import pandas as pd
import pytest
import torch
import yaml
from worlds import World

from neuralese.translate.algorithm1 import belief, q, translate
from neuralese.translate.criteria import ALGORITHM_1, RELEASED, BeliefCriterion, make_criterion
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.families import members
from neuralese.translate.languages import Language

CRITERIA = yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text())["criteria"]
PAPERS = {"algorithm-1": ALGORITHM_1, "released": RELEASED}
UTTERANCES = ((0,), (1,), (2,), (3,), (4,), (1, 4), (2, 3, 4))


def released_q(z: torch.Tensor, z_other: torch.Tensor) -> float:
    """A context counts if either message is likely in it; the divergence is from the translation to the source."""
    total = norm = 0.0
    for one, other, p, p_other in zip(z, z_other, belief(z), belief(z_other), strict=True):
        weight = float(one[0].exp() + other[0].exp())
        total += weight * sum(float(b * (b / a).log()) for a, b in zip(p, p_other, strict=True))
        norm += weight
    return total / norm


SCORES = {"algorithm-1": q, "released": released_q}


@pytest.fixture(scope="module")
def world() -> World:
    world = World(["", "red", "green", "blue", "light"], contexts=25, sharp=6.0)
    world.spoken, world.vocabulary = world.say(7, first=100), world.say(9)
    return world


@pytest.fixture(scope="module")
def dictionary(world) -> pd.DataFrame:
    criteria = {name: CRITERIA[name] for name in PAPERS}
    by_direction = {"R->H": criteria, "H->R": criteria}
    told = world.told(*UTTERANCES)
    return build_dictionary(
        world.english, told, [world.spoken], world.vocabulary, world.candidates, by_direction, n_best=100
    )


def likelihoods(world: World, language: Language, name: str) -> torch.Tensor:
    """log p(z | x) as the criterion reads it; the released code leaves out the constant of the Gaussian."""
    read = language.read(PAPERS[name].reading)
    return read.log_likelihood(world.candidates) - (read.log_peak if name == "released" else 0.0)


@pytest.mark.parametrize("direction", ["R->H", "H->R"])
@pytest.mark.parametrize("name", PAPERS)
def test_the_dictionary_ranks_and_scores_as_the_plain_loop_does(world, dictionary, name, direction):
    spoken = world.spoken if direction == "R->H" else world.vocabulary
    words = world.told(*UTTERANCES[1:5]) if direction == "R->H" else world.told(*UTTERANCES)  # no message means silence
    source, target = (spoken, words) if direction == "R->H" else (words, spoken)
    numbers = [*range(1, 5)] if direction == "R->H" else target.ids.tolist()  # of phrases, or of messages
    z, z_other = (likelihoods(world, language, name) for language in (source, target))
    expected = {
        (one, other): SCORES[name](z[row], z_other[column])
        for row, one in enumerate(source.ids.tolist())
        for column, other in enumerate(numbers)
    }
    rows = dictionary[(dictionary["criterion"] == name) & (dictionary["direction"] == direction)]
    scores = {(row.source_id, row.target_id): row.score for row in rows.itertuples()}
    assert scores == pytest.approx(expected, rel=1e-6, abs=1e-6)
    for row, one in enumerate(source.ids.tolist()):
        ranked = rows[rows["source_id"] == one].sort_values("rank")["target_id"].tolist()
        assert ranked == sorted(numbers, key=lambda other, one=one: expected[one, other])
        if name == "algorithm-1":
            assert numbers[translate(z[row], [*z_other])] == ranked[0]


def test_the_config_holds_the_papers_criteria_and_ours_begins_with_the_default():
    assert {name: make_criterion(CRITERIA[name]) for name in PAPERS} == PAPERS
    assert BeliefCriterion(weights="product", divergence="forward", scale=1.0, variance=None) == ALGORITHM_1
    assert BeliefCriterion(weights="likelihood", divergence="reverse", variance=0.5, join="mean") == RELEASED
    first = next(iter(members(CRITERIA["belief"]).values()))
    assert (first["weights"], first["divergence"], first["scale"]) == ("source", "reverse", 1.0)
    assert make_criterion(first) == BeliefCriterion()
