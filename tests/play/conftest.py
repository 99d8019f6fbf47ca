"""A robot that was trained for seconds on the embedded roads, and a page to play with it."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from naming_runs import write_birds, write_colors, write_naming_run
from scripted_person import drive

from neuralese.agents.cell import CellConfig, save_cell
from neuralese.agents.messages import sample_messages, states_table
from neuralese.agents.players import utterances
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.play.options import PlayOptions
from neuralese.play.server import PlayServer
from neuralese.speakers.fit import fit_human_speaker, fit_robot_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.stages.run import Run
from neuralese.storage.tables import write_table
from neuralese.tasks.driving import embedded, logs
from neuralese.tasks.driving.logs import layouts, replay
from neuralese.tasks.driving.play.game import OUT_OF_TIME, FogGame
from neuralese.tasks.driving.play.robot import Robot, load_robot
from neuralese.tasks.driving.play.sitting import Sitting
from neuralese.tasks.driving.tables import GAMES, MAPS, TURNS, WORDS
from neuralese.tasks.items import traces_table
from neuralese.tasks.reference_play import open_sitting
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.languages import Composed, English, Neuralese

BELIEF = {"kind": "belief", "role": "ours", "weights": "source", "divergence": "reverse", "scale": 1.0}
PRINTED = {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward"}
CRITERIA = {direction: {"printed": PRINTED, "mine": BELIEF} for direction in ("R->H", "H->R")}  # ours is not the first


def write_human_games(task: Path) -> None:
    """The tables of the driving task, from embedded games."""
    embedded.write(task)
    maps, turns, _ = logs.parse(task / "logs")
    maps = layouts(maps, turns)
    games = replay(maps, turns).drop(columns="wrong")
    games["map"] = turns.groupby("game")["map"].first().to_numpy()
    games["split"] = logs.splits(len(games), dev=40, test=60)
    messages = logs.training_messages(games, turns)
    words = logs.vocabulary(messages, 3)
    inventory = logs.inventory(messages, 4, list(words["word"]))
    rows, phrases, said = logs.traces(turns, inventory["phrase"], words["word"])
    for contract, table in ((MAPS, maps), (TURNS, turns), (GAMES, games), (WORDS, words)):
        write_table(task / f"{contract.name}.parquet", table, contract)
    write_table(task / "inventory.parquet", inventory, "inventory")
    write_table(task / "traces.parquet", traces_table(rows, phrases=phrases, words=said), "traces")


def write_robot(task: Path, run: Path) -> None:
    """All that `load_robot` reads of a seed, by a short training."""
    random, task_run = torch.Generator().manual_seed(0), Run("driving", task.glob("*.parquet"), 0, {"steps": 8})
    game = task_run.states
    settings = {"new_games": 16, "updates_per_round": 2, "explore": 100, "target_every": 25, "double": True}
    config = TrainingConfig(updates=220, batch=16, learning_rate=0.005, **settings)
    trainer = Trainer(game, CellConfig(hidden=32, message=16, radius=2.0), config, seed=0)
    trainer.run()
    save_cell(run / "agent.safetensors", trainer.cell)
    cell, fit = trainer.cell.eval(), FitConfig(hidden=32, steps=100, batch=128, check_every=50)
    said, held_out = (utterances(cell, game, count, random, independent=False) for count in (2000, 200))
    robot = fit_robot_speaker(game, said, held_out, cell.config.noise, fit, random)
    traces = [task_run.traces(split, random) for split in ("train", "dev")]
    human = fit_human_speaker(game, *traces, fit, random, task_run.silence, task_run.heard)
    save_model(run / "robot_speaker.safetensors", robot)
    save_model(run / "human_speaker.safetensors", human)
    contexts, _ = utterances(cell, game, 200, random)
    messages = sample_messages(cell, {"train": game}, {"train": 200}, random)
    write_table(run / "messages.parquet", messages, "messages")
    write_table(run / "contexts.parquet", states_table(game, contexts, "context_id"), "contexts")
    phrases = task_run.phrases
    vocabulary = Neuralese(game, robot, torch.tensor(messages["message"].to_pylist()), torch.arange(200))
    english, candidates = English(game, human, phrases), game.candidates(contexts)
    spoken = [number for number, phrase in enumerate(phrases) if phrase]
    told = Composed(english, (*((number,) for number in range(len(phrases))), tuple(spoken[:2])))
    dictionary = build_dictionary(english, told, [vocabulary], vocabulary, candidates, CRITERIA, n_best=3)
    write_table(run / "dictionary.parquet", dictionary, "dictionary", about={"criteria": CRITERIA})


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    (folder / "driving").mkdir()
    write_human_games(folder / "driving")
    write_robot(folder / "driving", folder / "driving" / "seed0")
    return folder


@pytest.fixture(scope="session")
def robot(results) -> Robot:
    return load_robot(results, 0, None)


@pytest.fixture(scope="session")
def ending_seed(robot) -> int:
    """The seed of a game that ends before time is up with the scripted person."""
    for seed in range(200):
        if drive(FogGame(robot, torch.Generator().manual_seed(seed))).outcome != OUT_OF_TIME:
            return seed
    raise AssertionError("this robot never arrives and never crashes")


@pytest.fixture
def serve() -> Iterator[Callable[[object], PlayServer]]:
    """Serve a sitting until the test is over."""
    served = []

    def serve(sitting) -> PlayServer:
        served.append(PlayServer(sitting))
        threading.Thread(target=served[-1].serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return served[-1]

    yield serve
    for server in served:
        server.shutdown()
        server.server_close()


@pytest.fixture
def server(robot, ending_seed, tmp_path, serve) -> PlayServer:
    """A page of its own for each test, at `server.url`; its first game is that of the `ending_seed`."""
    return serve(Sitting(robot, tmp_path / "play", torch.Generator().manual_seed(ending_seed)))


@pytest.fixture(scope="session")
def naming_results(tmp_path_factory) -> Path:
    """Results of the colours and of the birds."""
    folder = tmp_path_factory.mktemp("naming")
    for name, write in (("colors", write_colors), ("birds", write_birds)):
        (folder / name / "raw").mkdir(parents=True)
        write(folder / name)
        write_naming_run(folder / name, name)
    return folder


@pytest.fixture
def sit(naming_results, tmp_path) -> Callable:
    """Sit down to a game of a task, always the same one; `steps` are its rounds."""

    def sit(task: str, steps: int = 4, seed: int = 1, **options):
        random = torch.Generator().manual_seed(seed)
        return open_sitting(PlayOptions(task, naming_results, tmp_path / "play", random, steps=steps, **options))

    return sit
