"""The states of a corpus: their ids, and one typed column for each of their attributes."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.colors import hex_to_rgb
from neuralese.tasks.corpus.columns import CHARACTERS, Lists, keys, labels, number_lists, numbers, texts
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.files import Table
from neuralese.tasks.corpus.images import ImageFeatures, PictureError
from neuralese.tasks.corpus.settings import ColumnSettings

MOST_CATEGORIES = 1000  # a column with more is an id, or a number
HEX = re.compile(r"#[0-9a-fA-F]{6}")
AS_COLOR = 'write "#rrggbb" or three numbers from 0 to 255'
INTEGER = re.compile(r"-?\d{1,15}", re.ASCII)


@dataclass(frozen=True)
class StateColumn:
    """One attribute of each of n states.

    `values` depend on the type: category (n,) positions in `names`; number and circular (n,); color (n, 3), sRGB
    in 0..255; vector (n, d); image (n, d), the features of the pictures whose paths are `names`.
    """

    name: str
    type: str
    values: np.ndarray
    names: tuple[str, ...] = ()
    period: float | None = None


@dataclass(frozen=True)
class States:
    """n states: row i is called `ids[i]`; `groups` numbers the values of columns that keep states together."""

    ids: tuple[str, ...]
    columns: dict[str, StateColumn]
    groups: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self) -> dict[str, int]:
        """The row of each id."""
        return {each: row for row, each in enumerate(self.ids)}


def read_column(table: Table, name: str, settings: ColumnSettings, image_features: ImageFeatures) -> StateColumn:
    """Read a column with the type given in `corpus.yaml`."""
    table.needs(name)
    match settings.type:
        case "category":
            return _category(table, name)
        case "number":
            return StateColumn(name, "number", numbers(table, name))
        case "circular":
            return StateColumn(name, "circular", numbers(table, name) % settings.period, period=settings.period)
        case "color":
            return StateColumn(name, "color", _colors(table, name))
        case "vector":
            return StateColumn(name, "vector", as_matrix(number_lists(table, name).nonempty("write numbers")))
    return _images(table, name, image_features)


def read_groups(table: Table, name: str) -> np.ndarray:
    """Number the different values of a column, whatever its type: (n,)."""
    table.needs(name)
    return np.unique(np.array(keys(table, name), dtype=object), return_inverse=True)[1]


def as_matrix(lists: Lists) -> np.ndarray:
    """Lists of equal length as a matrix in single precision."""
    length = int(lists.lengths[0])
    if (lists.lengths != length).any():
        row = int(np.argmax(lists.lengths != length))
        what = f"'{lists.name}' has {lists.lengths[row]} numbers but {length} in the first row"
        raise lists.table.fault(row, f"{what}; make all vectors equally long")
    with np.errstate(over="ignore"):
        values = lists.entries.astype(np.float32)
    if not np.isfinite(values).all():
        entry = int(np.argmin(np.isfinite(values)))
        raise lists.fault(
            entry, f"'{lists.name}' holds {lists.entries[entry]:g}, too large for single precision; scale it"
        )
    return values.reshape(-1, length)


def sorted_labels(found: set[str]) -> list[str]:
    """Labels in alphabetical order, or in numerical order if all are numbers."""
    return sorted(found, key=int) if all(map(INTEGER.fullmatch, found)) else sorted(found)


def _category(table: Table, name: str) -> StateColumn:
    found = labels(table, name)
    names = sorted_labels(set(found))
    if len(names) > MOST_CATEGORIES:
        raise NeuraleseError(
            f"{table.path}: '{name}' has {len(names):,} different values, more than the {MOST_CATEGORIES:,} a category "
            "may have; set its type in corpus.yaml to number or vector, or leave it out there."
        )
    places = {label: place for place, label in enumerate(names)}
    return StateColumn(name, "category", np.array([places[label] for label in found]), tuple(names))


def _colors(table: Table, name: str) -> np.ndarray:
    """Colours (n, 3) in 0..255."""
    cells = table.columns[name]
    cells = cells if isinstance(cells, list) else cells.to_pylist()
    as_numbers = table.is_csv and CHARACTERS.fullmatch(" ".join(cells))
    if as_numbers or not all(isinstance(cell, str) for cell in cells):
        lists = number_lists(table, name)
        wrong = (lists.lengths != 3).nonzero()[0]
        outside = np.flatnonzero((lists.entries < 0) | (lists.entries > 255))
        if len(wrong) or len(outside):
            row = int(wrong[0]) if len(wrong) else lists.row(int(outside[0]))
            raise table.fault(row, f"'{name}' is {shown(cells[row])}, not a colour; {AS_COLOR}")
        return lists.entries.reshape(-1, 3)
    cells = texts(table, name)
    for row, cell in enumerate(cells):
        if not HEX.fullmatch(cell):
            raise table.fault(row, f"'{name}' is {shown(cell)}, not a colour; {AS_COLOR}")
    return np.array([hex_to_rgb(cell) for cell in cells], dtype=np.float64)


def _images(table: Table, name: str, features: ImageFeatures) -> StateColumn:
    """Pictures inside the folder, through the function given for them; each is processed once."""
    folder, paths = table.path.parent.resolve(), texts(table, name)
    files: dict[str, Path] = {}
    for row, path in enumerate(paths):
        if path in files:
            continue
        file = (folder / path).resolve()
        if not file.is_relative_to(folder):
            raise table.fault(row, f"'{name}' is {shown(path)}, which is outside the folder; copy the picture into it")
        if not file.is_file():
            raise table.fault(row, f"'{name}' is {shown(path)}, but the folder has no such file; add it")
        files[path] = file
    try:
        found = np.asarray(features(list(files.values())), dtype=np.float32)
    except PictureError as error:
        path = list(files)[error.place]
        why = f"'{name}' is {shown(path)}, which cannot be read as a picture: {error}"
        raise table.fault(paths.index(path), f"{why}; replace it") from None
    place = {path: row for row, path in enumerate(files)}
    return StateColumn(name, "image", found[[place[path] for path in paths]], tuple(paths))
