"""A corpus runs through the whole workflow like a game, from a folder to a report."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from copies import Project

from neuralese import Translator
from neuralese.storage.tables import read_table

SPEAKERS = {"steps": 600}
SIZES = {
    "messages": {"held_out": 300, "contexts": 200},
    "ablation": {"messages": 60, "contexts": 60, "humans": 100},
    "evaluation": {"resamples": 200},
}
CONFIG = ["corpora={toy: toy}", "tasks=[toy]", "theory={games: 100}", f"speakers={{toy: {SPEAKERS}}}"]
CONFIG += [f"{section}={values}" for section, values in SIZES.items()]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Project:
    """A run of the corpus that `neuralese corpus new` writes."""
    project = Project(tmp_path_factory.mktemp("corpus"))
    neuralese(project, "corpus", "new", "toy")
    code, output = project.snakemake("all", "--config", *CONFIG)
    assert code == 0, output
    return project


def neuralese(project: Project, *arguments: str) -> str:
    command = [sys.executable, "-m", "neuralese.cli.main", *arguments]
    done = subprocess.run(command, cwd=project.folder, env=project.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_tables_say_that_it_is_a_corpus_and_its_controls_are_at_chance(run):
    belief = pd.read_parquet(run.folder / "results/tables/belief.parquet")
    assert set(belief["data"]) == {"corpus"}
    assert set(belief["listener"]) == {"R*", "H*"}
    controls = belief[(belief["speaker"] == "R") & belief["criterion"].isin(["shuffled", "constant", "silence"])]
    assert len(controls) == 3
    assert (controls["ci_low"] <= 0.5).all()
    assert (controls["ci_high"] >= 0.5).all()
    cells = belief.set_index(["speaker", "listener", "unit", "criterion"])["accuracy"]
    assert cells["R", "R*", "message", "none"] > 0.9
    assert cells["R", "H*", "message", "belief"] > 0.75
    assert cells["H", "R*", "utterance", "belief"] > 0.75
    assert pd.read_csv(run.folder / "results/tables/comparison.csv")["paper"].isna().all()


def test_a_dictionary_writes_symbols_out(run):
    dictionary = pd.read_parquet(run.folder / "results/toy/seed0/dictionary.parquet")
    messages = pd.read_parquet(run.folder / "results/toy/seed0/messages.parquet")
    said = {" ".join(map(str, each)) for each in messages["message"]}
    assert set(dictionary.loc[dictionary["direction"] == "R->H", "source"]) <= said
    assert set(dictionary.loc[dictionary["direction"] == "H->R", "target"]) <= said
    assert messages[messages["split"] == "train"]["message"].map(tuple).is_unique


def test_the_translator_makes_the_same_dictionary_of_the_same_corpus(run):
    translator = Translator(config=SIZES | {"speakers": SPEAKERS}).fit_corpus(run.folder / "toy")
    theirs = read_table(run.folder / "results/toy/seed0/dictionary.parquet", "dictionary").to_pandas()
    theirs = theirs[theirs["criterion"] == "belief"].reset_index(drop=True)
    pd.testing.assert_frame_equal(translator.dictionary_, theirs)


def test_its_measures_and_a_verdict_on_each_column_are_in_the_report(run):
    part = json.loads((run.folder / "results/toy/seed0/report.json").read_text())
    assert len(part["verdicts"]) == 4  # of the states, and of shape, rgb and size
    assert all("say something" in verdict for verdict in part["verdicts"])
    page = (run.folder / "results/report/index.html").read_text()
    assert "A toy game of shapes" in page
    assert "your own recordings" in page


def test_it_is_on_the_command_line(run):
    assert "toy" in neuralese(run, "status", "--config", *CONFIG)
    known = neuralese(run, "translate", "--task", "toy", "red")
    assert "(toy, seed 0, data corpus; belief, from the dictionary)" in known
    assert "scored now" in neuralese(run, "translate", "--task", "toy", "--criterion", "direct", "-n", "9", "red")


def test_a_corpus_that_says_what_the_real_listener_picked_runs_to_its_report(run):
    folder = run.folder / "picked"
    shutil.copytree(run.folder / "toy", folder)
    messages = pd.read_csv(folder / "messages.csv")
    states = pd.read_csv(folder / "states.csv")["state_id"]
    random = np.random.default_rng(0)
    others = random.permutation(states.to_numpy().repeat(20))[: len(messages)]
    others = np.where(others == messages["state_id"], np.roll(states, 1)[0], others)
    contexts = pd.DataFrame({"context_id": range(len(messages)), "candidates": messages["state_id"] + " " + others})
    contexts = contexts.assign(true=0, pick=(random.random(len(messages)) < 0.2).astype(int))
    contexts.to_csv(folder / "contexts.csv", index=False)
    messages.assign(context_id=contexts["context_id"]).to_csv(folder / "messages.csv", index=False)
    config = [each.replace("toy", "picked") for each in CONFIG]
    code, output = run.snakemake("all", "--config", *config, "results=results/picked")
    assert code == 0, output
    belief = pd.read_parquet(run.folder / "results/picked/tables/belief.parquet")
    native = belief[(belief["speaker"] == "R") & (belief["criterion"] == "none")].set_index("listener")["accuracy"]
    assert set(native.index) == {"R", "R*"}
    assert 0.6 < native["R"] < 0.95  # it picked the wrong state in a fifth of the contexts
    bound = pd.read_parquet(run.folder / "results/picked/tables/bound.parquet")
    assert bound["native"].tolist() == [native["R*"]]
    assert "picked" in (run.folder / "results/picked/report/index.html").read_text()


def test_an_edit_of_the_folder_makes_everything_anew(run):
    path = run.folder / "toy/corpus.yaml"
    original = path.read_text()
    path.write_text(original.replace("toy game", "small game"))
    try:
        planned = run.planned("all", "--config", *CONFIG)
    finally:
        path.write_text(original)
    assert {"read_corpus", "fit_robot_speaker", "score_dictionary"} <= planned


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("corpora={colors: toy}", "a corpus cannot be called 'colors'"),
        ("corpora={mine: nowhere}", "nowhere"),
        ("corpora=[toy]", "config: 'corpora' is wrong"),
    ],
)
def test_a_corpus_that_cannot_be_is_refused_before_anything_runs(run, given, says):
    code, output = run.snakemake("--dry-run", "all", "--config", given, "tasks=[mine]", "results=elsewhere")
    assert code != 0
    assert says in output
    assert "Traceback" not in output
