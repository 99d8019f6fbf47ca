"""What was said: the contexts of a corpus, its messages and utterances, where each was said, and in which split."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from neuralese.errors import NeuraleseError, shown
from neuralese.storage.tables import vectors
from neuralese.tasks.corpus.columns import (
    ID,
    IDS,
    POSITION,
    SYMBOLS,
    TEXT,
    convert,
    keys,
    matrix,
    row_of,
    typed,
)
from neuralese.tasks.corpus.files import Faults, Source
from neuralese.tasks.corpus.settings import FILE, MOST_SYMBOLS, MessageSettings, SplitSettings
from neuralese.tasks.corpus.states import States, unique

SPLITS = ("train", "dev", "test")
NO_STATES = (
    "a translation compares what messages make a listener believe about states, so every message needs the state it "
    "was said in"
)


@dataclass(frozen=True)
class Contexts:
    """n contexts, each of which offers two candidates or more."""

    ids: list[str]
    candidates: np.ndarray  # (n, most) rows of the states, the true one first; -1 where there are fewer
    picked: np.ndarray  # (n,) whether the real listener picked the true state: 1 or 0, or -1 if unknown

    @property
    def sizes(self) -> np.ndarray:
        """Number of candidates of each context: (n,)."""
        return (self.candidates >= 0).sum(1)

    def cut(self, rng: np.random.Generator) -> np.ndarray:
        """As many candidates of each context as all have, drawn at random, the true state first: (n, fewest)."""
        order = np.where(self.candidates >= 0, rng.random(self.candidates.shape), 2.0)
        order[:, 0] = -1
        return np.take_along_axis(self.candidates, np.argsort(order, axis=1)[:, : self.sizes.min()], axis=1)


def read_contexts(source: Source, file: str, states: States, faults: Faults) -> Contexts | None:
    """Contexts whose candidates are ids of states, which are in `file`; none if anything is wrong with them."""
    before = len(faults)
    ids: list[str] = []
    with faults.gathered():
        ids = unique(source, "context_id")
    found = typed(source, {"candidates": IDS, "true": POSITION}, faults)
    with faults.gathered():
        if "pick" in source.columns:
            found["pick"] = convert(source, "pick", POSITION, may_be_empty=True)
    if "candidates" not in found:
        return None
    lists = found.pop("candidates")
    starts, rows = (
        lists.offsets.to_numpy(),
        pc.index_in(lists.values, value_set=pa.array(states.ids, pa.large_string())),
    )
    sizes = np.diff(starts)
    few = "but with fewer than two there is nothing to tell apart; add the others"
    with faults.gathered():
        source.refuse(sizes < 2, lambda row: f"'candidates' has {sizes[row]}, {few}")
        if rows.null_count:
            entry = pc.index(rows.is_null(), True).as_py()
            hint = "; in CSV, ids are separated by spaces" if source.is_csv else ""
            what = f"which no row of {file} has{hint}; add that state"
            raise source.fault(row_of(starts, entry), f"'candidates' has {shown(lists.values[entry].as_py())}, {what}")
        for name, positions in found.items():
            with faults.gathered():
                _check_positions(source, name, positions.to_pylist(), sizes)
    if len(faults) > before:
        return None
    true = found["true"].to_numpy()
    place = np.arange(sizes.max())
    order = np.where(place == 0, true[:, None], place - (place <= true[:, None]))
    inside = place < sizes[:, None]
    candidates = np.where(inside, rows.to_numpy().astype(np.int64)[np.where(inside, starts[:-1, None] + order, 0)], -1)
    pick = found["pick"].fill_null(-1).to_numpy() if "pick" in found else np.full(len(true), -1)
    return Contexts(ids, candidates, np.where(pick == -1, -1, pick == true))


def _check_positions(source: Source, name: str, positions: list[int | None], sizes: np.ndarray) -> None:
    """Refuse positions outside the list of candidates, which are counted from 0."""
    wrong = [each is not None and not 0 <= each < size for each, size in zip(positions, sizes, strict=True)]
    hint = ", or leave it empty if unknown" if name == "pick" else ""

    def outside(row: int) -> str:
        return f"'{name}' is {positions[row]}; write a position from 0 to {sizes[row] - 1} among the candidates{hint}"

    source.refuse(wrong, outside)


def message_column(source: Source, settings: MessageSettings) -> pa.Array:
    """What was sent, as a column of the pipeline: vectors, or symbols up to and including the one that ends them."""
    if settings.kind == "vector":
        return vectors(matrix(source, "message"))
    lists = convert(source, "message", SYMBOLS)
    limit = len(settings.names) or MOST_SYMBOLS + 1
    symbols = lists.values.to_numpy()
    if len(outside := np.flatnonzero((symbols < 0) | (symbols >= limit))):
        symbol = symbols[outside[0]]
        named = "the number of messages.names in corpus.yaml" if settings.names else "the limit on symbols"
        why = f"which is not below {limit}, {named}; correct one of the two"
        why = "but symbols count from 0; renumber them" if symbol < 0 else why
        raise source.fault(row_of(lists.offsets.to_numpy(), int(outside[0])), f"'message' holds {symbol}, {why}")
    messages = lists.to_pylist()
    if settings.end is not None:
        messages = [each[: each.index(settings.end) + 1] if settings.end in each else each for each in messages]
    return pa.array(messages, pa.list_(pa.int32()))


@dataclass(frozen=True)
class Said:
    """The places in which the rows of a table were said: rows of the states and of the contexts (-1: none)."""

    source: Source
    state: np.ndarray
    context: np.ndarray


def find_places(
    source: Source, file: str, states: States | None, contexts: Contexts | None, faults: Faults
) -> Said | None:
    """Where the rows of a table were said, by ids of the states in `file` and of contexts; none if it is unknown.

    What was said in a context was said in its true state.
    """
    named = [name for name in ("state_id", "context_id") if name in source.columns]
    if not named:
        raise NeuraleseError(f"{source.path} has no column 'state_id': {NO_STATES}; add that column.")
    ids = typed(source, dict.fromkeys(named, ID), faults)
    if states is None or len(ids) < len(named):
        return None
    state: Any = None  # known from here, or from the context
    if "state_id" in ids:
        state = _rows(source, "state_id", ids, states.ids, file)
    if "context_id" not in ids:
        return Said(source, state, np.full(source.rows, -1))
    if contexts is None:
        what = "has a column 'context_id', but there is no table of contexts"
        raise NeuraleseError(f"{source.path} {what}; add contexts.csv, or remove the column.")
    context = _rows(source, "context_id", ids, contexts.ids, "the table of contexts")
    true = contexts.candidates[context, 0]

    def other(row: int) -> str:
        what = f"'state_id' is {shown(states.ids[state[row]])}, but the true state of context"
        of = f"{shown(contexts.ids[context[row]])} is {shown(states.ids[true[row]])}"
        return f"{what} {of}; correct one of the two"

    source.refuse(np.zeros(0) if state is None else state != true, other)
    return Said(source, true, context)


def _rows(source: Source, name: str, ids: dict[str, pa.Array], known: list[str], file: str) -> np.ndarray:
    """The row of each id in another table."""
    found = pc.index_in(ids[name], value_set=pa.array(known, pa.large_string()))
    unknown = f"which no row of {file} has; correct it or add that row"
    source.refuse(found.is_null(), lambda row: f"'{name}' is {shown(ids[name][row].as_py())}, {unknown}")
    return found.to_numpy().astype(np.int64)


def generator(seed: int, stage: str) -> np.random.Generator:
    """Random numbers for one stage: each stage and seed draws different ones."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"corpus {stage} {seed}".encode()).digest()))


