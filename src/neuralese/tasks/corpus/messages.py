"""What was said: the contexts of a corpus, its messages, where each was said, and in which split."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from neuralese.errors import NeuraleseError, shown
from neuralese.tasks.corpus.columns import (
    ID,
    IDS,
    KEY,
    POSITION,
    TEXT,
    Kind,
    array_of,
    convert,
    first,
    lists_of,
    matrix,
    numpy_of,
    row_of,
    typed,
    vectors_of,
)
from neuralese.tasks.corpus.files import Faults, Source
from neuralese.tasks.corpus.settings import FILE, MOST_SYMBOLS, MessageSettings, SplitSettings
from neuralese.tasks.corpus.states import States, unique

NO_PICK = -1
SPLITS = ("train", "dev", "test")
MEANT = {"val": "dev", "valid": "dev", "validation": "dev", "training": "train", "eval": "dev", "testing": "test"}
NO_STATES = (
    "a translation compares what messages make a listener believe about states, so every message needs the state it "
    "was said in"
)


@dataclass(frozen=True)
class Contexts:
    """n contexts: context i offers the states `candidates[starts[i] : starts[i + 1]]`, two or more."""

    ids: list[str]
    candidates: np.ndarray  # rows of the states
    starts: np.ndarray  # (n + 1,)
    true: np.ndarray  # (n,) position of the true state among the candidates
    pick: np.ndarray  # (n,) position that the real listener picked; -1 if unknown

    @property
    def sizes(self) -> np.ndarray:
        """Number of candidates of each context: (n,)."""
        return np.diff(self.starts)

    @property
    def true_states(self) -> np.ndarray:
        """The row of each context's true state: (n,)."""
        return self.candidates[self.starts[:-1] + self.true]

    def true_first(self) -> np.ndarray:
        """The candidates of each context, the true state first: (n, most); -1 where there are fewer."""
        most = int(self.sizes.max())
        place = np.arange(most)
        wanted = np.where(place == 0, self.true[:, None], place - (place <= self.true[:, None]))
        inside = place < self.sizes[:, None]
        return np.where(inside, self.candidates[np.where(inside, self.starts[:-1, None] + wanted, 0)], -1)

    def picked(self) -> np.ndarray:
        """Whether the real listener picked the true state, (n,): 1 or 0, or -1 if unknown."""
        return np.where(self.pick == NO_PICK, -1, self.pick == self.true)

    def cut(self, rng: np.random.Generator) -> np.ndarray:
        """As many candidates of each context as all have, drawn at random, the true state first: (n, fewest)."""
        every = self.true_first()
        order = np.where(every >= 0, rng.random(every.shape), 2.0)
        order[:, 0] = -1
        return np.take_along_axis(every, np.argsort(order, axis=1)[:, : self.sizes.min()], axis=1)


def read_contexts(source: Source, states_source: Source, states: States, faults: Faults) -> Contexts | None:
    """Contexts whose candidates are states, by their ids; none if anything is wrong with them."""
    before = len(faults.sentences)
    kinds = {"context_id": ID, "candidates": IDS, "true": POSITION, "pick": POSITION}
    table = typed(source, kinds, faults, missing=("pick",))
    ids: list[str] = []
    with faults.gathered():
        ids = unique(source, table, "context_id")
    if "candidates" not in table.column_names:
        return None
    lists = table["candidates"].chunk(0)
    starts, rows = numpy_of(lists.offsets), pc.index_in(lists.values, value_set=array_of(states.ids))
    sizes = np.diff(starts)
    positions = {"true": np.zeros(len(sizes), np.int64), "pick": np.full(len(sizes), NO_PICK)}
    with faults.gathered():
        if len(few := np.flatnonzero(sizes < 2)):
            why = "but with fewer than two there is nothing to tell apart; add the others"
            raise source.fault(int(few[0]), f"'candidates' has {sizes[few[0]]}, {why}")
        if (entry := first(pc.is_null(rows))) is not None:
            hint = "; in CSV, ids are separated by spaces" if source.is_csv else ""
            what = f"which no row of {states_source.path.name} has{hint}; add that state"
            raise source.fault(row_of(starts, entry), f"'candidates' has {shown(lists.values[entry].as_py())}, {what}")
        for name in positions:
            if name in table.column_names:
                with faults.gathered():
                    positions[name] = _positions(source, name, table[name].chunk(0), sizes)
    if len(faults.sentences) > before:
        return None
    return Contexts(ids, numpy_of(rows).astype(np.int64), starts, positions["true"], positions["pick"])


