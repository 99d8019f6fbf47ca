"""All stages of one corpus and seed in one process, with the functions that the workflow's scripts call.

run = CorpusRun(folder, seed=0)
run.read(read_corpus("mine"))                 # writes the tables of the corpus into the folder
fit_models(run, FITTING)
take(run, {"vocabulary": 5000, "held_out": 10000, "contexts": 3000})
criteria = choose_members(run, {"belief": {"kind": "belief", "scale": [1.0, 2.0]}}, Sizes())
write_dictionary(run, criteria, n_best=5)
evaluate(run, held_out=10000, resamples=2000)

Each stage draws its random numbers like the workflow's stage of that name, so both make the same dictionary.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import states_table
from neuralese.evaluate.ablation import Ablation
from neuralese.evaluate.belief import HumanSpeech
from neuralese.evaluate.protocols import under_every_protocol
from neuralese.evaluate.translations import Said, load_ways
from neuralese.speakers.fit import fit_human_listener, fit_human_speaker
from neuralese.speakers.kinds import save_speaker
from neuralese.speakers.models import save_model
from neuralese.speakers.settings import FitConfig
from neuralese.speakers.traces import Traces
from neuralese.storage.tables import read_about, write_table
from neuralese.tasks.corpus.data import write_corpus
from neuralese.tasks.corpus.game import CorpusStates, load_games
from neuralese.tasks.corpus.human import load_heard, load_traces
from neuralese.tasks.corpus.read import Corpus
from neuralese.tasks.corpus.recorded import fit_speaker, load_recorded, take_contexts, take_messages
from neuralese.tasks.judge import JudgeRun
from neuralese.translate.choice import choose
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.families import DIRECTIONS, members

Criteria = Mapping[str, Mapping[str, Mapping[str, Any]]]  # settings by direction and name
TABLES = ("states", "recorded", "inventory", "traces", "utterances", "provenance")
MADE = (
    "robot_speaker.safetensors",
    "human_speaker.safetensors",
    "human_listener.safetensors",
    "messages.parquet",
    "contexts.parquet",
    "dictionary.parquet",
)
FILES = (*(f"{name}.json" if name == "provenance" else f"{name}.parquet" for name in TABLES), *MADE)


@dataclass(frozen=True)
class Sizes:
    """The number of items on which members of a family are compared."""

    messages: int = 2000
    contexts: int = 1000
    humans: int = 4000


class CorpusRun(JudgeRun):
    """A corpus and a seed with all files in one folder, which need not be a task of any workflow."""

    def __init__(self, folder: str | Path, seed: int = 0, candidates: int = 2) -> None:
        super().__init__("corpus", [Path(folder) / name for name in FILES], seed, {"candidates": candidates})

    @cached_property
    def games(self) -> dict[str, CorpusStates]:
        """The states, by split."""
        return load_games(self.files, self.config)

    @cached_property
    def heard(self) -> Tensor:
        """See `HumanRun`."""
        return load_heard(self.files)

    def traces(self, split: str, generator: torch.Generator) -> Traces:
        """See `HumanRun`."""
        return load_traces(self.files, self.games[split], split, generator)

    def read(self, corpus: Corpus) -> None:
        """Write the tables of a corpus."""
        write_corpus(corpus, dict(zip(TABLES, self.files.values(), strict=False)))


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit torch to one thread, like jobs of the workflow: sums over several are rounded differently."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def fit_models(run: CorpusRun, config: FitConfig) -> None:
    """Fit p(z | x) of the agent and of humans, and the model human."""
    recorded = load_recorded(run.files["recorded.parquet"])
    speaker = fit_speaker(run.states, recorded, config, run.generator("robot speaker"))
    save_speaker(run.files["robot_speaker.safetensors"], speaker)
    fits: dict[str, Any] = {"speaker": fit_human_speaker, "listener": fit_human_listener}
    for model, fit in fits.items():
        random = run.generator(f"human {model}")
        said, held_out = (run.traces(split, random) for split in ("train", "dev"))
        save_model(run.files[f"human_{model}.safetensors"], fit(run.states, said, held_out, config, random))


def take(run: CorpusRun, counts: Mapping[str, int]) -> None:
    """Take a vocabulary, held-out messages and contexts from the recordings."""
    recorded, random = load_recorded(run.files["recorded.parquet"]), run.generator("messages")
    messages = take_messages(run.states, recorded, counts, random)
    write_table(run.files["messages.parquet"], messages, "messages", recorded.about)
    contexts = take_contexts(run.states, recorded, counts["contexts"], random)
    write_table(run.files["contexts.parquet"], states_table(run.states, contexts, "context_id"), "contexts")


def choose_members(run: CorpusRun, families: Mapping[str, Mapping], sizes: Sizes) -> dict[str, dict[str, dict]]:
    """The settings of the criteria, by direction and name; for a family, the member that is best on dev."""
    found: dict[str, dict[str, Any]] = {direction: dict.fromkeys(families) for direction in DIRECTIONS}
    several = {name: settings for name, settings in families.items() if len(members(settings)) > 1}
    for name, settings in families.items():
        for direction in DIRECTIONS:
            found[direction][name] = {**next(iter(members(settings).values())), "members": len(members(settings))}
    if several:
        chosen = choose(_compared(run, several, sizes), several)
        for row in chosen.itertuples():
            member = members(several[row.criterion])[row.member]
            found[row.direction][row.criterion] = {**member, "members": row.members}
    return found


def _compared(run: CorpusRun, families: Mapping[str, Mapping], sizes: Sizes) -> pd.DataFrame:
    """Every member of every family on dev."""
    vocabulary, contexts = run.neuralese("train", sizes.messages), run.contexts(sizes.contexts)
    ablation = Ablation(run.english, vocabulary, contexts, run.heard, families, run.listener)
    random = run.generator("ablation dev")
    human = HumanSpeech.draw(run.games["dev"], run.traces("dev", random), run.silence, run.parts, sizes.humans, random)
    robot = run.said["dev"].first(sizes.messages)
    belief = ablation.run(run.listeners("dev"), robot, human, run.parts, resamples=100, generator=random)
    return belief.assign(split="dev", task=run.task, seed=run.seed)


def write_dictionary(run: CorpusRun, criteria: Criteria, n_best: int) -> None:
    """Translate held-out messages into phrases, and utterances into messages."""
    dictionary = build_dictionary(
        run.english,
        run.utterances,
        spoken=[run.neuralese("dev"), run.neuralese("test")],
        vocabulary=run.neuralese("train"),
        candidates=run.contexts(),
        criteria=criteria,
        n_best=n_best,
    )
    write_table(run.files["dictionary.parquet"], dictionary, "dictionary", about={"criteria": criteria})


def evaluate(run: CorpusRun, held_out: int, resamples: int, phrases_heard: int = 1) -> pd.DataFrame:
    """The belief evaluation on test messages, as in `belief.parquet`."""
    random = run.generator("belief test")
    traces = run.traces("test", random)
    human = HumanSpeech.draw(run.games["test"], traces, run.silence, run.parts, held_out, random)
    said = Said(run.said["test"], human, run.said["train"], run.heard, run.silence)
    ways = load_ways(run.files["dictionary.parquet"], said, phrases_heard, random)
    belief = under_every_protocol(run.listeners("test"), said.robot, human, ways, resamples, random)
    return run.label(belief).assign(words=run.words)


def criteria_of(run: CorpusRun) -> dict[str, dict[str, dict]]:
    """The settings of the criteria of the dictionary, by direction and name."""
    return read_about(run.files["dictionary.parquet"])["criteria"]