def split_tables(said: dict[str, Said], settings: SplitSettings, seed: int) -> dict[str, np.ndarray]:
    """The split of each row of each table; an episode is in the same split in all tables."""
    splits: dict[str, np.ndarray] = {}
    known: dict[Any, Any] = {}
    for name, each in said.items():
        if "split" in each.source.columns:
            splits[name] = _given(each.source)
        else:
            groups = _episodes(each, required=name == "messages") if settings.by else None
            before, rng = ({} if groups is None else known), generator(seed, f"split {name}")
            alone = np.arange(each.source.rows)
            splits[name] = _drawn(each.source, alone if groups is None else groups, before, settings, rng)
            known |= {} if groups is None else dict(zip(groups.tolist(), splits[name].tolist(), strict=True))
        for split in SPLITS:
            if split not in splits[name]:
                raise NeuraleseError(
                    f"{each.source.path} has nothing in the split '{split}'; put some rows there (training fits the "
                    "models, dev chooses, test reports), or remove the column 'split' so that splits are drawn."
                )
    return splits


def _given(source: Source) -> np.ndarray:
    cells, known = convert(source, "split", TEXT).to_pylist(), ", ".join(SPLITS)
    wrong = [cell not in SPLITS for cell in cells]
    source.refuse(wrong, lambda row: f"'split' is {shown(cells[row])}; write one of {known}")
    return np.array(cells)


def _episodes(said: Said, required: bool) -> np.ndarray | None:
    """The episode of each row, (n,), or nothing if rows are independent."""
    if "episode" in said.source.columns:
        return keys(said.source, "episode")
    if required:
        path = said.source.path
        where = f"{path.parent / FILE}: 'split.by' is episode"
        raise NeuraleseError(f"{where}, but {path.name} has no column 'episode'; add it, or change 'split.by'.")
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