def _positions(source: Source, name: str, array: pa.Array, sizes: np.ndarray) -> np.ndarray:
    """Positions inside the list of candidates, counted from 0; -1 where a cell is empty."""
    given = array.to_pylist()
    for row, position in enumerate(given):
        if position is not None and not 0 <= position < sizes[row]:
            hint = ", or leave it empty if unknown" if name == "pick" else ""
            what = f"write a position from 0 to {sizes[row] - 1} among the candidates{hint}"
            raise source.fault(row, f"'{name}' is {position}; {what}")
    return np.array([NO_PICK if position is None else position for position in given])


def message_column(source: Source, lists: pa.Array, settings: MessageSettings) -> pa.Array:
    """What was sent, as a column of the pipeline: vectors, or symbols up to and including the one that ends them."""
    if settings.kind == "vector":
        return vectors_of(matrix(source, "message", lists))
    starts, entries = numpy_of(lists.offsets), numpy_of(lists.values)
    limit = settings.vocabulary or len(settings.names) or MOST_SYMBOLS + 1
    if len(outside := np.flatnonzero((entries < 0) | (entries >= limit))):
        entry = int(outside[0])
        key = "messages.vocabulary" if settings.vocabulary else "the number of messages.names"
        named = "the limit on symbols" if limit > MOST_SYMBOLS else f"{key} in corpus.yaml"
        why = f"which is not below {limit}, {named}; correct one of the two"
        why = "but symbols count from 0; renumber them" if entries[entry] < 0 else why
        raise source.fault(row_of(starts, entry), f"'message' holds {entries[entry]}, {why}")
    messages = lists.to_pylist()
    if settings.end is not None:
        messages = [each[: each.index(settings.end) + 1] if settings.end in each else each for each in messages]
    return lists_of(messages, np.int32)


def place_columns(source: Source) -> dict[str, Kind]:
    """The columns that say where something was said; a table without any is refused."""
    named: dict[str, Kind] = {name: ID for name in ("state_id", "context_id") if name in source.columns}
    if not named:
        raise NeuraleseError(f"{source.path} has no column 'state_id': {NO_STATES}; add that column.")
    cells = source.columns.get("state_id", ["."])
    if cells.null_count == len(cells) if isinstance(cells, pa.Array) else set(cells) <= {"", None}:
        raise NeuraleseError(f"{source.path}: 'state_id' is empty in every row: {NO_STATES}; fill it in.")
    return named


def find_places(
    source: Source, table: pa.Table, states_source: Source, states: States, contexts: Contexts | None
) -> tuple[np.ndarray, np.ndarray]:
    """The states, and contexts (-1: none), in which something was said: rows of each.

    What was said in a context was said in its true state.
    """
    state: Any = None  # known from here, or from the context
    if "state_id" in table.column_names:
        state = _rows(source, "state_id", table, states.ids, states_source.path.name)
    if "context_id" not in table.column_names:
        return state, np.full(source.rows, -1)
    if contexts is None:
        what = "has a column 'context_id', but there is no table of contexts"
        raise NeuraleseError(f"{source.path} {what}; add contexts.csv, or remove the column.")
    context = _rows(source, "context_id", table, contexts.ids, "the table of contexts")
    true = contexts.true_states[context]
    if state is not None and len(other := np.flatnonzero(state != true)):
        row = int(other[0])
        what = f"'state_id' is {shown(states.ids[state[row]])}, but the true state of context"
        of = f"{shown(contexts.ids[context[row]])} is {shown(states.ids[true[row]])}"
        raise source.fault(row, f"{what} {of}; correct one of the two")
    return true, context


def _rows(source: Source, name: str, table: pa.Table, ids: list[str], file: str) -> np.ndarray:
    """The row of each id in another table."""
    found = pc.index_in(table[name].chunk(0), value_set=array_of(ids))
    if (row := first(pc.is_null(found))) is not None:
        more = found.null_count - 1
        rest = f" (as in {more:,} more row{'s' if more > 1 else ''})" if more else ""
        what = f"'{name}' is {shown(table[name][row].as_py())}, which no row of {file} has{rest}"
        raise source.fault(row, f"{what}; correct it or add that row")
    return numpy_of(found).astype(np.int64)


