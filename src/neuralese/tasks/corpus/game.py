"""A corpus as the stages use it: its states, of which speakers see only their own, and what was said in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from neuralese.agents.messages import Messages, Sequences, contents, states_table
from neuralese.config.models import FitConfig, GameConfig
from neuralese.data.data_sets import PEOPLE
from neuralese.games.states import States, prefixes
from neuralese.speakers.fit import fit_recorded_speaker
from neuralese.speakers.models import Speaker
from neuralese.speakers.traces import Lists, Traces, kept
from neuralese.storage.tables import matrix, read_about, read_table, vectors
from neuralese.tasks.corpus.candidates import draw_candidates
from neuralese.tasks.corpus.task import RECORDED, STATES
from neuralese.tasks.items import SPLITS
from neuralese.tasks.task import Files

ALIKE = 3000  # few contexts are repeated, each time with another partner
PARTNERS = 8  # how many states that differ in one attribute alone are known of each state, with itself


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
        attributes: Tensor | None = None,
    ) -> None:
        """Distractors come from the group (rows,) of the true state; `recorded` ones are left unchanged.

        `attributes` (rows, 1 + columns) number the group and the values of each column, if all columns have values.

        If people see only some of the features, every state has a second row, with the others blanked out.
        """
        self.features, self.groups, self.n_candidates, self.recorded = features, groups, n_candidates, recorded
        self.attributes = attributes
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
        return true[_following(torch.from_numpy(self.groups)[true], states.shape[1], generator)]

    def alike(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """For each attribute in turn, the first distractor becomes a state that differs in this attribute alone.

        True states for which there is no other such state are left out, as are all if distractors were recorded.
        """
        if self.recorded or self.attributes is None:
            return states[:0]
        states = states.repeat(max(1, ALIKE // max(1, len(states))), 1)
        distinct, place = self.attributes.unique(dim=0, return_inverse=True)
        row = torch.empty(len(distinct), dtype=torch.long)
        row[place] = torch.arange(len(place))  # any that has these attributes
        true, found = place[states[:, 0]], [states[:0]]
        for attribute in range(1, distinct.shape[1]):  # the first column is the group
            others = torch.cat([distinct[:, :attribute], distinct[:, attribute + 1 :]], dim=1)
            partners = _following(others.unique(dim=0, return_inverse=True)[1], PARTNERS, generator)
            partner = partners[true, torch.randint(1, PARTNERS, true.shape, generator=generator)]
            changed = states.index_copy(1, torch.tensor([1]), row[partner, None])
            found.append(changed[partner != true])
        return torch.cat(found)

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


def _following(group: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """For each row, itself and those that follow it in a random order that keeps groups (n,) together: (n, count)."""
    order = torch.randperm(len(group), generator=generator)
    order = order[group[order].argsort(stable=True)]
    group = group[order]
    first, size = torch.searchsorted(group, group), torch.bincount(group, minlength=1)[group]
    place = torch.arange(len(group)) - first
    rows = torch.stack([order[first + (place + step) % size] for step in range(count)], dim=1)
    return torch.empty_like(rows).index_copy_(0, order, rows)


def _columns(candidates: int) -> list[str]:
    return ["target", *(prefix.rstrip("_") for prefix in prefixes(candidates)[1:])]


def load_games(files: Files, config: GameConfig) -> dict[str, CorpusStates]:
    """The states, the same in every split; if contexts were recorded, with as many candidates as they have."""
    table, about = read_table(files["states.parquet"], STATES), read_about(files["states.parquet"])
    features, groups = torch.from_numpy(matrix(table["feature"]).copy()), table["group"].to_numpy().copy()
    recorded = about["candidates"] is not None
    candidates = about["candidates"] if recorded else config.candidates
    attributes, columns = None, [table[f"column {name}"] for name in about["columns"]]
    if not any(kind["type"] == "vector" for kind in about["columns"].values()):
        numbers = [column.combine_chunks().dictionary_encode().indices.to_numpy() for column in columns]
        attributes = torch.from_numpy(np.stack([groups, *numbers], axis=1).astype(np.int64))
    states = CorpusStates(features, groups, candidates, recorded, about.get("seen_by_people"), attributes)
    return dict.fromkeys(SPLITS, states)


def load_traces(files: Files, states: CorpusStates, split: str, generator: torch.Generator) -> Traces:
    """What was said in one split, with recorded or drawn candidates."""
    said = read_table(files["traces.parquet"], "traces")
    size = read_table(files["inventory.parquet"], "inventory").num_rows
    rows = kept(np.array(said["split"].to_pylist()) == split, said)
    phrases = Lists.of(said["phrases"].combine_chunks().take(pa.array(rows)), size)
    true = torch.from_numpy(said["item_id"].to_numpy()[rows].astype(np.int64))
    candidates = recorded_candidates(said["candidates"].combine_chunks().take(pa.array(rows)), true, states, generator)
    people = read_about(files["states.parquet"]).get("speaker", PEOPLE) == PEOPLE  # rules have no halves
    speakers = torch.arange(len(true)) if people else torch.zeros_like(true)
    # what was said in the same state is translated and judged alike, so it is one item for intervals and tests
    return Traces(candidates, phrases, words=phrases, games=true, speakers=speakers)


def recorded_candidates(lists: pa.ListArray, true: Tensor, states: CorpusStates, generator: torch.Generator) -> Tensor:
    """The candidates (n, s) of what was said in `true` states (n,): recorded, or drawn if there are none."""
    drawn = states.with_distractors(true, generator)
    known = np.flatnonzero(lists.value_lengths().to_numpy())
    if len(known):
        drawn[torch.from_numpy(known)] = torch.from_numpy(
            lists.flatten().to_numpy().astype(np.int64).reshape(len(known), -1)
        )
    return drawn


@dataclass(frozen=True)
class Recorded:
    """All messages of a corpus."""

    table: pa.Table  # of `recorded.parquet`
    about: dict
    messages: Messages

    @property
    def state(self) -> Tensor:
        """The state in which each was said, (n,)."""
        return torch.from_numpy(self.table["state"].to_numpy().astype(np.int64))

    def rows(self, split: str) -> Tensor:
        """The messages of one split."""
        return torch.from_numpy(np.flatnonzero(np.array(self.table["split"].to_pylist()) == split))

    def drawn(self, split: str, generator: torch.Generator) -> Tensor:
        """The messages of one split in random order."""
        rows = self.rows(split)
        return rows[torch.randperm(len(rows), generator=generator)]

    def candidates(self, states: CorpusStates, rows: Tensor, generator: torch.Generator) -> Tensor:
        """The candidates (n, s) of some messages."""
        lists = self.table["candidates"].combine_chunks().take(pa.array(rows.numpy()))
        return recorded_candidates(lists, self.state[rows], states, generator)

    def fit(
        self, states: CorpusStates, rows: tuple[Tensor, Tensor], config: FitConfig, generator: torch.Generator
    ) -> Speaker:
        """p(z | x) fitted to some messages, chosen by others."""
        said, held_out = ((self.state[each, None], self.messages[each]) for each in rows)
        return fit_recorded_speaker(states, said, held_out, config, generator, self.about.get("noise")).speaker

    def fit_judge(self, states: CorpusStates, split: str, config: FitConfig, generator: torch.Generator) -> Speaker:
        """p(z | x) of the robot that hears translations in one split, fitted to messages of that split alone.

        The dictionary is made from the training messages, so the two share no message. A fifth of the messages, in
        whole groups, is held out to choose the weights.
        """
        rows = self.rows(split)
        groups, member = np.unique(self.table["group"].to_numpy()[rows.numpy()], return_inverse=True)
        order = torch.randperm(len(groups), generator=generator)
        held_out = torch.isin(torch.from_numpy(member), order[: max(1, len(groups) // 5)])
        chosen = (rows, rows) if len(groups) == 1 else (rows[~held_out], rows[held_out])
        return self.fit(states, chosen, config, generator)

    def take(self, states: CorpusStates, sizes: Mapping[str, int], generator: torch.Generator) -> pa.Table:
        """A vocabulary of training messages, each symbol sequence once, and held-out messages of dev and test.

        The columns of `messages.parquet`, plus `picked`. If there are more messages than wanted, some are drawn.
        """
        parts, first = [], 0
        for split, size in sizes.items():
            rows = self.drawn(split, generator)
            if split == "train" and isinstance(self.messages, Sequences):
                _, place, _ = self.messages[rows].distinct()
                rows = rows[np.sort(np.unique(place.numpy(), return_index=True)[1])]
            rows = rows[:size].sort().values
            table = states_table(states, self.candidates(states, rows, generator), "message_id", first)
            first += len(rows)
            table = table.append_column("split", pa.array([split] * len(rows)))
            table = table.append_column("message", _column(self.messages[rows]))
            picked = self.table["picked"].combine_chunks().take(pa.array(rows.numpy()))
            parts.append(table.append_column("picked", picked))
        return pa.concat_tables(parts)


def _column(messages: Messages) -> pa.Array:
    """Messages as a column of a table; symbols without the one that ends them."""
    if isinstance(messages, Sequences):
        return pa.array([row[row >= 0].tolist() for row in messages.to_array()], pa.list_(pa.int32()))
    return vectors(messages.numpy())


def load_recorded(path: str | Path) -> Recorded:
    """Read `recorded.parquet`."""
    table, about = read_table(path, RECORDED), read_about(path)
    return Recorded(table, about, contents(table["message"], about))
