"""The states of a corpus: their ids, one array for each declared column, and the features that models see of them."""

import io
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from neuralese.errors import NeuraleseError, extras, shown
from neuralese.storage.tables import vectors
from neuralese.tasks.corpus.columns import ID, LABEL, NUMBER, TEXT, colors, convert, keys, matrix
from neuralese.tasks.corpus.files import Faults, Source
from neuralese.tasks.corpus.settings import FILE, ColumnSettings, CorpusSettings

if TYPE_CHECKING:
    from neuralese.tasks.birds.features import Network

MOST_CATEGORIES = 1000  # a column with more is an id, or a number
WHOLE = re.compile(r"-?\d{1,15}", re.ASCII)
COMPONENTS = 64  # of a network's features of pictures, which have more dimensions than a corpus has data for
SMALLEST = 1e-9  # spread, as a share of the largest number; below it, differences are rounding
TO_XYZ = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
WHITE = np.array([0.95047, 1.0, 1.08883])
NETWORK = "efficientnet-lite0"
PIXELS = 224  # side of the square shown to the network: the size it was trained on
THUMBNAIL = 96  # pixels of the longer side of a small copy
QUALITY = 70  # of its WebP

ImageFeatures = Callable[[Path], np.ndarray]  # the path of a picture -> (d,)


@dataclass(frozen=True)
class States:
    """n states: row i is called `ids[i]`.

    `columns` depend on the declared type: category (n,) labels; number and circular (n,); color (n, 3), sRGB in
    0..255; vector (n, d); image (n, d), the features of `pictures`, which are paths inside the folder.
    `groups` (n,) number the values of the columns that distractors share.
    """

    ids: list[str]
    columns: dict[str, np.ndarray]
    pictures: dict[str, list[str]]
    groups: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.ids)


def read_states(source: Source, settings: CorpusSettings, images: ImageFeatures, faults: Faults) -> States | None:
    """The states, as far as they can be read; none if they have no ids."""
    states = States([], {}, {}, {})
    with faults.gathered():
        states.ids.extend(unique(source, "state_id"))
        if len(states) == 1:
            raise NeuraleseError(f"{source.path} has only one state, so there is nothing to tell apart; add others.")
    for name, each in settings.states.items():
        with faults.gathered():
            if each.type == "image":
                states.pictures[name] = convert(source, name, TEXT).to_pylist()
                states.columns[name] = _pictured(source, name, states.pictures[name], images)
            else:
                states.columns[name] = _values(source, name, each)
    for name in settings.same:
        with faults.gathered():
            if name not in source.columns:
                where = f"{source.path.parent / FILE}: 'same' names {name}"
                raise NeuraleseError(f"{where}, which is not a column of {source.path.name}; correct either.")
            states.groups[name] = np.unique(keys(source, name), return_inverse=True)[1]
    return states if states.ids else None


def unique(source: Source, name: str) -> list[str]:
    """A column of ids, each of which occurs once."""
    ids = convert(source, name, ID).to_pylist()
    found: dict[str, int] = {}
    again = [found.setdefault(each, row) != row for row, each in enumerate(ids)]
    same = "give every row its own id"
    source.refuse(again, lambda row: f"'{name}' is {shown(ids[row])}, as in {source.place(found[ids[row]])}; {same}")
    return ids


def _values(source: Source, name: str, settings: ColumnSettings) -> np.ndarray:
    """A column as declared."""
    match settings.type:
        case "category":
            labels = convert(source, name, LABEL).to_pylist()
            if (count := len(set(labels))) > MOST_CATEGORIES:
                raise NeuraleseError(
                    f"{source.path}: '{name}' has {count:,} different values, more than the {MOST_CATEGORIES:,} a "
                    "category may have; set its type in corpus.yaml to number or vector, or leave it out there."
                )
            return np.array(labels, dtype=object)
        case "color":
            return colors(source, name)
        case "vector":
            return matrix(source, name)
    numbers = convert(source, name, NUMBER).to_numpy()
    return numbers % settings.period if settings.period else numbers


