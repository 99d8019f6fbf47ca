"""What listeners hear under each criterion of a dictionary."""

import pandas as pd
import pytest
import torch
from small_task import MESSAGE, NOISE, PARTS, PHRASES, SmallTask

from neuralese.agents.messages import Speech
from neuralese.evaluate.translations import (
    best_translations,
    heard_bags,
    into_english,
    into_neuralese,
    load_synthesis,
    load_ways,
)
from neuralese.storage.tables import matrix, read_table, write_table

COLUMNS = ["direction", "criterion", "source_id", "rank", "target_id"]
DICTIONARY = pd.DataFrame(
    [
        ("R->H", "mine", 10, 1, 2),
        ("R->H", "mine", 10, 2, 0),
        ("R->H", "mine", 11, 1, 1),
        ("R->H", "mine", 11, 2, 2),
        ("R->H", "theirs", 10, 1, 0),
        ("R->H", "mine", 99, 1, 0),  # a message that is not evaluated
        ("H->R", "mine", 0, 1, 7),
        ("H->R", "mine", 0, 2, 5),
        ("H->R", "mine", 1, 1, 5),
        ("H->R", "theirs", 1, 1, 7),
    ],
    columns=COLUMNS,
)
CRITERIA = {
    "mine": {"kind": "belief", "role": "ours", "members": 3},
    "theirs": {"kind": "direct", "role": "baseline", "members": 1},
    "dice": {"kind": "random", "role": "control", "members": 1},
}


def test_the_first_rank_of_one_direction_and_criterion_translates():
    assert best_translations(DICTIONARY, "H->R", "mine") == {0: 7, 1: 5}
    assert best_translations(DICTIONARY, "R->H", "theirs") == {10: 0}


def test_a_listener_hears_the_best_phrases_of_each_message_and_no_more_than_asked_for():
    robot = Speech(torch.tensor([11, 10]), torch.zeros(2, 2), torch.zeros(2, 4))
    heard = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 1, 1]])  # phrase 2 is two words
    assert into_english(DICTIONARY, "mine", robot, heard).tolist() == [[0, 1, 0], [0, 1, 1]]
    assert into_english(DICTIONARY, "mine", robot, heard, best=2).tolist() == [[0, 2, 1], [1, 1, 1]]


def test_an_utterance_becomes_a_message_of_the_vocabulary():
    vocabulary = Speech(torch.tensor([5, 6, 7]), torch.zeros(3, 2), torch.eye(3))
    told = into_neuralese(DICTIONARY, "mine", torch.tensor([1, 0, 1]), vocabulary)
    assert told.tolist() == torch.eye(3)[[0, 2, 0]].tolist()


@pytest.fixture
def tables(task, tmp_path) -> dict:
    return task.write(tmp_path, CRITERIA)


def ways(task: SmallTask, tables: dict, best: int = 1) -> dict:
    loaded = load_ways(tables["dictionary.parquet"], task.all_said, best, task.generator)
    return {way.name: way for way in loaded}


def test_every_criterion_of_the_dictionary_is_a_way_with_its_role_and_title(task, tables):
    found = ways(task, tables)
    assert [(way.title, way.role, way.kind) for way in found.values()] == [
        ("mine (ours, chosen on dev)", "ours", "belief"),
        ("theirs (baseline)", "baseline", "direct"),
        ("dice (control)", "control", "random"),
    ]
    for way in found.values():
        assert way.bags.shape == (len(task.said.ids), len(PHRASES))
        assert {unit: told.shape for unit, told in way.messages.items()} == dict.fromkeys(
            ("utterance", "phrase"), (len(task.speech.traces), MESSAGE)
        )


def test_a_way_says_what_the_dictionary_has(task, tables):
    way = ways(task, tables, best=2)["mine"]
    dictionary = read_table(tables["dictionary.parquet"], "dictionary").to_pandas()
    assert (way.bags.sum(1) == 2).all()  # two phrases
    best = best_translations(dictionary, "R->H", "mine")
    assert all(way.bags[row, best[number]] == 1 for row, number in enumerate(task.said.ids.tolist()))
    best = best_translations(dictionary, "H->R", "mine")
    for unit, said in task.speech.units.items():
        expected = task.vocabulary.messages[[best[number] for number in said.tolist()]]
        assert torch.equal(way.messages[unit], expected)


