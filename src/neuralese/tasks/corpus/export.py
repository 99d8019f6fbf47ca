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
from typing import Any

import numpy as np
import pyarrow as pa

from neuralese.data.data_sets import PEOPLE
from neuralese.errors import NeuraleseError
from neuralese.storage.files import read_json, write_text
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.corpus.phrases import attributes
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.settings import FILE, ColumnSettings
from neuralese.tasks.corpus.states import checked, hex_to_rgb
from neuralese.tasks.corpus.tables import RECORDED, STATES, messages_about
from neuralese.tasks.corpus.write import settings_text, write_corpus


@dataclass(frozen=True)
class Exported:
    """A corpus as the tables that the workflow makes from it."""

    title: str
    licence: str
    types: dict[str, dict]  # of the states' columns, as declared in `corpus.yaml`
    states: pa.Table
    recorded: pa.Table
    about: dict[str, Any]  # of the messages
    inventory: pa.Table
    utterances: dict[str, list] | None  # state_id, text, split: what people said, if anything
    dictionary: pa.Table | None = None  # with a column `seed`

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
        settings = {name: ColumnSettings(**each) for name, each in self.types.items()}
        columns = {}
        for name, each in settings.items():
            cells = self.states[f"column {name}"].to_pylist()
            columns[name] = hex_to_rgb(cells) if each.type == "color" else np.array(cells)
        phrases = attributes(columns, settings, training)
        return [phrases[state] for state in said]


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
    utterances = None
    if corpus.texts is not None:
        said = np.array(corpus.states["name"].to_pylist(), dtype=object)[corpus.traces["item_id"].to_numpy()]
        utterances = {"state_id": said.tolist(), "text": corpus.texts, "split": corpus.traces["split"].to_pylist()}
    return Exported(
        title=corpus.settings.title,
        licence=corpus.settings.licence,
        types=corpus.states_about["columns"],
        states=corpus.states,
        recorded=corpus.recorded,
        about=messages_about(corpus),
        inventory=corpus.inventory,
        utterances=utterances,
    )


def _of_results(folder: Path) -> Exported:
    kinds: dict[str, Any] = {"states": STATES, "recorded": RECORDED, "inventory": "inventory", "traces": "traces"}
    states, recorded, inventory, traces = (read_table(folder / f"{name}.parquet", kinds[name]) for name in kinds)
    provenance, utterances = read_json(folder / "provenance.json"), None
    if provenance["speaker"] == PEOPLE:
        phrases, names = inventory["phrase"].to_pylist(), states["name"].to_pylist()
        said = [each for each in traces.to_pylist() if each["phrases"]]
        utterances = {
            "state_id": [names[each["item_id"]] for each in said],
            "text": [". ".join(phrases[place] for place in each["phrases"]) for each in said],
            "split": [each["split"] for each in said],
        }
    parts = []
    for path in sorted(folder.glob("seed*/dictionary.parquet"), key=lambda path: int(path.parent.name[4:])):
        part = read_table(path, "dictionary")
        parts.append(part.add_column(0, "seed", pa.array([int(path.parent.name[4:])] * len(part))))
    return Exported(
        title=provenance["data_set"],
        licence=provenance["licence"],
        types=read_about(folder / "states.parquet")["columns"],
        states=states,
        recorded=recorded,
        about=read_about(folder / "recorded.parquet"),
        inventory=inventory.select(["phrase_id", "phrase", "count"]),
        utterances=utterances,
        dictionary=pa.concat_tables(parts) if parts else None,
    )


def export_csv(source: Exported, out: Path) -> str:
    """Write a corpus folder of CSV files."""
    names = source.names
    recorded = source.recorded.to_pydict()
    states = {name: source.states[f"column {name}"].to_pylist() for name in source.types}
    tables: dict[str, Any] = {
        "states": {"state_id": names.tolist()} | states,
        "messages": {
            "state_id": names[recorded["state"]].tolist(),
            "message": recorded["message"],
            "split": recorded["split"],
            "episode": recorded["group"],
        },
    }
    if all(recorded["candidates"]):
        tables["messages"]["context_id"] = list(range(len(recorded["state"])))
        tables["contexts"] = _contexts(names, recorded["candidates"], recorded["picked"])
    extra = {"utterances": source.utterances, "inventory": source.inventory, "dictionary": source.dictionary}
    tables |= {name: table for name, table in extra.items() if table is not None}
    about = {key: source.about[key] for key in ("end", "noise", "names") if source.about.get(key) is not None}
    settings = {"title": source.title, "licence": source.licence, "messages": {"kind": source.about["kind"], **about}}
    if source.utterances is None:
        settings["utterances"] = {"from": "states"}
    write_corpus(out, settings_text(settings, source.types), tables, suffix=".csv")
    return f"{out} holds {', '.join(f'{name}.csv' for name in tables)}."


def _contexts(names: np.ndarray, candidates: list[list[int]], picked: list[int]) -> dict[str, list]:
    """The recorded contexts; a wrong pick is known exactly only if there was one other candidate."""
    picks = [
        0 if right == 1 else 1 if right == 0 and len(each) == 2 else None
        for each, right in zip(candidates, picked, strict=True)
    ]
    offered, ids = [names[each].tolist() for each in candidates], list(range(len(candidates)))
    return {"context_id": ids, "candidates": offered, "true": [0] * len(ids), "pick": picks}


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
