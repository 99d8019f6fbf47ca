"""What colours look like."""

from collections.abc import Collection, Iterable

import numpy as np

from neuralese.storage.tables import read_table
from neuralese.tasks.colors.data import COLORS, lab_to_rgb
from neuralese.tasks.task import Files


def pixels(files: Files, codes: Collection[int]) -> dict[int, np.ndarray]:
    """Each item as one pixel, (1, 1, 3) in 0..1."""
    order = sorted(codes)
    table = read_table(files["colors.parquet"], COLORS).select(["L", "a", "b"]).take(order)
    return dict(zip(order, lab_to_rgb(table.to_pandas().to_numpy(np.float64))[:, None, None], strict=True))


def described(files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
    """The items of states as the page shows them, and a colour for each phrase."""
    items = {item for states in (pictured, named) for state in states for item in state}
    return {"items": colors(files, items), "shades": shades(files)}


def colors(files: Files, items: set[int]) -> dict[int, dict]:
    """What somebody called each of `items`, and its colour."""
    shown, order = pixels(files, items), sorted(items)
    names = read_table(files["colors.parquet"], COLORS)["name"].take(order).to_pylist()
    return {item: {"name": name, "color": _hex(shown[item])} for item, name in zip(order, names, strict=True)}


def shades(files: Files) -> list[str | None]:
    """For each phrase, the mean of the colours that humans named with it."""
    lab = read_table(files["colors.parquet"], COLORS).select(["L", "a", "b"]).to_pandas().to_numpy(np.float64)
    traces = read_table(files["traces.parquet"], "traces")
    said = traces["phrases"].combine_chunks()
    phrase = said.flatten().to_numpy().astype(np.int64)
    item = np.repeat(traces["item_id"].to_numpy(), said.value_lengths().to_numpy())
    size = read_table(files["inventory.parquet"], "inventory").num_rows
    counts = np.bincount(phrase, minlength=size)
    sums = np.stack([np.bincount(phrase, weights=part[item], minlength=size) for part in lab.T], axis=1)
    shown = lab_to_rgb(sums / np.maximum(counts, 1)[:, None])
    return [_hex(rgb) if count else None for rgb, count in zip(shown, counts, strict=True)]


def _hex(rgb: np.ndarray) -> str:
    return "#{:02x}{:02x}{:02x}".format(*np.round(255 * rgb).astype(int).ravel())
