"""What the models of who says what learn from what was said, and how they are fitted."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from neuralese.config.models import GameConfig
from neuralese.evaluate.listeners import ModelHuman
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.fit import FitConfig, fit, fit_human_listener, fit_human_speaker, fit_robot_speaker
from neuralese.speakers.models import HumanSpeaker, load_model, save_model
from neuralese.speakers.traces import Lists, Traces
from neuralese.storage.tables import write_table
from neuralese.tasks.items import inventory_table, items_table, traces_table
from neuralese.tasks.task import ReferenceTask

FIT = FitConfig(hidden=32, steps=400, batch=128, check_every=100, learning_rate=0.01)


@pytest.fixture
def game():
    """Items are points of a circle; a third of each kind of word."""
    return ReferenceGame(circle())


def circle() -> torch.Tensor:
    angle = torch.arange(300) * (2 * torch.pi / 300)
    return torch.stack([angle.cos(), angle.sin()], dim=1)


def written(folder: Path, features: np.ndarray, splits: list[str], said: list[list[int]], phrases: int) -> dict:
    """The files of a task about items: message i is about item i."""
    traces = traces_table(range(len(said)), phrases=said)
    tables = {
        "items": items_table(pd.Series(splits), features),
        "traces": traces,
        "inventory": inventory_table([f"phrase {number}" for number in range(phrases)], traces),
    }
    for name, table in tables.items():
        write_table(folder / f"{name}.parquet", table, name)
    return {f"{name}.parquet": folder / f"{name}.parquet" for name in tables}


@pytest.fixture
def files(tmp_path) -> dict:
    """An item is called by its third of the circle (0, 1, 2); every fourth message adds a filler (3)."""
    said = [[i // 100] + ([3] if i % 4 == 0 else []) for i in range(300)]
    splits = [("dev", "train", "test", "train")[i % 4] for i in range(300)]
    return written(tmp_path, circle().numpy(), splits, said, phrases=4)


@pytest.fixture
def traces(files, game, generator) -> dict[str, Traces]:
    return {split: ReferenceTask().load_traces(files, game, split, generator) for split in ("train", "dev")}


@pytest.mark.parametrize("candidates", [2, 3])
def test_traces_keep_to_their_split_and_drop_messages_without_a_phrase(tmp_path, candidates, generator):
    splits, said = ["train", "dev", "train", "train"], [[1, 0, 1], [0], [], [2]]
    files = written(tmp_path, np.eye(4, dtype=np.float32), splits, said, phrases=3)
    game = ReferenceGame(torch.eye(4), n_candidates=candidates)
    traces = ReferenceTask().load_traces(files, game, "train", generator)
    assert traces.states[:, 0].tolist() == [0, 3]
    assert traces.states.shape == (2, candidates)
    for other in traces.states.T[1:]:
        assert sorted(other.tolist()) == [0, 3]
    assert traces.phrases.bags(torch.tensor([1, 0, 0])).tolist() == [[0, 0, 1], [1, 2, 0], [1, 2, 0]]


def test_the_games_of_a_task_about_items_share_them_and_draw_each_its_own(files, generator):
    games = ReferenceTask().load_games(files, GameConfig(steps=4, candidates=3))
    assert list(games) == ["train", "dev", "test"]
    for split, game in games.items():
        assert (game.max_steps, game.n_candidates) == (4, 3)
        assert torch.equal(game.items, games["train"].items)
        ids = game.draw_states(3000, generator).unique().tolist()
        assert {("dev", "train", "test", "train")[number % 4] for number in ids} == {split}


def test_one_phrase_of_a_message_is_drawn_from_that_message(traces, generator):
    chosen = torch.arange(len(traces["dev"])).repeat(20)
    phrases = traces["dev"].phrases.one(chosen, generator)
    assert traces["dev"].phrases.bags(chosen).gather(1, phrases[:, None]).min() == 1
    assert set(phrases.tolist()) == {0, 1, 2, 3}


def test_the_human_speaker_learns_what_is_said_of_what(game, traces, generator):
    speaker = fit_human_speaker(game, traces["train"], traces["dev"], FIT, generator)
    log_prob = speaker.log_prob(game.human_view(torch.tensor([[50, 0], [150, 0], [250, 0]])))
    assert log_prob.argmax(0).tolist() == [0, 1, 2]
    torch.testing.assert_close(log_prob.exp().sum(0), torch.ones(3))


def test_the_model_human_learns_to_tell_one_of_three_items(files, generator):
    games = ReferenceTask().load_games(files, GameConfig(candidates=3))
    traces = {split: ReferenceTask().load_traces(files, game, split, generator) for split, game in games.items()}
    listener = fit_human_listener(games["train"], traces["train"], traces["dev"], FIT, generator)
    test = traces["test"]
    states = games["test"].with_distractors(test.states[:, 0].repeat(20), generator)
    words = test.words.bags(torch.arange(len(test)).repeat(20))
    human = ModelHuman(listener, games["test"])
    credit = human.credit(words, states)
    # of three items drawn alike, all are in the word's third of the circle in 1/9 of the states, two of them in 4/9
    best = 4 / 9 + 4 / 9 / 2 + 1 / 9 / 3
    assert credit.mean() > 0.9 * best > 0.6
    assert human.credit(words[:, [1, 2, 0, 3]], states).mean() < 0.3  # the word of another third


def test_the_robot_speaker_imitates_messages(game, generator):
    def said(n: int) -> tuple[torch.Tensor, torch.Tensor]:
        states = game.draw_states(n, generator)
        return states, game.items[states].flatten(1) @ torch.arange(12.0).view(4, 3) / 10

    speaker = fit_robot_speaker(game, said(5000), said(500), 0.3, FIT, generator)
    states, messages = said(500)
    error = (speaker.mean(game.speaker_view(states)) - messages).square().mean()
    assert error < 0.02 * messages.var()


@pytest.mark.parametrize(
    ("patience", "errors", "looks", "kept"),
    [
        (2, [3.0, 1.0, 2.0, 2.0, 0.0], 4, 1),  # two looks without a gain end it before the last, which would be best
        (0, [1.0, 2.0, 3.0, 4.0, 5.0], 5, 4),  # without patience the last weights are kept, though worse at every look
    ],
)
def test_fitting_keeps_the_weights_that_did_best_and_stops_when_patience_ends(patience, errors, looks, kept):
    model, seen = torch.nn.Linear(1, 1), []

    def held_out() -> float:
        seen.append(model.weight.item())
        return errors[len(seen) - 1]

    config = FitConfig(steps=50, batch=1, check_every=10, patience=patience, learning_rate=0.1)
    assert fit(model, lambda batch: model(torch.ones(batch, 1)).sum(), held_out, config, "line") == errors[kept]
    assert len(set(seen)) == len(seen) == looks
    assert model.weight.item() == seen[kept]


def test_the_step_size_falls_as_a_cosine_unless_it_is_to_stay():
    for decay, steps in ((False, 100), (True, 50)):  # of a half cosine the mean is a half
        model = torch.nn.Linear(1, 1)
        before = model.bias.item()
        config = FitConfig(steps=100, batch=1, check_every=100, patience=0, learning_rate=0.01, decay=decay)
        fit(model, lambda batch, model=model: model(torch.zeros(batch, 1)).sum(), lambda: 0.0, config, "line")
        assert before - model.bias.item() == pytest.approx(0.01 * steps, rel=0.03)  # a slope of one throughout


def test_fitting_is_the_same_for_the_same_generator(game, traces):
    config = FitConfig(hidden=8, steps=50, batch=64, check_every=10)
    first, again = (
        fit_human_speaker(game, traces["train"], traces["dev"], config, torch.Generator().manual_seed(5))
        for _ in range(2)
    )
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))


def test_a_human_speaker_who_may_be_silent_is_two_models(game, generator):
    item = torch.arange(300)
    values = torch.where(item < 150, 0, 1 + (item >= 225).long())  # half of the circle is passed over in silence
    phrases = Lists(values, torch.arange(301), 3)
    traces = Traces(torch.stack([item, item], dim=1), phrases, phrases, games=item)
    assert traces.not_silent(0).tolist() == list(range(150, 300))
    speaker = fit_human_speaker(game, traces, traces, FIT, generator, silence=0)
    log_prob = speaker.log_prob(game.human_view(torch.tensor([[75, 0], [180, 0], [260, 0]]))).T
    assert log_prob[:, 0].exp().tolist() == pytest.approx([1, 0, 0], abs=0.1)
    torch.testing.assert_close(log_prob[:, 1:].exp().sum(1), torch.ones(3))
    assert log_prob[1:, 1:].argmax(1).tolist() == [0, 1]


def test_phrases_that_share_words_share_what_is_learned_of_them(tmp_path, game, generator):
    item = torch.arange(300)
    values = torch.tensor([0, 2, 3])[item // 100] + ((item < 100) & (item % 2 == 1)).long()
    said = Lists(values, torch.arange(301), 5)
    traces = Traces(torch.stack([item, item], dim=1), said, said, games=item)
    heard = torch.tensor([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])  # phrase 4 is like 2: never said
    speaker = fit_human_speaker(game, traces, traces, FIT, generator, heard=heard)
    apart = fit_human_speaker(game, traces, traces, FIT, generator)
    save_model(tmp_path / "human.safetensors", speaker)
    again = load_model(tmp_path / "human.safetensors", HumanSpeaker, game)
    views = game.human_view(torch.tensor([[150, 0]]))
    assert torch.equal(again.log_prob(views), speaker.log_prob(views))
    both = game.human_view(torch.tensor([[150, 0], [50, 0]]))
    fits, fits_apart = (model.log_prob(both)[4].diff().item() for model in (speaker, apart))
    assert fits < fits_apart - 1  # that phrase 4 is for the second third is known from phrase 2
