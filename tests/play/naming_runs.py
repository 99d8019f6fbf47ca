"""Runs of the colours and the birds on embedded data, by a training of seconds: all that a page needs of them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from PIL import Image

from neuralese.agents.cell import CellConfig, save_cell
from neuralese.agents.messages import sample_messages, states_table
from neuralese.agents.players import utterances
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.data.archives import members
from neuralese.speakers.fit import fit_human_speaker, fit_robot_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.stages.run import Run
from neuralese.storage.files import write_json
from neuralese.storage.tables import vectors, write_table
from neuralese.tasks.birds import data as cub
from neuralese.tasks.birds import embedded as drawn_birds
from neuralese.tasks.birds.data import IMAGES, crop
from neuralese.tasks.colors import data as xkcd
from neuralese.tasks.colors import embedded as blurred_colors
from neuralese.tasks.colors.data import COLORS, add_lab
from neuralese.tasks.items import items_table, traces_table, utterances_table
from neuralese.translate.dictionary import build_dictionary

BELIEF = {"kind": "belief", "role": "ours", "weights": "source", "divergence": "reverse", "scale": 1.0}
DIRECT = {"kind": "direct", "role": "baseline", "scale": 1.5}
CRITERIA = {direction: {"direct": DIRECT, "mine": BELIEF} for direction in ("R->H", "H->R")}  # ours is not the first
COUNTS = {"train": 200, "dev": 20, "test": 120}


def write_colors(task: Path) -> None:
    """The tables of the colours."""
    blurred_colors.write(task / "raw")
    colors = add_lab(xkcd.parse(task / "raw" / "xkcd"))
    inventory = xkcd.inventory(colors, 5)
    said = xkcd.traces(colors, list(inventory["phrase"]))
    write_table(task / "colors.parquet", colors, COLORS)
    write_table(task / "inventory.parquet", inventory, "inventory")
    write_table(task / "items.parquet", items_table(colors["split"], colors[["L", "a", "b"]].to_numpy()), "items")
    write_traces(task, traces_table(range(len(colors)), phrases=said), list(inventory["phrase"]), colors["split"])


def write_birds(task: Path) -> None:
    """The tables of the birds; what players see of one is its picture in twelve by twelve dots."""
    raw = task / "raw"
    drawn_birds.write(raw)
    images = cub.parse_images(raw / "images", raw / "splits")
    captions = cub.parse_captions(raw / "captions", images)
    training = images.loc[images["split"] == "train", "image_id"]
    inventory = cub.inventory(captions.loc[captions["image_id"].isin(training), "caption"], 50)
    known = images.set_index("path")
    seen = {
        int(known.loc[path, "image_id"]): _dots(crop(content, known.loc[path, "box"]))
        for path, content in members(raw / "images", cub.PICTURES)
        if path in known.index
    }
    features = pa.table({"image_id": pa.array(list(seen), pa.int32()), "feature": vectors(np.stack([*seen.values()]))})
    items = cub.bird_items(images, features)
    captions = captions.merge(items.select(["image_id", "item_id", "split"]).to_pandas(), on="image_id")
    said = cub.traces(captions["caption"], list(inventory["phrase"]))
    write_table(task / "images.parquet", images, IMAGES)
    write_table(task / "inventory.parquet", inventory, "inventory")
    write_table(task / "items.parquet", items, "items")
    write_traces(task, traces_table(captions["item_id"], phrases=said), list(inventory["phrase"]), captions["split"])


def write_traces(task: Path, traces: pa.Table, phrases: list[str], split: pd.Series) -> None:
    """What humans said, and all that they said at once."""
    write_table(task / "traces.parquet", traces, "traces")
    write_table(task / "utterances.parquet", utterances_table(phrases, traces, split), "utterances")


def _dots(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).resize((12, 12)), dtype=np.float32).reshape(-1) / 255


def write_naming_run(task: Path, name: str) -> None:
    """All that `load_robot` reads of a task and its seed 0, by a short training."""
    write_json(task / "provenance.json", {"source": "embedded", "data_set": name, "licence": "MIT"})
    random, run, seed = torch.Generator().manual_seed(0), Run(name, task.glob("*")), task / "seed0"
    traces = {split: run.traces(split, random) for split in ("train", "dev")}
    game = run.states
    settings = {"new_games": 64, "updates_per_round": 4, "explore": 150, "learning_rate": 0.002}
    config = TrainingConfig(updates=300, batch=64, **settings)
    trainer = Trainer(game, CellConfig(hidden=64, message=16), config, seed=0)
    trainer.run()
    save_cell(seed / "agent.safetensors", trainer.cell)
    cell, fit = trainer.cell.eval(), FitConfig(hidden=48, steps=150, batch=256, check_every=50, learning_rate=0.003)
    said, held_out = (utterances(cell, game, count, random) for count in (3000, 300))
    robot = fit_robot_speaker(game, said, held_out, cell.config.noise, fit, random)
    human = fit_human_speaker(game, traces["train"], traces["dev"], fit, random, run.silence, run.heard)
    save_model(seed / "robot_speaker.safetensors", robot)
    save_model(seed / "human_speaker.safetensors", human)
    write_table(seed / "messages.parquet", sample_messages(cell, run.games, COUNTS, random), "messages")
    contexts, _ = utterances(cell, game, 200, random)
    write_table(seed / "contexts.parquet", states_table(game, contexts, "context_id"), "contexts")
    talk = Run(name, [*task.glob("*"), *seed.glob("*")])
    dictionary = build_dictionary(
        talk.english,
        talk.utterances,
        [talk.neuralese("dev"), talk.neuralese("test")],
        talk.neuralese("train"),
        talk.contexts(),
        CRITERIA,
        n_best=5,
    )
    write_table(seed / "dictionary.parquet", dictionary, "dictionary", about={"criteria": CRITERIA})
