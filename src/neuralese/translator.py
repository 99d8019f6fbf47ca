"""Translate what agents say, with a scikit-learn interface.

    translator = Translator().fit(states, messages, utterances)     # arrays or data frames, one row per message
    translator.to_english(messages[:3], n_best=5)                   # the best phrases for each
    translator.to_neuralese(["light blue"])                         # the best messages for each
    translator.score()                                              # the belief evaluation, held out
    translator.save("mine.neuralese"); Translator.load("mine.neuralese")

Everything is done by the functions of the workflow, on the same tables: for the same corpus, seed and criterion, both
make the same dictionary.
"""

import dataclasses
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
import pandas as pd
import torch
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from neuralese.agents.messages import Speech, sequences
from neuralese.agents.sequences import Messages, Sequences
from neuralese.agents.settings import MessagesConfig
from neuralese.pipeline import sections
from neuralese.pipeline.criteria import ALSO, CRITERIA
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import write_bytes
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.corpus import whole
from neuralese.tasks.corpus.frames import InputError, as_message_list, record
from neuralese.tasks.corpus.inventory import phrases_of
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.task import FITTING
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import entries
from neuralese.translate.families import NOT_OPTIONS, named
from neuralese.translate.languages import Composed
from neuralese.translate.pairs import SINGLE

