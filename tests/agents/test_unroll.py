"""Unrolling without the rows of finished games equals the cell step by step."""

import pytest
import torch
from torch import nn

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.episodes import Episodes, play
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.agents.unroll import Rows, unroll
from neuralese.games.driving import SIZE, DrivingGame, Layouts
from neuralese.games.reference import ReferenceGame

CELL = CellConfig(hidden=16, message=8, radius=2.0, noise=0.3)


def reference() -> ReferenceGame:
    return ReferenceGame(torch.randn(200, 3, generator=torch.Generator().manual_seed(1)))


def driving() -> DrivingGame:
    road = torch.ones(1, SIZE * SIZE, dtype=torch.bool)
    return DrivingGame(Layouts(road, [torch.arange(40, 80)], [torch.arange(10, 20)]), max_steps=6)


@pytest.fixture(params=[reference, driving])
def learner(request) -> Trainer:
    trained = Trainer(request.param(), CELL, TrainingConfig(batch=24, new_games=24), seed=0)
    trained.cell.double()
    trained.target.double()
    return trained


def games(learner: Trainer, generator: torch.Generator) -> Episodes:
    learner.cell.float()
    episodes = play(learner.cell, learner.game, 24, 0.5, generator).longest_first()
    learner.cell.double()
    assert episodes.steps().min() < episodes.steps().max()
    return episodes


def step_by_step(cell: Cell, episodes: Episodes, noise: torch.Tensor) -> torch.Tensor:
    """Q values (batch, time, 2, actions) of all games to the longest one's end, by calling the cell."""
    batch, steps = episodes.actions.shape[:2]
    memory, incoming = cell.initial(2 * batch)
    q_values = []
    for time in range(steps):
        q, message, memory = cell(episodes.observations[:, time].flatten(0, 1), incoming, memory)
        q_values.append(q.view(batch, 2, -1))
        incoming = (message.view(batch, 2, -1) + cell.config.noise * noise[:, time]).flip(1).flatten(0, 1)
    return torch.stack(q_values, dim=1)


def test_q_values_are_those_of_the_cell_step_by_step(learner, generator):
    cell, episodes = learner.cell, games(learner, generator)
    rows = Rows(episodes)
    noise = torch.randn(*episodes.actions.shape, CELL.message, generator=generator, dtype=torch.float64)
    found = unroll(cell, rows, rows.pack(episodes.observations), rows.pack(noise))
    torch.testing.assert_close(found, rows.pack(step_by_step(cell, episodes, noise)))


def test_an_update_is_the_papers_with_padding_and_all(learner, generator):
    episodes = games(learner, generator)
    learner.cell.float(), learner.target.float()
    with torch.no_grad():  # the target network is an older one
        learner.target.q_values.weight.mul_(1.5)
    state = learner.generator.get_state()
    rows = Rows(episodes)
    packed = torch.randn(len(rows), CELL.message, generator=learner.generator)
    learner.generator.set_state(state)
    noise = torch.zeros(*episodes.actions.shape, CELL.message)
    for step, which in enumerate(rows):
        noise[: rows.sizes[step] // 2, step] = packed[which].view(-1, 2, CELL.message)
    q, q_target = (step_by_step(cell, episodes, noise) for cell in (learner.cell, learner.target))
    value = nn.functional.pad(q_target.max(-1).values[:, 1:], (0, 0, 0, 1)) * ~episodes.over[..., None]
    error = q.gather(-1, episodes.actions[..., None])[..., 0] - episodes.reward[..., None] - 0.9 * value
    assert learner.learn(episodes) == pytest.approx(error[episodes.counts].square().mean().item(), rel=1e-4)
