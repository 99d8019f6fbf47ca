"""Training, dev and test: as given in the tables, or drawn with a seed, whole groups at a time."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.columns import keys, scalars
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.files import Table
from neuralese.tasks.corpus.settings import FILE, SplitSettings
from neuralese.tasks.corpus.states import States

SPLITS = ("train", "dev", "test")
EPISODE = "episode"
MEANT = {"val": "dev", "valid": "dev", "validation": "dev", "training": "train", "eval": "dev", "testing": "test"}


def generator(seed: int, stage: str) -> np.random.Generator:
    """Random numbers for one stage: each stage and seed draws different ones."""
    digest = hashlib.sha256(f"corpus {stage} {seed}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest))


def split_tables(
    tables: dict[str, Table], said_in: dict[str, np.ndarray], states: States, settings: SplitSettings, seed: int
) -> dict[str, np.ndarray]:
    """The split of each row of each table, given the states its rows were `said_in`.

    Drawn groups are in the same split in all tables.
    """
    splits: dict[str, np.ndarray] = {}
    known: dict[Any, Any] = {}
    for name, state in said_in.items():
        table = tables[name]
        if "split" in table.columns:
            splits[name] = _given(table)
        else:
            groups: Any = _groups(table, state, states, settings.by, required=name == "messages")
            single = groups is None
            groups = np.arange(table.rows) if single else groups
            rng = generator(seed, f"split {name}")
            splits[name] = _drawn(table, groups, {} if single else known, settings, rng)
            known |= {} if single else dict(zip(groups.tolist(), splits[name].tolist(), strict=True))
        _check(splits[name], table)
    return splits


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


def _given(table: Table) -> np.ndarray:
    cells = scalars(table, "split")
    for row, cell in enumerate(cells):
        if cell not in SPLITS:
            meant = MEANT.get(str(cell).lower())
            hint = f"did you mean {meant}?" if meant else f"write one of {', '.join(SPLITS)}."
            raise NeuraleseError(f"{table.where(row)}: 'split' is {shown(cell)}; {hint}")
    return np.array(cells)


def _groups(table: Table, state: np.ndarray, states: States, by: str | None, required: bool) -> np.ndarray | None:
    """What has to stay together: (n,), or nothing if rows are independent."""
    if by != EPISODE:
        return None if by is None else states.groups[by][state]
    if EPISODE in table.columns:
        return np.array(keys(table, EPISODE), dtype=object)
    if required:
        where = f"{Path(table.path.parent, FILE)}: 'split.by' is {EPISODE}"
        raise NeuraleseError(f"{where}, but {table.path.name} has no column '{EPISODE}'; add it, or change 'split.by'.")
    return None


def _drawn(
    table: Table, groups: np.ndarray, known: dict, settings: SplitSettings, rng: np.random.Generator
) -> np.ndarray:
    """The known split of a group, or a new one."""
    split = np.array([known.get(group, "") for group in groups.tolist()], dtype="<U5")
    new = split == ""
    distinct = len(set(groups[new].tolist()))
    if distinct < len(SPLITS) and not known:
        what = f"{distinct} different values of '{settings.by}'" if settings.by else f"{table.rows} rows"
        raise NeuraleseError(
            f"{table.path} has {what}, too few for training, dev and test; add more, or a column 'split'."
        )
    split[new] = draw_splits(groups[new], settings, rng) if distinct >= len(SPLITS) else "train"
    return split


def _check(split: np.ndarray, table: Table) -> None:
    """Refuse a corpus with an empty split."""
    for name in SPLITS:
        if not (split == name).any():
            raise NeuraleseError(
                f"{table.path} has nothing in the split '{name}'; put some rows there (training fits the models, dev "
                "chooses, test reports), or remove the column 'split' so that splits are drawn."
            )
