import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.agents.players import guess
from neuralese.evaluate.belief import (
    HumanSpeech,
    Listeners,
    Translation,
    draw_at_random,
    evaluate_belief,
    guess_by_playing,
    look_up,
)
from neuralese.evaluate.paper import BEHAVIOR, BELIEF, compare, over_seeds, to_latex, to_markdown
from neuralese.evaluate.statistics import bootstrap_interval, paired_test
from neuralese.evaluate.translations import load_utterances
from neuralese.games.reference import ReferenceGame, coins
from neuralese.speakers.models import HumanListener
from neuralese.speakers.traces import Lists, Traces
from neuralese.tables import vectors, write_table

COLUMNS = ["direction", "criterion", "source_id", "rank", "target_id"]


class Oracle(HumanListener):
    """Knows that phrase k describes item k."""

    def score(self, observations, bags):
        return bags.gather(1, observations[:, :1]).squeeze(1)


@pytest.fixture
def played(generator):
    """A robot whose dictionary is right under `good` and always says phrase 0 under `direct`."""
    game = ReferenceGame(torch.eye(5))
    states = torch.stack([torch.arange(4000) % 5, (torch.arange(4000) + 1) % 5], dim=1)
    ids = torch.arange(100, 4100)
    rows = [("R->H", "good", i, 1, t) for i, t in zip(ids.tolist(), states[:, 0].tolist(), strict=True)]
    rows += [("R->H", "direct", i, 1, 0) for i in ids.tolist()]
    rows += [("H->R", name, phrase, 1, 7) for name in ("good", "direct") for phrase in range(5)]
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    bags = torch.eye(5)[states[:, 0]]
    robot = Speech(ids, states, torch.randn(4000, 4, generator=generator))
    human = HumanSpeech(states, bags, states[:, 0], torch.arange(4000), bags.bool())
    dictionary = pd.DataFrame(rows, columns=COLUMNS)
    vocabulary = Speech(torch.tensor([7]), states[:1], torch.randn(1, 4, generator=generator))
    ways = {name: look_up(dictionary, name, robot, human, vocabulary, torch.eye(5)) for name in ("good", "direct")}
    ways["random"] = draw_at_random(robot, human, vocabulary, torch.eye(5), None, generator)
    listeners = Listeners(game, guess_by_playing(cell, game), Oracle(game, hidden=4, words=5))
    table = evaluate_belief(listeners, robot, human, ways, resamples=200, generator=generator)
    return table.set_index(["speaker", "listener", "criterion"])


def test_guesses_are_those_of_the_robot_that_plays_from_the_start(generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator))
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    messages, states = torch.randn(6, 4, generator=generator), game.draw_states(6, generator)
    guessed = guess_by_playing(cell, game)(messages, states, torch.Generator().manual_seed(1))
    right = coins(6, torch.Generator().manual_seed(1))
    torch.testing.assert_close(guessed, guess(cell, game, messages, states, right))


def test_every_pair_is_played_under_every_criterion(played):
    translated = [(s, h, c) for c in ("good", "direct", "random") for s, h in (("R", "H*"), ("H", "R"))]
    assert set(played.index) == {("R", "R", "none"), ("H", "H*", "none"), *translated}
    assert (played["n"] == 4000).all()
    assert ((played["ci_low"] <= played["accuracy"]) & (played["accuracy"] <= played["ci_high"])).all()


def test_a_right_dictionary_makes_the_oracle_right_and_indifference_is_worth_a_half(played):
    assert played.loc[("H", "H*", "none"), "accuracy"] == 1
    assert played.loc[("R", "H*", "good"), "accuracy"] == 1
    # phrase 0 describes the target in a fifth of the games, the other item in a fifth, neither in the rest
    assert played.loc[("R", "H*", "direct"), "accuracy"] == pytest.approx(0.5)


