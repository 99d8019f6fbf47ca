"""Runs on embedded data by a training of seconds: everything that a game with a person needs of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from PIL import Image

from neuralese.agents.cell import CellConfig, save_cell
from neuralese.agents.messages import states_table
from neuralese.agents.players import sample_messages, utterances
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.data.archives import members
from neuralese.speakers.fit import FitConfig, fit_human_speaker, fit_robot_speaker
from neuralese.speakers.models import save_model
from neuralese.stages.prepare import download, parse_birds, parse_colors, parse_driving, prepare_birds, write_files
from neuralese.stages.run import Run
from neuralese.storage.files import write_json
from neuralese.storage.tables import vectors, write_table
from neuralese.tasks.birds.data import CAPTIONS, FEATURES, IMAGES, PICTURES, crop
from neuralese.tasks.colors.data import COLORS
from neuralese.tasks.driving.tables import GAMES, MAPS, TURNS, WORDS
from neuralese.translate.dictionary import build_dictionary

BELIEF = {"kind": "belief", "role": "ours", "weights": "source", "divergence": "reverse", "scale": 1.0}
DIRECT = {"kind": "direct", "role": "baseline", "scale": 1.5}
PRINTED = {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward"}
FAST = {"updates": 300, "batch": 64, "new_games": 64, "updates_per_round": 4, "explore": 150, "learning_rate": 0.002}
TRAINING = {
    "colors": FAST,
    "birds": FAST,
    "driving": FAST | {"updates": 220, "batch": 16, "new_games": 16, "updates_per_round": 2, "learning_rate": 0.005}
    | {"explore": 100, "target_every": 25, "double": True},
}  # fmt: skip
OTHER = {"colors": {"direct": DIRECT}, "birds": {"direct": DIRECT}, "driving": {"printed": PRINTED}}
FIT = FitConfig(hidden=48, steps=150, batch=256, check_every=50, learning_rate=0.003)
COUNTS = {"train": 200, "dev": 20, "test": 120}


def make_results(folder: Path, task: str) -> None:
    """The results of a task with seed 0; its first criterion is not ours, which is called "mine"."""
    prepare(folder / task, task)
    train(folder / task, task)


def prepare(folder: Path, task: str) -> None:
    """The tables of a task."""
    raw = folder / "raw"
    download(task, raw, "embedded", None, folder / "partial")
    if task == "colors":
        made = parse_colors(raw, least_names=5)
    elif task == "driving":
        made = parse_driving(raw, dev_games=40, test_games=60, least_sent=4, least_words=3)
    else:
        parsed = parse_birds(raw)
        made = parsed | {"features": see_birds(parsed["images"], raw), "failed": {}}
        write(folder, made)
        given = {name: folder / f"{name}.parquet" for name in ("images", "captions", "features")}
        made = prepare_birds({**given, "failed": folder / "failed.json", "raw": raw}, bigrams=50)
    write(folder, made)


def write(folder: Path, made: dict) -> None:
    paths = [folder / f"{name}.{'json' if isinstance(made[name], dict) else 'parquet'}" for name in made]
    write_files(paths, made, [COLORS, IMAGES, CAPTIONS, FEATURES, MAPS, TURNS, GAMES, WORDS])


def see_birds(images, raw: Path) -> pa.Table:
    """What players see of a bird here: its picture in twelve by twelve dots."""
    known = images.set_index("path")
    seen = {
        int(known.loc[path, "image_id"]): dots(crop(content, known.loc[path, "box"]))
        for path, content in members(raw / "images", PICTURES)
        if path in known.index
    }
    return pa.table({"image_id": pa.array(list(seen), pa.int32()), "feature": vectors(np.stack([*seen.values()]))})


def dots(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).resize((12, 12)), dtype=np.float32).reshape(-1) / 255


def train(folder: Path, task: str) -> None:
    """A robot, what it says, models of both speakers, and a dictionary."""
    random, seed = torch.Generator().manual_seed(0), folder / "seed0"
    write_json(folder.parent / "config.json", {})
    run = Run(task, folder.glob("*.*"), 0, {"steps": 8} if task == "driving" else None)
    game, asked = run.states, task != "driving"
    config = CellConfig(hidden=64, message=16) if asked else CellConfig(hidden=32, message=16, radius=2.0)
    trainer = Trainer(game, config, TrainingConfig(**TRAINING[task]), seed=0)
    trainer.run()
    save_cell(seed / "agent.safetensors", trainer.cell)
    cell = trainer.cell.eval()
    said, held_out = (utterances(cell, game, count, random, independent=asked) for count in (3000, 300))
    robot = fit_robot_speaker(game, said, held_out, cell.config.noise, FIT, random)
    traces = [run.traces(split, random) for split in ("train", "dev")]
    save_model(seed / "robot_speaker.safetensors", robot)
    human = fit_human_speaker(game, *traces, FIT, random, run.silence, run.heard)
    save_model(seed / "human_speaker.safetensors", human)
    write_table(seed / "messages.parquet", sample_messages(cell, run.games, COUNTS, random), "messages")
    contexts, _ = utterances(cell, game, 200, random)
    write_table(seed / "contexts.parquet", states_table(game, contexts, "context_id"), "contexts")
    run = Run(task, [*folder.glob("*.*"), *seed.glob("*")], 0, run.rules.model_dump())
    criteria = {direction: OTHER[task] | {"mine": BELIEF} for direction in ("R->H", "H->R")}
    held_out, vocabulary = [run.neuralese("dev"), run.neuralese("test")], run.neuralese("train")
    table = build_dictionary(run.english, run.utterances, held_out, vocabulary, run.contexts(), criteria, n_best=5)
    write_table(seed / "dictionary.parquet", table, "dictionary", about={"criteria": criteria})
