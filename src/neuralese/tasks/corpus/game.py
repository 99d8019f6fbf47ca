"""The states of a corpus: there is no game, and speakers see only their own state."""

import numpy as np
import torch
from torch import Tensor, nn

from neuralese.config.models import GameConfig
from neuralese.games.states import States, prefixes
from neuralese.storage.tables import matrix, read_about, read_table
from neuralese.tasks.corpus.candidates import draw_candidates
from neuralese.tasks.corpus.tables import STATES
from neuralese.tasks.task import Files

SPLITS = ("train", "dev", "test")


class CorpusStates(States):
    """States by their rows; what a speaker sees of one is its features (rows, d)."""

    observation_shape = (1,)

    def __init__(
        self,
        features: Tensor,
        groups: np.ndarray,
        n_candidates: int,
        recorded: bool = False,
        seen_by_people: list[int] | None = None,
    ) -> None:
        """Distractors come from the group (rows,) of the true state; `recorded` ones are left unchanged.

        If people see only some of the features, every state has a second row, with the others blanked out.
        """
        self.features, self.groups, self.n_candidates, self.recorded = features, groups, n_candidates, recorded
        self.second = 0 if seen_by_people is None else len(features)
        if seen_by_people is not None:
            seen = torch.zeros_like(features)
            seen[:, seen_by_people] = features[:, seen_by_people]
            self.features = torch.cat([features, seen])

    def encoder(self, width: int) -> nn.Module:
        """A linear layer over the features."""
        return CorpusEncoder(self.features, width)

    def with_distractors(self, true: Tensor, generator: torch.Generator) -> Tensor:
        """Distractors that are the true states of others, so that all candidates are exchangeable."""
        rng = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
        return torch.from_numpy(draw_candidates(true.numpy(), self.n_candidates, rng, self.groups[true.numpy()]))

    def redraw(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """Other distractors, unless they were recorded."""
        return states if self.recorded else super().redraw(states, generator)

    def practise(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """Let the distractors be the true states of those that follow in a random order that keeps groups together.

        That is exchangeable too, and quick, but a distractor may equal the true state.
        """
        if self.recorded:
            return states
        true = states[:, 0]
        group = torch.from_numpy(self.groups)[true]
        order = torch.randperm(len(true), generator=generator)
        order = order[group[order].argsort(stable=True)]
        sizes = torch.bincount(group, minlength=1)[group[order]]
        first = torch.searchsorted(group[order], group[order])
        place = torch.arange(len(true)) - first
        drawn = [order[first + (place + step) % sizes] for step in range(self.n_candidates)]
        return torch.empty_like(states).index_copy_(0, order, torch.stack([true[each] for each in drawn], dim=1))

    def to_columns(self, states: Tensor) -> dict[str, Tensor]:
        """Rows of the states."""
        return dict(zip(_columns(states.shape[1]), states.T, strict=True))

    def from_columns(self, columns: dict[str, Tensor]) -> Tensor:
        """The inverse of `to_columns`."""
        return torch.stack([columns[name] for name in _columns(self.n_candidates)], dim=1)

    @staticmethod
    def speaker_view(states: Tensor) -> Tensor:
        """The true state."""
        return states[:, :1]

    def human_view(self, states: Tensor) -> Tensor:
        """The true state, or what people see of it."""
        return states[:, :1] + self.second


class CorpusEncoder(nn.Module):
    """Looks states up and maps them through one linear layer; the features are not among its weights."""

    features: Tensor

    def __init__(self, features: Tensor, width: int) -> None:
        super().__init__()
        self.register_buffer("features", features, persistent=False)
        self.linear = nn.Linear(features.shape[1], width)

    def forward(self, observation: Tensor) -> Tensor:
        """Map observations (n, 1) to (n, width)."""
        return self.linear(self.features[observation[:, 0]])


def _columns(candidates: int) -> list[str]:
    return ["target", *(prefix.rstrip("_") for prefix in prefixes(candidates)[1:])]


def load_games(files: Files, config: GameConfig) -> dict[str, CorpusStates]:
    """The states, the same in every split; if contexts were recorded, with as many candidates as they have."""
    table, about = read_table(files["states.parquet"], STATES), read_about(files["states.parquet"])
    features, groups = torch.from_numpy(matrix(table["feature"]).copy()), table["group"].to_numpy().copy()
    recorded = about["candidates"] is not None
    candidates = about["candidates"] if recorded else config.candidates
    return dict.fromkeys(SPLITS, CorpusStates(features, groups, candidates, recorded, about.get("seen_by_people")))