def test_gains_over_direct_are_measured_on_the_same_items(played):
    good = played.loc[("R", "H*", "good")]
    assert good["gain"] == pytest.approx(0.5)
    assert good["p_value"] < 1e-6
    assert played.loc[("H", "R", "good"), "gain"] == pytest.approx(0, abs=0.05)
    assert np.isnan(played.loc[("R", "R", "none"), "gain"])


def test_a_robot_is_told_all_that_was_said_where_there_is_a_message_for_it(tmp_path):
    said = torch.tensor([[True, False, True], [True, True, False], [False, True, False]])
    human = HumanSpeech(torch.zeros(3, 2), torch.zeros(3, 3), torch.tensor([0, 1, 1]), torch.arange(3), said)
    table = pd.DataFrame({"utterance_id": [0, 1], "text": ["b", "a, c"], "parts": [[1], [0, 2]], "score": [0.0, 0.0]})
    messages = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    path = tmp_path / "utterances.parquet"
    write_table(path, pa.Table.from_pandas(table).append_column("message", vectors(messages)), "utterances")
    one_phrase = Translation(torch.zeros(3, 3), torch.full((3, 2), 9.0))
    told = load_utterances({"utterances": path}, human, one_phrase)
    assert told.messages.tolist() == [[0, 1], [9, 9], [1, 0]]


def test_silence_is_never_drawn(generator):
    robot = Speech(torch.arange(500), torch.zeros(500, 2), torch.zeros(500, 4))
    human = HumanSpeech(torch.zeros(3, 2), torch.zeros(3, 4), torch.zeros(3), torch.arange(3), torch.zeros(3, 4).bool())
    drawn = draw_at_random(robot, human, robot, torch.eye(4), 2, generator)
    assert drawn.bags.sum(0).gt(0).tolist() == [True, True, False, True]


def test_an_untrained_robot_and_a_random_dictionary_are_at_chance(played):
    for cell in (("R", "R", "none"), ("R", "H*", "random"), ("H", "R", "random")):
        assert played.loc[cell, "accuracy"] == pytest.approx(0.5, abs=0.05)


def test_human_speech_is_drawn_without_repetition_while_it_lasts(generator):
    said = Lists(torch.arange(10) % 3, torch.arange(11), 3)
    traces = Traces(torch.arange(20).view(10, 2), said, said, games=torch.arange(10))
    game = ReferenceGame(torch.eye(20))
    speech = HumanSpeech.draw(game, traces, None, 10, generator)
    assert sorted(speech.states[:, 0].tolist()) == list(range(0, 20, 2))
    assert not speech.repeated
    again = HumanSpeech.draw(game, traces, None, 25, generator)
    assert len(again.states) == 25
    assert again.repeated
    aloud = HumanSpeech.draw(game, traces, 0, 100, generator)
    assert set(aloud.phrases.tolist()) == {1, 2}


@pytest.mark.parametrize("values", [np.repeat([0.0, 0.5, 1.0], [300, 100, 600]), np.linspace(0, 1, 1000)])
def test_the_bootstrap_interval_is_as_wide_as_the_standard_error_says(values):
    low, high = bootstrap_interval(values, np.random.default_rng(0), resamples=4000)
    error = values.std() / len(values) ** 0.5
    assert low < values.mean() < high
    assert (high - low) == pytest.approx(2 * 1.96 * error, rel=0.06)


def test_values_that_belong_together_are_drawn_together():
    random = np.random.default_rng(1)
    each = random.integers(2, size=50).astype(float)
    low, high = bootstrap_interval(np.repeat(each, 20), random, 4000, groups=np.repeat(np.arange(50), 20))
    assert (high - low) == pytest.approx(2 * 1.96 * each.std() / 50**0.5, rel=0.1)


