"""Two robots that drive while every message goes through somebody else: what is heard, and what that is worth."""

import numpy as np
import pytest
import torch
from small_driving import CRITERIA, MESSAGE, PHRASES, small_cell, small_game, small_run

from neuralese.agents.episodes import rounds
from neuralese.evaluate.listeners import Listeners
from neuralese.speakers.models import HumanListener
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.loop import Chance, Played, Robot, Start, converse, untouched
from neuralese.tasks.driving.relay_choice import Guesser, play_all, screen, screen_new
from neuralese.tasks.driving.relay_table import Condition, conditions, relay_table
from neuralese.tasks.driving.relays import (
    MEAN,
    RECORDED,
    Booth,
    Relay,
    Spoken,
    any_phrase,
    of_another_game,
    silence,
)
from neuralese.tasks.driving.tables import RELAY_CHOICE
from neuralese.translate.criteria import make_criterion

GAMES = 60


@pytest.fixture
def game():
    return small_game()


@pytest.fixture
def start(game, generator):
    return Start(game.reset(GAMES, generator), seed=0)


def robots(game, noise: float = 0.3) -> tuple[Robot, Robot]:
    return (Robot(small_cell(game, noise)),) * 2


class Parrot:
    """A language in which every message has its own word."""

    fresh = False

    def interpret(self, messages):
        self.messages = messages
        return torch.arange(len(messages))


def test_games_in_which_nobody_interferes_are_those_of_the_agents_room(game, start, generator):
    brought = converse(game, start, robots(game, 0.0), untouched)
    played = list(rounds(small_cell(game, 0.0), game, start.world, generator))
    reward = torch.stack([each.reward.double() for each in played]).sum(0)
    assert brought.reward == pytest.approx(reward.numpy())
    assert brought.completion.tolist() == played[-1].success.double().tolist()


def test_a_translator_that_says_the_same_again_changes_nothing(game, start):
    native, parrot = converse(game, start, robots(game), untouched), Parrot()
    relayed = converse(game, start, robots(game), Relay(parrot.interpret, parrot, 0.3))
    assert relayed.reward.tolist() == native.reward.tolist()
    assert relayed.steps.tolist() == native.steps.tolist()


def test_silence_is_what_a_deaf_robot_hears(game, start):
    deaf = small_cell(game)
    with torch.no_grad():
        deaf.encode_message.weight.zero_()
    heard_nothing = converse(game, start, (Robot(deaf),) * 2, untouched)
    assert converse(game, start, robots(game), silence).reward.tolist() == heard_nothing.reward.tolist()
    assert converse(game, start, robots(game), untouched).reward.tolist() != heard_nothing.reward.tolist()


def test_a_game_has_the_same_chance_whichever_others_go_on():
    every, few = Chance(3, "driver", 5), Chance(3, "driver", 5)
    few.going = torch.tensor([1, 4])
    assert every.normal(2)[few.going].tolist() == few.normal(2).tolist()
    assert every.uniform()[few.going].tolist() == few.uniform().tolist()


def test_chance_draws_by_probability():
    chance = Chance(0, "dice", 4000)
    drawn = chance.draw(torch.tensor([[0.0, 0.2, 0.8]]).log().expand(4000, -1))
    assert torch.bincount(drawn, minlength=3).double().div(4000).tolist() == pytest.approx([0, 0.2, 0.8], abs=0.03)


def test_messages_of_another_game_are_of_the_same_step_and_seat(game, start):
    heard = []

    def carry(said):
        heard.append((said.words, of_another_game(said)))
        return said.words

    converse(game, start, robots(game), carry)
    for (first, second), (instead, of_second) in heard:
        assert sorted(first.tolist()) == sorted(instead.tolist())
        assert instead[1:].tolist() == first[:-1].tolist()
        assert of_second[1:].tolist() == second[:-1].tolist()


def one_by_one(game, start, cell, criterion, booth, spoken) -> list[float]:
    """The reward of each game, played alone, each message scored by itself."""
    rewards = []
    for number in range(len(start.map)):
        world, total = start[torch.tensor([number])], 0.0
        memory, heard = cell.initial(2)
        for _ in range(game.max_steps):
            with torch.no_grad():
                q, said, memory = cell(game.observe(world)[0], heard, memory)
            replies = []
            for message in said:
                scores = criterion.scores(booth._heard(message[None]), booth.phrases, booth.candidates)
                replies.append(spoken.messages[booth.phrases.ids[scores.argmin()]])
            heard = torch.stack(replies[::-1])
            world, outcome = game.step(world, q.argmax(1)[None])
            total += float(outcome.reward)
            if outcome.done:
                break
        rewards.append(total)
    return rewards


def test_many_games_at_once_bring_what_they_bring_one_by_one(game, start):
    cell, few = small_cell(game, 0.0), Start(start.world[torch.arange(8)], 0)
    booth = Booth(small_run(game, cell), cell, 30, 40)
    criterion = make_criterion({"kind": "belief", "weights": "sum", "divergence": "forward"})
    spoken = booth.spoken(criterion, RECORDED)
    relay = Relay(booth.interpreter(criterion), spoken, booth.noise)
    brought = converse(game, few, (Robot(cell),) * 2, relay)
    assert brought.reward == pytest.approx(one_by_one(game, few.world, cell, criterion, booth, spoken))
    assert brought.reward.tolist() != converse(game, few, (Robot(cell),) * 2, untouched).reward.tolist()


