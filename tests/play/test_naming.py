"""A game about items: who translates what, who may know what, and the logs that become a corpus."""

import json
import shutil

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from naming_runs import CRITERIA

from neuralese.cli.corpus import command as corpus_command
from neuralese.errors import NeuraleseError
from neuralese.play.server import RefusedError, TooLateError
from neuralese.storage.files import write_json
from neuralese.storage.tables import matrix, read_table
from neuralese.tasks.reference_play.game import streak
from neuralese.tasks.reference_play.logs import import_games
from neuralese.tasks.reference_play.robot import load_robot
from neuralese.tasks.reference_play.translation import Said


@pytest.fixture(scope="module")
def colors(naming_results):
    return load_robot(naming_results, "colors", 0)


def test_the_game_is_that_of_the_run_even_if_its_robots_saw_the_target_alone(naming_results, colors, tmp_path):
    shutil.copytree(naming_results / "colors", tmp_path / "colors")
    write_json(tmp_path / "config.json", {"games": {"colors": {"speaker_sees": "target", "steps": 4}}})
    robot = load_robot(tmp_path, "colors", 0)
    assert (robot.game.speaker_sees, robot.game.max_steps, robot.game.n_candidates) == ("target", 4, 2)
    states = robot.said.states[:5]
    assert torch.equal(robot.game.speaker_view(states), robot.game.human_view(states))
    assert not torch.equal(colors.game.speaker_view(states), colors.game.human_view(states))


def play(sitting, words="light blue", place=0) -> dict:
    """Play a game to its end."""
    state = sitting.state()
    while not state["over"]:
        number = state["round"]
        state = sitting.describe(number, words) if state["kind"] == "describe" else sitting.pick(number, place)
        state = state if state["over"] else sitting.next(number)
    return state


@pytest.mark.parametrize("criterion", ["mine", "direct"])
def test_what_the_dictionary_has_is_looked_up_and_scored_it_would_be_the_same(naming_results, colors, criterion):
    seed = naming_results / "colors/seed0"
    rows = read_table(seed / "dictionary.parquet", "dictionary").to_pandas().query("criterion == @criterion")
    message, number = colors.said.messages[:1], int(colors.said.ids[0])
    known = rows[(rows["direction"] == "R->H") & (rows["source_id"] == number)].sort_values("rank")
    looked_up, scored = (colors.into_english(Said(message, each), criterion) for each in (number, None))
    assert (looked_up.how, scored.how) == ("dictionary", "scored")
    assert [each.text for each in looked_up.best] == known["target"].tolist()
    assert [each.text for each in scored.best] == known["target"].tolist()
    assert [each.score for each in scored.best] == pytest.approx(known["score"].tolist(), rel=1e-3)

    several = next(parts for parts in colors.run.parts if len(parts) > 1)
    vectors = matrix(read_table(seed / "messages.parquet", "messages")["message"])
    for parts in ((3,), several, several[::-1]):
        number = colors.run.parts.index(tuple(sorted(parts)))
        best = rows[(rows["direction"] == "H->R") & (rows["source_id"] == number)].sort_values("rank")
        translation, said = colors.into_neuralese(parts, criterion)
        assert translation.how == "dictionary"
        assert [each.id for each in translation.best] == best["target_id"].tolist()
        assert torch.equal(said.message[0], torch.from_numpy(vectors[best["target_id"].iloc[0]].copy()))


def test_phrases_that_nobody_said_together_are_scored_by_the_same_criterion(colors, monkeypatch):
    several = next(parts for parts in colors.run.parts if len(parts) > 1)
    known, _ = colors.into_neuralese(several, "mine")
    monkeypatch.setitem(colors.__dict__, "_utterances", {})
    scored, _ = colors.into_neuralese(several, "mine")
    assert (known.how, scored.how) == ("dictionary", "scored")
    assert [each.score for each in scored.best] == pytest.approx([each.score for each in known.best], rel=1e-3)
    assert scored.best[0].score == pytest.approx(known.best[0].score, rel=1e-3)


def test_without_a_criterion_ours_translates_and_another_can_be_chosen(sit):
    sitting = sit("colors")
    assert sitting.state()["criterion"] == "mine"
    assert sitting.state()["criteria"] == list(CRITERIA["R->H"])
    assert sit("colors", criterion="direct").state()["criterion"] == "direct"
    assert sitting.choose("direct", False)["criterion"] == "direct"
    with pytest.raises(RefusedError, match="no translation by 'telepathy'; choose from direct, mine"):
        sitting.choose("telepathy", False)
    with pytest.raises(NeuraleseError, match="no translation by 'telepathy'"):
        sit("colors", criterion="telepathy")