ABOUT = "translator.json"  # in a saved translator: how it was made
FORMAT = 2
RANDOM = "random"  # the control that accompanies every criterion
SECTIONS: dict[str, Any] = {
    "speakers": FITTING,
    "messages": MessagesConfig(),
    "ablation": sections.Ablation(),
    "dictionary": sections.Dictionary(),
    "evaluation": sections.Evaluation(),
}


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
        (how many are used), `ablation`, `dictionary` and `evaluation`, such as `{"messages": {"contexts": 1000}}`.

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
        run = whole.CorpusRun(made.name, self._seed(), corpus.settings.candidates)
        with whole.one_thread():
            run.read(corpus)
            whole.fit_models(run, settings["speakers"])
            whole.take(run, dataclasses.asdict(settings["messages"]))
            sizes = {each.name: getattr(settings["ablation"], each.name) for each in dataclasses.fields(whole.Sizes)}
            criteria = whole.choose_members(run, families, whole.Sizes(**sizes))
            whole.write_dictionary(run, criteria, settings["dictionary"].n_best)
        self._keep(made, corpus.settings.candidates)
        return self

    def to_english(self, messages: Any, n_best: int = 5) -> pd.DataFrame:
        """The best phrases for each of `messages`: rows of `dictionary.parquet`, where `source_id` counts messages.

        Lower scores are better.
        """
        run = self._fitted()
        said = _contents(as_message_list(messages), read_about(run.files["messages.parquet"]))
        count = torch.arange(len(said))
        return self._entries("R->H", run.language(Speech(count, count[:, None], said)), run.english.spoken(), n_best)

    def to_neuralese(self, phrases: Iterable[str] | str, n_best: int = 5) -> pd.DataFrame:
        """The best messages of the vocabulary for each of `phrases`: rows of `dictionary.parquet`, plus `message`.

        A phrase of the inventory stands for itself; any other text for all the phrases of the inventory in it.
        """
        run = self._fitted()
        texts = [phrases] if isinstance(phrases, str) else list(phrases)
        told = Composed(run.english, tuple(self._parts(text) for text in texts))
        vocabulary = run.neuralese("train")
        table = self._entries("H->R", told, vocabulary, n_best)
        place = {int(number): row for row, number in enumerate(vocabulary.ids)}
        said = _lists(vocabulary.messages)
        return table.assign(message=[said[place[number]] for number in table["target_id"]])

    def score(self) -> pd.DataFrame:
        """The belief evaluation on held-out messages: rows of `belief.parquet`, for the criterion and the controls."""
        settings = self._settings()
        with whole.one_thread():
            return whole.evaluate(
                self._fitted(),
                settings["messages"].held_out,
                settings["evaluation"].resamples,
                settings["evaluation"].phrases_heard,
            ).drop(columns="task")

    def save(self, path: str | Path) -> None:
        """Write the translator into one file: a zip of Parquet, safetensors and JSON."""
        write_bytes(path, self._packed())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote."""
        try:
            return cls._unpacked(Path(path).read_bytes())
        except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
            raise NeuraleseError(f"{path} is not a saved translator ({error}); save it again.") from None

    @cached_property
    def _table(self) -> pd.DataFrame:
        return read_table(self._fitted().files["dictionary.parquet"], "dictionary").to_pandas()

    @property
    def dictionary_(self) -> pd.DataFrame:
        """See the class."""
        return self._table[self._table["criterion"] != RANDOM].reset_index(drop=True)

    @property
    def phrases_(self) -> list[str]:
        """See the class."""
        return self._fitted().phrases

    @property
    def criterion_(self) -> dict[str, dict]:
        """See the class."""
        criteria = whole.criteria_of(self._fitted())
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
            other = self._unpacked(packed)
            self._made, self._run = other._made, other._run

    def _keep(self, made: TemporaryDirectory, candidates: int) -> None:
        self.__dict__.pop("_table", None)
        self._made = made  # the folder is removed with the translator
        self._run = whole.CorpusRun(made.name, self._seed(), candidates)

    def _fitted(self) -> whole.CorpusRun:
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
            options = {key: value for key, value in family.items() if key not in NOT_OPTIONS}
            make_criterion({"kind": family.get("kind"), **{k: _first(v) for k, v in options.items()}})
        return {self._name(): family, RANDOM: CRITERIA[RANDOM]}

    def _settings(self) -> dict[str, Any]:
        """The sections of the config, with overrides applied to their defaults."""
        for name, values in (self.config or {}).items():
            known = [each.name for each in dataclasses.fields(SECTIONS[name])] if name in SECTIONS else list(SECTIONS)
            for key in values if name in SECTIONS else [name]:
                if key not in known:
                    raise InputError(f"config: '{key}' is not a known key; choose from {', '.join(known)}.")
        return {
            name: dataclasses.replace(default, **(self.config or {}).get(name, {}))
            for name, default in SECTIONS.items()
        }

    def _entries(self, direction: str, source: Any, target: Any, n_best: int) -> pd.DataFrame:
        run = self._fitted()
        settings = whole.criteria_of(run)[direction][self._name()]
        with whole.one_thread():
            scores = make_criterion(settings).scores(source, target, run.contexts(), dtype=SINGLE)
        return entries(direction, self._name(), source, target, scores, n_best)

    def _parts(self, text: str) -> tuple[int, ...]:
        """The phrases of the inventory contained in a text."""
        place = {phrase: number for number, phrase in enumerate(self.phrases_)}
        if text in place:
            return (place[text],)
        said = [*(each.strip() for each in text.split(",")), *phrases_of(text)]
        parts = sorted({place[each] for each in said if each in place})
        if not parts:
            some = ", ".join(self.phrases_[:5])
            raise InputError(f"'{text}' contains no phrase of the inventory; use some, such as {some} (see phrases_).")
        return tuple(parts)

    def _packed(self) -> bytes:
        run, content = self._fitted(), io.BytesIO()
        about = {"format": FORMAT, "candidates": run.config.candidates, "params": self.get_params(deep=False)}
        about["n_features_in_"] = getattr(self, "n_features_in_", None)
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr(zipfile.ZipInfo(ABOUT), json.dumps(about, indent=2, default=_plain))
            for name, path in run.files.items():
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
        return content.getvalue()

    @classmethod
    def _unpacked(cls, content: bytes) -> Self:
        made = TemporaryDirectory(prefix="neuralese-")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = json.loads(archive.read(ABOUT))
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']}, and this version reads {FORMAT}")
            for name in whole.FILES:
                (Path(made.name) / name).write_bytes(archive.read(name))
        translator = cls(**about["params"])
        if about["n_features_in_"] is not None:
            translator.n_features_in_ = about["n_features_in_"]
        translator._keep(made, about["candidates"])
        return translator


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """A NumPy value as JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be saved; use plain numbers and strings as parameters")


def _contents(messages: list[list], about: Mapping[str, Any]) -> Messages:
    """Messages as models expect them."""
    if about["kind"] == "symbols":
        try:
            return sequences(messages, about)
        except NeuraleseError as error:
            raise InputError(str(error)) from None
    return torch.tensor(messages, dtype=torch.float32)


def _lists(messages: Messages) -> list[list]:
    if isinstance(messages, Sequences):
        return [row[row >= 0].tolist() for row in messages.to_array()]
    return messages.tolist()
