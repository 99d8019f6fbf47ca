"""Training learns, is the same for the same seed, and goes on where it was stopped."""

import pytest
import torch
from naive_listener import margin

from neuralese.agents import messages
from neuralese.agents.cell import CellConfig, load_cell, save_cell, without_channel
from neuralese.agents.episodes import Episodes, Replay, rounds
from neuralese.agents.messages import read_messages
from neuralese.agents.players import sample_messages, speak
from neuralese.agents.training import Trainer, TrainingConfig, exploration, learning_rate, on_data
from neuralese.config.models import MessagesConfig
from neuralese.errors import NeuraleseError
from neuralese.games.reference import ReferenceGame
from neuralese.storage.tables import write_table

SMALL = CellConfig(hidden=16, message=8)


def game() -> ReferenceGame:
    return ReferenceGame(torch.randn(200, 3, generator=torch.Generator().manual_seed(1)))


def trainer(updates: int = 60, seed: int = 0, **settings) -> Trainer:
    config = TrainingConfig(updates=updates, batch=16, new_games=16, **settings)
    return Trainer(game(), SMALL, config, seed)


def same_weights(a: Trainer, b: Trainer) -> bool:
    return all(torch.equal(x, y) for x, y in zip(a.cell.parameters(), b.cell.parameters(), strict=True))


def test_the_same_seed_gives_the_same_weights_and_another_seed_others():
    first, again, other = (trainer(updates=20, seed=seed) for seed in (0, 0, 1))
    torch.manual_seed(123)  # global state must not matter
    for each in (first, again, other):
        each.run()
    assert same_weights(first, again)
    assert not same_weights(first, other)


def test_a_stopped_training_goes_on_to_the_same_weights(tmp_path):
    unbroken = trainer(updates=60)
    unbroken.run()
    checkpoint = tmp_path / "run.pt"
    stopped = trainer(updates=60, checkpoint_every=25)
    stopped.learn, learn = lambda episodes: stop_at(stopped, 40, learn, episodes), stopped.learn
    with pytest.raises(KeyboardInterrupt):
        stopped.run(checkpoint)
    resumed = trainer(updates=60, checkpoint_every=25)
    resumed.run(checkpoint)
    assert same_weights(unbroken, resumed)
    assert [row["loss"] for row in resumed.history] == [row["loss"] for row in unbroken.history]


def stop_at(trainer, update, learn, episodes):
    if trainer.update == update:
        raise KeyboardInterrupt
    return learn(episodes)


def kinds(candidates: int) -> ReferenceGame:
    """A game over items of five kinds, of which item i is of kind i mod 5."""
    noise = 0.1 * torch.randn(300, 5, generator=torch.Generator().manual_seed(2))
    return ReferenceGame(torch.eye(5)[torch.arange(300) % 5] + noise, n_candidates=candidates)


def of_different_kinds(game: ReferenceGame, count: int, generator: torch.Generator) -> torch.Tensor:
    """States in which no other item is like the target: equal items cannot be told apart."""
    states = game.draw_states(count, generator)
    return states[(states[:, :1] % 5 != states[:, 1:] % 5).all(1)]


@pytest.mark.parametrize(("candidates", "updates", "right", "wrong"), [(2, 250, 0.9, 0.6), (3, 400, 0.75, 0.45)])
def test_agents_learn_to_refer_and_pick_by_chance_if_they_hear_noise(candidates, updates, right, wrong):
    game = kinds(candidates)
    config = TrainingConfig(updates=updates, batch=64, new_games=64, explore=200 if candidates > 2 else 1000)
    learned = Trainer(game, CellConfig(hidden=32, message=8), config, seed=0)
    learned.run()
    random = torch.Generator().manual_seed(3)
    states = of_different_kinds(game, 1500, random)
    heard = learned.cell.channel(speak(learned.cell, game, states), random)
    noise = torch.randn(heard.shape, generator=random)
    understood, guessed = (
        (margin(learned.cell, game, each, states, game.places(len(states), random)) > 0).float().mean()
        for each in (heard, noise)
    )
    assert understood > right
    assert guessed < wrong


