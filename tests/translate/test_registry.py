"""A criterion that somebody else writes is used as those of this package are."""

from collections.abc import Iterator
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import torch
from worlds import World

from neuralese.errors import NeuraleseError
from neuralese.translate.criteria import KINDS, BeliefCriterion, Criterion, criterion, kind_of, make_criterion
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.families import members
from neuralese.translate.pairs import Meanings, shared


@pytest.fixture
def overlap() -> Iterator[type[Criterion]]:
    """All that it takes."""
    before = dict(KINDS)

    @criterion("overlap")
    class OverlapCriterion(Criterion):
        """How little the contexts of two messages are the same."""

        power: float = 1.0

        def compare(self, source: Meanings, target: Meanings) -> torch.Tensor:
            """Minus the overlap, (K, K')."""
            return -(shared(source, target) ** self.power)

    yield OverlapCriterion
    KINDS.clear()
    KINDS.update(before)


def test_a_new_criterion_is_built_from_settings_and_has_the_options_of_all(overlap):
    made = make_criterion({"kind": "overlap", "role": "ours", "power": 0.5, "scale": 2.0})
    assert made == overlap(power=0.5, scale=2.0)
    assert made.reading.scale == 2.0
    assert kind_of({"kind": "overlap"}) is overlap
    with pytest.raises(FrozenInstanceError):
        made.power = 2.0
    with pytest.raises(
        NeuraleseError, match=r"kind 'overlap' has no option 'strength'; it has scale, variance, join, power\."
    ):
        make_criterion({"kind": "overlap", "strength": 1})
    with pytest.raises(NeuraleseError, match="choose from belief, direct, pmi, random, overlap"):
        make_criterion({"kind": "overlop"})


def test_a_new_criterion_makes_dictionaries_and_families(overlap):
    world = World(["red", "green", "blue"], contexts=30)
    english, neuralese, candidates = world.english, world.say(9), world.candidates
    family = members({"kind": "overlap", "power": [0.5, 1.0], "scale": [1.0, 4.0]})
    assert list(family) == [f"overlap x{scale} power {power}" for power in (0.5, 1.0) for scale in (1, 4)]
    told = world.told((0,), (1,), (2,), (0, 2))
    criteria = {"R->H": family, "H->R": family}
    table = build_dictionary(english, told, [neuralese], neuralese, candidates, criteria, n_best=2)
    assert set(table["criterion"]) == set(family)
    for name, settings in family.items():
        made = make_criterion(settings)
        rows = table[(table["criterion"] == name) & (table["direction"] == "R->H") & (table["rank"] == 1)]
        log_w = [each.read(made.reading).log_likelihood(candidates)[..., 0] for each in (neuralese, english)]
        one, other = (torch.softmax(each, dim=1) for each in log_w)
        expected = -((one @ other.T) ** made.power).max(1).values
        np.testing.assert_allclose(rows["score"], expected, rtol=1e-4)


def test_no_two_criteria_share_a_kind():
    with pytest.raises(NeuraleseError, match="a criterion of kind 'belief' exists already; give Another another kind"):

        @criterion("belief")
        class Another(BeliefCriterion):
            """One more."""

    assert KINDS["belief"] is BeliefCriterion