def test_a_recorded_message_is_said_as_it_was_heard_and_a_mean_one_passes_the_channel(game, start):
    cell = small_cell(game)
    booth = Booth(small_run(game, cell), cell, 30, 40)
    criterion = make_criterion({"kind": "direct"})
    heard = {}
    for voice in (RECORDED, MEAN):
        spoken = booth.spoken(criterion, voice)
        relay = Relay(booth.interpreter(criterion), spoken, booth.noise)

        def carry(said, relay=relay, voice=voice):
            answer = relay(said)
            heard.setdefault(voice, torch.cat(answer))
            return answer

        converse(game, start, (Robot(cell),) * 2, carry)
        if voice == RECORDED:
            assert {tuple(each) for each in heard[voice].tolist()} <= {tuple(each) for each in spoken.messages.tolist()}
        else:
            assert spoken.messages.norm(dim=1).tolist() == pytest.approx([cell.config.radius] * 4)
    assert len(heard[MEAN].unique(dim=0)) == 2 * GAMES


def test_any_phrase_is_never_silence(game, start):
    spoken = Spoken(torch.arange(4.0)[:, None].expand(4, MESSAGE), fresh=False)
    heard = set()

    def carry(said):
        answer = any_phrase(spoken, [0, 1, 2], 0.3)(said)
        heard.update(torch.cat(answer)[:, 0].tolist())
        return answer

    converse(game, start, robots(game), carry)
    assert heard == {0.0, 1.0, 2.0}


@pytest.fixture
def tried(game):
    cell = small_cell(game)
    run = small_run(game, cell)
    booth = Booth(run, cell, 30, 40)
    listeners = Listeners.of(game, cell, run.robot, HumanListener(game, 8, len(PHRASES)))
    guesser = Guesser(run.robot, listeners, torch.eye(len(PHRASES)), run.said["dev"])
    pairs = screen(booth, CRITERIA, guesser, run.said["dev"].messages, 4)
    new = Spoken(torch.randn(4, MESSAGE, generator=torch.Generator().manual_seed(0)), fresh=True)
    pairs += screen_new(booth, CRITERIA["mine"], new, guesser, run.said["dev"].messages, 2)
    return game, cell, booth, pairs, new


def test_every_family_has_the_same_tries_and_no_two_relay_alike(tried):
    pairs = tried[3]
    for name in ("mine", "theirs"):
        for voice in (RECORDED, MEAN):
            assert 1 <= len([each for each in pairs if (each.criterion, each.voice) == (name, voice)]) <= 2
    assert "dice" not in {each.criterion for each in pairs}
    assert all(0 <= each.accuracy <= 1 and 0 <= each.understood <= 1 for each in pairs)


def test_dev_chooses_the_pair_with_the_highest_reward(tried, generator, tmp_path):
    game, cell, booth, pairs, new = tried
    choice = play_all(game, Robot(cell), booth, pairs, Start(game.reset(50, generator), 0))
    write_table(tmp_path / "relay_choice.parquet", choice, RELAY_CHOICE)
    for _, rows in choice.groupby("criterion"):
        assert rows["reward"].is_monotonic_decreasing
        assert rows["rank"].tolist() == list(range(1, len(rows) + 1))
    found = {each.name: each for each in conditions(booth, choice, CRITERIA, new)}
    assert list(found) == ["neuralese", "silence", "shuffled", "mine", "theirs", "dice", "synthesis"]
    best = choice[choice["criterion"] == "mine"].iloc[0]
    assert found["mine"].chosen["there"] == best["to_english"]
    assert found["mine"].chosen["dev_reward"] == best["reward"]
    assert found["synthesis"].carry.spoken is new


def played(reward: list[float]) -> Played:
    return Played(np.array(reward), np.ones(len(reward)), np.ones(len(reward)))


def test_the_table_says_what_survives_and_compares_game_by_game(tmp_path):
    cases = [
        (Condition("neuralese", "neuralese itself", untouched, "native"), played([3.0, 3.0, 3.0, 3.0]), np.nan),
        (Condition("silence", "silence", silence, "silence"), played([1.0, 1.0, 1.0, 1.0]), np.nan),
        (Condition("shuffled", "shuffled", untouched, "control"), played([2.0, 2.0, 2.0, 2.0]), np.nan),
        (Condition("theirs", "theirs", untouched, "baseline"), played([1.0, 2.0, 1.0, 2.0]), 0.5),
        (Condition("mine", "mine", untouched, "ours"), played([2.0, 3.0, 2.0, 3.0]), 0.75),
    ]
    table = relay_table(cases, 300)
    write_table(tmp_path / "relay.parquet", table.assign(task="driving", seed=0, data="embedded"), "relay")
    rows = table[table["measure"] == "reward"].set_index("criterion")
    assert rows["value"].to_dict() == {"neuralese": 3.0, "silence": 1.0, "shuffled": 2.0, "theirs": 1.5, "mine": 2.5}
    assert rows.loc["mine", ["over_silence", "over_baseline", "share", "understood"]].tolist() == [1.5, 1.0, 0.75, 0.75]
    assert rows.loc["mine", "over_silence_error"] == pytest.approx(0.25)
    assert rows.loc["mine", "over_baseline_error"] == 0  # better by 1 in every game
    assert rows.loc[["neuralese", "silence"], "share"].tolist() == [1.0, 0.0]
    assert rows.loc["mine", "content"] == 0.5
    assert rows.loc["mine", "share_low"] < 0.75 < rows.loc["mine", "share_high"]
    assert table[table["measure"] == "completion"]["share"].isna().all()  # nothing was to be gained
