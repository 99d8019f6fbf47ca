"""A model human who drives and listens, an interpreter who sees the listener's car, and games to watch."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from small_driving import MESSAGE, PHRASES, small_cell, small_game, small_run

from neuralese.config.models import FitConfig
from neuralese.games.driving import GONE, WAIT
from neuralese.speakers.models import load_model, save_model
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.interpreter import Interpreter, Places
from neuralese.tasks.driving.listening import (
    LAST,
    MIXED,
    NOTHING,
    TRANSLATED,
    Both,
    Way,
    listening_table,
    nothing_heard,
)
from neuralese.tasks.driving.loop import Chance, Played, Robot, Said, Start, converse, turns, untouched
from neuralese.tasks.driving.model_human import (
    Human,
    HumanDriver,
    Moves,
    Prospects,
    fit_driver,
    held_out_gain,
    moves_of,
    moves_to_go,
    reactions,
)
from neuralese.tasks.driving.relays import Spoken
from neuralese.tasks.driving.watch import played_out, telling

SILENCE = 3
HEARD = torch.eye(4, 3)  # of the phrases "left", "right", "wait" and silence


@pytest.fixture
def game():
    return small_game()


@pytest.fixture
def start(game, generator):
    return Start(game.reset(200, generator), seed=0)


def turn_rows() -> pd.DataFrame:
    """One game: car 0 goes west along row 3 in two steps, car 1 east along row 4 in three."""
    rows = []
    for turn in range(4):
        west, east = max(2 - turn, 0), min(4 + turn, 7)
        rows.append((0, turn, 0, 3, west, 3, 3, 0, west == 0, 1 if turn < 2 else 0))
        rows.append((0, turn, 1, 4, east, 1, 4, 7, east == 7, 1 if turn < 3 else None))
    columns = ["game", "turn", "player", "row", "col", "direction", "goal_row", "goal_col", "done", "action"]
    return pd.DataFrame(rows, columns=columns).astype({"action": "Int8"}).assign(map=0)


def test_what_is_heard_is_what_the_other_said_a_turn_before_and_fades():
    said = torch.zeros(8, 2)
    said[0, 0] = said[3, 1] = 1  # car 0 says the first word at turn 0, car 1 the second word at turn 1
    moves = moves_of(turn_rows(), said)
    # by turn, of cars on the road: both, both, car 1 alone
    assert moves.heard.tolist() == [[0, 0], [0, 0], [0, 0], [1, 0], [0.5, 0]]
    assert moves.action.tolist() == [1, 1, 1, 1, 1]
    assert moves.seen[:, 1].tolist() == [4 * 26 + 3, 4 * 36 + 1, 4 * 25 + 3, 4 * 37 + 1, 4 * 38 + 1]


def test_the_prospects_of_actions_are_told_by_the_map(game):
    west = 4 * (8 * 3 + 4) + 3  # in row 3, column 4, heading west
    (told,) = Prospects(game.layouts)(torch.tensor([[0, west, 8 * 3 + 3]])).tolist()
    # off the road, moves nearer, arrives, waits: of waiting, going on, turning left to row 4, turning right to row 2
    assert told[0] == [0, 0, 0, 1]
    assert told[1] == [0, 1, 1, 0]
    assert told[2][0] == 0
    assert told[2][1] < 0
    assert told[3][0] == 1
    behind = moves_to_go(game.layouts.road)[0, 8 * 3 + 5, west]
    assert behind == 3  # a car cannot turn on the spot: left, left, left and it is in the cell where its tail was


@pytest.fixture
def obedient(game, generator):
    """Moves of people who wait if they hear the third word and drive on otherwise, and of people who do not care."""
    world = game.reset(600, generator)
    seen = game.observe(world).flatten(0, 1)
    heard = HEARD[torch.randint(4, (len(seen),), generator=generator)]
    action = torch.where(heard[:, 2] > 0, WAIT, 1)
    return Moves(seen, heard, action, torch.arange(len(seen)) // 2)


CONFIG = FitConfig(hidden=8, steps=300, batch=128, learning_rate=0.02, check_every=50)


def test_words_that_people_act_on_predict_held_out_moves(game, obedient, generator, tmp_path):
    train, held_out = (
        Moves(*(part[rows] for part in (obedient.seen, obedient.heard, obedient.action, obedient.game)))
        for rows in (slice(0, 800), slice(800, None))
    )
    driver = fit_driver(game, train, held_out, CONFIG, generator)
    gain = held_out_gain(driver, held_out)
    assert gain["gain"] > 0.3
    assert gain["p_value"] < 0.001
    told = reactions(driver, held_out.seen, HEARD[:3], PHRASES[:3]).set_index("phrase")
    assert told.loc["wait", "wait"] > 0.9 > told.loc["left", "wait"]
    assert told.loc["wait", "waits_more"] > 0
    save_model(tmp_path / "driver.safetensors", driver)
    again = load_model(tmp_path / "driver.safetensors", HumanDriver, game)
    assert again.log_prob(held_out.seen, held_out.heard).equal(driver.log_prob(held_out.seen, held_out.heard))


def test_words_that_nobody_acts_on_gain_nothing_to_speak_of(game, obedient, generator):
    shuffled = obedient.action[torch.randperm(len(obedient), generator=generator)]
    deaf = Moves(obedient.seen, obedient.heard, shuffled, obedient.game)
    driver = fit_driver(game, deaf, deaf, CONFIG, generator)
    assert abs(held_out_gain(driver, deaf)["gain"]) < 0.02


def human(game, listens: bool) -> Human:
    torch.manual_seed(0)
    driver = HumanDriver(game, 8, 3)
    if listens:
        with torch.no_grad():
            driver.hear.weight.normal_(std=5.0)
    return Human(driver, small_run(game, small_cell(game)).english.speaker, HEARD, SILENCE)


def test_a_driver_who_ignores_words_gains_nothing_from_them(game, start):
    quiet = nothing_heard(SILENCE)
    for listens in (False, True):
        both = (human(game, listens),) * 2
        talking, silent = (converse(game, start, both, carry) for carry in (untouched, quiet))
        assert (talking.reward.tolist() == silent.reward.tolist()) is not listens


def test_people_are_silent_as_often_as_the_model_of_them_says_and_once_they_have_arrived(game, start):
    player = human(game, False)
    for turn in turns(game, start, (player, player), untouched):
        gone = turn.seen[..., 1] == GONE
        for seat in (0, 1):
            assert (turn.words[seat][gone[:, seat]] == SILENCE).all()
    seen = game.observe(start.world)[:, 0]
    said = player.says(seen, Chance(0, "words", len(seen)))
    with torch.no_grad():
        expected = player.speaker.log_prob(seen)[SILENCE].exp().mean()
    assert float((said == SILENCE).double().mean()) == pytest.approx(float(expected), abs=0.12)


def said_by(phrases: list[int], time: int = 0) -> Said:
    games = torch.arange(len(phrases))
    words = (torch.zeros(len(phrases), MESSAGE), torch.tensor(phrases))
    return Said(time, games, torch.zeros(len(phrases), 2, 3), words, Chance(0, "carrier", len(phrases)))


def test_what_a_robot_hears_while_a_human_is_silent():
    spoken = Spoken(torch.arange(1.0, 5.0)[:, None].expand(4, MESSAGE), fresh=False)
    both = Both(lambda messages: torch.zeros(len(messages), dtype=torch.long), spoken, SILENCE, 0.3)
    heard = {}
    for mode in (TRANSLATED, NOTHING, LAST):
        carry = replace(both, while_silent=mode)
        heard[mode] = [
            carry(said_by(each, time))[1][:, 0].tolist() for time, each in enumerate(([0, 3], [3, 3], [1, 3]))
        ]
    assert heard[TRANSLATED] == [[1, 4], [4, 4], [2, 4]]
    assert heard[NOTHING] == [[1, 0], [0, 0], [2, 0]]
    assert heard[LAST] == [[1, 0], [1, 0], [2, 0]]
    again = replace(both, while_silent=LAST)
    again(said_by([0, 0]))
    assert again(said_by([3, 3], time=0))[1].tolist() == [[0.0] * MESSAGE] * 2  # another batch begins anew


def test_who_hears_nothing_hears_it_in_its_own_language():
    to_human, to_robot = nothing_heard(SILENCE)(said_by([0, 1]))
    assert to_human.tolist() == [SILENCE, SILENCE]
    assert to_robot.tolist() == [[0.0] * MESSAGE] * 2


def test_the_table_of_listeners_compares_with_silence_of_the_same_pair(tmp_path):
    def played(reward):
        return Played(np.array(reward), np.ones(2), np.ones(2))

    ways = [
        (Way("H*/H*", "silence", "silence", "silence", untouched), played([9.0, 9.0])),
        (Way(MIXED, "silence", "silence", "silence", untouched), played([1.0, 2.0])),
        (Way(MIXED, "mine", "mine", "ours", untouched, LAST, 2.5), played([2.0, 3.0])),
    ]
    table = listening_table(ways, 100, np.random.default_rng(0)).assign(task="driving", seed=0, data="embedded")
    write_table(tmp_path / "listening.parquet", table, "listening")
    row = table.set_index(["measure", "pair", "criterion"]).loc["reward", MIXED, "mine"]
    assert (row["value"], row["over_silence"], row["over_silence_error"]) == (2.5, 1.0, 0.0)
    assert (row["while_silent"], row["dev_reward"]) == (LAST, 2.5)
    assert np.isnan(row["over_baseline"])


def places(game, start) -> Places:
    seen = []

    def watch(said):
        seen.extend((said.seen, said.seen.flip(1)))
        return said.words

    converse(game, start, (Robot(small_cell(game)),) * 2, watch)
    return Places(torch.cat(seen), len(game.layouts.road))


def test_an_interpreter_knows_where_the_other_may_be(game, start):
    found = places(game, start)
    chance = found.log_prior.exp()
    assert chance.sum(1).tolist() == pytest.approx([1.0] * len(chance), abs=1e-4)
    assert (found.states[:, 1] != GONE).all()
    seen = game.observe(start.world)[:, 0]
    contexts = found.contexts(seen)
    assert found.states[contexts].equal(seen)  # all starts were seen in play
    gone = seen.clone()
    gone[:, 1] = GONE
    assert (found.contexts(gone) == len(found.states)).all()  # then it is any place of that map
    # two cars never begin in the same place
    at_start = int(contexts[0])
    own = (found.states == seen[0]).all(1)
    assert float(chance[at_start, own]) < float(chance[len(found.states), own]) + 1e-6


def test_an_interpreter_minimises_the_divergence_of_beliefs_in_the_one_context(game, start):
    cell = small_cell(game)
    run = small_run(game, cell)
    found = places(game, start)
    interpreter = Interpreter(run, cell, found)
    contexts = found.contexts(game.observe(start.world)[:5, 1])
    messages = run.said["dev"].messages[:5]
    with torch.no_grad():
        robot = run.robot.log_prob(messages, found.states)
        phrases = run.english.speaker.log_prob(found.states)[:3]  # but silence
    for number, chosen in enumerate(interpreter.phrases(messages, contexts).tolist()):
        prior = found.log_prior[contexts[number]]
        ours, theirs = (robot[number] + prior).log_softmax(0), (phrases + prior).log_softmax(1)
        divergence = (ours.exp() * (ours - theirs)).sum(1)
        assert float(divergence[chosen]) == pytest.approx(float(divergence.min()), abs=1e-4)
    lengths = interpreter.spoken.norm(dim=2)
    assert lengths.flatten().tolist() == pytest.approx([cell.config.radius] * lengths.numel(), rel=1e-4)
    assert converse(game, start, (Robot(cell),) * 2, interpreter).reward.shape == (200,)


def test_games_played_out_are_those_that_are_counted_and_telling_ones_come_first(game, start):
    robot = Robot(small_cell(game))
    table = played_out(game, start, robot, untouched, lambda messages: torch.zeros(len(messages)).long(), ["left"])
    brought = converse(game, start, (robot, robot), untouched)
    assert table.groupby("game")["reward"].last().to_numpy() == pytest.approx(brought.reward, abs=1e-5)
    assert (table.groupby("game")["turn"].nunique().to_numpy() == brought.steps).all()
    other = table.assign(reward=table["reward"] + (table["game"] == 7))
    assert telling([table, other], 2) == [7, 0]
