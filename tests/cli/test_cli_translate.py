import shutil
from pathlib import Path

import numpy as np
import pytest

from neuralese.storage.tables import matrix, read_about, read_table, write_table

TRANSLATE = ("translate", "--task", "colors")


def best(answer: dict, place: int = 0) -> list[tuple]:
    return [(each["id"], each["text"]) for each in answer["translations"][place]["best"]]


def scores(answer: dict, place: int = 0) -> list[float]:
    return [each["score"] for each in answer["translations"][place]["best"]]


@pytest.mark.parametrize("criterion", ["mine", "direct", "released"])
@pytest.mark.parametrize("words", ["dark green", "light blue"])
def test_what_humans_say_is_looked_up_and_scored_alike(shell, words, criterion):
    """In any order; phrases that nobody said together are scored."""
    looked_up = shell.json(*TRANSLATE, *words.split(), "-n", 3, "--criterion", criterion)
    other_order = words if words == "dark green" else " ".join(reversed(words.split()))
    scored = shell.json(*TRANSLATE, other_order, "-n", 7, "--criterion", criterion)
    assert [each["translations"][0]["how"] for each in (looked_up, scored)] == ["dictionary", "scored"]
    assert best(looked_up) == best(scored)[:3]
    assert scores(looked_up) == pytest.approx(scores(scored)[:3], rel=1e-4)
    assert scores(scored) == sorted(scores(scored))
    assert (looked_up["data"], looked_up["criterion"]) == ("embedded", criterion)
    unsaid = shell.json(*TRANSLATE, "light", "green", "-n", 3, "--criterion", criterion)
    assert unsaid["translations"][0]["how"] == "scored"


def test_without_a_criterion_ours_translates_whatever_it_is_called(shell):
    for what in (("blue",), ("--message-id", 305, "-n", 3), ("--message-id", 17, "-n", 3)):
        answer = shell.json(*TRANSLATE, *what)
        assert answer["criterion"] == "mine"
        assert answer == shell.json(*TRANSLATE, *what, "--criterion", "mine")
        assert answer["translations"] != shell.json(*TRANSLATE, *what, "--criterion", "released")["translations"]


@pytest.fixture
def changed(results, tmp_path):
    """Results whose dictionary was made by other criteria."""

    def changed(change) -> Path:
        shutil.copytree(results, tmp_path / "results")
        path = tmp_path / "results/colors/seed0/dictionary.parquet"
        criteria = change(read_about(path)["criteria"])
        write_table(path, read_table(path, "dictionary"), "dictionary", about={"criteria": criteria})
        return tmp_path / "results"

    return changed


def test_without_one_of_ours_the_first_criterion_translates(shell, changed):
    def without_ours(criteria: dict) -> dict:
        return {
            direction: {name: each for name, each in found.items() if each["role"] != "ours"}
            for direction, found in criteria.items()
        }

    assert shell.json(*TRANSLATE, "--results", changed(without_ours), "blue")["criterion"] == "released"


def test_each_direction_is_scored_with_settings_of_its_own(shell, changed):
    """What is not in the dictionary must be scored as the dictionary was, which the other direction's would not."""
    folder = changed(lambda criteria: {"R->H": criteria["H->R"], "H->R": criteria["R->H"]})
    for what in (("blue",), ("--message-id", 305)):
        right = shell.json(*TRANSLATE, *what, "-n", 4)
        wrong = shell.json(*TRANSLATE, *what, "-n", 4, "--results", folder)
        assert right["translations"][0]["how"] == wrong["translations"][0]["how"] == "scored"
        assert scores(right) != pytest.approx(scores(wrong), rel=1e-2)


def test_a_message_is_looked_up_and_scored_alike(shell, results, tmp_path):
    table = read_table(results / "colors/seed0/messages.parquet", "messages")
    np.save(tmp_path / "message.npy", matrix(table["message"])[305])
    np.save(tmp_path / "messages.npy", matrix(table["message"])[304:306])
    looked_up = shell.json(*TRANSLATE, "--message-id", 305, "-n", 3)
    one = shell.json(*TRANSLATE, "--message", tmp_path / "message.npy", "-n", 3)
    two = shell.json(*TRANSLATE, "--message", tmp_path / "messages.npy", "-n", 3)
    assert [each["translations"][0]["how"] for each in (looked_up, one)] == ["dictionary", "scored"]
    assert best(looked_up) == best(one) == best(two, 1)
    assert scores(looked_up) == pytest.approx(scores(one), rel=1e-4)
    everything = shell.json(*TRANSLATE, "--message-id", 305, "-n", 99)
    assert {text for _, text in best(everything)} == {"green", "blue", "light", "dark green"}  # never silence
    assert scores(everything)[:3] == pytest.approx(scores(looked_up), rel=1e-4)


def test_a_message_of_the_vocabulary_is_scored_as_it_is_in_no_dictionary(shell):
    assert shell.json(*TRANSLATE, "--message-id", 17, "-n", 1)["translations"][0]["how"] == "scored"