def categories(labels: np.ndarray) -> tuple[list[str], np.ndarray]:
    """The different labels, in numerical order if all are whole numbers, and the place of each one among them, (n,)."""
    found = set(labels.tolist())
    names = sorted(found, key=int if all(map(WHOLE.fullmatch, found)) else None)
    places = {name: place for place, name in enumerate(names)}
    return names, np.array([places[label] for label in labels.tolist()])


def feature_matrix(
    columns: dict[str, np.ndarray], settings: dict[str, ColumnSettings], training: np.ndarray
) -> tuple[np.ndarray, dict[str, slice]]:
    """Features (n, d) of n states in single precision, and which of the d belong to each column.

    A category is one-hot, a circular column its sine and cosine, a vector unchanged, a picture its components.
    Numbers and colours, as CIELAB, are standardised by the rows `training`: those in which training messages were said.
    """
    parts, places, first = [], {}, 0
    for name, values in columns.items():
        parts.append(_features(values, settings[name], training))
        places[name] = slice(first, first := first + parts[-1].shape[1])
    return np.concatenate(parts, axis=1, dtype=np.float32), places


def states_table(states: States, settings: CorpusSettings, training: np.ndarray) -> tuple[pa.Table, dict[str, Any]]:
    """Every state, with what models see of it, its labels and its columns; and metadata about them."""
    features, numbers = feature_matrix(states.columns, settings.states, training)
    columns: dict[str, Any] = {}
    types: dict[str, dict[str, Any]] = {}
    readable: dict[str, list[str]] = {}
    for name, column in states.columns.items():
        values: Any = column
        kind, period = settings.states[name].type, settings.states[name].period
        types[name] = {"type": "vector" if kind == "image" else kind} | ({} if period is None else {"period": period})
        if kind in ("vector", "image"):
            columns[name] = [*features[:, numbers[name]].astype(np.float64)]
        elif kind == "color":
            values = ["#{:02x}{:02x}{:02x}".format(*rgb) for rgb in np.round(values).astype(int)]
        columns.setdefault(name, values)
        if kind in ("category", "color"):
            readable[name] = [f"{name} {value}" for value in values]
        elif kind in ("number", "circular"):
            readable[name] = [f"{name} {value:.4g}" for value in values]
    colored = [name for name in columns if settings.states[name].type == "color"]
    plain = {name: values for name, values in readable.items() if name not in colored}
    nothing = [""] * len(states)
    shared = np.stack([np.zeros(len(states)), *(states.groups[name] for name in settings.same)])
    groups = np.unique(shared, axis=1, return_inverse=True)[1].reshape(-1)
    table = pa.table(
        {
            "state": np.arange(len(states), dtype=np.int32),
            "name": states.ids,
            "group": groups.astype(np.int32),
            "shown": _joined(readable) or states.ids,
            "label": _joined(plain) or nothing,
            "color": columns[colored[0]] if colored else nothing,
            "picture": next(iter(states.pictures.values()), nothing),
            "feature": vectors(features),
        }
        | {f"column {name}": values for name, values in columns.items()}
    )
    named = settings.utterances.about if settings.utterances else []
    seen_by_people = [number for name in named for number in range(numbers[name].start, numbers[name].stop)]
    return table, {"columns": types, "seen_by_people": seen_by_people or None}


def _joined(parts: dict[str, list[str]]) -> list[str]:
    return [", ".join(each) for each in zip(*parts.values(), strict=True)]


def _features(values: np.ndarray, settings: ColumnSettings, training: np.ndarray) -> np.ndarray:
    match settings.type:
        case "category":
            names, places = categories(values)
            return np.eye(len(names), dtype=np.float32)[places]
        case "number":
            return _standard(values[:, None], training)
        case "circular":
            assert settings.period is not None  # checked with the settings
            angle = values * (2 * math.pi / settings.period)
            return np.stack([np.sin(angle), np.cos(angle)], axis=1)
        case "color":
            return _standard(rgb_to_lab(values), training)
        case "image":
            return _components(values, training)
    return values


