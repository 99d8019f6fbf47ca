"""Shortcuts through the cell find what the whole cell finds."""

import pytest
import torch

from neuralese.agents import players
from neuralese.agents.cell import Cell, CellConfig
from neuralese.games.reference import ReferenceGame

NEARLY = {"rtol": 1e-5, "atol": 1e-6}


@pytest.fixture
def game() -> ReferenceGame:
    return ReferenceGame(torch.randn(20, 3, generator=torch.Generator().manual_seed(0)))


@pytest.fixture
def cell(game) -> Cell:
    torch.manual_seed(0)
    return Cell(game, CellConfig(hidden=16, message=4))


@pytest.mark.parametrize("at_once", [4, 4096])
def test_a_robot_opens_with_what_its_cell_says_first(cell, game, at_once, monkeypatch):
    monkeypatch.setattr(players, "ROWS_AT_ONCE", at_once)
    states = game.draw_states(10, torch.Generator().manual_seed(1))
    memory, nothing = cell.initial(10)
    _, said, _ = cell(game.speaker_view(states), nothing, memory)
    torch.testing.assert_close(players.speak(cell, game, states), said, **NEARLY)