def generator(seed: int, stage: str) -> np.random.Generator:
    """Random numbers for one stage: each stage and seed draws different ones."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"corpus {stage} {seed}".encode()).digest()))


def split_tables(
    sources: dict[str, Source], said_in: dict[str, np.ndarray], states: States, settings: SplitSettings, seed: int
) -> dict[str, np.ndarray]:
    """The split of each row of each table, given the states its rows were `said_in`.

    Drawn groups are in the same split in all tables.
    """
    splits: dict[str, np.ndarray] = {}
    known: dict[Any, Any] = {}
    for name, state in said_in.items():
        source = sources[name]
        if "split" in source.columns:
            splits[name] = _given(source)
        else:
            groups = _groups(source, state, states, settings.by, required=name == "messages")
            before, rng = ({} if groups is None else known), generator(seed, f"split {name}")
            splits[name] = _drawn(source, np.arange(source.rows) if groups is None else groups, before, settings, rng)
            known |= {} if groups is None else dict(zip(groups.tolist(), splits[name].tolist(), strict=True))
        for each in SPLITS:
            if each not in splits[name]:
                raise NeuraleseError(
                    f"{source.path} has nothing in the split '{each}'; put some rows there (training fits the models, "
                    "dev chooses, test reports), or remove the column 'split' so that splits are drawn."
                )
    return splits


def _given(source: Source) -> np.ndarray:
    cells = convert(source, "split", TEXT).to_pylist()
    for row, cell in enumerate(cells):
        if cell not in SPLITS:
            meant = MEANT.get(cell.lower())
            hint = f"did you mean {meant}?" if meant else f"write one of {', '.join(SPLITS)}"
            raise source.fault(row, f"'split' is {shown(cell)}; {hint}")
    return np.array(cells)


def _groups(source: Source, state: np.ndarray, states: States, by: str | None, required: bool) -> np.ndarray | None:
    """What has to stay together: (n,), or nothing if rows are independent."""
    if by != "episode":
        return None if by is None else states.groups[by][state]
    if "episode" in source.columns:
        return np.array(convert(source, "episode", KEY).to_pylist(), dtype=object)
    if required:
        where = f"{source.path.parent / FILE}: 'split.by' is episode"
        raise NeuraleseError(f"{where}, but {source.path.name} has no column 'episode'; add it, or change 'split.by'.")
    return None


def _drawn(
    source: Source, groups: np.ndarray, known: dict, settings: SplitSettings, rng: np.random.Generator
) -> np.ndarray:
    """The known split of a group, or a new one."""
    split = np.array([known.get(group, "") for group in groups.tolist()], dtype="<U5")
    new = split == ""
    distinct = len(set(groups[new].tolist()))
    if distinct < len(SPLITS) and not known:
        what = f"{distinct} different values of '{settings.by}'" if settings.by else f"{source.rows} rows"
        advice = "too few for training, dev and test; add more, or a column 'split'"
        raise NeuraleseError(f"{source.path} has {what}, {advice}.")
    split[new] = draw_splits(groups[new], settings, rng) if distinct >= len(SPLITS) else "train"
    return split


def draw_splits(groups: np.ndarray, settings: SplitSettings, rng: np.random.Generator) -> np.ndarray:
    """Draw the split of n rows, (n,); those in one of the `groups` (n,), three or more, stay together.

    Groups in random order fill test, then dev, until each has its share of the rows; the rest goes to training.
    """
    names, place, counts = np.unique(groups, return_inverse=True, return_counts=True)
    order = rng.permutation(len(names))
    before = np.concatenate([[0], np.cumsum(counts[order])[:-1]]) / len(groups)
    half = 0.5 / len(groups)  # a group that would exceed the share by more than half a row stays out
    tests = int(np.clip((before < settings.test - half).sum(), 1, len(names) - 2))
    devs = int(np.clip((before < settings.test + settings.dev - half).sum() - tests, 1, len(names) - tests - 1))
    split = np.full(len(names), "train")
    split[order[:tests]] = "test"
    split[order[tests : tests + devs]] = "dev"
    return split[place]