def test_the_interpreter_says_the_phrase_whose_belief_about_these_candidates_is_nearest(colors):
    for row in range(5):
        states, said = colors.said.states[row : row + 1], Said(colors.said.messages[row : row + 1], None)
        belief = np.array(colors.message_belief(said, states)) + 1e-300
        told = np.array([colors.words_belief((each,), states) for each in range(len(colors.run.phrases))])
        divergence = (belief * (np.log(belief) - np.log(told))).sum(1)
        found = colors.interpret_into_english(said, states)
        assert found.best[0].id == int(divergence.argmin())
        assert found.best[0].score == pytest.approx(float(divergence.min()), abs=1e-4)


def test_to_the_robot_the_interpreter_says_what_the_robot_would_say_in_the_candidate_meant(colors):
    states = colors.said.states[:1]
    for parts in ((0,), (1,), (2, 3)):
        meant = colors.game.candidates(states)[0, int(torch.tensor(colors.words_belief(parts, states)).argmax())]
        _, said = colors.interpret_into_neuralese(parts, states)
        likely = colors.run.neuralese("train").log_likelihood(meant[None, None])[:, 0, 0]
        assert torch.equal(said.message[0], colors.run.said["train"].messages[int(likely.argmax())])


def test_robots_understand_each_other_through_a_dictionary_and_through_the_interpreter(sit):
    right = {}
    for interpreter in (False, True):
        sitting = sit("colors")
        sitting.choose("mine", interpreter)
        right[interpreter] = sum(sitting.watch()["right"] for _ in range(60))
    assert min(right.values()) > 45  # chance is 30


def test_rounds_alternate_and_the_true_one_is_hidden_from_who_has_to_pick(sit):
    sitting = sit("colors")
    first = sitting.state()
    assert (first["kind"], first["target"] in (0, 1)) == ("describe", True)
    assert sitting.describe(1, "blue")["answered"]
    second = sitting.next(1)
    assert (second["kind"], second["target"], second["result"]) == ("pick", None, None)
    assert all(set(each) == {"picture"} for each in second["candidates"])
    assert all(each["picture"] in sitting.pictures for each in second["candidates"])
    assert second["english"]["best"][0]["text"] in first["phrases"]
    after = sitting.pick(2, 1)
    assert after["target"] in (0, 1)
    assert after["result"]["right"] == (after["target"] == 1)
    assert all(each["name"] for each in after["candidates"])
    assert sum(after["result"]["message_belief"]) == pytest.approx(1)
    assert after["score"] == sum(each["right"] for each in after["history"])


def test_which_candidate_comes_first_says_nothing_about_which_is_true(sit):
    sitting = sit("colors", steps=400)
    targets = [sitting.watch()["target"] for _ in range(60)]
    assert 15 < sum(targets) < 45


def test_another_translator_says_it_anew_in_the_round_that_is_open(sit):
    sitting = sit("colors")
    sitting.describe(1, "blue")
    said = [
        sitting.next(1)["english"],
        sitting.choose("direct", False)["english"],
        sitting.choose("mine", True)["english"],
    ]
    assert [each["how"] for each in said] == ["dictionary", "dictionary", "interpreter"]
    assert len({json.dumps(each) for each in said}) == 3
    sitting.pick(2, 0)
    assert sitting.choose("mine", False)["english"]["how"] == "interpreter"  # what was said has been said


def test_a_refused_turn_is_not_lost_and_none_is_played_twice(sit):
    sitting = sit("birds")
    for words in ("", "xyzzy", "x" * 200):
        with pytest.raises(RefusedError):
            sitting.describe(1, words)
    with pytest.raises(RefusedError, match="the robot's turn to pick"):
        sitting.pick(1, 0)
    assert sitting.state()["played"] == 0
    sitting.describe(1, "black beak")
    with pytest.raises(TooLateError, match="played already"):
        sitting.describe(1, "black beak")
    sitting.next(1)
    assert sitting.next(1)["round"] == 2  # an impatient second click
    with pytest.raises(RefusedError, match="not over yet"):
        sitting.next(2)
    with pytest.raises(RefusedError, match="nothing at that place"):
        sitting.pick(2, 2)
    with pytest.raises(RefusedError, match="your turn to pick"):
        sitting.describe(2, "black beak")


