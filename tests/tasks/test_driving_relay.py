"""Two robots that drive while everything they say passes through a channel, which is chosen on dev."""

import numpy as np
import pytest
import torch
from small_driving import CRITERIA, MESSAGE, SILENCE, small_cell, small_run, two

from neuralese.agents.episodes import rounds
from neuralese.config.models import RelayConfig
from neuralese.evaluate.relay import PhraseMessages
from neuralese.games.driving import GONE
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.channels import (
    MEAN,
    RECORDED,
    HumanChannel,
    Interpreter,
    Places,
    RelayChannel,
    Translator,
    Translators,
    silence,
)
from neuralese.tasks.driving.loop import Chance, Said, Start, unchanged
from neuralese.tasks.driving.relay import Guesser, chosen_translators, ranked, screen, translated, understood
from neuralese.tasks.driving.tables import RELAY_CHOICE
from neuralese.translate.criteria import make_criterion

CONFIG = RelayConfig(contexts=30, vocabulary=40)


@pytest.fixture
def translators(run):
    return Translators(run, CONFIG)


def same(one: dict, other: dict) -> bool:
    return all(np.array_equal(one[measure], other[measure]) for measure in ("reward", "completion"))


def through(pair, channel) -> list[torch.Tensor]:
    """What both robots hear at each step, one after the other."""
    heard = []

    def noting(said):
        heard.append(torch.cat(channel(said)))
        return channel(said)

    pair.results(noting)
    return heard


def test_games_in_which_nothing_is_translated_are_those_of_training(game, start):
    quiet = small_cell(game, noise=0.0)
    brought = two(quiet, game, start).results(unchanged)
    played = list(rounds(quiet, game, start.world, torch.Generator()))
    assert brought["reward"] == pytest.approx(torch.stack([each.reward.double() for each in played]).sum(0).numpy())
    assert brought["completion"].tolist() == played[-1].success.double().tolist()


def test_silence_is_what_a_deaf_robot_hears(game, cell, start, pair):
    deaf = small_cell(game)
    with torch.no_grad():
        deaf.encode_message.weight.zero_()
    nothing = two(deaf, game, start).results(unchanged)
    assert same(pair.results(silence(SILENCE)), nothing)
    assert not same(pair.results(unchanged), nothing)


def test_a_game_has_the_same_chance_whichever_others_go_on():
    every, few = Chance(3, "driver", 5), Chance(3, "driver", 5)
    few.going = torch.tensor([1, 4])
    assert every.normal(2)[few.going].tolist() == few.normal(2).tolist()
    assert every.uniform()[few.going].tolist() == few.uniform().tolist()


def test_chance_draws_by_probability():
    chance = Chance(0, "dice", 4000)
    drawn, chosen = chance.draw(torch.tensor([[0.0, 0.2, 0.8]]).log().expand(4000, -1)), chance.choose(torch.arange(4))
    for found, expected in ((drawn, [0, 0.2, 0.8]), (chosen, [0.25] * 4)):
        assert torch.bincount(found, minlength=3).div(4000).tolist() == pytest.approx(expected, abs=0.03)


def said_by(phrases: list[int], time: int = 0) -> Said:
    """A robot in the first car says something, and a human in the second says `phrases`."""
    words = (torch.ones(len(phrases), MESSAGE), torch.tensor(phrases))
    games = torch.arange(len(phrases))
    return Said(time, games, torch.zeros(len(phrases), 2, 3), words, Chance(0, "carrier", len(phrases)))


def test_who_hears_nothing_hears_it_in_its_own_language():
    to_human, to_robot = silence(SILENCE)(said_by([0, 1]))
    assert to_human.tolist() == [SILENCE, SILENCE]
    assert to_robot.tolist() == [[0.0] * MESSAGE] * 2


NUMBERED = PhraseMessages(torch.arange(1.0, 5.0)[:, None].expand(4, MESSAGE))  # phrase k is said by k + 1


def left(messages):
    return torch.zeros(len(messages), dtype=torch.long)


