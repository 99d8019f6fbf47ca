"""Every member of every family is evaluated, each by what it says itself."""

from dataclasses import replace

import pandas as pd
import pytest
import torch
from small_task import PARTS, SmallTask

from neuralese.evaluate.ablation import Ablation
from neuralese.translate.criteria import make_criterion
from neuralese.translate.families import members
from neuralese.translate.languages import Composed

FAMILIES = {
    "printed": {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward", "scale": 1.0},
    "released": {
        "kind": "belief",
        "role": "released",
        "weights": "product",
        "divergence": "reverse",
        "variance": 0.5,
        "join": "mean",
    },
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


def ablation(task: SmallTask, pragmatic: bool = True) -> Ablation:
    heard = torch.eye(len(task.english))
    vocabulary, cell = task.language(task.vocabulary), task.cell if pragmatic else None
    return Ablation(task.english, vocabulary, task.candidates, heard, FAMILIES, task.listener, cell)


def run(task: SmallTask, pragmatic: bool = True) -> pd.DataFrame:
    random = torch.Generator().manual_seed(1)
    return ablation(task, pragmatic).run(task.listeners, task.said, task.speech, PARTS, 100, random)


@pytest.fixture
def table(task) -> pd.DataFrame:
    return run(task)


def test_every_member_of_every_family_has_a_row_in_both_directions_but_the_random_one(table):
    expected = {
        (name, label) for name, each in FAMILIES.items() if each["kind"] != "random" for label in members(each)
    } | {("pragmatic", "pragmatic")}
    for pair in (("R", "H*"), ("H", "R")):
        rows = table[(table["speaker"] == pair[0]) & (table["listener"] == pair[1])]
        assert set(zip(rows["family"], rows["criterion"], strict=True)) == expected
        assert len(rows) == len(expected)
    assert len(table) == 2 * len(expected)


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
    assert titles.groupby("family")["role"].unique().map(list).to_dict() == {
        "printed": ["printed"],
        "released": ["released"],
        "mine": ["ours"],
        "theirs": ["baseline"],
        "pmi": [""],
        "pragmatic": ["asks the judge"],
    }


def test_messages_are_translated_as_each_criterion_alone_would(task, table):
    said, phrases = task.language(task.said), task.english.spoken()
    accuracies = table[table["speaker"] == "R"].set_index("criterion")["value"]
    found = set()
    for settings in FAMILIES.values():
        for label, each in members(settings).items():
            if each["kind"] != "random":
                best = make_criterion(each).scores(said, phrases, task.candidates).argmin(1)
                bags = torch.eye(len(task.english))[phrases.ids[best]]
                expected = task.listeners.human_credit(bags, task.said.states).mean()
                assert accuracies[[label]].unique().tolist() == pytest.approx([expected])
                found.add(expected)
    assert len(found) > 3  # criteria differ, and by how widely p(z | x) is taken


def test_humans_are_translated_whole(task):
    """The messages that the robot hears are those of the utterances, not of any phrase of theirs."""
    heard = []
    robot = task.listeners.robot

    def listening(messages, states, generator):
        heard.append(messages)
        return robot(messages, states, generator)

    task.listeners = replace(task.listeners, robot=listening)
    run(task, pragmatic=False)
    labels = list(
        dict.fromkeys(label for each in FAMILIES.values() if each["kind"] != "random" for label in members(each))
    )
    assert len(heard) == 1 + len(labels) + 3  # first the robot's own messages, last the controls
    told = Composed(task.english, PARTS)
    every = {label: each for settings in FAMILIES.values() for label, each in members(settings).items()}
    for label, messages in zip(labels, heard[1:-3], strict=True):
        scores = make_criterion(every[label]).scores(told, task.language(task.vocabulary), task.candidates)
        best = scores.argmin(1)[task.speech.units["utterance"]]
        assert torch.equal(messages, task.vocabulary.messages[best]), label


def test_a_member_of_two_families_stands_in_both_with_the_same_figures(table):
    printed = table[table["family"] == "printed"].set_index("speaker")["value"]
    again = table[(table["family"] == "mine") & (table["criterion"] == "belief product forward x1")]
    assert again.set_index("speaker")["value"].to_dict() == printed.to_dict()


def test_where_the_robot_cannot_be_asked_nothing_is_made_by_asking_it(task):
    assert "pragmatic" not in set(run(task, pragmatic=False)["family"])


def test_among_three_candidates_all_criteria_are_compared_alike():
    task = SmallTask(n_candidates=3)
    table = run(task)
    assert set(table["candidates"]) == {3}
    assert set(table["chance"]) == {1 / 3}
    by_speaker = [set(rows["criterion"]) for _, rows in table.groupby("speaker")]
    assert by_speaker[0] == by_speaker[1]
    said, phrases = task.language(task.said), task.english.spoken()
    best = make_criterion(FAMILIES["printed"]).scores(said, phrases, task.candidates).argmin(1)
    expected = task.listeners.human_credit(torch.eye(len(task.english))[phrases.ids[best]], task.said.states).mean()
    printed = table[(table["family"] == "printed") & (table["speaker"] == "R")]
    assert printed["value"].tolist() == pytest.approx([expected])
