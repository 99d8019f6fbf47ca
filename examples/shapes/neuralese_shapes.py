"""A custom task: name one of three shapes of the same colour, so that the other player picks it.

Everything the pipeline needs from a task is in this file; the pyproject.toml next to it registers it with neuralese.
"""

import base64
import io
import json

import numpy as np
import pandas as pd
import torch
from PIL import Image, ImageDraw

from neuralese.config.models import FitConfig, GameConfig, TrainingConfig
from neuralese.data.data_sets import DataSet
from neuralese.games.reference import ReferenceGame
from neuralese.storage.tables import matrix, read_table
from neuralese.tasks.items import Prepared, items_table, traces_table
from neuralese.tasks.task import ReferenceTask

SHAPES, COLORS, SIZES = ("circle", "square", "triangle"), ("red", "green", "blue"), ("small", "large")
WORDS = ("circle", "square", "triangle", "red", "green", "blue", "small", "large")  # what people call them
ITEMS = 900


def _columns():
    return (("shape", SHAPES), ("color", COLORS), ("size", SIZES))


def _classes(files):
    """Shape, colour and size of every item, (n,) each by name, from its standardised indicators."""
    features = matrix(read_table(files["items.parquet"], "items")["feature"])
    parts = np.split(features, np.cumsum([len(names) for _, names in _columns()])[:-1], axis=1)
    return {name: part.argmax(1) for (name, _), part in zip(_columns(), parts, strict=True)}


class SameColorGame(ReferenceGame):
    """A reference game whose items all have the colour of the target, so that naming it is useless."""

    def __init__(self, items, pool, config, color):
        super().__init__(items, pool, config.steps, config.candidates)
        self.color = torch.from_numpy(color)

    def draw_states(self, count, generator):
        """Targets drawn uniformly from all items."""
        return self.with_distractors(self.pool[torch.randint(len(self.pool), (count,), generator=generator)], generator)

    def with_distractors(self, true, generator):
        """Other items of the target's colour."""
        others, color = [], self.color[true]
        for _ in range(self.n_candidates - 1):
            other = torch.empty_like(true)
            for each in color.unique():  # drawn from the true states of that colour, in the same way
                alike = torch.nonzero(color == each).flatten()
                other[alike] = true[alike[torch.randint(len(alike), alike.shape, generator=generator)]]
            others.append(other)
        return torch.stack([true, *others], dim=1)


def _drawn(shape, color, size):
    image = Image.new("RGB", (48, 48), "white")
    radius = (10, 20)[size]
    sides = {"square": 4, "triangle": 3}.get(SHAPES[shape])
    draw = ImageDraw.Draw(image)
    if sides:
        draw.regular_polygon((24, 24, radius), sides, fill=COLORS[color])
    else:
        draw.ellipse((24 - radius, 24 - radius, 24 + radius, 24 + radius), fill=COLORS[color])
    return np.asarray(image)


class Shapes(ReferenceTask):
    """Nine hundred generated shapes."""

    name = "shapes"
    title = "Shapes"
    data_set = DataSet("900 generated shapes", "MIT")
    game = GameConfig(candidates=3)
    training = TrainingConfig(updates=400, batch=64, new_games=64, updates_per_round=4, explore=200)
    fitting = FitConfig(hidden=64, steps=600, check_every=50)

    def embed(self, raw):
        """The raw data: shapes, each with what a person might call it."""
        random = np.random.default_rng(0)
        rows = []
        for number in range(ITEMS):
            shape, color, size = (int(random.integers(len(names))) for names in (SHAPES, COLORS, SIZES))
            words = [shape, len(SHAPES) + color, len(SHAPES) + len(COLORS) + size]
            said = [words[place] for place in sorted(random.permutation(3)[: 1 + random.integers(3)])]
            split = ("train", "train", "train", "dev", "test")[number % 5]
            rows.append({"shape": shape, "color": color, "size": size, "said": said, "split": split})
        (raw / "shapes.json").write_text(json.dumps(rows))

    def prepare(self, raw, settings):
        """Items with their features, and what was said about them."""
        table = pd.read_json(f"{raw}/shapes.json")
        features = [np.eye(len(names))[table[name]] for name, names in _columns()]
        items = items_table(table["split"], np.concatenate(features, axis=1))
        return Prepared(items, traces_table(range(len(table)), phrases=table["said"]), WORDS, {"shapes": len(table)})

    def load_games(self, files, rules):
        """One game for each split."""
        table = read_table(files["items.parquet"], "items")
        items, split = torch.from_numpy(matrix(table["feature"]).copy()), np.array(table["split"].to_pylist())
        color = _classes(files)["color"]
        pools = {name: torch.from_numpy(np.flatnonzero(split == name)) for name in ("train", "dev", "test")}
        return {name: SameColorGame(items, pool, rules, color) for name, pool in pools.items()}

    def variables(self, files, columns):
        """What there is to say: shape, colour and size of the target."""
        return pd.DataFrame({name: values[columns["target"]] for name, values in _classes(files).items()})

    def pixels(self, files, codes):
        """Pictures of items."""
        classes = _classes(files)
        return {code: _drawn(**{name: values[code] for name, values in classes.items()}) for code in codes}

    def described(self, files, pictured, named):
        """Items as shown in the report: their name, and a picture."""
        classes, items = _classes(files), {item for states in (pictured, named) for state in states for item in state}
        shown = {}
        for item in items:
            words = [names[classes[name][item]] for name, names in reversed(_columns())]
            buffer = io.BytesIO()
            Image.fromarray(self.pixels(files, [item])[item]).save(buffer, "PNG")
            shown[item] = {
                "name": " ".join(words),
                "image": f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}",
            }
        return {"items": shown}