@pytest.mark.parametrize(
    ("mode", "heard"),
    [
        ("translation", [[1, 4], [4, 4], [2, 4]]),
        ("nothing", [[1, 0], [0, 0], [2, 0]]),
        ("last", [[1, 0], [1, 0], [2, 0]]),
    ],
)
def test_what_a_robot_hears_while_a_human_is_silent(mode, heard):
    channel = HumanChannel(Translator(left, NUMBERED), silence=SILENCE, while_silent=mode)
    said = [said_by(phrases, time) for time, phrases in enumerate(([0, SILENCE], [SILENCE, SILENCE], [1, SILENCE]))]
    assert [channel(each)[1][:, 0].tolist() for each in said] == heard
    if mode == "last":  # another batch begins anew
        assert channel(said_by([SILENCE, SILENCE]))[1].tolist() == [[0.0] * MESSAGE] * 2


def test_random_phrases_are_never_silence_but_as_often_said_as_real_ones(pair):
    sayable = torch.tensor([0, 1, 2])
    heard = through(pair, RelayChannel(Translator(left, NUMBERED), sayable))
    assert set(torch.cat(heard)[:, 0].tolist()) == {1.0, 2.0, 3.0}
    human = HumanChannel(Translator(left, NUMBERED), sayable, SILENCE)
    to_human, to_robot = human(said_by([0, SILENCE] * 50))
    assert set(to_human.tolist()) == {0, 1, 2}
    assert set(to_robot[::2, 0].tolist()) == {1.0, 2.0, 3.0}
    assert set(to_robot[1::2, 0].tolist()) == {4.0}


def one_by_one(pair, criterion, translators, spoken) -> list[float]:
    """The reward of each game, played alone, each message scored by itself."""
    rewards, game, cell = [], pair.game, pair.seats[0].cell
    for number in range(len(pair.start.world.map)):
        world, total = pair.start.world[torch.tensor([number])], 0.0
        memory, heard = cell.initial(2)
        for _ in range(game.max_steps):
            with torch.no_grad():
                q, said, memory = cell(game.observe(world)[0], heard, memory)
            replies = []
            for message in said:
                scores = criterion.scores(translators.heard(message[None]), translators.phrases, translators.candidates)
                replies.append(spoken.messages[translators.phrases.ids[scores.argmin()]])
            heard = torch.stack(replies[::-1])
            world, outcome = game.step(world, q.argmax(1)[None])
            total += float(outcome.reward)
            if outcome.done:
                break
        rewards.append(total)
    return rewards


def test_many_games_at_once_bring_what_they_bring_one_by_one(game, start):
    cell = small_cell(game, noise=0.0)
    pair = two(cell, game, Start(start.world[torch.arange(8)], 0))
    translators = Translators(small_run(game, cell), CONFIG)
    criterion = make_criterion({"kind": "belief", "weights": "sum", "divergence": "forward"})
    spoken = translators.to_neuralese({"": criterion}, RECORDED)[""]
    brought = pair.results(RelayChannel(Translator(translators.to_english(criterion), spoken)))
    assert brought["reward"] == pytest.approx(one_by_one(pair, criterion, translators, spoken))
    assert not same(brought, pair.results(unchanged))


@pytest.mark.parametrize("voice", [RECORDED, MEAN])
def test_a_recorded_message_is_said_as_it_was_heard_and_a_mean_one_passes_the_channel(cell, translators, pair, voice):
    criterion = make_criterion({"kind": "direct"})
    spoken = translators.to_neuralese({"": criterion}, voice)[""]
    heard = through(pair, RelayChannel(Translator(translators.to_english(criterion), spoken)))[0]
    if voice == RECORDED:
        assert {tuple(each) for each in heard.tolist()} <= {tuple(each) for each in spoken.messages.tolist()}
    else:
        assert spoken.messages.norm(dim=1).tolist() == pytest.approx([cell.config.radius] * 4)
        assert len(heard.unique(dim=0)) == len(heard)


