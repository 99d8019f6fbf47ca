"""Read a corpus: a folder with `corpus.yaml`, states, messages and, optionally, contexts and utterances.

corpus = read_corpus("mine")
corpus.features[corpus.messages.state]                      # what the speaker saw, for the models
corpus.messages.symbols[0], corpus.inventory.phrases[:10]
corpus.candidates(corpus.messages, corpus.messages.of("dev"), rng)

Everything is checked on the way; a `CorpusError` names each fault in one sentence. Nothing here imports torch or
pandas, which take longer to load than most corpora.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.candidates import draw_candidates
from neuralese.tasks.corpus.columns import texts, unique
from neuralese.tasks.corpus.contexts import Contexts, read_contexts
from neuralese.tasks.corpus.faults import CorpusError, Faults
from neuralese.tasks.corpus.features import feature_matrix
from neuralese.tasks.corpus.files import TABLES, Table, find_table, read_table
from neuralese.tasks.corpus.images import ImageFeatures, seen
from neuralese.tasks.corpus.inventory import Inventory
from neuralese.tasks.corpus.messages import NO_STATES, Messages, read_contents, read_episodes, read_places
from neuralese.tasks.corpus.settings import FILE, CorpusSettings, UtteranceSettings, read_settings
from neuralese.tasks.corpus.splits import EPISODE, split_tables
from neuralese.tasks.corpus.states import States, read_column, read_groups
from neuralese.tasks.corpus.utterances import Utterances, from_people, from_states

Places = tuple[np.ndarray, np.ndarray]  # rows of states and of contexts in which something was said


@dataclass(frozen=True)
class Corpus:
    """A user's data, checked, as plain arrays; rows of one table refer to rows of another."""

    folder: Path
    settings: CorpusSettings
    files: dict[str, Path]  # of the tables that exist
    states: States
    features: np.ndarray  # (states, d): what models see of each state
    feature_places: dict[str, slice]  # which of the d belong to each column
    messages: Messages
    contexts: Contexts | None
    utterances: Utterances
    inventory: Inventory

    def candidates(self, said: Messages | Utterances, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The candidates of some rows of one split, the true state first: (n, most); -1 where there are fewer.

        Those of the contexts in which it was said, or drawn ones.
        """
        if self.contexts is not None and (said.context[rows] >= 0).all():
            return self.contexts.true_first()[said.context[rows]]
        state = said.state[rows]
        shared = [self.states.groups[name][state] for name in self.settings.same]
        groups = np.unique(np.stack(shared), axis=1, return_inverse=True)[1] if shared else None
        return draw_candidates(state, self.settings.candidates, rng, groups)


def read_corpus(folder: str | Path, seed: int = 0, image_features: ImageFeatures = seen) -> Corpus:
    """Read and check a corpus; splits that it does not define are drawn with `seed`.

    Pictures become features through `image_features`; `images.checked` is quicker, and extracts nothing.
    """
    folder = Path(folder)
    faults = Faults(folder)
    try:
        if not folder.is_dir():
            found = "is not a folder" if folder.exists() else "does not exist"
            raise NeuraleseError(f"{folder} {found}; `neuralese corpus new {folder}` writes an example.")
        return _Reading(folder, faults, image_features).corpus(seed)
    except CorpusError:
        raise
    except NeuraleseError as error:
        raise CorpusError(folder, [*faults.sentences, str(error)]) from None


class _Reading:
    """Reads one part after another, continuing with those that do not need the faulty ones."""

    def __init__(self, folder: Path, faults: Faults, image_features: ImageFeatures) -> None:
        self.folder, self.faults, self.image_features = folder, faults, image_features
        self.settings = read_settings(folder)
        self.tables: dict[str, Table] = {}

    def corpus(self, seed: int) -> Corpus:
        """Read everything."""
        for name in TABLES:
            with self.faults.gathered():
                self._open(name)
        states: Any = self._states()
        contexts = self._contexts(states)
        content: tuple = (None, None)
        with self.faults.gathered():
            content = (
                read_contents(self.tables["messages"], self.settings.messages) if "messages" in self.tables else ()
            )
        places = {name: place for name in ("messages", "utterances") if (place := self._places(name, states, contexts))}
        said = self._texts()
        self._check_contexts(contexts)
        self.faults.stop()
        said_in = {name: state for name, (state, _) in places.items()}
        splits = split_tables(self.tables, said_in, states, self.settings.split, seed)
        state, context = places["messages"]
        messages = Messages(state, splits["messages"], context, read_episodes(self.tables["messages"]), *content)
        features, feature_places = feature_matrix(states.columns.values(), state[messages.split == "train"])
        settings = self.settings.utterances or UtteranceSettings(least=1 if said is None else UtteranceSettings.least)
        if said is None:
            utterances, inventory = from_states(states, messages, settings.least)
        else:
            path, where = self.tables["utterances"].path, (*places["utterances"], splits["utterances"])
            utterances, inventory = from_people(path, said, where, settings)
        return Corpus(
            folder=self.folder,
            settings=self.settings,
            files={name: table.path for name, table in self.tables.items()},
            states=states,
            features=features,
            feature_places=feature_places,
            messages=messages,
            contexts=contexts,
            utterances=utterances,
            inventory=inventory,
        )

    def _open(self, name: str) -> None:
        """Read the file of a table, if it exists."""
        path = find_table(self.folder, name)
        if path is not None:
            self.tables[name] = read_table(path)
        elif name == "states":
            raise NeuraleseError(f"{self.folder} has no table of states: {NO_STATES}; add states.csv.")
        elif name == "messages":
            raise NeuraleseError(f"{self.folder} has no table of messages; add messages.csv with state_id and message.")

    def _states(self) -> States | None:
        """The states, as far as they can be read; none if they have no ids."""
        if "states" not in self.tables:
            return None
        table = self.tables["states"]
        ids: tuple[str, ...] = ()
        columns: dict[str, Any] = {}
        groups: dict[str, Any] = {}
        with self.faults.gathered():
            table.needs("state_id")
            ids = tuple(unique(table, "state_id"))
            if len(ids) < 2:
                raise NeuraleseError(f"{table.path} has only one state, so there is nothing to tell apart; add others.")
        for name, settings in self.settings.states.items():
            with self.faults.gathered():
                columns[name] = read_column(table, name, settings, self.image_features)
        by = self.settings.split.by
        keeping = dict.fromkeys(self.settings.same, "same") | ({} if by in (None, EPISODE) else {by: "split.by"})
        for name, key in keeping.items():
            with self.faults.gathered():
                if name not in table.columns:
                    where = f"{self.folder / FILE}: '{key}' names {name}"
                    raise NeuraleseError(f"{where}, which is not a column of {table.path.name}; correct either.")
                groups[name] = read_groups(table, name)
        return States(ids, columns, groups) if ids else None

    def _contexts(self, states: States | None) -> Contexts | None:
        if "contexts" not in self.tables or states is None:
            return None
        with self.faults.gathered():
            return read_contexts(self.tables["contexts"], states.rows(), self.tables["states"].path.name)
        return None

    def _places(self, name: str, states: States | None, contexts: Contexts | None) -> Places | None:
        """The states and contexts in which the rows of a table were said."""
        contexts_at_fault = contexts is None and "contexts" in self.tables
        if name not in self.tables or states is None or contexts_at_fault:
            return None
        with self.faults.gathered():
            return read_places(self.tables[name], states.rows(), self.tables["states"].path.name, contexts)
        return None

    def _texts(self) -> list[str] | None:
        """What people said."""
        settings, where = self.settings.utterances, self.folder / FILE
        from_states = settings is not None and settings.from_states
        with self.faults.gathered():
            if "utterances" in self.tables:
                table = self.tables["utterances"]
                if from_states:
                    both = f"says `utterances: {{from: states}}`, but {table.path.name} exists"
                    raise NeuraleseError(f"{where} {both}; remove one of the two.")
                table.needs("text")
                return texts(table, "text")
            if settings is not None and not from_states and find_table(self.folder, "utterances") is None:
                raise NeuraleseError(
                    f"{where} has a key 'utterances', but there is no table of them; add utterances.csv, or write "
                    "`utterances: {from: states}`."
                )
        return None

    def _check_contexts(self, contexts: Contexts | None) -> None:
        """Refuse contexts that nobody speaks in."""
        said = [self.tables[name] for name in ("messages", "utterances") if name in self.tables]
        if contexts is not None and said and not any("context_id" in table.columns for table in said):
            self.faults.sentences.append(
                f"{self.tables['contexts'].path} exists, but no message names its context; add a column 'context_id' "
                f"to {said[0].path.name}, or remove the file."
            )
