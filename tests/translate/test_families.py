"""Families of criteria: what their members are, what they are called, and what a role makes of them."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from neuralese.errors import NeuraleseError
from neuralese.translate.criteria import DIVERGENCES, JOINS, WEIGHTS, make_criterion
from neuralese.translate.families import members, named, options, title, with_role

CONFIG = yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text())
ALL = CONFIG["criteria"] | CONFIG["ablation"]["also"]


def one_or_many(values: st.SearchStrategy) -> st.SearchStrategy:
    return values | st.lists(values, min_size=1, max_size=3, unique=True)


BELIEFS = st.fixed_dictionaries(
    {"kind": st.just("belief")},
    optional={
        "weights": one_or_many(st.sampled_from(WEIGHTS)),
        "divergence": one_or_many(st.sampled_from(DIVERGENCES)),
        "scale": one_or_many(st.sampled_from([0.5, 1.0, 1.5, 12.0])),
        "prior": one_or_many(st.sampled_from([0.01, 0.1])),
        "join": one_or_many(st.sampled_from(JOINS)),
    },
)


def test_the_members_of_a_family_are_all_combinations_of_its_lists_in_their_order():
    family = members({"kind": "belief", "role": "ours", "weights": ["source", "sum"], "scale": [1.0, 2.0]})
    assert [(each["weights"], each["scale"]) for each in family.values()] == [
        ("source", 1.0),
        ("source", 2.0),
        ("sum", 1.0),
        ("sum", 2.0),
    ]
    assert all(each["role"] == "ours" for each in family.values())
    assert list(family)[3] == "belief sum x2"


def test_a_criterion_without_lists_is_alone_in_its_family():
    settings = {"kind": "belief", "weights": "product", "divergence": "reverse", "variance": 0.5, "join": "mean"}
    assert members(settings) == {"belief product reverse variance 0.5 join mean": settings}


@given(BELIEFS)
def test_no_two_members_share_a_label_and_each_is_a_criterion_of_its_own(settings):
    family = members(settings)
    sizes = [len(value) if isinstance(value, list) else 1 for value in settings.values()]
    combinations = 1
    for size in sizes:
        combinations *= size
    assert len(family) == combinations
    assert len({make_criterion(each) for each in family.values()}) == combinations


def test_all_criteria_of_the_config_can_be_built_and_told_apart():
    labelled = {}
    for settings in ALL.values():
        for label, each in members(settings).items():
            assert labelled.setdefault(label, make_criterion(each)) == make_criterion(each)
    assert len(set(labelled.values())) == len(labelled) > 40


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"role": "printed"}, "Algorithm 1 (as printed)"),
        ({"role": "released"}, "released code"),
        ({"role": "ours"}, "mine (ours)"),
        ({"role": "ours", "scale": [1.0, 2.0]}, "mine (ours, chosen on dev)"),
        ({"role": "ours", "scale": 2.0, "members": 36}, "mine (ours, chosen on dev)"),  # as a dictionary has it
        ({"role": "baseline", "members": 1}, "mine (baseline)"),
        ({"role": "baseline", "members": 8}, "mine (baseline, chosen on dev)"),
        ({"role": "control"}, "mine (control)"),
        ({}, "mine"),
    ],
)
def test_a_criterions_title_is_made_of_its_role(settings, expected):
    assert title("mine", {"kind": "belief", **settings}) == expected


def test_a_criterion_is_found_by_its_role_whatever_its_name():
    criteria = {"a": {"kind": "direct", "role": "baseline"}, "b": {"kind": "belief", "role": "ours"}}
    assert with_role(criteria, "ours") == "b"
    assert with_role(criteria, "control") is None


def test_what_a_criterion_is_there_for_is_no_option_of_its_kind():
    assert options({"kind": "direct", "role": "baseline", "members": 8, "scale": 2.0}) == {"scale": 2.0}


def test_a_criterion_that_is_not_there_is_refused_with_those_that_are():
    criteria = {"belief": {"kind": "belief"}, "direct": {"kind": "direct"}}
    assert named(criteria, "direct") == {"kind": "direct"}
    with pytest.raises(NeuraleseError, match="no criterion 'telepathy'; choose from belief, direct"):
        named(criteria, "telepathy")