def test_a_random_translation_is_drawn_anew_for_every_item_and_is_never_silence(task, tables):
    way = ways(task, tables)["dice"]
    assert way.bags.sum(0).gt(0).tolist() == [phrase != "" for phrase in PHRASES]
    known = {tuple(message) for message in task.vocabulary.messages.tolist()}
    drawn = [tuple(message) for message in way.messages["utterance"].tolist()]
    assert set(drawn) <= known
    said = task.speech.units["utterance"]
    of_one = {message for message, utterance in zip(drawn, said.tolist(), strict=True) if utterance == said[0]}
    assert len(of_one) > 5  # the same utterance becomes many messages


MADE_FOR = [1, 2, 5]  # of the utterances


@pytest.fixture
def found(task, tables, tmp_path) -> tuple:
    """All ways of the dictionary, and those with new messages."""
    loaded = ways(task, tables)
    new = task.write_synthesis(tmp_path, otherwise="mine", made_for=MADE_FOR)
    tables.update(new)
    made = load_synthesis(tables, task.all_said, list(loaded.values()), task.cell, task.generator)
    return loaded, {way.name: way for way in made}


def test_new_messages_are_ways_of_their_own_and_what_asks_the_judge_says_so(found):
    _, new = found
    assert {way.name: way.role for way in new.values()} == {"synthesis": "beyond", "synthesis-judge": "asks-judge"}
    assert new["synthesis"].bags is not None
    assert new["synthesis-judge"].bags is None  # only messages were made by asking it


def test_an_utterance_without_a_new_message_is_translated_as_otherwise_and_without_noise(task, found):
    loaded, new = found
    for way in new.values():
        for unit, said in task.speech.units.items():
            old = torch.tensor([number not in MADE_FOR for number in said.tolist()])
            assert 0 < old.sum() < len(old)
            assert torch.equal(way.messages[unit][old], loaded["mine"].messages[unit][old])


def test_new_messages_pass_the_channel_once(tmp_path):
    task = SmallTask(humans=6000)
    tables = task.write(tmp_path, CRITERIA)
    loaded = ways(task, tables)
    tables |= task.write_synthesis(tmp_path, otherwise="mine", made_for=MADE_FOR)
    made = torch.from_numpy(matrix(read_table(tables["new_messages.parquet"], "messages")["message"]).copy())
    ways_made = load_synthesis(tables, task.all_said, list(loaded.values()), task.cell, task.generator)
    assert task.cell.config.noise == NOISE
    for place, way in enumerate(ways_made):
        for unit, said in task.speech.units.items():
            noise = []
            for number, told in zip(said.tolist(), way.messages[unit], strict=True):
                if number in MADE_FOR:
                    noise.append(told - made[3 * place + MADE_FOR.index(number)])
            noise = torch.stack(noise)
            assert len(noise) > 1000
            # of the channel's standard deviation, around nothing, and anew for every item
            assert noise.std().item() == pytest.approx(NOISE, rel=0.05)
            assert noise.mean(0).abs().max() < 0.05
            assert len(noise.unique(dim=0)) == len(noise)


def test_a_channel_without_noise_changes_no_new_message(task, tables, tmp_path):
    loaded = ways(task, tables)
    tables |= task.write_synthesis(tmp_path, otherwise="theirs", made_for=MADE_FOR)
    task.cell.config = task.cell.config.model_copy(update={"noise": 0.0})
    made = torch.from_numpy(matrix(read_table(tables["new_messages.parquet"], "messages")["message"]).copy())
    (way, _) = load_synthesis(tables, task.all_said, list(loaded.values()), task.cell, task.generator)
    said = task.speech.units["utterance"].tolist()
    old = loaded["theirs"].messages["utterance"]
    for number, told, otherwise in zip(said, way.messages["utterance"], old, strict=True):
        assert torch.equal(told, made[MADE_FOR.index(number)] if number in MADE_FOR else otherwise)


def test_phrases_put_together_are_heard_as_all_their_words(tmp_path):
    heard = torch.tensor([[1.0, 1], [0, 1]])  # the phrases "light green" and "green", of the words light and green
    bags = pd.DataFrame({"bag_id": [0, 1], "text": ["green", "light green, green"], "parts": [[1], [0, 1]]})
    write_table(tmp_path / "bags.parquet", bags, "bags")
    assert heard_bags(tmp_path / "bags.parquet", heard).tolist() == [[0, 1], [1, 2]]


def test_the_small_task_says_everything(task):
    """What the other tests take for granted: every utterance but silence occurs."""
    assert set(task.speech.units["utterance"].tolist()) == set(range(1, len(PARTS)))
