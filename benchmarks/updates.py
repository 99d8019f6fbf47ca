"""Updates of a training, compared with the matrix products that they consist of.

The arithmetic of an update (its share of the games played for it, the unrolled cell forward and back, the target
network forward) is counted while it runs. The limit is the speed of the cell's own largest product, that of the memory,
for a batch of games with two players each; the same product for eight agents in one call shows what training eight
seeds in one process could gain.
"""

import torch
from measure import peak_megabytes, product_rate, seconds
from torch.utils.flop_counter import FlopCounterMode

from neuralese.agents.cell import CellConfig
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.games.driving import DrivingGame, Layouts
from neuralese.games.reference import ReferenceGame
from neuralese.games.states import Game
from neuralese.tasks.driving.embedded import MAPS

HIDDEN, AGENTS = 256, 8
BATCHES = {"colors": [128], "birds": [128], "driving": [64, 128]}
PLAYED = {"colors": (128, 4), "birds": (128, 4), "driving": (64, 4)}  # new games, and updates per round
COLUMNS = {
    "task": "task",
    "games an update": "batch",
    "updates/s": "updates_a_second",
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
    trainer = Trainer(game(task), CellConfig(hidden=HIDDEN, message=64), config, seed=0)
    trainer.collect()
    sample = trainer.replay.sample(batch, trainer.generator)
    with FlopCounterMode(display=False) as counter:
        trainer.collect()
        for _ in range(updates):
            trainer.learn(sample)
    operations = counter.get_total_flops() / updates
    play, learn = seconds(trainer.collect, lambda: trainer.learn(sample), repeats=4 * rounds)
    rate = product_rate(2 * batch, HIDDEN, 3 * HIDDEN, torch.float32, repeats=50)
    update = learn + play / updates
    return {
        "updates_a_second": 1 / update,
        "megaflops": operations / 1e6,
        "gigaflops": operations / update / 1e9,
        "product_gigaflops": rate / 1e9,
        "share": operations / update / rate,
        "together_gigaflops": together_rate(2 * batch) / 1e9,
        "play": play / updates / update,
        "megabytes": peak_megabytes(),
    }


def together_rate(rows: int) -> float:
    """Operations per second of the memory's product for all agents in one call."""
    seen, weights = torch.rand(AGENTS, rows, HIDDEN), torch.rand(AGENTS, 3 * HIDDEN, HIDDEN)
    out = torch.empty(AGENTS, rows, 3 * HIDDEN)
    (best,) = seconds(lambda: torch.bmm(seen, weights.transpose(1, 2), out=out), repeats=20)
    return 2 * AGENTS * rows * HIDDEN * 3 * HIDDEN / best
