"""A reference game: who translates what, who may know what, and the logs that become a corpus."""

import json
import shutil

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from people import talk
from small_runs import OTHER

from neuralese.cli.corpus import corpus as corpus_command
from neuralese.errors import NeuraleseError
from neuralese.play.recorded import import_games
from neuralese.play.reference import INTERPRETER, Robot
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
def test_words_and_messages_are_translated_as_the_dictionary_has_it(reference_results, colors, criterion):
    seed = reference_results / "colors/seed0"
    rows = read_table(seed / "dictionary.parquet", "dictionary").to_pandas().query("criterion == @criterion")
    message = colors.message("test", 0)
    known = rows[(rows["direction"] == "R->H") & (rows["source_id"] == int(message.ids))].sort_values("rank")
    answer = colors.into_english(message, None, criterion)
    assert (answer.how, [each.text for each in answer.best]) == ("dictionary", known["target"].tolist())

    several = next(parts for parts in colors.run.parts if len(parts) > 1)
    vectors = matrix(read_table(seed / "messages.parquet", "messages")["message"])
    for parts in ((3,), several, several[::-1]):
        number = colors.run.parts.index(tuple(sorted(parts)))
        best = rows[(rows["direction"] == "H->R") & (rows["source_id"] == number)].sort_values("rank")
        answer, said = colors.into_neuralese(parts, None, criterion)
        assert (answer.how, [each.id for each in answer.best]) == ("dictionary", best["target_id"].tolist())
        assert torch.equal(said.messages[0], torch.from_numpy(vectors[best["target_id"].iloc[0]].copy()))


def test_without_a_criterion_ours_translates_and_an_unknown_one_is_refused(sit):
    session = sit("colors")
    assert session.state()["chosen"] == "mine"
    assert session.state()["translators"] == [*OTHER["colors"], "mine", INTERPRETER]
    with pytest.raises(RefusedError, match="no translation by 'telepathy'; choose from direct, mine"):
        session.choose("telepathy")
    with pytest.raises(NeuraleseError, match="no translation by 'telepathy'"):
        sit("colors", criterion="telepathy")


def test_the_interpreter_says_the_phrase_whose_belief_about_these_candidates_is_nearest(colors):
    for row in range(5):
        states, message = colors.run.said["test"].states[row : row + 1], colors.message("test", row)
        belief = np.array(colors.belief(message, states)) + 1e-300
        told = np.array([colors.belief(colors.words((each,)), states) for each in range(len(colors.run.phrases))])
        divergence = (belief * (np.log(belief) - np.log(told))).sum(1)
        found = colors.into_english(message, states, INTERPRETER)
        assert found.best[0].id == int(divergence.argmin())
        assert found.best[0].score == pytest.approx(float(divergence.min()), abs=1e-4)


def test_to_the_robot_the_interpreter_says_what_the_robot_would_say_in_the_candidate_meant(colors):
    states = colors.run.said["test"].states[:1]
    for parts in ((0,), (1,), (2, 3)):
        meant = colors.game.candidates(states)[0, int(np.argmax(colors.belief(colors.words(parts), states)))]
        _, said = colors.into_neuralese(parts, states, INTERPRETER)
        likely = colors.run.neuralese("train").log_likelihood(meant[None, None])[:, 0, 0]
        assert torch.equal(said.messages[0], colors.run.said["train"].messages[int(likely.argmax())])


def test_robots_understand_each_other_through_a_dictionary_and_through_the_interpreter(sit):
    for translator in ("mine", INTERPRETER):
        session = sit("colors")
        session.choose(translator)
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


def test_another_translator_says_it_anew_in_the_round_that_is_open(sit):
    session = sit("colors")
    session.describe(1, "blue")
    said = [session.next(1)["english"], *(session.choose(each)["english"] for each in ("direct", INTERPRETER))]
    assert [each["how"] for each in said] == ["dictionary", "dictionary", "interpreter"]
    assert len({json.dumps(each) for each in said}) == 3
    session.pick(2, 0)
    assert session.choose("mine")["english"]["how"] == "interpreter"  # what was said has been said


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


