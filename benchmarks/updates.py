"""Updates of a training, compared with the matrix products that they consist of.

The arithmetic of an update (its share of the games played for it, the unrolled cell forward and back, the target
network forward) is counted while it runs. The limit is the speed of the cell's own largest product, that of the memory,
for a batch of games with two players each; the same product for eight agents in one call shows what training eight
seeds in one process could gain. `step by step` is the same learning with autograd through a cell called at every step.
"""

import torch
from measure import peak_megabytes, product_rate, seconds
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.episodes import Episodes
from neuralese.agents.training import CLIP, Trainer, TrainingConfig
from neuralese.games.driving import DrivingGame, Layouts
from neuralese.games.game import Game
from neuralese.games.reference import ReferenceGame
from neuralese.tasks.driving.embedded import MAPS

HIDDEN, AGENTS = 256, 8
BATCHES = {"colors": [128], "birds": [128], "driving": [64, 128]}
PLAYED = {"colors": (128, 4), "birds": (128, 4), "driving": (64, 4)}  # new games, and updates per round
COLUMNS = {
    "task": "task",
    "games an update": "batch",
    "updates/s": "updates_a_second",
    "step by step, updates/s": "stepwise",
    "times as fast": "times",
    "Mflop an update": "megaflops",
    "Gflop/s": "gigaflops",
    "matrix product, Gflop/s": "product_gigaflops",
    "share of it": "share",
    "eight agents' products at once, Gflop/s": "together_gigaflops",
    "of the time, play": "play",
    "peak MB": "megabytes",
}


def cases(quick: bool) -> list[dict]:
    """All tasks."""
    if quick:
        return [{"task": "colors", "batch": 16, "rounds": 1}]
    return [{"task": task, "batch": batch, "rounds": 4} for task, sizes in BATCHES.items() for batch in sizes]


def layouts() -> Layouts:
    """The embedded maps."""
    return Layouts(
        road=torch.tensor([[cell == "#" for row in road for cell in row] for road, _, _ in MAPS]),
        starts=[torch.tensor([4 * (8 * r + c) + d for r, c, d in starts]) for _, starts, _ in MAPS],
        goals=[torch.tensor([8 * r + c for r, c in goals]) for _, _, goals in MAPS],
    )


def game(task: str) -> Game:
    """A game as large as the task's: colours have 3 features, birds 256."""
    if task == "driving":
        return DrivingGame(layouts(), max_steps=16)
    return ReferenceGame(torch.randn(2000, 3 if task == "colors" else 256, generator=torch.Generator().manual_seed(0)))


def measure(task: str, batch: int, rounds: int) -> dict[str, float]:
    """Play and learn alternately, some rounds of each."""
    new_games, updates = PLAYED[task]
    config = TrainingConfig(batch=batch, new_games=new_games)
    trainer, stepwise = (
        kind(game(task), CellConfig(hidden=HIDDEN, message=64), config, seed=0) for kind in (Trainer, StepByStep)
    )
    trainer.collect()
    sample = trainer.replay.sample(batch, trainer.generator)
    with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.addmm_: added_product}) as counter:
        trainer.collect()
        for _ in range(updates):
            trainer.learn(sample)
    operations = counter.get_total_flops() / updates
    play, learn, slow = seconds(
        trainer.collect, lambda: trainer.learn(sample), lambda: stepwise.learn(sample), repeats=4 * rounds
    )
    rate = product_rate(2 * batch, HIDDEN, 3 * HIDDEN, torch.float32, repeats=50)
    update, slow_update = learn + play / updates, slow + play / updates
    return {
        "updates_a_second": 1 / update,
        "stepwise": 1 / slow_update,
        "times": slow_update / update,
        "megaflops": operations / 1e6,
        "gigaflops": operations / update / 1e9,
        "product_gigaflops": rate / 1e9,
        "share": operations / update / rate,
        "together_gigaflops": together_rate(2 * batch) / 1e9,
        "play": play / updates / update,
        "megabytes": peak_megabytes(),
    }


def added_product(total: torch.Size, one: torch.Size, other: torch.Size, **_: object) -> int:
    """Operations of a matrix product added to an existing matrix, which torch does not count."""
    return 2 * one[0] * one[1] * other[1]


def together_rate(rows: int) -> float:
    """Operations per second of the memory's product for all agents in one call."""
    seen, weights = torch.rand(AGENTS, rows, HIDDEN), torch.rand(AGENTS, 3 * HIDDEN, HIDDEN)
    out = torch.empty(AGENTS, rows, 3 * HIDDEN)
    (best,) = seconds(lambda: torch.bmm(seen, weights.transpose(1, 2), out=out), repeats=20)
    return 2 * AGENTS * rows * HIDDEN * 3 * HIDDEN / best


def unroll(cell: Cell, episodes: Episodes, noise: Tensor) -> Tensor:
    """Q values (batch, time, 2, actions) of games, the longest first; zero once a game is over."""
    batch, steps = episodes.actions.shape[:2]
    memory, incoming = cell.initial(2 * batch)
    going_on = (episodes.steps() > torch.arange(steps)[:, None]).sum(1)
    q_values = []
    for time, going in enumerate(n for n in going_on.tolist() if n):
        seen = episodes.observations[:going, time].flatten(0, 1)
        q, message, memory = cell(seen, incoming[: 2 * going], memory[: 2 * going])
        q_values.append(nn.functional.pad(q.view(going, 2, -1), (0, 0, 0, 0, 0, batch - going)))
        sent = message.view(going, 2, -1) + cell.config.noise * noise[:going, time]
        incoming = sent.flip(1).flatten(0, 1)
    q_values = torch.stack(q_values, dim=1)
    return nn.functional.pad(q_values, (0, 0, 0, 0, 0, steps - q_values.shape[1]))


class StepByStep(Trainer):
    """Learns the same, with autograd through every step."""

    def learn(self, episodes: Episodes) -> float:
        """One step on the squared Bellman error; return that error."""
        episodes = episodes.longest_first()
        noise = torch.randn(*episodes.actions.shape, self.cell.config.message, generator=self.generator)
        q = unroll(self.cell, episodes, noise)
        with torch.no_grad():
            value = nn.functional.pad(unroll(self.target, episodes, noise)[:, 1:].max(-1).values, (0, 0, 0, 1))
            goal = episodes.reward[..., None] + self.config.discount * value * ~episodes.over[..., None]
        error = q.gather(-1, episodes.actions[..., None]).squeeze(-1) - goal
        loss = (error.square() * episodes.counts).sum() / episodes.counts.sum().clamp(min=1)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.cell.parameters(), CLIP)
        self.optimizer.step()
        return loss.item()
