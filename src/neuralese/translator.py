"""Translate what agents say, with a scikit-learn interface.

    translator = Translator().fit(states, messages, utterances)     # arrays or data frames, one row per message
    translator.to_english(messages[:3])                             # a description of each
    translator.to_neuralese(["light blue"])                         # the best messages for each
    translator.score()                                              # the belief evaluation, held out
    translator.save("mine.neuralese"); Translator.load("mine.neuralese")

Everything is done by the functions of the workflow, on the same tables: for the same corpus, seed and criterion, both
make the same dictionary.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
import pandas as pd
import torch
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from neuralese.agents.messages import Messages, Sequences, sequences
from neuralese.config.load import check
from neuralese.config.models import (
    ALSO,
    CRITERIA,
    Ablation,
    DescriptionConfig,
    Dictionary,
    Evaluation,
    FitConfig,
    MessagesConfig,
)
from neuralese.config.section import Section
from neuralese.errors import NeuraleseError, shown
from neuralese.speakers.models import save_model
from neuralese.stages import agents, evaluate, translate
from neuralese.stages.run import Run
from neuralese.storage.files import write_bytes
from neuralese.storage.tables import read_about, read_table, write_table
from neuralese.tasks.corpus.export import write_tables
from neuralese.tasks.corpus.imports import InputError, as_message_list, record
from neuralese.tasks.corpus.read import Corpus as Recordings
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.task import FITTING, JUDGED, JUDGES, RECORDED, STATES, Corpus
from neuralese.translate.criteria import make_criterion
from neuralese.translate.descriptions import Describer
from neuralese.translate.dictionary import Lookup, entries
from neuralese.translate.families import named
from neuralese.translate.hearing import Heard, hear
from neuralese.translate.languages import Composed

ABOUT = "translator.json"  # in a saved translator: how it was made
FORMAT = 3
RANDOM = "random"  # the control that accompanies every criterion
FILES = (  # of a fitted translator, all in one folder
    *("states.parquet", "recorded.parquet", "inventory.parquet", "traces.parquet", "provenance.json"),
    *("robot_speaker.safetensors", "human_speaker.safetensors", "human_listener.safetensors"),
    *("messages.parquet", "contexts.parquet", "utterances.parquet", "dictionary.parquet", "descriptions.parquet"),
    *JUDGES,
)


class Settings(Section):
    """The sections of the config that a translator uses."""

    speakers: FitConfig = FITTING
    messages: MessagesConfig = MessagesConfig()
    ablation: Ablation = Ablation()
    dictionary: Dictionary = Dictionary()
    descriptions: DescriptionConfig = DescriptionConfig()
    evaluation: Evaluation = Evaluation()


class Translator(BaseEstimator):
    """A dictionary between the messages of agents and English, or phrases made from the columns of their states.

    Parameters
    ----------
    criterion : str or mapping
        How translations are scored: the name of a criterion of the default experiment (`belief`, `direct`,
        `algorithm-1`, `released`, `pmi`, ...), or the settings of one as written in a config. From a family,
        a member is chosen on dev for each direction.
    seed : int
        Seed of the models. Splits are the same for every seed.
    types : mapping, optional
        Types of the states' columns, such as `{"angle": {"type": "circular", "period": 360}, "rgb": "color"}`;
        others are guessed.
    corpus : mapping, optional
        Further entries of `corpus.yaml`, such as `{"messages": {"end": 0}, "candidates": 3}`.
    config : mapping, optional
        Sections of the workflow's config that differ from its defaults: `speakers` (how models are fitted), `messages`
        (how many are used), `ablation`, `dictionary`, `descriptions` and `evaluation`, such as
        `{"messages": {"contexts": 1000}}`.

    Attributes
    ----------
    dictionary_ : DataFrame
        Held-out messages in English, and utterances in messages: the rows of `dictionary.parquet`.
    phrases_ : list of str
        The inventory.
    criterion_ : dict
        The chosen settings of the criterion, by direction.
    """

    _made: Any
    _run: Any

    def __init__(
        self,
        criterion: str | Mapping[str, Any] = "belief",
        seed: int = 0,
        types: Mapping[str, Any] | None = None,
        corpus: Mapping[str, Any] | None = None,
        config: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.criterion, self.seed, self.types, self.corpus, self.config = criterion, seed, types, corpus, config

    def fit(self, states: Any, messages: Any, utterances: Iterable[Any] | None = None) -> Self:
        """Learn what messages mean.

        `states` is a data frame or array with one row per message: what the speaker saw. `messages` are symbols (an
        integer array, or lists of integers) or vectors (an array of floats). `utterances` is what people said about the
        same states: for each message a string, a list of strings or None; without them, phrases come from the columns.
        """
        with TemporaryDirectory(prefix="neuralese-") as folder:
            place = Path(folder) / "corpus"
            self.n_features_in_ = record(place, (states, messages, utterances), self.types, self.corpus)
            return self.fit_corpus(place)

    def fit_corpus(self, folder: str | Path) -> Self:
        """Learn from a corpus: a folder like those written by `neuralese corpus new`."""
        settings, families = self._settings(), self._families()
        made = TemporaryDirectory(prefix="neuralese-")
        try:
            corpus = read_corpus(folder)
        except NeuraleseError as error:
            raise InputError(str(error)) from None
        with one_thread():
            run = corpus_run(made.name, self._seed(), corpus.settings.candidates)
            read(run, corpus)
            fit_models(run, settings.speakers.model_dump())
            take(run, settings.messages.model_dump())
            sizes = settings.ablation.model_dump(exclude={"also"})
            write_dictionary(run, translate.choose_members(run, families, **sizes), settings.dictionary.n_best)
            write_descriptions(run, settings.descriptions.model_dump(), settings.messages.held_out)
        self._keep(made, corpus.settings.candidates)
        return self

    def to_english(self, messages: Any, n_best: int | None = None, n_phrases: int | None = None) -> pd.DataFrame:
        """A description of each of `messages`, in up to `n_phrases` phrases: a row each; `source_id` counts messages.

        `sure` is how often a listener guesses right from descriptions like this: an average over dev messages, not a
        ranking. If no phrase says what a message means, its description says so. With `n_best` or `n_phrases=1`, rows
        are the best single phrases for each (by default 5), as in `dictionary.parquet`. Lower scores are better. For a
        single message, give `messages[:1]`.
        """
        run = self._fitted()
        if n_phrases is not None and (not isinstance(n_phrases, int | np.integer) or n_phrases < 1):
            raise InputError(f"n_phrases is {shown(n_phrases)}; give a positive integer.")
        said = _contents(messages, run.said["train"].messages, read_about(run.files["messages.parquet"]))
        language = replace(run.neuralese("train"), messages=said, ids=torch.arange(len(said)))
        if n_best is not None or n_phrases == 1:
            return self._entries("R->H", language, run.english.spoken(), 5 if n_best is None else n_best)
        with one_thread():
            table = Describer.of(run, n_phrases).table(said).rename(columns={"text": "target"})
        columns = {"direction": "R->H", "criterion": "description", "source_id": language.ids.numpy(), "rank": 1}
        table = table.assign(source=language.texts(), **columns)
        return table[["direction", "criterion", "source_id", "source", "rank", "target", "score", "gain", "sure"]]

    def to_neuralese(self, phrases: Iterable[str] | str, n_best: int = 5) -> pd.DataFrame:
        """The best messages of the vocabulary for each of `phrases`: rows of `dictionary.parquet`, plus `message`.

        A phrase of the inventory stands for itself; any other text for all the phrases of the inventory in it. The
        column `notes` names the words that are unknown, and what misspelt words were taken for; negations are refused.
        """
        run = self._fitted()
        texts = list(phrases) if isinstance(phrases, Iterable) and not isinstance(phrases, str) else [phrases]
        if strange := [text for text in texts if not isinstance(text, str)]:
            raise InputError(f"phrases hold {shown(strange[0])}; give strings, such as ['{self.phrases_[-1]}'].")
        heard = [self._heard(text) for text in texts]
        told = Composed(run.english, tuple(each.parts for each in heard))
        vocabulary = run.neuralese("train")
        table = self._entries("H->R", told, vocabulary, n_best)
        place = {int(number): row for row, number in enumerate(vocabulary.ids)}
        said = _lists(vocabulary.messages)
        notes = [heard[source].notes() for source in table["source_id"]]
        return table.assign(message=[said[place[number]] for number in table["target_id"]], notes=notes)

    def score(self) -> pd.DataFrame:
        """The belief evaluation on held-out messages: rows of `belief.parquet`, for the criterion and the controls."""
        settings = self._settings()
        heard, resamples = settings.evaluation.phrases_heard, settings.evaluation.resamples
        with one_thread():
            belief = evaluate.evaluate_belief(self._fitted(), "test", settings.messages.held_out, heard, resamples)
        return belief.drop(columns="task")

    def save(self, path: str | Path) -> None:
        """Write the translator into one file: a zip of Parquet, safetensors and JSON."""
        write_bytes(path, self._packed())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote."""
        made = TemporaryDirectory(prefix="neuralese-")
        try:
            return cls._unpacked(Path(path).read_bytes(), made)
        except FileNotFoundError:
            raise NeuraleseError(f"{path} does not exist; give the path of a file that `save` wrote.") from None
        except Exception as error:  # whatever zipfile, JSON, Parquet, safetensors or torch make of wrong bytes
            known = isinstance(error, NeuraleseError | ValueError | OSError | zipfile.BadZipFile)
            plain = known and "\n" not in str(error)  # as what pydantic says of wrong values
            why = getattr(error, "strerror", None) or (str(error) if plain else "its parts do not fit together")
            why = why.partition(";")[0].replace(f"{made.name}/", "").strip(".")  # our advice is another
            raise NeuraleseError(f"{path} is not a saved translator ({why}); save it again.") from None

    @cached_property
    def _table(self) -> pd.DataFrame:
        return read_table(self._fitted().files["dictionary.parquet"], "dictionary").to_pandas()

    @property
    def dictionary_(self) -> pd.DataFrame:
        return self._table[self._table["criterion"] != RANDOM].reset_index(drop=True)

    @property
    def phrases_(self) -> list[str]:
        return self._fitted().phrases

    @property
    def criterion_(self) -> dict[str, dict]:
        criteria = Lookup(self._fitted()).criteria
        return {direction: dict(each[self._name()]) for direction, each in criteria.items()}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_made")

    def __getstate__(self) -> dict[str, Any]:
        """Files are included, so that a copy in another process has them too."""
        kept = {
            name: value for name, value in super().__getstate__().items() if name not in ("_made", "_run", "_table")
        }
        return kept | ({"_bytes": self._packed()} if self.__sklearn_is_fitted__() else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        packed = state.pop("_bytes", None)
        super().__setstate__(state)
        if packed is not None:
            other = self._unpacked(packed, TemporaryDirectory(prefix="neuralese-"))
            self._made, self._run = other._made, other._run

    def _keep(self, made: TemporaryDirectory, candidates: int) -> None:
        self.__dict__.pop("_table", None)
        self._made = made  # the folder is removed with the translator
        self._run = corpus_run(made.name, self._seed(), candidates)

    def _fitted(self) -> Run:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this Translator is not fitted yet; call fit(states, messages) first.")
        return self._run

    def _seed(self) -> int:
        if not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise InputError(f"seed is {self.seed!r}; give a non-negative integer.")
        return int(self.seed)

    def _name(self) -> str:
        return self.criterion if isinstance(self.criterion, str) else self.criterion.get("kind", "criterion")

    def _families(self) -> dict[str, Mapping]:
        """The criterion as written in a config, and the control."""
        if isinstance(self.criterion, str):
            family = named(CRITERIA | ALSO, self.criterion)
        else:
            family = dict(self.criterion)
            first = {key: value[0] if isinstance(value, list) and value else value for key, value in family.items()}
            make_criterion({"kind": None, **first})  # refuses what is wrong with it
        return {self._name(): family, RANDOM: CRITERIA[RANDOM]}

    def _settings(self) -> Settings:
        """The sections of the config, with overrides applied to their defaults."""
        try:
            return check(dict(self.config or {}), Settings)
        except NeuraleseError as error:
            raise InputError(str(error)) from None

    def _entries(self, direction: str, source: Any, target: Any, n_best: int) -> pd.DataFrame:
        if not isinstance(n_best, int | np.integer) or n_best < 1:
            raise InputError(f"n_best is {shown(n_best)}; give a positive integer.")
        with one_thread():
            scores = Lookup(self._fitted()).scores(direction, self._name(), source, target)
        return entries(direction, self._name(), source, target, scores, n_best)

    def _heard(self, text: str) -> Heard:
        """What a text is heard as: the phrases of the inventory that it names, or else those that its words make."""
        place = {phrase: number for number, phrase in enumerate(self.phrases_)}
        named = [text] if text in place else [each.strip() for each in text.split(",")]
        if all(each in place for each in named):
            parts = tuple(sorted({place[each] for each in named}))
            return Heard(text, parts, tuple(self.phrases_[part] for part in parts), len(parts) == 1, {}, ())
        try:
            return hear(text, self.phrases_)
        except NeuraleseError as error:
            raise InputError(str(error)) from None

    def _packed(self) -> bytes:
        run, content = self._fitted(), io.BytesIO()
        about = {"format": FORMAT, "candidates": run.rules.candidates, "params": self.get_params(deep=False)}
        about["n_features_in_"] = getattr(self, "n_features_in_", None)
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr(zipfile.ZipInfo(ABOUT), json.dumps(about, indent=2, default=_plain))
            for name, path in run.files.items():
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
        return content.getvalue()

    @classmethod
    def _unpacked(cls, content: bytes, made: TemporaryDirectory) -> Self:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = json.loads(_member(archive, ABOUT, len(content)))
            if not isinstance(about, dict) or "format" not in about:
                raise ValueError(f"{ABOUT} does not say its format")
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']}, and this version reads {FORMAT}")
            for name in FILES:
                (Path(made.name) / name).write_bytes(_member(archive, name, len(content)))
        translator = cls(**about["params"])
        if about["n_features_in_"] is not None:
            translator.n_features_in_ = about["n_features_in_"]
        translator._keep(made, about["candidates"])
        translator._check()
        return translator

    def _check(self) -> None:
        """Read everything, so that what is wrong with it is found now."""
        run, kinds = self._run, {"states": STATES, "recorded": RECORDED}
        tables = {
            path.stem: read_table(path, kinds.get(path.stem, path.stem))
            for path in run.files.values()
            if path.suffix == ".parquet"
        }
        candidates = len(tables["contexts"].column_names) - 1
        if run.states.n_candidates != candidates:
            raise ValueError(f"{ABOUT} counts other than the {candidates} candidates of contexts.parquet")
        for part in ("robot", "english", "listener", "said", "context_states", "heard", "parts", "words"):
            getattr(run, part)
        self._settings(), self._families(), self.criterion_


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A member of a saved translator, none of which is compressed, or larger than the whole file."""
    if name not in archive.namelist():
        raise ValueError(f"it lacks {name}")
    member = archive.getinfo(name)
    if member.compress_type != zipfile.ZIP_STORED or max(member.file_size, member.compress_size) > most:
        raise ValueError(f"{name} is compressed, or larger than the file that holds it")
    return archive.read(member)


def _plain(value: Any) -> Any:
    """A NumPy value as JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be saved; use plain numbers and strings as parameters")


def _contents(messages: Any, learned: Messages, about: Mapping[str, Any]) -> Messages:
    """Messages as models expect them: like those learned from."""
    if not isinstance(messages, Iterable) or getattr(messages, "ndim", 1) == 0:
        raise InputError(f"messages are {shown(messages)}; give a list of messages.")
    rows = list(messages.to_numpy() if isinstance(messages, pd.DataFrame) else messages)
    symbols = about["kind"] == "symbols"
    longest = learned.longest if symbols else learned.shape[1]
    if longest > 1 and any(np.ndim(row) == 0 for row in rows if not isinstance(row, list | tuple)):
        what = "a sequence of symbols" if symbols else f"{longest} numbers"
        raise InputError(f"each message must be {what}, not one number; give a single message as messages[:1].")
    said = as_message_list(rows)
    if symbols:
        try:
            return sequences(said, about)
        except NeuraleseError as error:
            raise InputError(str(error)) from None
    for number, row in enumerate(said):
        if len(row) != longest:
            raise InputError(f"message {number} has {len(row)} numbers; give {longest}, as in those learned from.")
    vectors = torch.tensor(said, dtype=torch.float32).reshape(len(said), longest)
    if not vectors.isfinite().all():
        raise InputError("messages hold numbers that are too large for 32 bits; give smaller ones.")
    return vectors


def _lists(messages: Messages) -> list[list]:
    if isinstance(messages, Sequences):
        return [row[row >= 0].tolist() for row in messages.to_array()]
    return messages.tolist()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit torch to one thread, like jobs of the workflow: sums over several are rounded differently."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def corpus_run(folder: str | Path, seed: int = 0, candidates: int = 2) -> Run:
    """A corpus and seed with all files in one folder."""
    return Run(Corpus("corpus", candidates=candidates), {name: Path(folder) / name for name in FILES}, seed)


def read(run: Run, corpus: Recordings) -> None:
    """Write the tables of a corpus."""
    write_tables(corpus, {Path(name).stem: path for name, path in run.files.items()})


def fit_models(run: Run, fit: Mapping[str, Any]) -> None:
    """Fit p(z | x) of the agent, of those who judge it, and of humans, and the model human."""
    save_model(run.files["robot_speaker.safetensors"], agents.fit_robot_speaker(run, fit))
    for split, name in zip(JUDGED, JUDGES, strict=True):
        save_model(run.files[name], agents.fit_judge(run, split, fit))
    save_model(run.files["human_speaker.safetensors"], agents.fit_human_speaker(run, fit))
    save_model(run.files["human_listener.safetensors"], agents.fit_human_listener(run, fit))


def take(run: Run, counts: Mapping[str, int]) -> None:
    """Take messages and contexts from the recordings."""
    messages, about, contexts = agents.sample_messages(run, counts)
    write_table(run.files["messages.parquet"], messages, "messages", about)
    write_table(run.files["contexts.parquet"], contexts, "contexts")


def write_dictionary(run: Run, criteria: translate.Criteria, n_best: int) -> None:
    """Translate held-out messages into phrases, and utterances into messages."""
    dictionary = translate.score_dictionary(run, n_best, criteria)
    write_table(run.files["dictionary.parquet"], dictionary, "dictionary", {"criteria": criteria})


def write_descriptions(run: Run, descriptions: Mapping[str, Any], messages: int) -> None:
    """Describe held-out messages in as many phrases as it takes."""
    table, about = translate.describe(run, descriptions, messages)
    write_table(run.files["descriptions.parquet"], table, "descriptions", about)
