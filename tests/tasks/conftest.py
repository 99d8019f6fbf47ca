"""A small driving game, its robots and fresh games of theirs."""

import pytest
from small_driving import small_cell, small_game, small_run, two

from neuralese.tasks.driving.loop import Start


@pytest.fixture
def game():
    return small_game()


@pytest.fixture
def cell(game):
    return small_cell(game)


@pytest.fixture
def start(game, generator):
    return Start(game.reset(60, generator), seed=0)


@pytest.fixture
def pair(game, cell, start):
    return two(cell, game, start)


@pytest.fixture
def run(game, cell):
    return small_run(game, cell)
