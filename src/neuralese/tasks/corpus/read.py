"""Read a corpus: a folder with `corpus.yaml`, states, messages and, optionally, contexts and utterances.

corpus = read_corpus("mine")
corpus.recorded["message"], corpus.inventory["phrase"]      # tables of pyarrow, as the pipeline writes them
corpus.rows("dev")

Every table is converted once into the declared types, and then checked against the others. A `CorpusError` names each
fault in one sentence. Nothing here imports torch, which takes longer to load than most corpora.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from neuralese.data.data_sets import ATTRIBUTES, PEOPLE
from neuralese.errors import NeuraleseError
from neuralese.storage.tables import matrix
from neuralese.tasks.corpus.columns import TEXT, convert, keys
from neuralese.tasks.corpus.files import CorpusError, Faults, Source, find_table, open_table
from neuralese.tasks.corpus.messages import (
    NO_STATES,
    Contexts,
    Said,
    find_places,
    message_column,
    read_contexts,
    split_tables,
)
from neuralese.tasks.corpus.phrases import as_sets, attributes, count_phrases, phrases_of
from neuralese.tasks.corpus.settings import FILE, CorpusSettings, UtteranceSettings, read_settings
from neuralese.tasks.corpus.states import ImageFeatures, read_states, seen, states_table

TABLES = ("states", "messages", "contexts", "utterances")
MISSING = {
    "states": f"has no table of states: {NO_STATES}; add states.csv.",
    "messages": "has no table of messages; add messages.csv with state_id and message.",
}
FEWEST_PHRASES = 2  # with one there is nothing to choose


@dataclass(frozen=True)
class Corpus:
    """A user's data, checked: the tables of the pipeline, and what they were made from."""

    folder: Path
    settings: CorpusSettings
    files: dict[str, Path]  # of the tables that exist
    states: pa.Table  # as in states.parquet; `state` columns of other tables are rows of it
    states_about: dict[str, Any]  # its metadata
    recorded: pa.Table  # the messages, as in recorded.parquet
    traces: pa.Table  # the utterances, as in traces.parquet
    inventory: pa.Table  # as in inventory.parquet
    columns: dict[str, np.ndarray]  # of the states, as declared (see `States`)
    pictures: dict[str, list[str]]  # paths, by column
    contexts: Contexts | None
    texts: list[str] | None  # what people said, for each row of the traces; none if phrases are made from the states

    @property
    def features(self) -> np.ndarray:
        """What models see of each state: (n, d)."""
        return matrix(self.states["feature"])

    @property
    def state(self) -> np.ndarray:
        """The state in which each message was said, (n,)."""
        return self.recorded["state"].to_numpy()

    def rows(self, split: str) -> np.ndarray:
        """The messages of one split."""
        return np.flatnonzero(np.array(self.recorded["split"].to_pylist()) == split)


def read_corpus(folder: str | Path, seed: int = 0, image_features: ImageFeatures = seen) -> Corpus:
    """Read and check a corpus; splits that it does not define are drawn with `seed`.

    Pictures become features through `image_features`; `states.checked` is quicker, and extracts nothing.
    """
    folder, faults = Path(folder), Faults()
    with faults.gathered():
        if not folder.is_dir():
            found = "is not a folder" if folder.exists() else "does not exist"
            raise NeuraleseError(f"{folder} {found}; `neuralese corpus new {folder}` writes an example.")
        return _read(folder, seed, image_features, faults)
    raise CorpusError(folder, list(dict.fromkeys(faults)))


