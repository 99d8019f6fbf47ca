from dataclasses import replace

import pyarrow as pa
import pytest
import torch

from neuralese.games.reference import ReferenceGame
from neuralese.speakers.fit import fit_human_listener, fit_human_speaker, fit_robot_speaker
from neuralese.speakers.fitting import FitConfig, fit
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, load_model, save_model
from neuralese.speakers.traces import Lists, Traces, reference_traces

FIT = FitConfig(hidden=32, steps=400, batch=128, check_every=100, learning_rate=0.01)


@pytest.fixture
def game():
    """Items are points of a circle; a third of each kind of word."""
    angle = torch.arange(300) * (2 * torch.pi / 300)
    return ReferenceGame(torch.stack([angle.cos(), angle.sin()], dim=1))


@pytest.fixture
def traces(game, generator):
    """An item is called by its third of the circle (0, 1, 2); every fourth message adds a filler (3)."""
    splits = pa.table({"split": ["train" if i % 2 else "dev" for i in range(300)]})
    said = [[i // 100] + ([3] if i % 4 == 0 else []) for i in range(300)]
    table = pa.table({"item_id": pa.array(range(300), pa.int32()), "phrases": pa.array(said, pa.list_(pa.int16()))})
    return {split: redrawn(game, reference_traces(splits, table, split, 4), generator) for split in ("train", "dev")}


def redrawn(game, traces, generator):
    return replace(traces, states=game.redraw(traces.states, generator))


def test_traces_keep_to_their_split_and_drop_messages_without_a_phrase(generator):
    items = pa.table({"split": ["train", "dev", "train", "train"]})
    said = pa.table(
        {
            "item_id": pa.array([0, 1, 2, 3], pa.int32()),
            "phrases": pa.array([[1, 0, 1], [0], [], [2]], pa.list_(pa.int16())),
        }
    )
    traces = redrawn(ReferenceGame(torch.eye(4)), reference_traces(items, said, "train", 3), generator)
    assert traces.states[:, 0].tolist() == [0, 3]
    assert sorted(traces.states[:, 1].tolist()) == [0, 3]
    assert traces.phrases.bags(torch.tensor([1, 0, 0])).tolist() == [[0, 0, 1], [1, 2, 0], [1, 2, 0]]


def test_one_phrase_of_a_message_is_drawn_from_that_message(traces, generator):
    chosen = torch.arange(len(traces["dev"])).repeat(20)
    phrases = traces["dev"].phrases.one(chosen, generator)
    assert traces["dev"].phrases.bags(chosen).gather(1, phrases[:, None]).min() == 1
    assert set(phrases.tolist()) == {0, 1, 2, 3}


def test_robot_likelihood_is_gaussian_around_its_mean(game, generator):
    speaker = RobotSpeaker(game, hidden=8, message=5, scale=0.3)
    messages, states = torch.randn(4, 5, generator=generator), game.draw_states(6, generator)
    views = game.speaker_view(states)
    for widen in (1.0, 2.0):
        normal = torch.distributions.Normal(speaker.mean(views)[None], 0.3 * widen)
        expected = normal.log_prob(messages[:, None]).sum(-1)
        torch.testing.assert_close(speaker.log_prob(messages, views, widen), expected, rtol=1e-4, atol=1e-3)


def test_human_likelihoods_sum_to_one_over_the_inventory(game, generator):
    speaker = HumanSpeaker(game, hidden=8, phrases=7)
    total = speaker.log_prob(game.human_view(game.draw_states(6, generator))).exp().sum(0)
    torch.testing.assert_close(total, torch.ones(6))


def test_the_human_speaker_learns_what_is_said_of_what(game, traces, generator):
    speaker = fit_human_speaker(game, traces["train"], traces["dev"], FIT, generator)
    middle = torch.tensor([[50, 0], [150, 0], [250, 0]])
    assert speaker.log_prob(game.human_view(middle)).T.argmax(1).tolist() == [0, 1, 2]


def test_the_model_human_prefers_the_item_that_is_described(game, traces, generator):
    listener = fit_human_listener(game, traces["train"], traces["dev"], FIT, generator)
    words = torch.eye(4)[:3]
    right, wrong = torch.tensor([[50, 0], [150, 0], [250, 0]]), torch.tensor([[150, 0], [250, 0], [50, 0]])
    assert (listener.score(game.human_view(right), words) > listener.score(game.human_view(wrong), words)).all()


def test_the_robot_speaker_imitates_messages(game, generator):
    def said(n: int) -> tuple[torch.Tensor, torch.Tensor]:
        states = game.draw_states(n, generator)
        return states, game.items[states].flatten(1) @ torch.arange(12.0).view(4, 3) / 10

    speaker = fit_robot_speaker(game, said(5000), said(500), 0.3, FIT, generator)
    states, messages = said(500)
    error = (speaker.mean(game.speaker_view(states)) - messages).square().mean()
    assert error < 0.02 * messages.var()


def test_fitting_keeps_the_weights_that_did_best_on_held_out_data_and_stops_when_patience_ends():
    model = torch.nn.Linear(1, 1)
    errors, seen = [3.0, 1.0, 2.0, 2.0, 0.0], []

    def held_out() -> float:
        seen.append(model.weight.item())
        return errors[len(seen) - 1]

    config = FitConfig(steps=50, batch=1, check_every=10, patience=2, learning_rate=0.1)
    assert fit(model, lambda batch: model(torch.ones(batch, 1)).sum(), held_out, config, "line") == 1.0
    assert len(seen) == 4  # two looks without a gain end it before the last, which would have been best
    assert len(set(seen)) == 4
    assert model.weight.item() == seen[1]


def test_without_patience_fitting_goes_on_to_the_end_and_keeps_the_last_weights():
    model, seen = torch.nn.Linear(1, 1), []

    def held_out() -> float:
        seen.append(model.weight.item())
        return float(len(seen))  # worse at every look

    config = FitConfig(steps=50, batch=1, check_every=10, patience=0, learning_rate=0.1)
    assert fit(model, lambda batch: model(torch.ones(batch, 1)).sum(), held_out, config, "line") == 5.0
    assert len(set(seen)) == 5
    assert model.weight.item() == seen[-1]


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
    assert traces.spoken(0).tolist() == list(range(150, 300))
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


def test_a_saved_model_is_the_same_model(tmp_path, game, generator):
    speaker = HumanSpeaker(game, hidden=8, phrases=7)
    save_model(tmp_path / "human.safetensors", speaker)
    views = game.human_view(game.draw_states(5, generator))
    assert torch.equal(
        load_model(tmp_path / "human.safetensors", HumanSpeaker, game).log_prob(views), speaker.log_prob(views)
    )
