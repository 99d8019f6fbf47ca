"""A corpus runs through the whole workflow like a game, from a folder to a report."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from copies import Project, restored

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
    project.neuralese("corpus", "new", "toy")
    code, output = project.snakemake("all", "--config", *CONFIG)
    assert code == 0, output
    return project


def test_its_tables_name_the_corpus_and_its_controls_are_at_chance(run):
    belief = pd.read_parquet(run.folder / "results/tables/belief.parquet")
    assert set(belief["data"]) == {"corpus"}
    assert set(belief["listener"]) == {"R*", "H*"}
    controls = belief[(belief["speaker"] == "R") & belief["criterion"].isin(["shuffled", "constant", "silence"])]
    assert len(controls) == 3
    assert (controls["ci_low"] <= 0.5).all()
    assert (controls["ci_high"] >= 0.5).all()
    cells = belief.set_index(["speaker", "listener", "unit", "criterion"])["value"]
    assert cells["R", "R*", "message", "none"] > 0.9
    assert cells["R", "H*", "message", "belief"] > 0.75
    assert cells["H", "R*", "utterance", "belief"] > 0.75
    assert pd.read_csv(run.folder / "results/tables/comparison.csv")["paper"].isna().all()


def test_the_translator_makes_the_dictionary_of_the_workflow_which_has_symbols_as_text(run):
    dictionary = read_table(run.folder / "results/toy/seed0/dictionary.parquet", "dictionary").to_pandas()
    messages = pd.read_parquet(run.folder / "results/toy/seed0/messages.parquet")["message"]
    assert set(dictionary.query("direction == 'R->H'")["source"]) <= {" ".join(map(str, each)) for each in messages}
    translator = Translator(config=SIZES | {"speakers": SPEAKERS}).fit_corpus(run.folder / "toy")
    ours = dictionary[dictionary["criterion"] == "belief"].reset_index(drop=True)
    pd.testing.assert_frame_equal(translator.dictionary_, ours)


def test_the_report_has_a_verdict_on_each_column(run):
    part = json.loads((run.folder / "results/toy/seed0/report.json").read_text())
    assert len(part["verdicts"]) == 4  # the states, and shape, rgb and size
    assert all("say something" in verdict for verdict in part["verdicts"])
    page = (run.folder / "results/report/index.html").read_text()
    assert "A toy game of shapes" in page
    assert "your own recordings" in page


def test_the_commands_know_the_corpus(run):
    assert "toy" in run.neuralese("status", "--config", *CONFIG)
    known = run.neuralese("translate", "--task", "toy", "red")
    assert "(toy, seed 0, data corpus; belief, from the dictionary)" in known
    assert "scored now" in run.neuralese("translate", "--task", "toy", "--criterion", "direct", "-n", "9", "red")


def test_a_corpus_with_the_picks_of_the_real_listener_runs_to_its_report(run):
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
    native = belief[(belief["speaker"] == "R") & (belief["criterion"] == "none")].set_index("listener")["value"]
    assert set(native.index) == {"R", "R*"}
    assert 0.6 < native["R"] < 0.95  # it picked the wrong state in a fifth of the contexts
    bound = pd.read_parquet(run.folder / "results/picked/tables/bound.parquet")
    assert bound["native"].tolist() == [native["R*"]]


def test_an_edit_of_the_folder_reruns_everything(run):
    path = run.folder / "toy/corpus.yaml"
    with restored(path):
        path.write_text(path.read_text().replace("toy game", "small game"))
        planned = run.planned("all", "--config", *CONFIG)
    assert {"read_corpus", "fit_robot_speaker", "score_dictionary"} <= planned


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("corpora={colors: toy}", "a corpus cannot be called 'colors'"),
        ("corpora={mine: nowhere}", "nowhere"),
        ("corpora=[toy]", "config: 'corpora' is wrong"),
    ],
)
def test_a_wrong_corpus_is_refused_before_anything_runs(run, given, says):
    code, output = run.snakemake("--dry-run", "all", "--config", given, "tasks=[mine]", "results=elsewhere")
    assert code != 0
    assert says in output
    assert "Traceback" not in output