@pytest.mark.parametrize(("task", "kind"), [("colors", "color"), ("birds", "vector")])
def test_finished_games_are_saved_and_make_a_corpus_that_is_accepted(sit, tmp_path, task, kind):
    for seed in (1, 2):
        session = sit(task, steps=10, seed=seed)
        state = talk(session, "a light blue bird with a black beak")
        assert state["note"] == f"Saved as {session.saved[0]}."
        assert session.saved[0].parent == tmp_path / "play" / task
    outcome = CliRunner().invoke(corpus_command, ["import", "play", str(session.logs), str(tmp_path / "mine")])
    assert outcome.exit_code == 0, outcome.output
    assert "2 games, 10 messages and 10 utterances" in outcome.output
    outcome = CliRunner().invoke(corpus_command, ["check", str(tmp_path / "mine"), "--json"])
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert (found["messages"]["count"], found["messages"]["length"], found["contexts"]["picks"]) == (10, 16, 10)
    assert [column["type"] for column in found["states"]["columns"]] == [kind, kind]
    assert found["utterances"]["count"] == 10


def test_a_log_says_what_was_seen_said_and_picked(sit):
    session = sit("colors", steps=2)
    state = talk(session, "light blue", place=1)
    log = json.loads(session.saved[0].read_text())
    assert (log["task"], log["seed"], log["data"]) == ("colors", 0, "embedded")
    told, heard = log["rounds"]
    assert (told["person"], told["text"], told["heard"]) == ("describes", "light blue", ["light", "blue"])
    assert (heard["person"], heard["picked"], heard["true"]) == ("picks", 1, state["target"])
    assert heard["shown"] == state["english"]["best"][0]["text"]
    assert len(heard["message"]) == len(told["received"]) == 16
    assert set(heard["candidates"][0]) == {"id", "name", "color", "feature"}
    assert heard["message"] == pytest.approx(state["result"]["message"]["vector"], abs=1e-3)


NO_LOG = "is not a log of a reference game"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda log: "nothing", NO_LOG),
        (lambda log: [], NO_LOG),
        (lambda log: log | {"format": "chess"}, NO_LOG),
        (lambda log: log | {"rounds": []}, NO_LOG),
        (lambda log: log | {"rounds": [{}]}, NO_LOG),
        (lambda log: log | {"rounds": [log["rounds"][0] | {"true": 7}]}, NO_LOG),
        (lambda log: log | {"rounds": log["rounds"][:1]}, "no round in which the robot spoke"),
        (lambda log: log | {"seed": 5}, "several robots (colors seed 0, colors seed 5)"),
    ],
)
def test_what_is_no_log_of_a_game_is_refused_in_one_sentence(sit, tmp_path, change, says):
    session = sit("colors", steps=2)
    talk(session)
    (path,) = session.saved
    if "several" in says:
        path = path.with_name("other.json")
    path.write_text(json.dumps(change(json.loads(session.saved[0].read_text()))))
    with pytest.raises(NeuraleseError) as error:
        import_games(session.logs, tmp_path / "mine")
    assert says in str(error.value)
    assert not (tmp_path / "mine").exists()


def test_who_watches_is_told_everything(sit):
    session = sit("birds")
    seen = session.watch()
    assert seen["english"]["best"][0]["text"] in session.state()["phrases"]
    assert seen["neuralese"]["best"][0]["text"].startswith("message ")
    assert len(seen["message"]["vector"]) == len(seen["received"]["vector"]) == 16
    assert seen["right"] == (seen["picked"] == seen["target"])
    assert seen["watched"]["count"] == session.state()["watched"]["count"] == 1


def test_more_contexts_than_were_drawn_at_once_can_be_played(sit):
    session = sit("birds")
    before = len(session.pictures)
    for _ in range(70):
        session.watch()
    assert len(session.pictures) > before
