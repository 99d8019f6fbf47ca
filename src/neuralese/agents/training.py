"""Recurrent Q-learning with a differentiable channel (Appendix B.1), resumable and deterministic given the seed.

trainer = Trainer(game, CellConfig(), TrainingConfig(updates=1000), seed=0)
trainer.run(checkpoint=Path("run.pt"))     # killed? the same call resumes
trainer.cell, trainer.history
"""

import hashlib
import logging
import sys
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import Episodes, Replay, play
from neuralese.agents.unroll import Rows, unroll
from neuralese.config.models import CellConfig, TrainingConfig
from neuralese.games.states import Game
from neuralese.randomness import seeded
from neuralese.storage.weights import save_checkpoint

log = logging.getLogger(__name__)

REPLAY = 8192  # games in the replay memory
CLIP = 10.0  # maximum gradient norm
REPORT_EVERY = 50  # updates between rows of the history


def checkpoint_path(folder: Path, name: str, made_from: object) -> Path:
    """Where a training keeps its checkpoint: different config, code or data give a different file."""
    digest = hashlib.sha256(repr(made_from).encode()).hexdigest()
    return folder / f"{name}-{digest[:16]}.pt"


def exploration(t: int, config: TrainingConfig) -> float:
    """The probability of a random action at update `t`; the paper's if `explore` is."""
    return max((config.explore - t) / config.explore, (5000 - t) / 50000, 0.0)


def learning_rate(t: int, config: TrainingConfig) -> float:
    """The learning rate at update `t`."""
    return config.learning_rate * (1 - (1 - config.final_rate) * t / config.updates)


def on_data(config: TrainingConfig, data: str) -> TrainingConfig:
    """The settings for one kind of data: a shorter training on the embedded stand-in."""
    most = config.embedded_updates if data == "embedded" else config.updates
    return config.model_copy(update={"updates": min(config.updates, most)})


class Trainer:
    """Learns one cell for both players of `game`."""

    def __init__(self, game: Game, cell: CellConfig, config: TrainingConfig, seed: int) -> None:
        self.game, self.config = game, config
        self.generator = torch.Generator().manual_seed(seed)
        self.cell, self.target = (seeded(lambda: Cell(game, cell), self.generator) for _ in range(2))
        self.target.load_state_dict(self.cell.state_dict())
        self.optimizer = torch.optim.Adam(self.cell.parameters(), config.learning_rate, fused=True)
        self.replay = Replay(REPLAY)
        self.update = 0
        self.history: list[dict[str, float]] = []
        self.recent: dict[str, list[float]] = {"loss": [], "reward": [], "success": []}

    def run(self, checkpoint: Path | None = None) -> None:
        """Train to the last update, resuming from `checkpoint` if it exists and keeping it up to date."""
        if checkpoint and checkpoint.exists():
            self.restore(torch.load(checkpoint, weights_only=True))
            log.info("resumed at update %d of %d from %s", self.update, self.config.updates, checkpoint)
        config, quiet = self.config, not sys.stderr.isatty()
        bar = tqdm(total=config.updates, initial=self.update, desc="training", unit="update", disable=quiet)
        while self.update < config.updates:
            if self.update % config.updates_per_round == 0:
                self.collect()
            self.recent["loss"].append(self.learn(self.replay.sample(config.batch, self.generator)))
            self.update += 1
            bar.update()
            if self.update % config.target_every == 0:
                self.target.load_state_dict(self.cell.state_dict())
            if self.update % REPORT_EVERY == 0 or self.update == config.updates:
                self.report()
                bar.set_postfix(success=self.history[-1]["success"])
            if checkpoint and (self.update % config.checkpoint_every == 0 or self.update == config.updates):
                save_checkpoint(checkpoint, self.state())
        bar.close()

    def collect(self) -> None:
        """Play new games with exploration and remember them."""
        epsilon = exploration(self.update, self.config)
        episodes = play(self.cell, self.game, self.config.new_games, epsilon, self.generator)
        self.replay.add(episodes)
        self.recent["reward"].append(float(episodes.reward.sum(1).mean()))
        self.recent["success"].append(float(episodes.success.float().mean()))

    def learn(self, episodes: Episodes) -> float:
        """One step on the squared Bellman error; return that error."""
        episodes = episodes.longest_first()
        rows = Rows(episodes)
        observations, actions = rows.pack(episodes.observations), rows.pack(episodes.actions)[:, None]
        counts, reward = rows.pack(episodes.counts), rows.pack(episodes.reward[..., None].expand(-1, -1, 2))
        noise = torch.randn(len(rows), self.cell.config.message, generator=self.generator)
        q = unroll(self.cell, rows, observations, noise)
        with torch.no_grad():
            target_q = unroll(self.target, rows, observations, noise)
            best = (q if self.config.double else target_q).argmax(-1, keepdim=True)
            goal = reward + self.config.discount * rows.following(target_q.gather(-1, best).squeeze(-1))
        error = q.gather(-1, actions).squeeze(-1) - goal
        loss = (error.square() * counts).sum() / counts.sum().clamp(min=1)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.cell.parameters(), CLIP)
        self.optimizer.param_groups[0]["lr"] = learning_rate(self.update, self.config)
        self.optimizer.step()
        return loss.item()

    def report(self) -> None:
        """Add a row to the history: means since the last row."""
        row = {name: sum(values) / len(values) if values else float("nan") for name, values in self.recent.items()}
        self.history.append({"update": self.update, **row, "epsilon": exploration(self.update, self.config)})
        self.recent = {name: [] for name in self.recent}
        log.info("update %d: loss %.4f, reward %.3f, success %.3f", self.update, *row.values())

    def state(self) -> dict:
        """Everything the next update depends on; once training is over, its result."""
        over = self.update == self.config.updates
        return {
            "cell": self.cell.state_dict(),
            "target": self.target.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "replay": None if over else self.replay.state(),
            "generator": self.generator.get_state(),
            "update": self.update,
            "history": self.history,
            "recent": self.recent,
        }

    def restore(self, state: dict) -> None:
        """Resume from what `state` returned."""
        self.cell.load_state_dict(state["cell"])
        self.target.load_state_dict(state["target"])
        self.optimizer.load_state_dict(state["optimizer"])
        if state["replay"]:
            self.replay.restore(state["replay"])
        self.generator.set_state(state["generator"])
        self.update, self.history, self.recent = state["update"], state["history"], state["recent"]