@pytest.fixture
def places(game, pair) -> Places:
    seen = [views for turn in pair.turns(unchanged) for views in (turn.seen, turn.seen.flip(1))]
    return Places(torch.cat(seen), len(game.layouts.road))


def test_an_interpreter_knows_where_the_other_may_be(game, start, places):
    chance = places.log_prior.exp()
    assert chance.sum(1).tolist() == pytest.approx([1.0] * len(chance), abs=1e-4)
    assert (places.states[:, 1] != GONE).all()
    seen = game.observe(start.world)[:, 0]
    assert places.states[places.contexts(seen)].equal(seen)  # all starts were seen in play
    gone = seen.clone()
    gone[:, 1] = GONE
    assert (places.contexts(gone) == len(places.states)).all()  # then it is any place of that map


def test_an_interpreter_minimises_the_divergence_of_beliefs_in_the_one_context(game, cell, run, pair, places):
    interpreter = Interpreter(run, places, 1.0)
    contexts = places.contexts(game.observe(pair.start.world)[:5, 1])
    messages = run.said["dev"].messages[:5]
    with torch.no_grad():
        robot = run.robot.log_prob(messages, places.states)
        phrases = run.english.speaker.log_prob(places.states)[:3]  # but silence
    for number, chosen in enumerate(interpreter.phrases(messages, contexts).tolist()):
        prior = places.log_prior[contexts[number]]
        ours, theirs = (robot[number] + prior).log_softmax(0), (phrases + prior).log_softmax(1)
        divergence = (ours.exp() * (ours - theirs)).sum(1)
        assert float(divergence[chosen]) == pytest.approx(float(divergence.min()), abs=1e-4)
    lengths = interpreter.spoken.norm(dim=2)
    assert lengths.flatten().tolist() == pytest.approx([cell.config.radius] * lengths.numel(), rel=1e-4)
    assert pair.results(interpreter)["reward"].shape == (60,)


@pytest.fixture
def tried(run, translators):
    return screen(translators, CRITERIA, Guesser(run, run.said["dev"]), 4)


def test_every_family_has_the_same_tries_and_no_two_relay_alike(tried):
    assert list(dict.fromkeys(each.name for each in tried)) == ["mine", "theirs"]
    for name in ("mine", "theirs"):
        for voice in (RECORDED, MEAN):
            assert 1 <= len([each for each in tried if (each.name, each.facts["voice"]) == (name, voice)]) <= 2
    assert all(0 <= each.facts["accuracy"] <= 1 and 0 <= each.facts["understood"] <= 1 for each in tried)


def test_dev_chooses_the_pair_with_the_highest_reward(run, translators, tried, pair, tmp_path):
    choice = ranked(pair, tried)
    write_table(tmp_path / "relay_choice.parquet", choice, RELAY_CHOICE)
    for _, rows in choice.groupby("criterion"):
        assert rows["reward"].is_monotonic_decreasing
        assert rows["rank"].tolist() == list(range(1, len(rows) + 1))
    chosen = chosen_translators(translators, choice)
    found = {each.name: each for each in translated(CRITERIA, chosen, RelayChannel, translators.phrases.ids)}
    roles = {"mine": "ours", "theirs": "baseline", "dice": "control"}
    assert {name: each.role for name, each in found.items()} == roles
    first, second = choice[choice["criterion"] == "mine"].iloc[:2].to_dict("records")
    assert found["mine"].facts["there"] == first["to_english"]
    assert found["mine"].facts["dev_reward"] == first["reward"]
    assert found["mine"].facts["runner_up_reward"] == second["reward"]
    played = pair.play(found.values())
    assert played[0].values["reward"].mean() == pytest.approx(first["reward"])  # the same games
    assert 0 <= understood(run, found["mine"].heard) <= 1
    assert set(found["dice"].heard.english(torch.zeros(100, MESSAGE)).tolist()) == {0, 1, 2}
    assert np.isnan(understood(run, unchanged))
