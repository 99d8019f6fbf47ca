"""The messages of a corpus: what was sent, and in which state."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.columns import Lists, identifiers, integer_lists, keys, number_lists
from neuralese.tasks.corpus.contexts import Contexts
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.files import Table
from neuralese.tasks.corpus.settings import LARGEST_SYMBOL, MessageSettings
from neuralese.tasks.corpus.states import as_matrix

Symbols = tuple[tuple[int, ...], ...]
SILENT = "if the agent was silent there, give silence a symbol of its own or leave the row out"
NO_STATES = (
    "a translation compares what messages make a listener believe about states, so every message needs the state it "
    "was said in"
)


@dataclass(frozen=True)
class Messages:
    """n messages, as symbols or as vectors, and where each was said."""

    state: np.ndarray  # (n,) rows of the states
    split: np.ndarray  # (n,) train, dev or test
    context: np.ndarray  # (n,) rows of the contexts, or -1
    episode: np.ndarray | None  # (n,) numbers of the episodes
    symbols: Symbols | None  # of each message, up to and including the symbol that ends it
    vectors: np.ndarray | None  # (n, d)

    def __len__(self) -> int:
        return len(self.state)

    def of(self, split: str) -> np.ndarray:
        """The rows of one split."""
        return np.flatnonzero(self.split == split)


def read_contents(table: Table, settings: MessageSettings) -> tuple[Symbols | None, np.ndarray | None]:
    """What was sent: symbols, or vectors (n, d)."""
    table.needs("message")
    if settings.kind == "vector":
        return None, as_matrix(number_lists(table, "message").nonempty("write numbers, or remove the row"))
    lists = integer_lists(table, "message", "a symbol").nonempty(SILENT)
    _check_symbols(lists, settings)
    ends = lists.starts[1:] if settings.end is None else _first_ends(lists, settings.end)
    values, cuts = lists.entries.tolist(), zip(lists.starts[:-1].tolist(), ends.tolist(), strict=True)
    return tuple(tuple(values[start:end]) for start, end in cuts), None


def _check_symbols(lists: Lists, settings: MessageSettings) -> None:
    negative = np.flatnonzero(lists.entries < 0)
    if len(negative):
        entry = int(negative[0])
        raise lists.fault(entry, f"'message' holds {lists.entries[entry]}, but symbols count from 0; renumber them")
    limit = settings.vocabulary or len(settings.names) or LARGEST_SYMBOL + 1
    outside = np.flatnonzero(lists.entries >= limit)
    if len(outside):
        entry = int(outside[0])
        key = "messages.vocabulary" if settings.vocabulary else "the number of messages.names"
        named = "the limit on symbols" if limit > LARGEST_SYMBOL else f"{key} in corpus.yaml"
        raise lists.fault(
            entry,
            f"'message' holds {lists.entries[entry]}, which is not below {limit}, {named}; correct one of the two",
        )


def _first_ends(lists: Lists, end: int) -> np.ndarray:
    """Where each message is cut: after the first symbol `end` in it, or at its end."""
    marks = np.append(np.flatnonzero(lists.entries == end), len(lists.entries))
    following = marks[np.searchsorted(marks, lists.starts[:-1])] + 1
    return np.minimum(following, lists.starts[1:])


def read_places(
    table: Table, states: dict[str, int], states_file: str, contexts: Contexts | None
) -> tuple[np.ndarray, np.ndarray]:
    """The states, and contexts (-1: none), in which something was said: rows of each.

    What was said in a context was said in its true state.
    """
    if "state_id" not in table.columns and "context_id" not in table.columns:
        raise NeuraleseError(f"{table.path} has no column 'state_id': {NO_STATES}; add that column.")
    context = np.full(table.rows, -1)
    state: Any = None
    if "context_id" in table.columns:
        if contexts is None:
            raise NeuraleseError(
                f"{table.path} has a column 'context_id', but there is no table of contexts; add contexts.csv, or "
                "remove the column."
            )
        context = _looked_up(table, "context_id", contexts.rows(), "the table of contexts")
    if "state_id" in table.columns:
        if _is_empty(table, "state_id"):
            raise NeuraleseError(f"{table.path}: 'state_id' is empty in every row: {NO_STATES}; fill it in.")
        state = _looked_up(table, "state_id", states, states_file)
    if contexts is None or "context_id" not in table.columns:
        return state, context
    true = contexts.true_states[context]
    if state is not None and (state != true).any():
        row = int(np.argmax(state != true))
        said, names = identifiers(table, "state_id")[row], list(states)
        raise table.fault(
            row,
            f"'state_id' is {shown(said)}, but the true state of context {shown(contexts.ids[context[row]])} is "
            f"{shown(names[true[row]])}; correct one of the two",
        )
    return true, context


def _is_empty(table: Table, name: str) -> bool:
    cells = table.columns[name]
    return all(not cell for cell in cells) if isinstance(cells, list) else cells.null_count == len(cells)


def _looked_up(table: Table, name: str, rows: dict[str, int], file: str) -> np.ndarray:
    """The row of each id."""
    ids = identifiers(table, name)
    found = np.fromiter((rows.get(each, -1) for each in ids), np.int64, len(ids))
    unknown = np.flatnonzero(found < 0)
    if len(unknown):
        row, more = int(unknown[0]), len(unknown) - 1
        rest = f" (as in {more:,} more row{'s' if more > 1 else ''})" if more else ""
        raise table.fault(
            row, f"'{name}' is {shown(ids[row])}, which no row of {file} has{rest}; correct it or add that row"
        )
    return found


def read_episodes(table: Table) -> np.ndarray | None:
    """Numbers (n,) of the episodes that rows belong to, if the table has them."""
    if "episode" not in table.columns:
        return None
    return np.unique(np.array(keys(table, "episode"), dtype=object), return_inverse=True)[1]