def test_exploration_and_the_step_fall_as_their_settings_say():
    paper = TrainingConfig()
    assert [exploration(t, paper) for t in (0, 500, 1000, 2500, 5000, 9999)] == [1.0, 0.5, 0.08, 0.05, 0.0, 0.0]
    assert exploration(100, TrainingConfig(explore=200)) == 0.5
    assert learning_rate(999, TrainingConfig(learning_rate=0.3)) == 0.3
    falling = TrainingConfig(updates=100, learning_rate=0.3, final_rate=0.1)
    assert [learning_rate(t, falling) for t in (0, 50, 100)] == pytest.approx([0.3, 0.165, 0.03])
    learner = trainer(updates=20, final_rate=0.0)
    learner.run()
    assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(0.003 / 20)


def test_replay_forgets_the_oldest_games_first(generator):
    replay = Replay(capacity=6)
    for first in (0, 4, 8):
        numbers = torch.arange(first, first + 4)
        zeros = torch.zeros(4, 1)
        replay.add(Episodes(numbers[:, None], zeros, zeros, zeros, zeros, success=numbers))
    assert set(replay.sample(200, generator).success.tolist()) == {6, 7, 8, 9, 10, 11}


def test_messages_are_scaled_and_the_channel_adds_its_noise(generator):
    learner = Trainer(game(), CellConfig(hidden=16, message=64, radius=2.0, noise=0.3), TrainingConfig(), seed=0)
    messages = speak(learner.cell, learner.game, learner.game.draw_states(500, generator))
    torch.testing.assert_close(messages.norm(dim=1), torch.full((500,), 2.0))
    noise = learner.cell.channel(messages, generator) - messages
    assert noise.std().item() == pytest.approx(0.3, rel=0.02)


def test_a_saved_cell_speaks_as_before_and_a_damaged_one_is_refused_in_one_sentence(tmp_path, generator):
    learner, path = trainer(), tmp_path / "agent.safetensors"
    save_cell(path, learner.cell)
    states = learner.game.draw_states(10, generator)
    assert torch.equal(
        speak(load_cell(path, learner.game), learner.game, states), speak(learner.cell, learner.game, states)
    )
    path.write_bytes(b"not weights")
    with pytest.raises(NeuraleseError, match=r"agent\.safetensors is damaged"):
        load_cell(path, game())


def test_sampled_messages_come_back_from_their_table_by_split(tmp_path, generator):
    learner = trainer()
    games = dict.fromkeys(("train", "dev", "test"), learner.game)
    table = sample_messages(learner.cell, games, {"train": 5, "dev": 3, "test": 4}, generator)
    write_table(tmp_path / "messages.parquet", table, "messages")
    said = read_messages(tmp_path / "messages.parquet", games["train"])
    assert {split: len(speech.ids) for split, speech in said.items()} == {"train": 5, "dev": 3, "test": 4}
    assert said["test"].ids.tolist() == [8, 9, 10, 11]
    distance = (said["test"].messages - speak(learner.cell, learner.game, said["test"].states)).norm(dim=1)
    assert (distance < 0.3 * 8**0.5 * 3).all()


def test_on_embedded_data_a_training_is_shorter_and_fewer_messages_are_recorded():
    config = TrainingConfig(updates=100, embedded_updates=60)
    assert [on_data(config, data).updates for data in ("mirror", "official", "embedded")] == [100, 100, 60]
    assert on_data(TrainingConfig(updates=40, embedded_updates=60), "embedded").updates == 40  # never longer
    counts = MessagesConfig(fitted=9000, vocabulary=5000, held_out=800, contexts=3000)
    assert [messages.on_data(counts, data) for data in ("mirror", "official")] == [counts, counts]
    fewer = MessagesConfig(fitted=9000, vocabulary=1000, held_out=800, contexts=1000)
    assert messages.on_data(counts, "embedded") == fewer


def test_agents_without_a_channel_learn_and_hear_nothing():
    config = TrainingConfig(updates=5, batch=8, new_games=8)
    trained = Trainer(game(), without_channel(SMALL), config, seed=0)
    trained.run()
    assert all(torch.isfinite(weight).all() for weight in trained.cell.parameters())
    world = game().reset(6, torch.Generator().manual_seed(1))
    played = next(rounds(trained.cell, game(), world, torch.Generator()))
    assert not played.sent.any()
