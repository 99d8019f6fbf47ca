"""A training whose updates call the cell step by step, the straightforward way: what `updates` is compared with."""

import torch
from torch import Tensor, nn

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import Episodes
from neuralese.agents.training import CLIP, Trainer


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
            goal = episodes.reward[..., None] + self.config.discount * value * ~episodes.done[..., None]
        error = q.gather(-1, episodes.actions[..., None]).squeeze(-1) - goal
        loss = (error.square() * episodes.counts).sum() / episodes.counts.sum().clamp(min=1)
        self.optimizer.forget()
        loss.backward()
        nn.utils.clip_grad_norm_(self.cell.parameters(), CLIP)
        self.optimizer.step()
        return loss.item()
