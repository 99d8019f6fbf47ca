"""A corpus as the tables that the pipeline uses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from neuralese.data.data_sets import ATTRIBUTES, PEOPLE
from neuralese.storage.files import file_digest, write_json
from neuralese.storage.tables import vectors, write_table
from neuralese.tasks.corpus.contexts import NO_PICK
from neuralese.tasks.corpus.describe import warnings
from neuralese.tasks.corpus.images import thumbnail
from neuralese.tasks.corpus.read import Corpus
from neuralese.tasks.corpus.tables import PICTURES, RECORDED, STATES
from neuralese.tasks.items import traces_table, utterances_table


def write_corpus(corpus: Corpus, made: dict[str, str | Path], seed: int = 0) -> None:
    """Write the states, the recorded messages, what was said in words, and the provenance of all."""
    sizes = None if corpus.contexts is None else int(corpus.contexts.sizes.min())
    about: dict[str, Any] = {"candidates": sizes, "columns": column_types(corpus), "speaker": speaker_of(corpus)}
    about["seen_by_people"] = seen_by_people(corpus)
    write_table(made["states"], states_table(corpus), STATES, about)
    rng = np.random.default_rng(seed)
    recorded = recorded_table(corpus, sizes, rng)
    write_table(made["recorded"], recorded, RECORDED, messages_about(corpus))
    inventory = pd.DataFrame(
        {
            "phrase_id": range(len(corpus.inventory)),
            "phrase": corpus.inventory.phrases,
            "count": corpus.inventory.counts,
        }
    )
    write_table(made["inventory"], inventory, "inventory")
    said = corpus.utterances
    traces = traces_table(said.state, phrases=said.phrases)
    traces = traces.append_column("split", pa.array(said.split.tolist()))
    traces = traces.append_column("candidates", _candidates(corpus, said.context, sizes, rng))
    write_table(made["traces"], traces, "traces")
    write_table(made["utterances"], utterances_table(corpus.inventory.phrases, traces, said.split), "utterances")
    if "pictures" in made:
        write_table(made["pictures"], pictures_table(corpus), PICTURES)
    write_json(made["provenance"], provenance(corpus))


def column_types(corpus: Corpus) -> dict[str, dict]:
    """The columns that describe a state, as declared in `corpus.yaml`; a picture stands for what is seen of it."""
    types = {name: "vector" if each.type == "image" else each.type for name, each in corpus.settings.states.items()}
    found: dict[str, dict] = {name: {"type": each} for name, each in types.items()}
    for name, each in corpus.settings.states.items():
        if each.period is not None:
            found[name]["period"] = each.period
    return found


def seen_by_people(corpus: Corpus) -> list[int] | None:
    """Which of the features people saw, if agents see more."""
    named = () if corpus.settings.utterances is None else corpus.settings.utterances.about
    places = [corpus.feature_places[name] for name in named]
    return [number for place in places for number in range(place.start, place.stop)] or None


def speaker_of(corpus: Corpus) -> str:
    """Who says the phrases: people, or the columns of the states."""
    return ATTRIBUTES if corpus.utterances.texts is None else PEOPLE


def states_table(corpus: Corpus) -> pa.Table:
    """Every state: what models see of it, its label, and its columns."""
    groups = np.zeros(len(corpus.states), dtype=np.int32)
    if corpus.settings.same:
        shared = np.stack([corpus.states.groups[name] for name in corpus.settings.same])
        groups = np.unique(shared, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int32)
    columns = {name: pa.array(values) for name, values in _values(corpus)}
    return pa.table(
        {
            "state": np.arange(len(corpus.states), dtype=np.int32),
            "name": pa.array(list(corpus.states.ids), pa.string()),
            "group": groups,
            "shown": pa.array(_shown(corpus), pa.string()),
            "label": pa.array(_shown(corpus, colors=False), pa.string()),
            "color": pa.array(_colors(corpus), pa.string()),
            "picture": pa.array(_pictures(corpus), pa.string()),
            "feature": vectors(corpus.features),
            **{f"column {name}": column for name, column in columns.items()},
        }
    )


def _values(corpus: Corpus) -> Iterator[tuple[str, list]]:
    """The columns as written by the user."""
    for name, column in corpus.states.columns.items():
        if column.type == "category":
            yield name, [column.names[place] for place in column.values]
        elif column.type == "color":
            yield name, [_hex(rgb) for rgb in column.values]
        elif column.type == "image":
            yield name, corpus.features[:, corpus.feature_places[name]].tolist()
        else:
            yield name, column.values.tolist()


def _shown(corpus: Corpus, colors: bool = True) -> list[str]:
    """The label of each state: its columns, or its id if they hold nothing readable.

    Without `colors`, it is empty if colours are all there is.
    """
    parts = []
    for name, values in _values(corpus):
        kind = corpus.states.columns[name].type
        if kind == "category":
            parts.append([f"{name} {value}" for value in values])
        elif kind in ("number", "circular"):
            parts.append([f"{name} {value:.4g}" for value in values])
        elif kind == "color" and colors:
            parts.append([f"{name} {value}" for value in values])
    if not parts:
        return list(corpus.states.ids) if colors else [""] * len(corpus.states)
    return [", ".join(each) for each in zip(*parts, strict=True)]


def _colors(corpus: Corpus) -> list[str]:
    """The first column of colours, as "#rrggbb"."""
    first = next((each for each in corpus.states.columns.values() if each.type == "color"), None)
    return [""] * len(corpus.states) if first is None else [_hex(rgb) for rgb in first.values]


def _pictures(corpus: Corpus) -> list[str]:
    """The first column of pictures, as paths inside the folder."""
    first = next((each for each in corpus.states.columns.values() if each.type == "image"), None)
    return [""] * len(corpus.states) if first is None else list(first.names)


def pictures_table(corpus: Corpus) -> pa.Table:
    """A small copy of every picture, by its path inside the folder."""
    paths = sorted(set(_pictures(corpus)) - {""})
    copies = [thumbnail(corpus.folder / path) for path in paths]
    return pa.table({"picture": pa.array(paths, pa.string()), "content": pa.array(copies, pa.binary())})


def _hex(rgb: np.ndarray) -> str:
    return "#{:02x}{:02x}{:02x}".format(*np.round(rgb).astype(int))


def recorded_table(corpus: Corpus, sizes: int | None, rng: np.random.Generator) -> pa.Table:
    """Every message: where it was said, what it is, and whether the real listener understood."""
    said = corpus.messages
    if said.vectors is not None:
        message = vectors(said.vectors)
    else:
        message = pa.array([list(each) for each in said.symbols or ()], pa.list_(pa.int32()))
    picked = np.full(len(said), -1, dtype=np.int8)
    if corpus.contexts is not None:
        known = (said.context >= 0) & (corpus.contexts.pick[said.context] != NO_PICK)
        picked[known] = (corpus.contexts.pick == corpus.contexts.true)[said.context[known]]
    group = np.arange(len(said)) if said.episode is None else np.unique(said.episode, return_inverse=True)[1]
    return pa.table(
        {
            "state": said.state.astype(np.int32),
            "split": pa.array(said.split.tolist()),
            "message": message,
            "candidates": _candidates(corpus, said.context, sizes, rng),
            "picked": picked,
            "group": group.astype(np.int32),
        }
    )


def messages_about(corpus: Corpus) -> dict:
    """Metadata about all messages."""
    settings = corpus.settings.messages
    if settings.kind == "vector":
        return {"kind": "vector", "noise": settings.noise}
    said = [symbol for message in corpus.messages.symbols or () for symbol in message]
    vocabulary = sorted(set(said) - {settings.end})
    longest = max(1, max(len(_cut(message, settings.end)) for message in corpus.messages.symbols or ()))
    names = {"names": list(settings.names)} if settings.names else {}
    return {"kind": "symbols", "vocabulary": vocabulary, "longest": longest, "end": settings.end, **names}


def _cut(message: tuple[int, ...], end: int | None) -> tuple[int, ...]:
    return message[: message.index(end)] if end in message else message


def _candidates(corpus: Corpus, context: np.ndarray, sizes: int | None, rng: np.random.Generator) -> pa.Array:
    """The recorded candidates, the true one first; contexts with more than others are cut at random."""
    if corpus.contexts is None or sizes is None:
        return pa.array([[]] * len(context), pa.list_(pa.int32()))
    every = corpus.contexts.true_first()
    order = np.where(every >= 0, rng.random(every.shape), 2.0)
    order[:, 0] = -1
    chosen = np.take_along_axis(every, np.argsort(order, axis=1)[:, :sizes], axis=1)
    return pa.array([chosen[each].tolist() if each >= 0 else [] for each in context], pa.list_(pa.int32()))


def provenance(corpus: Corpus) -> dict:
    """The provenance of the data."""
    rows = {"states": len(corpus.states), "messages": len(corpus.messages), "utterances": len(corpus.utterances)}
    files = {"corpus.yaml": corpus.folder / "corpus.yaml", **corpus.files}
    return {
        "data_set": corpus.settings.title,
        "source": "corpus",
        "files": [
            {"file": path.name, "from": str(corpus.folder), "sha256": file_digest(path)} for path in files.values()
        ],
        "licence": corpus.settings.licence,
        "time": "",
        "rows": rows,
        "speaker": speaker_of(corpus),
        "warnings": warnings(corpus),
    }
