"""A corpus as the states, messages and phrases that the pipeline works on."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from neuralese.config.models import FitConfig, GameConfig
from neuralese.data.data_sets import read_provenance
from neuralese.storage.tables import read_table
from neuralese.tasks.corpus.export import write_tables
from neuralese.tasks.corpus.game import CorpusStates, load_games, load_recorded, load_traces
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.task import Corpus

TABLES = ("states", "recorded", "inventory", "traces", "utterances")
NAMES = (*(f"{name}.parquet" for name in TABLES), "provenance.json")
SIZES = {"train": 50, "dev": 30, "test": 30}
TASK = Corpus("corpus")
YAML = """
title: Two things
messages: {kind: KIND}
states: {thing: {type: category}, size: {type: number}}
utterances: {from: states, least: 1}
candidates: 3
"""


def write_folder(folder: Path, kind: str = "symbols", contexts: bool = False) -> Path:
    """A corpus of eight states in which the first symbol is the thing, and the second whether it is large."""
    folder.mkdir()
    random = np.random.default_rng(0)
    (folder / "corpus.yaml").write_text(YAML.replace("KIND", kind))
    things, sizes = np.arange(8) % 4, np.arange(8) // 4
    states = pd.DataFrame({"state_id": [f"s{row}" for row in range(8)], "thing": things, "size": sizes + 0.5})
    states.to_csv(folder / "states.csv", index=False)
    said = random.integers(8, size=300)
    if kind == "symbols":
        message = [f"{things[row]} {4 + sizes[row]}" for row in said]
    else:
        noisy = np.stack([things, 3.0 * sizes], axis=1)[said] + 0.1 * random.normal(size=(300, 2))
        message = [f"{one:.4f} {two:.4f}" for one, two in noisy]
    messages = pd.DataFrame({"state_id": [f"s{row}" for row in said], "message": message})
    if contexts:
        other = (said + random.integers(1, 8, size=300)) % 8
        places = random.integers(2, size=300)
        pairs = [(one, two) if place == 0 else (two, one) for one, two, place in zip(said, other, places, strict=True)]
        table = {
            "context_id": range(300),
            "candidates": [" ".join(f"s{row}" for row in pair) for pair in pairs],
            "true": places,
            "pick": np.where(np.arange(300) % 4 == 0, 1 - places, places),
        }
        pd.DataFrame(table).to_csv(folder / "contexts.csv", index=False)
        messages["context_id"] = range(300)
    messages.to_csv(folder / "messages.csv", index=False)
    return folder


@pytest.fixture
def files(tmp_path):
    def make(kind: str = "symbols", contexts: bool = False) -> dict[str, Path]:
        paths = {name: tmp_path / "made" / name for name in NAMES}
        made = {name.partition(".")[0]: path for name, path in paths.items()}
        write_tables(read_corpus(write_folder(tmp_path / "corpus", kind, contexts)), made)
        return paths

    return make


@pytest.fixture
def game(files):
    """The states and the recorded messages of a corpus of symbols, and its files."""
    given = files()
    return load_games(given, GameConfig(candidates=3))["train"], load_recorded(given["recorded.parquet"]), given


@pytest.mark.parametrize("candidates", [2, 3, 5])
@pytest.mark.parametrize("way", ["with_distractors", "practise"])
def test_a_listener_that_hears_nothing_cannot_win_by_how_frequent_a_state_is(candidates, way):
    generator = torch.Generator().manual_seed(0)
    states = CorpusStates(torch.zeros(6, 1), np.zeros(6, dtype=np.int64), candidates)
    true = torch.multinomial(torch.tensor([16.0, 8, 4, 2, 1, 1]), 20_000, replacement=True, generator=generator)
    if way == "with_distractors":
        drawn = states.with_distractors(true, generator)
    else:
        drawn = states.practise(true[:, None].expand(-1, candidates), generator)
    assert torch.equal(drawn[:, 0], true)
    smallest = drawn == drawn.min(1, keepdim=True).values  # always pick the most frequent state
    credit = smallest[:, 0].double() / smallest.sum(1)
    assert abs(float(credit.mean()) - 1 / candidates) < 0.015


def test_people_see_the_columns_that_they_spoke_of_and_agents_all():
    features = torch.arange(1.0, 13).reshape(4, 3)
    states = CorpusStates(features, np.zeros(4, dtype=np.int64), 2, seen_by_people=[1])
    pairs = torch.tensor([[2, 0], [3, 1]])
    encoder = states.encoder(5)
    with torch.no_grad():
        assert torch.equal(encoder(states.speaker_view(pairs)), encoder.linear(features[[2, 3]]))
        hidden = features[[2, 3]] * torch.tensor([0.0, 1, 0])
        assert torch.equal(encoder(states.human_view(pairs)), encoder.linear(hidden))


def test_distractors_share_the_group_of_the_true_state():
    states = CorpusStates(torch.zeros(8, 1), np.arange(8) % 2, 3)
    true = torch.arange(8).repeat(40)
    for way in (states.with_distractors, lambda each, random: states.practise(each[:, None].expand(-1, 3), random)):
        drawn = way(true, torch.Generator().manual_seed(1))
        assert (drawn % 2 == true[:, None] % 2).all()


def test_recorded_candidates_and_picks_are_kept_whoever_draws(files):
    given = files(contexts=True)
    states = load_games(given, GameConfig(candidates=5))["test"]
    assert states.n_candidates == 2  # as recorded, whatever the config says
    recorded = load_recorded(given["recorded.parquet"])
    contexts = recorded.candidates(states, recorded.rows("train")[:40], torch.Generator().manual_seed(0))
    known = {tuple(each) for each in recorded.table["candidates"].to_pylist()}
    assert {tuple(each) for each in contexts.tolist()} <= known
    assert torch.equal(states.redraw(contexts, torch.Generator()), contexts)
    assert torch.equal(states.practise(contexts, torch.Generator()), contexts)
    assert np.mean(recorded.table["picked"].to_numpy()) == pytest.approx(0.75)
    taken = recorded.take(states, SIZES, torch.Generator().manual_seed(0))
    assert set(taken["picked"].to_pylist()) == {0, 1}


@pytest.mark.parametrize("kind", ["symbols", "vector"])
def test_a_speaker_fitted_to_recordings_knows_in_which_state_a_message_was_said(files, kind):
    given = files(kind)
    states, recorded = load_games(given, GameConfig(candidates=3))["train"], load_recorded(given["recorded.parquet"])
    config = FitConfig(hidden=32, steps=300, batch=128, learning_rate=0.01, check_every=50)
    rows = recorded.rows("train"), recorded.rows("dev")
    speaker = recorded.fit(states, rows, config, torch.Generator().manual_seed(0))
    test = recorded.rows("test")
    every = torch.arange(8)[:, None]
    likely = speaker.log_prob(recorded.messages[test], every)
    assert (likely.argmax(1) == recorded.state[test]).double().mean() > 0.95


def test_what_was_said_of_states_is_true_of_them(game):
    states, _, given = game
    traces = load_traces(given, states, "dev", torch.Generator().manual_seed(0))
    phrases = read_table(given["inventory.parquet"], "inventory")["phrase"].to_pylist()
    for row in range(20):
        start, end = traces.phrases.starts[row : row + 2].tolist()
        said = [phrases[number] for number in traces.phrases.values[start:end].tolist()]
        state = int(traces.states[row, 0])
        assert f"thing {state % 4}" in said
        assert ("small size" in said) == (state < 4)
    assert traces.half(True) is traces  # rules say the same of every state: they have no halves


def test_a_corpus_is_measured_and_shown(game):
    given = game[2]
    assert read_provenance(given["provenance.json"])["source"] == "corpus"
    table = TASK.protocol(SimpleNamespace(files=given))
    assert table.set_index(["measure", "variable"])["value"]["information", "thing"] > 1.8
    assert (table.loc[table["measure"] == "p_value", "value"] < 0.05).all()
    shown = TASK.described(given, [[0, 5]], [[7]])["items"]
    assert shown[5]["name"] == "thing 1, size 1.5"
    assert set(shown) == {0, 5, 7}
    assert TASK.pixels(given, {3})[3].shape[2] == 3
