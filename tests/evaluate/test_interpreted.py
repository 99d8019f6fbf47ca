"""The interpreter is a way to translate besides the dictionaries, and depends on what its listener sees."""

from dataclasses import replace

import torch
from small_task import PARTS, SmallTask

from neuralese.evaluate.belief import evaluate_belief
from neuralese.evaluate.comparison import SECTIONS, TOLD, compare
from neuralese.evaluate.interpreted import Interpreter
from neuralese.translate.families import INFORMED
from neuralese.translate.languages import Composed


def interpreter(task: SmallTask) -> Interpreter:
    told = Composed(task.english, PARTS)
    return Interpreter(task.english, task.language(task.vocabulary), torch.eye(len(task.english)), told.bags)


def test_it_never_says_nothing_and_says_messages_of_the_vocabulary(task):
    way = interpreter(task).way(task.said, task.speech)
    assert not way.bags[:, 0].any()  # the first phrase is silence
    known = {tuple(message) for message in task.vocabulary.messages.tolist()}
    assert set(way.messages) == {"utterance", "phrase"}
    for messages in way.messages.values():
        assert {tuple(message) for message in messages.tolist()} <= known


def test_it_knows_the_candidates_but_not_which_of_them_is_true(task):
    found = interpreter(task)
    swapped = replace(task.said, states=task.said.states.flip(1))
    assert torch.equal(found.phrase(task.said), found.phrase(swapped))
    others = replace(task.said, states=task.game.redraw(task.said.states, torch.Generator().manual_seed(1)))
    assert (found.phrase(task.said) != found.phrase(others)).any()


def test_its_rows_stand_apart_from_those_of_dictionaries(task):
    way = interpreter(task).way(task.said, task.speech)
    random = torch.Generator().manual_seed(0)
    belief = evaluate_belief(task.listeners, task.said, task.speech, [way], 100, random)
    belief = belief.assign(task="small", seed=0, data="embedded", distractors="play")
    rows = compare(belief)
    assert set(rows.loc[rows["role"] == INFORMED, "section"]) == {TOLD}
    assert "upper bound" in SECTIONS[TOLD]
