"""Read a corpus: a folder with `corpus.yaml`, states, messages and, optionally, contexts and utterances.

corpus = read_corpus("mine")
corpus.recorded["message"], corpus.inventory["phrase"]      # tables of pyarrow, as the pipeline writes them
corpus.candidates(corpus.rows("dev"), rng)

Every table is converted once into the declared types, and then checked against the others. A `CorpusError` names each
fault in one sentence. Nothing here imports torch or pandas, which take longer to load than most corpora.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from neuralese.data.data_sets import ATTRIBUTES, PEOPLE
from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.candidates import draw_candidates
from neuralese.tasks.corpus.columns import SYMBOLS, TEXT, VECTOR, groups_of, lists_of, table_of, typed
from neuralese.tasks.corpus.files import CorpusError, Faults, Source, find_table, open_table
from neuralese.tasks.corpus.messages import (
    NO_STATES,
    Contexts,
    find_places,
    message_column,
    place_columns,
    read_contexts,
    split_tables,
)
from neuralese.tasks.corpus.phrases import said_by_columns, said_by_people
from neuralese.tasks.corpus.settings import FILE, CorpusSettings, UtteranceSettings, read_settings
from neuralese.tasks.corpus.states import ImageFeatures, States, read_states, seen, states_table

TABLES = ("states", "messages", "contexts", "utterances")
MISSING = {
    "states": f"has no table of states: {NO_STATES}; add states.csv.",
    "messages": "has no table of messages; add messages.csv with state_id and message.",
}


Places = tuple[np.ndarray, np.ndarray]  # rows of the states and of the contexts (-1: none) in which something was said


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
    context: np.ndarray  # (messages,) rows of the contexts; -1: none
    episodes: int | None  # number of episodes, if messages name theirs
    texts: list[str] | None  # what people said, for each row of the traces; none if phrases are made from the states

    @property
    def features(self) -> np.ndarray:
        """What models see of each state: (n, d)."""
        return np.from_dlpack(self.states["feature"].chunk(0).flatten()).reshape(len(self.states), -1)

    @property
    def state(self) -> np.ndarray:
        """The state in which each message was said, (n,)."""
        return np.from_dlpack(self.recorded["state"].chunk(0))

    def rows(self, split: str) -> np.ndarray:
        """The messages of one split."""
        return np.flatnonzero(np.array(self.recorded["split"].to_pylist()) == split)

    def candidates(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The candidates of some messages of one split, the true state first: (n, most); -1 where there are fewer.

        Those of the contexts in which they were said, or drawn ones.
        """
        if self.contexts is not None and (self.context[rows] >= 0).all():
            return self.contexts.true_first()[self.context[rows]]
        state, group = self.state[rows].astype(np.int64), np.from_dlpack(self.states["group"].chunk(0))
        return draw_candidates(state, self.settings.candidates, rng, group[state])


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
    raise CorpusError(folder, list(dict.fromkeys(faults.sentences)))


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
        contexts = read_contexts(sources["contexts"], sources["states"], states, faults)
    contents, said_in = _read_said(sources, settings, states, contexts, faults)
    _check_together(folder, settings.utterances, sources, contexts, faults)
    if states is None or faults.sentences:
        raise CorpusError(folder, faults.sentences)
    splits = split_tables(sources, {name: state for name, (state, _) in said_in.items()}, states, settings.split, seed)
    (state, context), split, texts = said_in["messages"], splits["messages"], contents.get("utterances")
    training = state[split == "train"]
    if texts is not None:
        heard = settings.utterances or UtteranceSettings()
        phrases, inventory = said_by_people(sources["utterances"].path, texts, splits["utterances"], heard)
        where = (*said_in["utterances"], splits["utterances"])
    else:
        least = settings.utterances.least if settings.utterances else 1
        by_state, inventory = said_by_columns(states.columns, settings.states, training, least)
        phrases, where = tuple(by_state[each] for each in state), (state, context, split)
    table, about = states_table(states, settings, training)
    about["candidates"] = None if contexts is None else int(contexts.sizes.min())
    about["speaker"] = ATTRIBUTES if texts is None else PEOPLE
    rng = np.random.default_rng(0)
    picked = np.full(len(state), -1) if contexts is None else np.where(context < 0, -1, contexts.picked()[context])
    episode = groups_of(sources["messages"], "episode") if "episode" in sources["messages"].columns else None
    return Corpus(
        folder=folder,
        settings=settings,
        files={name: source.path for name, source in sources.items()},
        states=table,
        states_about=about,
        recorded=table_of(
            state=state.astype(np.int32),
            split=split,
            message=contents["messages"],
            candidates=_candidates(contexts, context, rng),
            picked=picked.astype(np.int8),
            group=(np.arange(len(state)) if episode is None else episode).astype(np.int32),
        ),
        traces=table_of(
            item_id=where[0].astype(np.int32),
            phrases=lists_of(phrases, np.int16),
            split=where[2],
            candidates=_candidates(contexts, where[1], rng),
        ),
        inventory=table_of(phrase_id=np.arange(len(inventory)), phrase=list(inventory.phrases), count=inventory.counts),
        columns=states.columns,
        pictures=states.pictures,
        contexts=contexts,
        context=context,
        episodes=None if episode is None else int(episode.max()) + 1,
        texts=texts,
    )


def _read_said(
    sources: Mapping[str, Source],
    settings: CorpusSettings,
    states: States | None,
    contexts: Contexts | None,
    faults: Faults,
) -> tuple[dict[str, Any], dict[str, Places]]:
    """What was said, and where: a column of messages, a list of texts, and rows of states and contexts."""
    contents: dict[str, Any] = {}
    said_in: dict[str, Places] = {}
    columns = {"messages": ("message", SYMBOLS if settings.messages.kind == "symbols" else VECTOR)}
    for name, (column, kind) in (columns | {"utterances": ("text", TEXT)}).items():
        if name not in sources:
            continue
        source, places = sources[name], {}
        with faults.gathered():
            places = place_columns(source)
        table = typed(source, {column: kind} | places, faults)
        with faults.gathered():
            if column in table.column_names:
                cells = table[column].chunk(0)
                contents[name] = cells.to_pylist() if kind is TEXT else message_column(source, cells, settings.messages)
        with faults.gathered():
            are_known = contexts is not None or "contexts" not in sources
            if states is not None and are_known and places and places.keys() <= set(table.column_names):
                said_in[name] = find_places(source, table, sources["states"], states, contexts)
    return contents, said_in


def _check_together(
    folder: Path,
    settings: UtteranceSettings | None,
    sources: Mapping[str, Source],
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
        faults.sentences.append(f"{sources['contexts'].path} exists, but no message names its context; {advice}.")


def _candidates(contexts: Contexts | None, context: np.ndarray, rng: np.random.Generator) -> pa.Array:
    """The recorded candidates, the true one first; contexts with more than others are cut at random."""
    if contexts is None:
        return lists_of([()] * len(context), np.int32)
    chosen = contexts.cut(rng)
    return lists_of([chosen[each] if each >= 0 else () for each in context], np.int32)
