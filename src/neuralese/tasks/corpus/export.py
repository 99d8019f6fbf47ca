"""A corpus, and its dictionary where there is one, in formats that other tools read.

csv          a corpus folder whose tables are CSV, with the inventory and the dictionary
csar         JSON Lines of [symbols, meanings], the input of CSAR (morpheme induction for emergent languages)
xferbench    JSON Lines of lists of symbols, the input of XferBench and the format of ELCC

The source is a corpus folder, or the folder of a corpus in results (`results/mine`).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from neuralese.errors import NeuraleseError
from neuralese.storage.files import read_json, write_text
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.corpus import data
from neuralese.tasks.corpus.attributes import SPEAKING, attributes
from neuralese.tasks.corpus.colors import hex_to_rgb
from neuralese.tasks.corpus.images import checked
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.settings import FILE
from neuralese.tasks.corpus.states import StateColumn
from neuralese.tasks.corpus.tables import RECORDED, STATES
from neuralese.tasks.corpus.write import settings_text, write_corpus


@dataclass(frozen=True)
class Exported:
    """A corpus as the tables that the workflow makes from it."""

    title: str
    licence: str
    columns: dict[str, dict]  # of the states, as declared in `corpus.yaml`
    states: pa.Table
    recorded: pa.Table
    about: dict  # of the messages
    inventory: pa.Table
    utterances: pa.Table | None  # state_id, text, split: what people said, if anything
    dictionary: pa.Table | None  # with a column `seed`

    @property
    def names(self) -> np.ndarray:
        """The ids of the states."""
        return np.array(self.states["name"].to_pylist(), dtype=object)

    def symbols(self) -> list[list[int]]:
        """The messages without the symbol that ends them."""
        if self.about["kind"] != "symbols":
            raise NeuraleseError("these messages are vectors, but this format is for symbols; export them as csv.")
        end = self.about["end"]
        return [each[: each.index(end)] if end in each else each for each in self.recorded["message"].to_pylist()]

    def meanings(self) -> list[list[str]]:
        """What can be said about the state of each message: a phrase from each column that yields one."""
        said = self.recorded["state"].to_numpy()
        training = said[np.array(self.recorded["split"].to_pylist()) == "train"]
        typed = [_column(name, each, self.states[f"column {name}"]) for name, each in self.columns.items()]
        phrases = attributes([column for column in typed if column.type in SPEAKING], training)
        return [phrases[state] for state in said]


def _column(name: str, settings: dict, values: pa.ChunkedArray) -> StateColumn:
    cells, kind = values.to_pylist(), settings["type"]
    if kind == "category":
        names, places = np.unique(np.array(cells, dtype=object), return_inverse=True)
        return StateColumn(name, kind, places, tuple(names.tolist()))
    if kind == "color":
        return StateColumn(name, kind, np.array([hex_to_rgb(cell) for cell in cells], dtype=float))
    return StateColumn(name, kind, np.array(cells, dtype=float), period=settings.get("period"))


def load(source: str | Path) -> Exported:
    """Read a corpus folder, or the folder of a corpus in results."""
    source = Path(source)
    if (source / FILE).exists():
        return _of_corpus(source)
    if (source / "recorded.parquet").exists():
        return _of_results(source)
    raise NeuraleseError(
        f"{source} is neither a corpus (no {FILE}) nor a corpus in results (no recorded.parquet); name a folder "
        "such as mine or results/mine."
    )


def _of_corpus(folder: Path) -> Exported:
    corpus = read_corpus(folder, image_features=checked)
    sizes = None if corpus.contexts is None else int(corpus.contexts.sizes.min())
    phrases = {
        "phrase_id": range(len(corpus.inventory)),
        "phrase": corpus.inventory.phrases,
        "count": corpus.inventory.counts,
    }
    said, names = corpus.utterances, np.array(corpus.states.ids, dtype=object)
    utterances = None
    if said.texts is not None:
        utterances = {"state_id": names[said.state].tolist(), "text": list(said.texts), "split": said.split.tolist()}
    return Exported(
        title=corpus.settings.title,
        licence=corpus.settings.licence,
        columns=data.column_types(corpus),
        states=data.states_table(corpus),
        recorded=data.recorded_table(corpus, sizes, np.random.default_rng(0)),
        about=data.messages_about(corpus),
        inventory=pa.table({name: list(values) for name, values in phrases.items()}),
        utterances=None if utterances is None else pa.table(utterances),
        dictionary=None,
    )


def _of_results(folder: Path) -> Exported:
    states, about = read_table(folder / "states.parquet", STATES), read_about(folder / "states.parquet")
    inventory = read_table(folder / "inventory.parquet", "inventory")
    provenance, utterances = read_json(folder / "provenance.json"), None
    if provenance["speaker"] == data.PEOPLE:
        traces = read_table(folder / "traces.parquet", "traces")
        phrases, names = inventory["phrase"].to_pylist(), states["name"].to_pylist()
        rows = zip(*(traces[name].to_pylist() for name in ("item_id", "phrases", "split")), strict=True)
        said = [
            (names[state], ". ".join(phrases[each] for each in parts), split) for state, parts, split in rows if parts
        ]
        utterances = pa.table(dict(zip(("state_id", "text", "split"), map(list, zip(*said, strict=True)), strict=True)))
    seeds = sorted(folder.glob("seed*/dictionary.parquet"), key=lambda path: int(path.parent.name[4:]))
    parts = [read_table(path, "dictionary") for path in seeds]
    numbers = [pa.array([int(path.parent.name[4:])] * len(part)) for path, part in zip(seeds, parts, strict=True)]
    parts = [part.add_column(0, "seed", number) for part, number in zip(parts, numbers, strict=True)]
    return Exported(
        title=provenance["data_set"],
        licence=provenance["licence"],
        columns=about["columns"],
        states=states,
        recorded=read_table(folder / "recorded.parquet", RECORDED),
        about=read_about(folder / "recorded.parquet"),
        inventory=inventory.select(["phrase_id", "phrase", "count"]),
        utterances=utterances,
        dictionary=pa.concat_tables(parts) if parts else None,
    )


def export_csv(source: Exported, out: Path) -> str:
    """Write a corpus folder of CSV files."""
    names = source.names
    columns = {name: source.states[f"column {name}"] for name in source.columns}
    messages = {
        "state_id": names[source.recorded["state"].to_numpy()].tolist(),
        "message": source.recorded["message"].to_pylist(),
        "split": source.recorded["split"].to_pylist(),
        "episode": source.recorded["group"].to_pylist(),
    }
    tables = {"states": pa.table({"state_id": names.tolist(), **columns}), "messages": pa.table(messages)}
    candidates = source.recorded["candidates"].to_pylist()
    if all(candidates):
        tables["messages"] = tables["messages"].append_column("context_id", pa.array(range(len(candidates))))
        tables["contexts"] = _contexts(names, candidates, source.recorded["picked"].to_pylist())
    extra = {"utterances": source.utterances, "inventory": source.inventory, "dictionary": source.dictionary}
    tables |= {name: table for name, table in extra.items() if table is not None}
    about = {key: source.about[key] for key in ("end", "noise", "names") if source.about.get(key) is not None}
    settings = {"title": source.title, "licence": source.licence, "messages": {"kind": source.about["kind"], **about}}
    if source.utterances is None:
        settings["utterances"] = {"from": "states"}
    write_corpus(out, settings_text(settings, source.columns), tables, suffix=".csv")
    return f"{out} holds {', '.join(f'{name}.csv' for name in tables)}."


def _contexts(names: np.ndarray, candidates: list[list[int]], picked: list[int]) -> pa.Table:
    """The recorded contexts; a wrong pick is known exactly only if there was one other candidate."""
    picks = [
        0 if right == 1 else 1 if right == 0 and len(each) == 2 else None
        for each, right in zip(candidates, picked, strict=True)
    ]
    shown = [names[each].tolist() for each in candidates]
    columns = {"context_id": range(len(candidates)), "candidates": shown, "true": [0] * len(candidates), "pick": picks}
    return pa.table({name: list(values) for name, values in columns.items()})


def export_csar(source: Exported, out: Path) -> str:
    """Write a line for each non-empty message: its symbols, and what can be said about its state."""
    pairs = zip(source.symbols(), source.meanings(), strict=True)
    return _write_lines(out, [[symbols, meanings] for symbols, meanings in pairs if symbols])


def export_xferbench(source: Exported, out: Path) -> str:
    """Write the symbols of each non-empty message, one per line."""
    return _write_lines(out, [symbols for symbols in source.symbols() if symbols])


def _write_lines(out: Path, lines: list) -> str:
    if out.exists():
        raise NeuraleseError(f"{out} exists already; name a new file.")
    write_text(out, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return f"{out} holds {len(lines):,} messages."


FORMATS: dict[str, Callable[[Exported, Path], str]] = {
    "csv": export_csv,
    "csar": export_csar,
    "xferbench": export_xferbench,
}
