"""Every member of every family is evaluated, each by what it says itself."""

from copy import copy
from dataclasses import replace

import pandas as pd
import pytest
import torch
from small_task import PARTS, SmallTask

from neuralese.evaluate.ablation import Ablation
from neuralese.evaluate.listeners import PlayingRobot
from neuralese.translate.criteria import make_criterion
from neuralese.translate.families import members
from neuralese.translate.languages import Composed

FAMILIES = {
    "printed": {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward", "scale": 1.0},
    "released": {"kind": "belief", "role": "released", "weights": "product", "variance": 0.5, "join": "mean"},
    "mine": {
        "kind": "belief",
        "role": "ours",
        "weights": ["source", "product"],
        "divergence": ["reverse", "forward"],
        "scale": [1.0, 8.0],
    },
    "theirs": {"kind": "direct", "role": "baseline", "scale": [1.0, 4.0]},
    "dice": {"kind": "random", "role": "control"},
    "pmi": {"kind": "pmi"},
}
MEMBERS = {name: members(each) for name, each in FAMILIES.items() if each["kind"] != "random"}
SINGLY = {label: settings for family in MEMBERS.values() for label, settings in family.items()}


def run(task: SmallTask, pragmatic: bool = True) -> pd.DataFrame:
    vocabulary, cell = task.language(task.vocabulary), task.cell if pragmatic else None
    heard, random = torch.eye(len(task.english)), torch.Generator().manual_seed(1)
    ablation = Ablation(task.english, vocabulary, task.candidates, heard, FAMILIES, task.listener, cell)
    return ablation.run(task.listeners, task.said, task.speech, PARTS, 100, random)


@pytest.fixture(scope="module", params=[2, 3])
def task(request) -> SmallTask:
    return SmallTask(n_candidates=request.param)


@pytest.fixture(scope="module")
def table(task) -> pd.DataFrame:
    return run(task)


def test_every_member_of_every_family_has_a_row_in_both_directions_but_the_random_one(task, table):
    expected = {(name, label) for name, family in MEMBERS.items() for label in family} | {("pragmatic", "pragmatic")}
    for speaker, listener in (("R", "H*"), ("H", "R")):
        rows = table[(table["speaker"] == speaker) & (table["listener"] == listener)]
        assert sorted(zip(rows["family"], rows["criterion"], strict=True)) == sorted(expected)
    assert len(table) == 2 * len(expected)
    assert set(table["chance"]) == {1 / task.game.n_candidates}
    assert "pragmatic" not in set(run(task, pragmatic=False)["family"])  # where the robot cannot be asked


def test_families_have_their_role_and_one_that_is_alone_its_title(table):
    titles = table.drop_duplicates(["family", "criterion"]).set_index(["family", "criterion"])
    alone = {name: rows["title"].iloc[0] for name, rows in titles.groupby("family") if len(rows) == 1}
    assert alone == {
        "printed": "Algorithm 1 (as printed)",
        "released": "released code",
        "pmi": "pmi",
        "pragmatic": "pragmatic (asks the judge)",
    }
    assert titles.loc[("mine", "belief product forward x8"), "title"] == "belief product forward x8"
    roles = {name: each.get("role", "") for name, each in FAMILIES.items() if name in MEMBERS}
    found = titles.groupby("family")["role"].unique().map(list).to_dict()
    assert found == {name: [role] for name, role in (roles | {"pragmatic": "asks the judge"}).items()}


def test_messages_are_translated_as_each_criterion_alone_would(task, table):
    said, phrases = task.language(task.said), task.english.spoken()
    accuracies = table[table["speaker"] == "R"].set_index("criterion")["value"]
    found = set()
    for label, settings in SINGLY.items():
        best = make_criterion(settings).scores(said, phrases, task.candidates).argmin(1)
        expected = task.listeners.human.credit(torch.eye(len(task.english))[phrases.ids[best]], task.said.states).mean()
        assert accuracies[[label]].unique().tolist() == pytest.approx([expected])  # in all families that it belongs to
        found.add(expected)
    assert len(found) > 3  # criteria differ, and by how widely p(z | x) is taken


def test_humans_are_translated_whole(task):
    """The messages that the robot hears are those of the utterances, not of any phrase of theirs."""
    heard = []

    class Judge(PlayingRobot):
        def preferences(self, messages, states, generator=None):
            heard.append(messages)
            return super().preferences(messages, states, generator)

    other = copy(task)
    other.listeners = replace(task.listeners, judge=Judge(task.cell, task.game))
    run(other, pragmatic=False)
    told = Composed(task.english, PARTS)
    for (label, settings), messages in zip(SINGLY.items(), heard, strict=True):
        scores = make_criterion(settings).scores(told, task.language(task.vocabulary), task.candidates)
        best = scores.argmin(1)[task.speech.units["utterance"]]
        assert torch.equal(messages, task.vocabulary.messages[best]), label
