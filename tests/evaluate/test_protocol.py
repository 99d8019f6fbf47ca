"""What messages are like, and whether agents use them: a deaf agent has no influence, and babble signals nothing."""

import numpy as np
import pandas as pd
import pytest
import torch
from small_task import MESSAGE

from neuralese.agents.players import speak
from neuralese.evaluate.protocol import analyse, influence, listening, signalling


@pytest.fixture
def cloud():
    """Messages that tell the side of a coin and nothing of a die."""
    random = np.random.default_rng(0)
    coin, die = random.integers(2, size=2000), random.integers(6, size=2000)
    said = np.zeros((2000, 5))
    said[:, 0] = 2 * coin - 1
    said[:, 1:] = 0.05 * random.standard_normal((2000, 4))
    return said, said + 0.2 * random.standard_normal(said.shape), pd.DataFrame({"coin": coin, "die": die})


def test_what_messages_tell_is_found(cloud):
    table = analyse(*cloud).set_index(["measure", "variable"])["value"]
    assert 0.85 < table["information", "coin"] <= 1.01
    assert table["information", "die"] == pytest.approx(0, abs=0.05)
    assert table["entropy", "die"] == pytest.approx(np.log2(6), abs=0.01)
    assert table["clusters", ""] == 2
    assert table["silhouette", ""] > 0.8
    assert table["effective_dimension", ""] < 1.1
    assert table["topographic_similarity", ""] > 0.3


def test_a_deaf_listener_is_not_influenced(task):
    with torch.no_grad():
        task.cell.encode_message.weight.zero_()
    found = listening(task.cell, task.game, torch.Generator().manual_seed(0))
    assert found == {"causal_influence": 0.0, "actions_changed": 0.0}


def test_a_listener_that_does_what_it_hears_is_influenced_by_a_bit(task):
    """It picks the first item if the message's first number is positive, else the second; what it hears is noise."""
    cell, hidden = task.cell, task.cell.config.hidden
    with torch.no_grad():
        for weight in cell.parameters():
            weight.zero_()
        cell.encode_message.weight[0, 0] = 1e6  # the first unit is the sign of what is heard,
        cell.memory.weight_ih[2 * hidden, 0] = 50.0  # which the new memory takes over,
        cell.memory.bias_ih[hidden : 2 * hidden] = -50.0  # keeping nothing of the old
        cell.q_values.weight[0, 0], cell.q_values.weight[1, 0], cell.q_values.bias[2] = 1.0, -1.0, -10.0
    found = listening(cell, task.game, torch.Generator().manual_seed(0))
    assert found["causal_influence"] == pytest.approx(1.0, abs=0.05)  # of 32 others, about half are positive
    assert found["actions_changed"] == pytest.approx(0.5, abs=0.05)


def test_babble_signals_nothing_and_speech_does(task):
    states = task.game.draw_states(1500, torch.Generator().manual_seed(1))
    views = task.game.speaker_view(states)
    with torch.no_grad():
        task.robot.mean[-1].weight.mul_(20)  # states are far apart
        spoken = task.robot.mean(views) + 0.3 * torch.randn(1500, MESSAGE, generator=torch.Generator().manual_seed(2))
    shuffled = spoken[torch.randperm(1500, generator=torch.Generator().manual_seed(3))]
    assert signalling(task.robot, spoken, views) > 2
    assert signalling(task.robot, shuffled, views) < 0


def test_all_measures_are_rows_and_a_speaker_that_does_not_act_has_no_consistency(task):
    said = task.said
    table = influence(task.cell, task.game, task.robot, said, torch.Generator().manual_seed(0))
    assert table["measure"].tolist() == ["signalling", "causal_influence", "actions_changed"]
    assert set(table["variable"]) == {""}
    assert speak(task.cell, task.game, said.states).shape == (300, MESSAGE)
