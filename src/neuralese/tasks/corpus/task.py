"""A corpus as a task: a user's own recordings, without a game."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from neuralese.config.models import FitConfig, GameConfig, MessagesConfig
from neuralese.data.data_sets import DataSet
from neuralese.storage.schema import MESSAGE, SPLIT, Column, contract, int8, int32, int32s, text, vector
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.task import FILES, Files, Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from torch import Generator, Tensor

    from neuralese.speakers.traces import Traces
    from neuralese.stages.run import Run

STATES = contract("states", "name").of(
    state=int32("Its row, from 0.", row_number=True),
    name=text("Its id in the corpus."),
    group=int32("Distractors are of the same group: they share the columns `same`.", low=0),
    shown=text("What it is called in pictures and on the page."),
    label=text("The same without colours, to stand on a swatch."),
    color=text("As `#rrggbb`, or empty."),
    picture=text("Its row in `pictures.parquet`, or empty."),
    feature=vector("What players see of it."),
)
PICTURES = contract("pictures", "picture", may_be_empty=True).of(
    picture=text("Its path in the corpus."),
    content=Column(pa.binary(), "A small copy of the picture, as WebP."),
)
RECORDED = contract("recorded").of(
    state=int32("The true state, by its row.", low=0),
    split=SPLIT,
    message=Column(MESSAGE, "What was said: a vector, or symbols."),
    candidates=int32s("The true state and its distractors; empty where none were recorded.", low=0),
    picked=int8("Whether the real listener picked the true state; -1 where it is not known.", low=-1, high=1),
    group=int32("Which messages belong together: those of an episode, or each for itself.", low=0),
)

JUDGED = ("dev", "test")  # splits in which translations are judged, each by a p(z | x) fitted to its own messages
JUDGES = tuple(f"judge_{split}.safetensors" for split in JUDGED)

CARD = (150, 110)  # pixels of a picture
FITTING = FitConfig(steps=1000, batch=1024, learning_rate=0.02, full_batch=8192, check_every=50, patience=5)


class Corpus(Task):
    """The recordings in a folder, or their tables alone."""

    fitting = FITTING
    files = FILES | {
        "game": ("<data>/{task}/states.parquet",),
        "robot": ("<data>/{task}/recorded.parquet",),
        "history": (),
        "judge": tuple(f"<humans>/{{task}}/seed{{seed}}/{judge}" for judge in JUDGES),
        "pictures": ("<data>/{task}/pictures.parquet",),
    }
    stages = ()
    example_names = ("state ★", "distractor")

    def __init__(self, name: str, title: str = "", licence: str = "", candidates: int = 2) -> None:
        self.name, self.title, self.data_set = name, title or name, DataSet(title, licence)
        self.game = GameConfig(candidates=candidates)

    @classmethod
    def of(cls, name: str, folder: Path) -> "Corpus":
        """The corpus in a folder."""
        from neuralese.tasks.corpus.settings import read_settings

        settings = read_settings(folder)
        return cls(name, settings.title, settings.licence, settings.candidates)

    def load_games(self, files: Files, rules: GameConfig) -> dict[str, Any]:
        """The states, the same in every split."""
        from neuralese.tasks.corpus.game import load_games

        return load_games(files, rules)

    def load_traces(self, files: Files, states: Any, split: str, generator: "Generator") -> "Traces":
        """What was said in one split, with recorded or drawn candidates."""
        from neuralese.tasks.corpus.game import load_traces

        return load_traces(files, states, split, generator)

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each of the states as its picture, or as a card, (h, w, 3) bytes."""
        import io

        import numpy as np
        from PIL import Image, ImageDraw

        def drawn(shown: str, color: str, picture: str) -> Image.Image:
            if picture:
                return Image.open(io.BytesIO(copies[picture])).convert("RGB")
            image = Image.new("RGB", CARD, color or "#f2f2ee")
            draw = ImageDraw.Draw(image)
            for line, part in enumerate(shown.split(", ")[:7]):
                draw.text((6, 6 + 14 * line), part[:24], fill="black", stroke_width=1, stroke_fill="white")
            return image

        order = sorted(codes)
        looks, copies = _looks(files, order)
        return {
            code: np.asarray(drawn(each["shown"], each["color"], each["picture"]))
            for code, each in zip(order, looks, strict=True)
        }

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The states as the page shows them: their labels, and their picture or colour, if they have one."""
        import base64

        rows = sorted({row for states in (*pictured, *named) for row in states})
        looks, copies = _looks(files, rows)
        items = {}
        for row, each in zip(rows, looks, strict=True):
            look = {"color": each["color"], "text": each["label"]} if each["color"] else {}
            if each["picture"]:
                look = {"image": "data:image/webp;base64," + base64.b64encode(copies[each["picture"]]).decode()}
            items[row] = {"name": each["shown"]} | look
        return {"items": items}

    def fit_robot(self, run: "Run", fit: FitConfig, states: int) -> Any:
        """p(z | x) fitted to the training messages, of the kind under which dev messages are most likely."""
        from neuralese.tasks.corpus.game import load_recorded

        recorded = load_recorded(run.files["recorded.parquet"])
        rows = recorded.rows("train"), recorded.rows("dev")
        return recorded.fit(run.states, rows, fit, run.generator("robot speaker"))

    def speak(self, run: "Run", counts: MessagesConfig) -> "tuple[pa.Table, Mapping[str, Any], Tensor]":
        """Recorded messages, and the states in which some were said."""
        from neuralese.tasks.corpus.game import load_recorded

        recorded, random = load_recorded(run.files["recorded.parquet"]), run.generator("messages")
        sizes = {"train": counts.vocabulary, "dev": counts.held_out, "test": counts.held_out}
        messages = recorded.take(run.states, sizes, random)
        rows = recorded.drawn("train", random)[: counts.contexts]
        return messages, recorded.about, recorded.candidates(run.states, rows, random)

    def protocol(self, run: "Run") -> "pd.DataFrame":
        """The standard measures of the recorded test messages: measure, variable, value."""
        from neuralese.agents.messages import Sequences
        from neuralese.evaluate.measures import measure_symbols, measure_vectors
        from neuralese.tasks.corpus.game import load_recorded

        recorded, path = load_recorded(run.files["recorded.parquet"]), run.files["states.parquet"]
        types, rows = read_about(path)["columns"], recorded.rows("test")
        table = read_table(path, STATES).select([f"column {name}" for name in types]).to_pandas()
        table.columns = list(types)
        said = table.iloc[recorded.state[rows].numpy()].reset_index(drop=True)
        groups, messages = recorded.table["group"].to_numpy()[rows.numpy()], recorded.messages[rows]
        if isinstance(messages, Sequences):
            return measure_symbols(messages.to_array(), said, types, groups=groups)
        return measure_vectors(messages.numpy(), said, types, groups=groups)


def _looks(files: Files, rows: list[int]) -> tuple[list[dict[str, str]], dict[str, bytes]]:
    """How some states are shown, and the small copies of their pictures, by path."""
    looks = read_table(files["states.parquet"], STATES).take(rows).to_pylist()
    if not any(each["picture"] for each in looks):
        return looks, {}  # most corpora have no pictures
    copies = read_table(files["pictures.parquet"], PICTURES).to_pydict()
    return looks, dict(zip(copies["picture"], copies["content"], strict=True))