def _read(folder: Path, seed: int, image_features: ImageFeatures, faults: Faults) -> Corpus:
    """Read one part after another, continuing with those that do not need the faulty ones."""
    settings = read_settings(folder)
    sources: dict[str, Source] = {}
    for name in TABLES:
        with faults.gathered():
            if path := find_table(folder, name):
                sources[name] = open_table(path)
            elif name in MISSING:
                raise NeuraleseError(f"{folder} {MISSING[name]}")
    states, contexts = None, None
    if "states" in sources:
        states = read_states(sources["states"], settings, image_features, faults)
        if states is not None and "contexts" in sources:
            contexts = read_contexts(sources["contexts"], sources["states"].path.name, states, faults)
    contents: dict[str, Any] = {}
    said: dict[str, Said | None] = {}
    for name in [name for name in ("messages", "utterances") if name in sources]:
        source = sources[name]
        with faults.gathered():
            is_text = name == "utterances"
            contents[name] = convert(source, "text", TEXT) if is_text else message_column(source, settings.messages)
        with faults.gathered():
            known = states if contexts is not None or "contexts" not in sources else None
            file = sources["states"].path.name if "states" in sources else ""
            said[name] = find_places(source, file, known, contexts, faults)
    _check_together(folder, settings.utterances, sources, contexts, faults)
    if states is None or faults:
        raise CorpusError(folder, faults)
    places = {name: each for name, each in said.items() if each is not None}
    splits = split_tables(places, settings.split, seed)
    messages, split = places["messages"], splits["messages"]
    training = messages.state[split == "train"]
    heard = settings.utterances or UtteranceSettings(least=5 if "utterances" in sources else 1)
    texts: list[str] | None = None
    described, described_split = messages, split
    if "utterances" in sources:
        texts = contents["utterances"].to_pylist()
        described, described_split = places["utterances"], splits["utterances"]
        phrases = [phrases_of(text, heard.language) for text in texts]
    else:
        by_state = attributes(states.columns, settings.states, training)
        phrases = [by_state[each] for each in messages.state]
    rows = np.flatnonzero(described_split == "train")
    inventory = count_phrases([phrases[row] for row in rows], heard.least)
    if len(inventory) < FEWEST_PHRASES:
        raise NeuraleseError(
            f"{folder / FILE}: only {len(inventory)} phrases can be made from the states of training messages; name "
            "more columns under 'states', or lower utterances.least."
            if texts is None
            else f"{sources['utterances'].path} has too few utterances: {len(inventory)} of their words occur in "
            f"{heard.least} of the {len(rows):,} training utterances; add more, or lower utterances.least in {FILE}."
        )
    table, about = states_table(states, settings, training)
    about["candidates"] = None if contexts is None else int(contexts.sizes.min())
    about["speaker"] = ATTRIBUTES if texts is None else PEOPLE
    rng = np.random.default_rng(0)
    picked = np.full(len(split), -1)
    if contexts is not None:
        picked = np.where(messages.context < 0, -1, contexts.picked[messages.context])
    source = sources["messages"]
    episode = np.unique(keys(source, "episode"), return_inverse=True)[1] if "episode" in source.columns else None
    return Corpus(
        folder=folder,
        settings=settings,
        files={name: source.path for name, source in sources.items()},
        states=table,
        states_about=about,
        recorded=pa.table(
            {
                "state": messages.state.astype(np.int32),
                "split": split,
                "message": contents["messages"],
                "candidates": _candidates(contexts, messages.context, rng),
                "picked": picked.astype(np.int8),
                "group": (np.arange(len(split)) if episode is None else episode).astype(np.int32),
            }
        ),
        traces=pa.table(
            {
                "item_id": described.state.astype(np.int32),
                "phrases": pa.array(as_sets(phrases, inventory), pa.list_(pa.int16())),
                "split": described_split,
                "candidates": _candidates(contexts, described.context, rng),
            }
        ),
        inventory=pa.table(
            {"phrase_id": np.arange(len(inventory)), "phrase": list(inventory), "count": list(inventory.values())}
        ),
        columns=states.columns,
        pictures=states.pictures,
        contexts=contexts,
        texts=texts,
    )


def _check_together(
    folder: Path,
    settings: UtteranceSettings | None,
    sources: dict[str, Source],
    contexts: Contexts | None,
    faults: Faults,
) -> None:
    """Refuse utterances that `corpus.yaml` does not expect, or the reverse, and contexts that nobody speaks in."""
    with faults.gathered():
        if "utterances" in sources and settings is not None and settings.source:
            both = f"says `utterances: {{from: states}}`, but {sources['utterances'].path.name} exists"
            raise NeuraleseError(f"{folder / FILE} {both}; remove one of the two.")
        if settings is not None and not settings.source and find_table(folder, "utterances") is None:
            what = "has a key 'utterances', but there is no table of them; add utterances.csv, or write"
            raise NeuraleseError(f"{folder / FILE} {what} `utterances: {{from: states}}`.")
    said = [sources[name] for name in ("messages", "utterances") if name in sources]
    if contexts is not None and said and not any("context_id" in source.columns for source in said):
        advice = f"add a column 'context_id' to {said[0].path.name}, or remove the file"
        faults.append(f"{sources['contexts'].path} exists, but no message names its context; {advice}.")


def _candidates(contexts: Contexts | None, context: np.ndarray, rng: np.random.Generator) -> pa.Array:
    """The recorded candidates, the true one first; contexts with more than others are cut at random."""
    chosen: Any = [] if contexts is None else contexts.cut(rng).tolist()
    return pa.array([chosen[each] if each >= 0 else [] for each in context], pa.list_(pa.int32()))