def test_phrases_said_together_are_scored_and_their_messages_saved(shell, results, tmp_path):
    answer = shell.json(*TRANSLATE, "Light, dark green", "-n", 2, "--save", tmp_path / "made.npy")
    assert answer["translations"][0]["source"] == "light + dark green"
    saved = np.load(tmp_path / "made.npy")
    table = read_table(results / "colors/seed0/messages.parquet", "messages")
    np.testing.assert_array_equal(saved, matrix(table["message"])[[number for number, _ in best(answer)]])
    np.testing.assert_allclose(answer["vectors"], saved, rtol=1e-6)
    heard = shell.prints(*TRANSLATE, "--message", tmp_path / "made.npy", "-n", 2)
    assert heard.count("scored now") == 2
    said = shell.prints(*TRANSLATE, "blue", "-n", 2, "--save", tmp_path / "made.npy")
    assert f"Wrote {tmp_path / 'made.npy'}: an array (2, 6), the best message first." in said


def test_messages_are_described_unless_phrases_are_asked_for(shell, results, tmp_path):
    table = read_table(results / "colors/seed0/descriptions.parquet", "descriptions").to_pandas()
    row = table.set_index("message_id").loc[305]
    (found,) = shell.json(*TRANSLATE, "--message-id", 305)["translations"][0]["best"]
    assert (found["sure"], found["parts"]) == (row["sure"], row["parts"].tolist())
    assert row["text"] in found["text"]
    assert "sure" in shell.prints(*TRANSLATE, "--message-id", 305)
    said = read_table(results / "colors/seed0/messages.parquet", "messages")
    np.save(tmp_path / "said.npy", matrix(said["message"])[305])
    (again,) = shell.json(*TRANSLATE, "--message", tmp_path / "said.npy")["translations"][0]["best"]
    assert (again["text"], again["sure"]) == (found["text"], pytest.approx(found["sure"], abs=1e-3))
    (of_training,) = shell.json(*TRANSLATE, "--message-id", 3)["translations"]
    assert of_training["source"] == "message 3"


def test_any_english_is_heard_and_what_is_not_is_said(shell):
    assert shell.json(*TRANSLATE, "(silence)", "-n", 1)["translations"][0]["source"] == "(silence)"
    answer = shell.json(*TRANSLATE, "a bleu thing")
    assert (answer["phrases"], answer["corrected"]) == (["blue"], {"bleu": "blue"})
    assert answer["left_out"] == ["a", "thing"]
    assert "bleu is taken for blue; unknown: a, thing" in shell.prints(*TRANSLATE, "a bleu thing")
    assert shell.json(*TRANSLATE, "dark")["phrases"] == ["dark green"]
    assert "such as green, blue, light" in shell.fails(*TRANSLATE, "xyzzy")
    assert "please say what is so" in shell.fails(*TRANSLATE, "blue without green")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", 4, "blue"], "seed4/dictionary.parquet does not exist; make it with: neuralese run"),
        (["--results", "nowhere", "blue"], "nowhere does not exist; name the folder of a run with --results"),
        (["--criterion", "telepathy", "blue"], "no criterion 'telepathy'; it has released, mine, direct, random"),
        (
            ["--criterion", "telepathy", "light green"],
            "no criterion 'telepathy'; it has released, mine, direct, random",
        ),
        (["--criterion", "random", "light green"], "random criterion"),
        (["--message-id", 9999], "choose one from 0 to 323"),
        (["--message", "nothing.npy"], "nothing.npy does not exist"),
        (["--message", "wrong.npy"], "have 6 numbers; the file's have 3"),
        (
            ["--message", "text.npy"],
            "text.npy is not an array of numbers; --message takes a file written by numpy.save",
        ),
    ],
)
def test_what_a_user_can_mend_is_said_in_one_sentence(shell, arguments, says):
    np.save("wrong.npy", np.zeros(3))
    (shell.folder / "text.npy").write_text("hello")
    said = shell.fails(*TRANSLATE, *arguments)
    assert says in said
    assert "pickle" not in said


def test_a_missing_table_is_named_with_the_command_that_makes_it(shell, results, tmp_path):
    folder = tmp_path / "half"
    (folder / "colors/seed0").mkdir(parents=True)
    (folder / "colors/inventory.parquet").write_bytes((results / "colors/inventory.parquet").read_bytes())
    missing = folder / "colors/seed0/dictionary.parquet"
    assert shell.fails(*TRANSLATE, "--results", folder, "blue") == (
        f"{missing} does not exist; make it with: neuralese run {missing}"
    )


def test_without_a_number_there_are_as_many_as_in_the_dictionary(shell):
    for criterion in ("mine", "random"):
        for phrase in ("blue", "light blue"):
            assert len(best(shell.json(*TRANSLATE, phrase, "--criterion", criterion))) == 3
    assert len(best(shell.json(*TRANSLATE, "light", "green"))) == 5
