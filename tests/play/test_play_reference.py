"""A reference game: who translates what, who may know what, and its logs."""

import json
import shutil

import pytest
import torch
from people import talk

from neuralese.errors import NeuraleseError
from neuralese.play.reference import Robot
from neuralese.play.session import RefusedError, TooLateError
from neuralese.stages.run import Run
from neuralese.storage.files import write_json
from neuralese.storage.tables import matrix, read_table


@pytest.fixture(scope="module")
def colors(reference_results):
    return Robot(Run.open(reference_results, "colors"))


@pytest.mark.slow
def test_the_game_is_that_of_the_run_even_if_its_robots_saw_the_target_alone(reference_results, colors, tmp_path):
    shutil.copytree(reference_results / "colors", tmp_path / "colors")
    write_json(tmp_path / "config.json", {"games": {"colors": {"speaker_sees": "target", "steps": 4}}})
    robot = Robot(Run.open(tmp_path, "colors"))
    assert (robot.game.speaker_sees, robot.game.max_steps, robot.game.n_candidates) == ("target", 4, 2)
    states = robot.run.said["test"].states[:5]
    assert torch.equal(robot.game.speaker_view(states), robot.game.human_view(states))
    assert not torch.equal(colors.game.speaker_view(states), colors.game.human_view(states))


@pytest.mark.parametrize("criterion", ["mine", "direct"])
def test_words_and_messages_are_translated_as_the_dictionary_has_it(reference_results, criterion):
    seed, colors = reference_results / "colors/seed0", Robot(Run.open(reference_results, "colors"), criterion)
    rows = read_table(seed / "dictionary.parquet", "dictionary").to_pandas().query("criterion == @criterion")
    message = colors.message("test", 0)
    known = rows[(rows["direction"] == "R->H") & (rows["source_id"] == int(message.ids))].sort_values("rank")
    answer = colors.into_english(message)
    assert (answer.how, [each.text for each in answer.best]) == ("dictionary", known["target"].tolist())

    several = next(parts for parts in colors.run.parts if len(parts) > 1)
    vectors = matrix(read_table(seed / "messages.parquet", "messages")["message"])
    for parts in ((3,), several, several[::-1]):
        number = colors.run.parts.index(tuple(sorted(parts)))
        best = rows[(rows["direction"] == "H->R") & (rows["source_id"] == number)].sort_values("rank")
        answer, said = colors.into_neuralese(parts)
        assert (answer.how, [each.id for each in answer.best]) == ("dictionary", best["target_id"].tolist())
        assert torch.equal(said.messages[0], torch.from_numpy(vectors[best["target_id"].iloc[0]].copy()))


def test_without_a_criterion_ours_translates_and_an_unknown_one_is_refused(sit):
    assert [sit("colors", criterion=given).state()["criterion"] for given in (None, "direct")] == ["mine", "direct"]
    with pytest.raises(NeuraleseError, match="no translation by 'telepathy'; choose from direct, mine"):
        sit("colors", criterion="telepathy")


def test_robots_understand_each_other_through_the_dictionary(sit):
    session = sit("colors")
    seen = [session.watch() for _ in range(60)]
    assert sum(each["right"] for each in seen) > 45  # chance is 30
    assert 15 < sum(each["target"] for each in seen) < 45  # the place of the true one tells nothing


def test_rounds_alternate_and_the_true_one_is_hidden_from_who_has_to_pick(sit):
    session = sit("colors")
    first = session.state()
    assert (first["kind"], first["target"] in (0, 1)) == ("describe", True)
    assert session.describe(1, "blue")["answered"]
    second = session.next(1)
    assert (second["kind"], second["target"], second["result"]) == ("pick", None, None)
    assert all(set(each) == {"picture"} for each in second["candidates"])
    assert all(each["picture"] in session.pictures for each in second["candidates"])
    assert second["english"]["best"][0]["text"] in first["phrases"]
    after = session.pick(2, 1)
    assert after["target"] in (0, 1)
    assert after["result"]["right"] == (after["target"] == 1)
    assert all(each["name"] for each in after["candidates"])
    assert sum(after["result"]["message_belief"]) == pytest.approx(1)
    assert after["score"] == sum(each["right"] for each in after["history"])


def test_a_refused_turn_is_not_lost_and_none_is_played_twice(sit):
    session = sit("birds")
    for words in ("", "xyzzy", "x" * 200):
        with pytest.raises(RefusedError):
            session.describe(1, words)
    with pytest.raises(RefusedError, match="the robot's turn to pick"):
        session.pick(1, 0)
    assert session.state()["played"] == 0
    session.describe(1, "black beak")
    with pytest.raises(TooLateError, match="played already"):
        session.describe(1, "black beak")
    session.next(1)
    assert session.next(1)["round"] == 2  # an impatient second click
    with pytest.raises(RefusedError, match="not over yet"):
        session.next(2)
    with pytest.raises(RefusedError, match="nothing at that place"):
        session.pick(2, 2)
    with pytest.raises(RefusedError, match="your turn to pick"):
        session.describe(2, "black beak")


def test_a_log_says_what_was_seen_said_and_picked(sit):
    session = sit("colors", steps=2)
    state = talk(session, "light blue", place=1)
    log = json.loads(session.saved[0].read_text())
    assert (log["task"], log["seed"], log["data"], log["criterion"]) == ("colors", 0, "embedded", "mine")
    told, heard = log["rounds"]
    assert (told["person"], told["text"], told["heard"]) == ("describes", "light blue", ["light", "blue"])
    assert (heard["person"], heard["picked"], heard["true"]) == ("picks", 1, state["target"])
    assert heard["shown"] == state["english"]["best"][0]["text"]
    assert len(heard["message"]) == len(told["received"]) == 16
    assert set(heard["candidates"][0]) == {"id", "name", "color"}
    assert heard["message"] == pytest.approx(state["result"]["message"]["vector"], abs=1e-3)


def test_who_watches_is_told_everything(sit):
    session = sit("birds")
    seen = session.watch()
    assert seen["english"]["best"][0]["text"] in session.state()["phrases"]
    assert seen["neuralese"]["best"][0]["text"].startswith("message ")
    assert len(seen["message"]["vector"]) == len(seen["received"]["vector"]) == 16
    assert seen["right"] == (seen["picked"] == seen["target"])
    assert seen["unaided"] in (0, 1)


def test_more_contexts_than_were_drawn_at_once_can_be_played(sit):
    session = sit("birds")
    before = len(session.pictures)
    for _ in range(70):
        session.watch()
    assert len(session.pictures) > before
