"""A model human who drives, listens and speaks."""

import pytest
import torch
from small_driving import HEARD, SILENCE, logged_turns, small_cell, small_run

from neuralese.config.models import FitConfig
from neuralese.games.driving import GONE, WAIT
from neuralese.speakers.models import load_model, save_model
from neuralese.tasks.driving.channels import silence
from neuralese.tasks.driving.loop import Chance, Pair, Start, unchanged
from neuralese.tasks.driving.model_human import (
    HumanDriver,
    ModelHuman,
    Moves,
    Sight,
    fit_driver,
    held_out_gain,
    moves_of,
    moves_to_go,
)

CONFIG = FitConfig(hidden=8, steps=300, batch=128, learning_rate=0.02, check_every=50)


def test_what_is_heard_is_what_the_other_said_a_turn_before_and_fades():
    said = torch.zeros(8, 2)
    said[0, 0] = said[3, 1] = 1  # car 0 says the first word at turn 0, car 1 the second word at turn 1
    moves = moves_of(logged_turns(), said)
    # by turn, of cars on the road: both, both, car 1 alone
    assert moves.heard.tolist() == [[0, 0], [0, 0], [0, 0], [1, 0], [0.5, 0]]
    assert moves.action.tolist() == [1, 1, 1, 1, 1]
    assert moves.seen[:, 1].tolist() == [4 * 26 + 3, 4 * 36 + 1, 4 * 25 + 3, 4 * 37 + 1, 4 * 38 + 1]


def test_the_map_tells_what_comes_of_each_action(game):
    west = 4 * (8 * 3 + 4) + 3  # in row 3, column 4, heading west
    (found,) = Sight(game, 8).prospects(torch.tensor([[0, west, 8 * 3 + 3]])).tolist()
    # off the road, moves nearer, arrives, waits: of waiting, going on, turning left to row 4, turning right to row 2
    assert found[0] == [0, 0, 0, 1]
    assert found[1] == [0, 1, 1, 0]
    assert found[2][0] == 0
    assert found[2][1] < 0
    assert found[3][0] == 1
    behind = moves_to_go(game.layouts.road)[0, 8 * 3 + 5, west]
    assert behind == 3  # a car cannot turn on the spot: left, left, left and it is in the cell where its tail was


@pytest.fixture
def obedient(game, generator):
    """Moves of people who wait if they hear the third word and drive on otherwise."""
    seen = game.observe(game.reset(600, generator)).flatten(0, 1)
    heard = HEARD[torch.randint(4, (len(seen),), generator=generator)]
    action = torch.where(heard[:, 2] > 0, WAIT, 1)
    return Moves(seen, heard, action, torch.arange(len(seen)) // 2)


def test_words_that_people_act_on_predict_held_out_moves(game, obedient, generator, tmp_path):
    train, held_out = obedient.chosen(slice(800)), obedient.chosen(slice(800, None))
    driver = fit_driver(game, train, held_out, CONFIG, generator)
    gain = held_out_gain(driver, held_out)
    assert gain["gain"] > 0.3
    assert gain["p_value"] < 0.001
    with torch.no_grad():
        waits = [driver.log_prob(held_out.seen, words.expand(len(held_out.seen), -1)).exp()[:, WAIT] for words in HEARD]
    assert float(waits[2].mean()) > 0.9 > float(waits[0].mean())
    save_model(tmp_path / "driver.safetensors", driver)
    again = load_model(tmp_path / "driver.safetensors", HumanDriver, game)
    assert again.log_prob(held_out.seen, held_out.heard).equal(driver.log_prob(held_out.seen, held_out.heard))


def test_words_that_nobody_acts_on_gain_nothing_to_speak_of(game, obedient, generator):
    shuffled = obedient.action[torch.randperm(len(obedient.action), generator=generator)]
    deaf = obedient._replace(action=shuffled)
    driver = fit_driver(game, deaf, deaf, CONFIG, generator)
    assert abs(held_out_gain(driver, deaf)["gain"]) < 0.02


def two_humans(game, start: Start, listens: bool) -> Pair:
    torch.manual_seed(0)
    driver = HumanDriver(game, 8, 3)
    if listens:
        with torch.no_grad():
            driver.hear.weight.normal_(std=5.0)
    human = ModelHuman(driver, small_run(game, small_cell(game)).english.speaker, HEARD, SILENCE)
    return Pair("H*/H*", (human, human), game, start)


@pytest.mark.parametrize("listens", [False, True])
def test_only_a_driver_who_listens_is_changed_by_words(game, start, listens):
    pair = two_humans(game, start, listens)
    talking, silent = (pair.results(channel)["reward"].tolist() for channel in (unchanged, silence(SILENCE)))
    assert (talking != silent) is listens


def test_people_are_silent_as_often_as_the_model_of_them_says_and_once_they_have_arrived(game, start):
    pair = two_humans(game, start, False)
    for turn in pair.turns(unchanged):
        gone = turn.seen[..., 1] == GONE
        for seat in (0, 1):
            assert (turn.words[seat][gone[:, seat]] == SILENCE).all()
    human, seen = pair.seats[0], game.observe(start.world)[:, 0]
    with torch.no_grad():
        said = human.says(seen, Chance(0, "words", len(seen)))
        expected = human.speaker.log_prob(seen)[SILENCE].exp().mean()
    assert float((said == SILENCE).double().mean()) == pytest.approx(float(expected), abs=0.15)
