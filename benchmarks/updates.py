"""Updates of a training, beside the matrix products that they consist of.

The arithmetic of an update (its share of the games played for it, the unrolled cell forward and back, the target
network forward) is counted while it runs. The limit is the rate of the cell's own largest product, that of the memory,
for a batch of games with two players each.
"""

import torch
from measure import peak_megabytes, product_rate, seconds
from torch.utils.flop_counter import FlopCounterMode
from world import layouts

from neuralese.agents.cell import CellConfig
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.games.driving import DrivingGame
from neuralese.games.game import Game
from neuralese.games.reference import ReferenceGame

BATCH, HIDDEN = 128, 256  # those of the default config
PLAYED = {"colors": (128, 1), "birds": (128, 1), "driving": (64, 4)}  # new games before so many updates
COLUMNS = {
    "task": "task",
    "updates/s": "updates_a_second",
    "Mflop an update": "megaflops",
    "Gflop/s": "gigaflops",
    "matrix product, Gflop/s": "product_gigaflops",
    "share of it": "share",
    "of the time, play": "play",
    "peak MB": "megabytes",
}


def cases(quick: bool) -> list[dict]:
    """All tasks."""
    return [{"task": task, "rounds": 1 if quick else 3} for task in (["colors"] if quick else PLAYED)]


def game(task: str) -> Game:
    """A game as large as the task's: colours have 3 features, birds 256."""
    if task == "driving":
        return DrivingGame(layouts(), max_steps=16)
    return ReferenceGame(torch.randn(2000, 3 if task == "colors" else 256, generator=torch.Generator().manual_seed(0)))


def measure(task: str, rounds: int) -> dict[str, float]:
    """Play and learn in turns, some rounds of each."""
    new_games, updates = PLAYED[task]
    trainer = Trainer(game(task), CellConfig(HIDDEN, 64), TrainingConfig(batch=BATCH, new_games=new_games), seed=0)
    trainer.collect()
    sample = trainer.replay.sample(BATCH, trainer.generator)
    with FlopCounterMode(display=False) as counter:
        trainer.collect()
        for _ in range(updates):
            trainer.learn(sample)
    operations = counter.get_total_flops() / updates
    play, learn = seconds(trainer.collect, lambda: trainer.learn(sample), repeats=4 * rounds)
    rate = product_rate(2 * BATCH, HIDDEN, 3 * HIDDEN, torch.float32, repeats=50)
    update = learn + play / updates
    return {
        "updates_a_second": 1 / update,
        "megaflops": operations / 1e6,
        "gigaflops": operations / update / 1e9,
        "product_gigaflops": rate / 1e9,
        "share": operations / update / rate,
        "play": play / updates / update,
        "megabytes": peak_megabytes(),
    }