def test_a_streak_is_of_the_last_rounds():
    assert [streak(each) for each in ([], [True], [True, True, False], [False, True, True])] == [0, 1, 0, 2]


@pytest.mark.parametrize(("task", "kind"), [("colors", "color"), ("birds", "vector")])
def test_finished_games_are_saved_and_make_a_corpus_that_is_accepted(sit, tmp_path, task, kind):
    for seed in (1, 2):
        sitting = sit(task, steps=10, seed=seed)
        state = play(sitting, "a light blue bird with a black beak")
        assert state["note"] == f"Saved as {sitting.saved[0]}."
        assert sitting.saved[0].parent == tmp_path / "play" / task
    outcome = CliRunner().invoke(corpus_command, ["import", "play", str(sitting.logs), str(tmp_path / "mine")])
    assert outcome.exit_code == 0, outcome.output
    assert "2 games, 10 messages and 10 utterances" in outcome.output
    outcome = CliRunner().invoke(corpus_command, ["check", str(tmp_path / "mine"), "--json"])
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert (found["messages"]["count"], found["messages"]["length"], found["contexts"]["picks"]) == (10, 16, 10)
    assert [column["type"] for column in found["states"]["columns"]] == [kind, kind]
    assert found["utterances"]["count"] == 10


def test_a_log_says_what_was_seen_said_and_picked(sit):
    sitting = sit("colors", steps=2)
    state = play(sitting, "light blue", place=1)
    log = json.loads(sitting.saved[0].read_text())
    assert (log["task"], log["seed"], log["data"]) == ("colors", 0, "embedded")
    told, heard = log["rounds"]
    assert (told["person"], told["text"], told["heard"]) == ("describes", "light blue", ["light", "blue"])
    assert (heard["person"], heard["picked"], heard["true"]) == ("picks", 1, state["target"])
    assert heard["shown"] == state["english"]["best"][0]["text"]
    assert len(heard["message"]) == len(told["received"]) == 16
    assert set(heard["candidates"][0]) == {"id", "name", "color", "feature"}
    assert heard["message"] == pytest.approx(state["result"]["message"]["vector"], abs=1e-3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda log: "{", "is not a log of a game about items"),
        (lambda log: "[]", "is not a log of a game about items"),
        (lambda log: json.dumps(log | {"format": "chess"}), "is not a log of a game about items"),
        (lambda log: json.dumps(log | {"rounds": []}), "is not a log of a game about items"),
        (
            lambda log: json.dumps(log | {"rounds": [log["rounds"][0] | {"true": 7}]}),
            "is not a log of a game about items",
        ),
        (lambda log: json.dumps(log | {"rounds": [{}]}), "is not a log of a game about items"),
        (lambda log: json.dumps(log | {"rounds": log["rounds"][:1]}), "no round in which the robot spoke"),
        (lambda log: json.dumps(log | {"seed": 5}), "several robots (colors seed 0, colors seed 5)"),
    ],
)
def test_what_is_no_log_of_a_game_is_refused_in_one_sentence(sit, tmp_path, change, says):
    sitting = sit("colors", steps=2)
    play(sitting)
    (path,) = sitting.saved
    if "several" in says:
        path = path.with_name("other.json")
    path.write_text(change(json.loads(sitting.saved[0].read_text())))
    with pytest.raises(NeuraleseError) as error:
        import_games(sitting.logs, tmp_path / "mine")
    assert says in str(error.value)
    assert not (tmp_path / "mine").exists()


def test_a_game_that_cannot_be_saved_is_still_shown(sit, tmp_path):
    (tmp_path / "play").write_text("a file where the folder should be")
    state = play(sit("colors", steps=2))
    assert state["over"]
    assert "could not be saved" in state["note"]


def test_who_watches_is_told_everything(sit):
    sitting = sit("birds")
    seen = sitting.watch()
    assert seen["english"]["best"][0]["text"] in sitting.state()["phrases"]
    assert seen["neuralese"]["best"][0]["text"].startswith("message ")
    assert len(seen["message"]["vector"]) == len(seen["received"]["vector"]) == 16
    assert seen["right"] == (seen["picked"] == seen["target"])
    assert seen["watched"]["count"] == sitting.state()["watched"]["count"] == 1


def test_more_cards_than_were_dealt_at_once_can_be_played(sit):
    sitting = sit("birds")
    before = len(sitting.pictures)
    for _ in range(70):
        sitting.watch()
    assert len(sitting.pictures) > before
