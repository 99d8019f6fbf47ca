"""Stages that train and fit: agents, models of who says what, and what a robot says."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese.config.models import CellConfig, FitConfig, MessagesConfig, TrainingConfig
from neuralese.stages.run import Half, Run
from neuralese.storage.files import file_digest
from neuralese.storage.weights import discard_broken

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from neuralese.agents.cell import Cell
    from neuralese.speakers.models import HumanListener, HumanSpeaker


def train_agent(
    run: Run,
    cell: Mapping[str, Any],
    training: Mapping[str, Any],
    checkpoints: str | Path | None = None,
    code: str = "",
    silent: bool = False,
) -> "tuple[Cell, pd.DataFrame]":
    """One agent that plays both seats, and its learning curves; a `silent` one has no channel.

    A training that was interrupted continues from its checkpoint, if it had the same settings, data and code.
    """
    import pandas as pd

    from neuralese.agents.cell import without_channel
    from neuralese.agents.training import Trainer, checkpoint_path, on_data

    settings, sizes = on_data(TrainingConfig(**training), run.data), CellConfig(**cell)
    trainer = Trainer(run.states, without_channel(sizes) if silent else sizes, settings, run.seed)
    checkpoint = None
    if checkpoints is not None:
        data = [file_digest(path) for name, path in run.files.items() if name != "provenance.json"]
        made_from = (code, trainer.cell.config, settings, run.rules.model_dump(), data)
        checkpoint = checkpoint_path(Path(checkpoints), f"{run.task.name}-seed{run.seed}", made_from)
        discard_broken(checkpoint)
    trainer.run(checkpoint)
    return trainer.cell, pd.DataFrame(trainer.history)


def fit_human_speaker(run: Run, fit: Mapping[str, Any], half: Half = "translating") -> "HumanSpeaker":
    """p(z | x) of human speakers, by one half of what they said."""
    from neuralese.speakers.fit import fit_human_speaker

    config, random = FitConfig(**fit), run.generator("human speaker")
    said, held_out = (run.traces(split, random, half) for split in ("train", "dev"))
    shared = None if config.plain_human or said.words is said.phrases else run.heard
    silence = None if config.plain_human else run.silence
    return fit_human_speaker(run.states, said, held_out, config, random, silence, shared)


def fit_human_listener(run: Run, fit: Mapping[str, Any]) -> "HumanListener":
    """The model human, by the half of what humans said that no translator has seen."""
    from neuralese.speakers.fit import fit_human_listener

    random = run.generator("human listener")
    said, held_out = (run.traces(split, random, "judging") for split in ("train", "dev"))
    return fit_human_listener(run.states, said, held_out, FitConfig(**fit), random)


def fit_robot_speaker(run: Run, fit: Mapping[str, Any], states: int = 0) -> Any:
    """p(z | x) of the robot, fitted to what it says in `states` states, or to all its recordings."""
    return run.task.fit_robot(run, FitConfig(**fit), states)


def fit_judge(run: Run, split: str, fit: Mapping[str, Any]) -> Any:
    """p(z | x) of the robot that hears translations in one split of a corpus."""
    from neuralese.tasks.corpus.game import load_recorded

    recorded = load_recorded(run.files["recorded.parquet"])
    return recorded.fit_judge(run.states, split, FitConfig(**fit), run.generator(f"judge {split}"))


def sample_messages(run: Run, counts: Mapping[str, int]) -> "tuple[pa.Table, Mapping[str, Any], pa.Table]":
    """What the robot says: messages, what there is to know about them, and contexts in which they are compared."""
    from neuralese.agents.messages import states_table

    messages, about, contexts = run.task.speak(run, MessagesConfig(**counts))
    return messages, about, states_table(run.states, contexts, "context_id")


def analyse_protocol(run: Run) -> "pd.DataFrame":
    """How much the robot's messages say, and about what."""
    import torch

    with torch.no_grad():
        return run.label(run.task.protocol(run))
