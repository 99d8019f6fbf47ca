"""A corpus as the tables of the workflow and, with its dictionary if there is one, in formats that other tools read.

csv          a corpus folder whose tables are CSV, with the inventory and the dictionary

The source is a corpus folder, or the folder of a corpus in results (`results/mine`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from neuralese.data.data_sets import PEOPLE
from neuralese.errors import NeuraleseError
from neuralese.storage.files import file_digest, read_json, write_json
from neuralese.storage.tables import read_about, read_table, write_table
from neuralese.tasks.corpus.describe import warnings
from neuralese.tasks.corpus.read import Corpus, read_corpus
from neuralese.tasks.corpus.settings import FILE
from neuralese.tasks.corpus.states import checked, thumbnail
from neuralese.tasks.corpus.task import PICTURES, RECORDED, STATES
from neuralese.tasks.corpus.write import settings_text, write_corpus
from neuralese.tasks.items import utterances_table


def write_tables(corpus: Corpus, made: Mapping[str, str | Path]) -> None:
    """Write the states, the recorded messages, what was said in words, and the provenance of all."""
    write_table(made["states"], corpus.states, STATES, corpus.states_about)
    write_table(made["recorded"], corpus.recorded, RECORDED, messages_about(corpus))
    write_table(made["inventory"], corpus.inventory, "inventory")
    write_table(made["traces"], corpus.traces, "traces")
    phrases, split = corpus.inventory["phrase"].to_pylist(), corpus.traces["split"].to_pylist()
    write_table(made["utterances"], utterances_table(phrases, corpus.traces, split), "utterances")
    if "pictures" in made:
        paths = sorted(set(corpus.states["picture"].to_pylist()) - {""})
        copies = pa.array([thumbnail(corpus.folder / path) for path in paths], pa.binary())
        write_table(made["pictures"], pa.table({"picture": pa.array(paths, pa.string()), "content": copies}), PICTURES)
    files = [corpus.folder / FILE, *corpus.files.values()]
    provenance = {
        "data_set": corpus.settings.title,
        "source": "corpus",
        "files": [{"file": path.name, "from": str(corpus.folder), "sha256": file_digest(path)} for path in files],
        "licence": corpus.settings.licence,
        "time": "",
        "rows": {"states": len(corpus.states), "messages": len(corpus.recorded), "utterances": len(corpus.traces)},
        "speaker": corpus.states_about["speaker"],
        "warnings": warnings(corpus),
    }
    write_json(made["provenance"], provenance)


def messages_about(corpus: Corpus) -> dict[str, Any]:
    """Metadata about all messages."""
    settings = corpus.settings.messages
    if settings.kind == "vector":
        return {"kind": "vector", "noise": settings.noise}
    messages = corpus.recorded["message"].to_pylist()
    vocabulary = sorted({symbol for each in messages for symbol in each} - {settings.end})
    longest = max(1, *(len(each) - (each[-1] == settings.end) for each in messages))
    names = {"names": settings.names} if settings.names else {}
    return {"kind": "symbols", "vocabulary": vocabulary, "longest": longest, "end": settings.end, **names}


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


def load(source: str | Path) -> Exported:
    """Read a corpus folder, or the folder of a corpus in results."""
    source = Path(source)
    if (source / FILE).exists():
        return _of_corpus(read_corpus(source, image_features=checked))
    if (source / "recorded.parquet").exists():
        return _of_results(source)
    raise NeuraleseError(
        f"{source} is neither a corpus (no {FILE}) nor a corpus in results (no recorded.parquet); name a folder "
        "such as mine or results/mine."
    )


def _of_corpus(corpus: Corpus) -> Exported:
    return Exported(
        title=corpus.settings.title,
        licence=corpus.settings.licence,
        types=corpus.states_about["columns"],
        states=corpus.states,
        recorded=corpus.recorded,
        about=messages_about(corpus),
        inventory=corpus.inventory,
        utterances=None if corpus.texts is None else _utterances(corpus.states, corpus.traces, corpus.texts),
    )


def _of_results(folder: Path) -> Exported:
    kinds: dict[str, Any] = {"states": STATES, "recorded": RECORDED, "inventory": "inventory", "traces": "traces"}
    states, recorded, inventory, traces = (read_table(folder / f"{name}.parquet", kinds[name]) for name in kinds)
    provenance, utterances = read_json(folder / "provenance.json"), None
    if provenance["speaker"] == PEOPLE:
        phrases = inventory["phrase"].to_pylist()
        traces = traces.filter(pc.list_value_length(traces["phrases"]).to_numpy() > 0)
        texts = [". ".join(phrases[place] for place in each) for each in traces["phrases"].to_pylist()]
        utterances = _utterances(states, traces, texts)
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


def _utterances(states: pa.Table, traces: pa.Table, texts: list[str]) -> dict[str, list]:
    said = states["name"].take(traces["item_id"].combine_chunks()).to_pylist()
    return {"state_id": said, "text": texts, "split": traces["split"].to_pylist()}


def export_csv(source: Exported, out: Path) -> str:
    """Write a corpus folder of CSV files."""
    names = source.states["name"].to_pylist()
    recorded = source.recorded.to_pydict()
    tables: dict[str, Any] = {
        "states": {"state_id": names} | {name: source.states[f"column {name}"].to_pylist() for name in source.types},
        "messages": {
            "state_id": [names[state] for state in recorded["state"]],
            "message": recorded["message"],
            "split": recorded["split"],
            "episode": recorded["group"],
        },
    }
    if all(recorded["candidates"]):
        numbers = list(range(len(recorded["state"])))
        tables["messages"]["context_id"] = numbers
        tables["contexts"] = {
            "context_id": numbers,
            "candidates": [[names[state] for state in each] for each in recorded["candidates"]],
            "true": [0] * len(numbers),
            "pick": [  # a wrong one is known exactly only if there was one other candidate
                0 if right == 1 else 1 if right == 0 and len(each) == 2 else None
                for each, right in zip(recorded["candidates"], recorded["picked"], strict=True)
            ],
        }
    extra = {"utterances": source.utterances, "inventory": source.inventory, "dictionary": source.dictionary}
    tables |= {name: table for name, table in extra.items() if table is not None}
    about = {key: source.about[key] for key in ("end", "noise", "names") if source.about.get(key) is not None}
    settings = {"title": source.title, "licence": source.licence, "messages": {"kind": source.about["kind"], **about}}
    if source.utterances is None:
        settings["utterances"] = {"from": "states"}
    write_corpus(out, settings_text(settings, source.types), tables, suffix=".csv")
    return f"{out} holds {', '.join(f'{name}.csv' for name in tables)}."
