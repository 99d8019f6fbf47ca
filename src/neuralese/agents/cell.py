"""The paper's communicating cell (Figure 3, Appendix B.1) and its noisy channel.

    encoded = tanh(W_x observation + W_z incoming message)        the MLP
    memory  = GRU(encoded, memory)
    Q values, message = linear(memory)

A message is scaled to the length `radius`, and the channel adds Gaussian noise of standard deviation `noise` to it.
"""

from pathlib import Path

import torch
from torch import Tensor, nn

from neuralese.config.models import CellConfig
from neuralese.games.states import Game
from neuralese.storage.weights import read_weights, save_weights


def without_channel(config: CellConfig) -> CellConfig:
    """The same cell with nothing to say or to hear."""
    return config.model_copy(update={"radius": 0.0, "noise": 0.0})


class Cell(nn.Module):
    """One step of one player; both players use the same weights."""

    def __init__(self, game: Game, config: CellConfig) -> None:
        super().__init__()
        self.config = config
        self.encode_observation = game.encoder(config.hidden)
        self.encode_message = nn.Linear(config.message, config.hidden, bias=False)
        self.memory = nn.GRUCell(config.hidden, config.hidden)
        self.q_values = nn.Linear(config.hidden, game.n_actions)
        self.message = nn.Linear(config.hidden, config.message)

    def initial(self, batch: int) -> tuple[Tensor, Tensor]:
        """Memory (batch, hidden) and incoming message (batch, message) before the first step: zeros."""
        weight = self.message.weight
        return weight.new_zeros(batch, self.config.hidden), weight.new_zeros(batch, self.config.message)

    def forward(self, observation: Tensor, incoming: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return Q values (batch, actions), the message before noise (batch, message) and the new memory."""
        encoded = torch.tanh(self.encode_observation(observation) + self.encode_message(incoming))
        memory = self.memory(encoded, memory)
        return self.q_values(memory), self.says(memory), memory

    def says(self, memory: Tensor) -> Tensor:
        """The message before noise (batch, message) of players with this memory."""
        return self.config.radius * nn.functional.normalize(self.message(memory), dim=-1)

    def channel(self, message: Tensor, generator: torch.Generator) -> Tensor:
        """Add the channel's noise to a message."""
        return message + self.config.noise * torch.randn(message.shape, generator=generator)


def save_cell(path: str | Path, cell: Cell) -> None:
    """Write a cell and its sizes."""
    save_weights(path, cell, cell.config.model_dump())


def load_cell(path: str | Path, game: Game) -> Cell:
    """Read a cell for playing `game`."""
    weights, settings = read_weights(path)
    cell = Cell(game, CellConfig.model_construct(**settings))  # perhaps without a channel
    cell.load_state_dict(weights)
    return cell.eval()