def test_a_paired_test_counts_what_belongs_together_once():
    random = np.random.default_rng(2)
    ours, theirs = random.random(200) + 0.1, random.random(200)
    gain, error, p_value = paired_test(ours, theirs)
    assert gain == pytest.approx((ours - theirs).mean())
    assert error == pytest.approx((ours - theirs).std() / 200**0.5)
    again = paired_test(np.repeat(ours, 50), np.repeat(theirs, 50), groups=np.repeat(np.arange(200), 50))
    assert again == pytest.approx((gain, error, p_value))
    assert paired_test(ours, ours)[2] == 1


def belief_rows(data: str, seeds: int = 2) -> pd.DataFrame:
    rows = [
        {"task": task, "seed": seed, "speaker": s, "listener": h, "criterion": c, "accuracy": 0.7 + seed / 10}
        for (task, s, h, c) in BELIEF
        for seed in range(seeds)
    ]
    return pd.DataFrame(rows).assign(ci_low=0.6, ci_high=0.9, n=100, data=data)


def test_the_comparison_has_every_cell_of_the_papers_tables():
    behavior = pd.DataFrame([{"pair": pair, "criterion": criterion} for pair, criterion in BEHAVIOR]).assign(
        seed=0, n=200, data="mirror", reward=1.6, reward_ci_low=1.5, reward_ci_high=1.7
    )
    behavior = behavior.assign(completion=0.7, completion_ci_low=0.6, completion_ci_high=0.8)
    whole = compare(belief_rows("mirror"), behavior)
    assert len(whole) == len(BELIEF) + 2 * len(BEHAVIOR)
    row = whole.query("pair == 'R/H' and criterion == 'belief' and measure == 'reward'").iloc[0]
    assert (row["table"], row["paper"], row["difference"]) == ("3", 1.54, pytest.approx(0.06))
    assert whole["paper"].isna().sum() == 1  # the paper has no reward of humans with humans
    assert [page.count("Behaviour evaluation") for page in (to_markdown(whole), to_latex(whole))] == [2, 2]
    table = compare(belief_rows("mirror"))
    assert len(table) == len(BELIEF)
    assert table["paper"].notna().all()
    assert table["ours"].tolist() == pytest.approx([0.75] * len(BELIEF))
    assert (table["seeds"] == 2).all()
    row = table.query("task == 'colors' and pair == 'R → H*' and criterion == 'belief'").iloc[0]
    assert (row["table"], row["paper"], row["difference"]) == ("1a", 0.86, pytest.approx(-0.11))


def test_seeds_are_averaged_with_an_interval_over_seeds_and_items():
    cell = pd.DataFrame({"seed": range(5), "ours": [0.7, 0.72, 0.71, 0.69, 0.73], "n": 100, "paper": None})
    cell = cell.assign(ci_low=cell["ours"] - 0.02, ci_high=cell["ours"] + 0.02)
    merged = over_seeds(cell.assign(gain=0.05, gain_error=0.01))
    between = 2.776 * cell["ours"].std() / 5**0.5
    assert merged["ours"] == pytest.approx(0.71)
    assert merged["ci_high"] - 0.71 == pytest.approx((0.02**2 + between**2) ** 0.5, rel=1e-3)
    assert (merged["seeds"], merged["n"]) == (5, 500)
    assert merged["p_value"] == pytest.approx(5.7e-7, rel=0.02)  # five standard errors
    one = over_seeds(cell.head(1))
    assert (one["ci_low"], one["ci_high"]) == (pytest.approx(0.68), pytest.approx(0.72))


def test_embedded_results_are_never_set_beside_the_paper():
    table = compare(belief_rows("embedded"))
    assert table["paper"].isna().all()
    assert table["difference"].isna().all()
    for page in (to_markdown(table), to_latex(table)):
        assert "embedded" in page
        assert "not comparable" in page
        assert "0.86" not in page
    assert "not comparable" not in to_markdown(compare(belief_rows("mirror")))


def test_latex_escapes_what_latex_would_swallow():
    page = to_latex(compare(belief_rows("mirror")))
    assert r"95\% interval" in page
    assert r"H$^*$" in page
