"""Agents that are easier to understand? Speakers that see only the target, more candidates, other channels.

    python benchmarks/study.py --results results --seeds 0 1 --cores 2    # writes benchmarks/study.md

Every variant is a point of a sweep in the results folder of a run and shares its data. All figures are on the dev
split. Agents are evaluated with as many candidates as in training, so variants with four have another chance level.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pandas as pd
import yaml

from neuralese import tasks
from neuralese.config import sweep
from neuralese.config.load import load, overlay
from neuralese.config.models import config_model
from neuralese.stages.evaluate import evaluate_belief
from neuralese.stages.run import Run, read_config
from neuralese.storage.tables import read_about
from neuralese.translate.criteria import kinds

TASKS = ("colors", "birds")
RELAY = "relay.parquet"
FILES = ("belief_test.parquet", RELAY)  # targets; their inputs are read here
SEES, CANDIDATES = "games.{task}.speaker_sees", "games.{task}.candidates"
NOISE, FOLDS = "agent.noise", "birds.head.folds"
VARIANTS: dict[str, dict[str, sweep.Value]] = {
    "as in the config": {},
    "four candidates": {CANDIDATES: 4},
    "target alone": {SEES: "target"},
    "target alone, noise 0.15": {SEES: "target", NOISE: 0.15},
    "cross-fitted features": {FOLDS: 5},
    "cross-fitted features, target alone": {FOLDS: 5, SEES: "target"},
}
HEAD = """\
# Agents that are easier to understand

Made by `python benchmarks/study.py`: accuracies on dev, {seeds}. *Relay* is what two robots reach if every
message goes into English and back by belief, *understood* how often the model human guesses right from that English.
"""
# speaker, listener, unit, criterion
CELLS = {
    "R → R": ("R", "R", "message", "none"),
    "H → H*": ("H", "H*", "utterance", "none"),
    "R → H* direct": ("R", "H*", "message", "direct"),
    "R → H* belief": ("R", "H*", "message", "belief"),
    "H → R direct": ("H", "R", "utterance", "direct"),
    "H → R belief": ("H", "R", "utterance", "belief"),
    "H → R synthesis": ("H", "R", "utterance", "synthesis"),
    "H → R interpreter": ("H", "R", "utterance", "interpreter"),
}


def point(variant: str, task: str) -> sweep.Point | None:
    """The swept values of a variant for a task; None if the variant is only for another task."""
    values = {key.format(task=task): value for key, value in VARIANTS[variant].items()}
    others = set(TASKS) - {task}
    return None if any(key.split(".")[0] in others for key in values) else dict(sorted(values.items()))


def points() -> Iterator[tuple[str, str, sweep.Point]]:
    """Every variant of every task: its name, the task and the swept values."""
    for task in TASKS:
        for variant in VARIANTS:
            if (values := point(variant, task)) is not None:
                yield variant, task, values


def folder(results: Path, task: str, values: sweep.Point, seed: int) -> Path:
    """The folder with the files of a point."""
    return (results / "sweep" / sweep.name(values) if values else results) / task / f"seed{seed}"


def swept(results: Path, seeds: list[int]) -> dict:
    """The config of a sweep whose points include every variant."""
    plain = load({}, config_model(tasks.sections(), kinds())).model_dump()
    every: dict[str, list[sweep.Value]] = {}
    for _, _, values in points():
        for key, value in values.items():
            every.setdefault(key, [reduce(dict.__getitem__, key.split("."), plain)])
            every[key] += [] if value in every[key] else [value]
    return {"tasks": list(TASKS), "seeds": seeds, "results": str(results), "sweep": dict(sorted(every.items()))}


def run(results: Path, seeds: list[int], cores: int) -> None:
    """Run the pipeline for all variants."""
    targets = [
        str(folder(results, task, values, seed) / file)
        for _, task, values in points()
        for seed in seeds
        for file in FILES
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(swept(results, seeds), file, sort_keys=False)
        file.flush()
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--keep-going"]
        subprocess.run([*command, "--configfile", file.name, "--", *targets], check=True)


def belief(results: Path, task: str, values: sweep.Point, seed: int) -> pd.DataFrame:
    """The belief evaluation on dev of one task, variant and seed."""
    config = overlay(read_config(results), values)
    folders = [Path(folder) / task for folder in sweep.point_folders(values, task, read_config(results)).values()]
    files = [file for folder in folders for place in (folder, folder / f"seed{seed}") for file in place.glob("*")]
    run = Run(task, files, seed, config["games"][task])
    held_out, evaluation = config["messages"]["held_out"], config["evaluation"]
    return evaluate_belief(run, "dev", held_out, evaluation["phrases_heard"], evaluation["resamples"])


def figures(results: Path, task: str, values: sweep.Point, seed: int) -> dict[str, float]:
    """The dev figures of one task, variant and seed."""
    table = belief(results, task, values, seed)
    by_cell = table.set_index(["speaker", "listener", "unit", "criterion"])["value"]
    choices = pd.DataFrame(read_about(folder(results, task, values, seed) / RELAY)["choices"])
    relay = choices.groupby("criterion").first().loc["belief"]
    return {
        "chance": table["chance"].iloc[0],
        **{title: by_cell[cell] for title, cell in CELLS.items()},
        "relay": relay["accuracy"],
        "relay, understood": relay["understood"],
    }


def main() -> None:
    """Read the command line, run and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args()
    run(given.results, given.seeds, given.cores)
    rows = []
    for variant, task, values in points():
        means = pd.DataFrame([figures(given.results, task, values, seed) for seed in given.seeds]).mean()
        rows.append({"task": task, "variant": variant, **means.round(3)})
    seeds = f"{'of seed' if len(given.seeds) == 1 else 'means over the seeds'} {', '.join(map(str, given.seeds))}"
    text = f"{HEAD.format(seeds=seeds)}\n{pd.DataFrame(rows).to_markdown(index=False)}\n"
    Path(__file__).with_suffix(".md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