def _standard(values: np.ndarray, training: np.ndarray) -> np.ndarray:
    scale = np.abs(values).max() or 1.0  # squares of the largest numbers would overflow
    seen = values[training] / scale
    spread = seen.std(0)
    return (values / scale - seen.mean(0)) / np.where(spread > SMALLEST, spread, 1)


def _components(values: np.ndarray, training: np.ndarray) -> np.ndarray:
    """The directions in which the training rows differ most, at most `COMPONENTS`; the first has a spread of one."""
    rows = np.unique(training)
    center = values[rows].mean(0, dtype=np.float64)
    _, lengths, directions = np.linalg.svd(values[rows] - center, full_matrices=False)
    kept = max(1, min(COMPONENTS, int((lengths > SMALLEST * max(1.0, lengths[0])).sum())))
    directions = directions[:kept]
    largest = directions[np.arange(kept), np.abs(directions).argmax(1)]
    directions = directions * np.sign(largest)[:, None]  # the sign of a direction is arbitrary
    spread = lengths[0] / len(rows) ** 0.5
    return (values - center) @ directions.T / (spread if spread > SMALLEST else 1.0)


def rgb_to_lab(rgb: np.ndarray) -> np.ndarray:
    """Turn sRGB in 0..255, (n, 3), into CIELAB (D65), (n, 3), in which distance is close to perceived difference."""
    encoded = np.asarray(rgb, dtype=np.float64) / 255
    linear = np.where(encoded > 0.04045, ((encoded + 0.055) / 1.055) ** 2.4, encoded / 12.92)
    xyz = linear @ TO_XYZ.T / WHITE
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def _pictured(source: Source, name: str, paths: list[str], features: ImageFeatures) -> np.ndarray:
    """The features of pictures inside the folder, (n, d); each picture is processed once."""
    from PIL.Image import DecompressionBombError

    folder = source.path.parent.resolve()
    found: dict[str, np.ndarray] = {}
    for row, path in enumerate(paths):
        if path in found:
            continue
        file = (folder / path).resolve()
        if not file.is_relative_to(folder):
            raise source.fault(row, f"'{name}' is {shown(path)}, which is outside the folder; copy the picture into it")
        if not file.is_file():
            raise source.fault(row, f"'{name}' is {shown(path)}, but the folder has no such file; add it")
        try:
            found[path] = features(file)
        except (OSError, ValueError, SyntaxError, DecompressionBombError):  # raised by damaged pictures
            raise source.fault(row, f"'{name}' is {shown(path)}, which is not a whole picture; replace it") from None
    return np.stack([found[path] for path in paths], dtype=np.float32)


@cache
def _network() -> "Network":
    with extras():
        from neuralese.tasks.birds.features import Network, export_backbone

    return Network(export_backbone(NETWORK, PIXELS))


def seen(path: Path) -> np.ndarray:
    """The network's features of a picture: its last feature maps, averaged over the picture, (1280,)."""
    import torch

    return torch.from_numpy(_network().maps(_decoded(path, PIXELS))).mean((1, 2)).numpy()


def checked(path: Path) -> np.ndarray:
    """Decode a picture without extracting features: a zero."""
    _decoded(path, 1)
    return np.zeros(1, dtype=np.float32)


def thumbnail(path: Path) -> bytes:
    """A small copy of a picture, as WebP."""
    from PIL import Image

    small = Image.fromarray(_decoded(path, None))
    small.thumbnail((THUMBNAIL, THUMBNAIL))
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=QUALITY)
    return buffer.getvalue()


def _decoded(path: Path, size: int | None) -> np.ndarray:
    """A picture as meant to be seen, stretched to size x size pixels if given: (h, w, 3) bytes."""
    from PIL import Image, ImageOps

    with Image.open(path) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
        return np.asarray(upright if size is None else upright.resize((size, size), Image.Resampling.BICUBIC))
