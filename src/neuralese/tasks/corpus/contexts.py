"""The contexts of a corpus: which states a listener had to choose from, which was the true one, which it picked."""

from dataclasses import dataclass

import numpy as np

from neuralese.tasks.corpus.columns import identifier_lists, integers, unique
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.files import Table

NO_PICK = -1


@dataclass(frozen=True)
class Contexts:
    """n contexts: context i offers the states `candidates[starts[i] : starts[i + 1]]`, two or more."""

    ids: tuple[str, ...]
    candidates: np.ndarray  # rows of the states
    starts: np.ndarray  # (n + 1,)
    true: np.ndarray  # (n,) position of the true state among the candidates
    pick: np.ndarray  # (n,) position that the real listener picked; -1 if unknown

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> np.ndarray:
        """Number of candidates of each context: (n,)."""
        return np.diff(self.starts)

    @property
    def true_states(self) -> np.ndarray:
        """The row of each context's true state: (n,)."""
        return self.candidates[self.starts[:-1] + self.true]

    def rows(self) -> dict[str, int]:
        """The row of each id."""
        return {each: row for row, each in enumerate(self.ids)}

    def true_first(self) -> np.ndarray:
        """The candidates of each context, the true state first: (n, most); -1 where there are fewer."""
        most = int(self.sizes.max())
        place = np.arange(most)
        wanted = np.where(place == 0, self.true[:, None], place - (place <= self.true[:, None]))
        inside = place < self.sizes[:, None]
        return np.where(inside, self.candidates[np.where(inside, self.starts[:-1, None] + wanted, 0)], -1)


def read_contexts(table: Table, states: dict[str, int], states_file: str) -> Contexts:
    """Read contexts whose candidates are `states`, by their ids."""
    table.needs("context_id", "candidates", "true")
    ids = unique(table, "context_id")
    lists = identifier_lists(table, "candidates")
    few = np.flatnonzero(lists.lengths < 2)
    if len(few):
        row, found = int(few[0]), int(lists.lengths[few[0]])
        raise table.fault(
            row, f"'candidates' has {found}, but with fewer than two there is nothing to tell apart; add the others"
        )
    rows = np.fromiter((states.get(each, -1) for each in lists.entries), np.int64, len(lists.entries))
    if (rows < 0).any():
        entry = int(np.argmax(rows < 0))
        hint = "; in CSV, ids are separated by spaces" if table.is_csv else ""
        raise lists.fault(
            entry,
            f"'candidates' has {shown(lists.entries[entry])}, which no row of {states_file} has{hint}; add that state",
        )
    true = _position(table, "true", lists.lengths, integers(table, "true"))
    pick = np.full(table.rows, NO_PICK)
    if "pick" in table.columns:
        pick = integers(table, "pick", missing=NO_PICK - 1)
        known = pick != NO_PICK - 1
        _position(table, "pick", lists.lengths, np.where(known, pick, 0))
        pick = np.where(known, pick, NO_PICK)
    return Contexts(tuple(ids), rows, lists.starts, true, pick)


def _position(table: Table, name: str, lengths: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Positions that are inside the list of candidates, counted from 0."""
    outside = np.flatnonzero((positions < 0) | (positions >= lengths))
    if len(outside):
        row = int(outside[0])
        last = int(lengths[row]) - 1
        hint = ", or leave it empty if unknown" if name == "pick" else ""
        raise table.fault(
            row, f"'{name}' is {positions[row]}; write a position from 0 to {last} among the candidates{hint}"
        )
    return positions
