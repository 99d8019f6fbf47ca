"""A driver from the files of a run: by which criterion it is translated."""

import shutil

import pytest
import torch

from neuralese.errors import NeuraleseError
from neuralese.storage.files import write_json
from neuralese.storage.tables import matrix, read_table, write_table
from neuralese.tasks.driving.play.robot import load_robot


def test_without_a_criterion_ours_translates_whatever_it_is_called(results, robot):
    mine, printed = (load_robot(results, 0, name) for name in ("mine", "printed"))
    assert torch.equal(robot.into_neuralese, mine.into_neuralese)
    assert not torch.equal(robot.into_neuralese, printed.into_neuralese)
    message = robot.into_neuralese[3]
    assert robot.into_english(message) == mine.into_english(message) != printed.into_english(message)


def test_the_candidates_are_those_of_the_run_and_the_steps_those_of_the_player(results, tmp_path):
    shutil.copytree(results / "driving", tmp_path / "driving")
    write_json(tmp_path / "config.json", {"games": {"driving": {"candidates": 3, "steps": 8}}})
    for kind in ("contexts", "messages"):
        path = tmp_path / f"driving/seed0/{kind}.parquet"
        table = read_table(path, kind)
        for name in [name for name in table.column_names if name.startswith("other_")]:
            table = table.append_column(name.replace("other_", "other_2_"), table[name])
        write_table(path, table, kind)
    game = load_robot(tmp_path, 0, "mine", steps=5).game
    assert (game.n_candidates, game.max_steps) == (3, 5)


@pytest.mark.parametrize("criterion", ["mine", "printed"])
def test_both_directions_are_those_of_the_dictionary(results, criterion):
    run = results / "driving/seed0"
    robot, messages = load_robot(results, 0, criterion), read_table(run / "messages.parquet", "messages")["message"]
    vectors = torch.from_numpy(matrix(messages).copy())
    rows = read_table(run / "dictionary.parquet", "dictionary").to_pandas().query("criterion == @criterion")
    best = rows.query("direction == 'H->R' and rank == 1").set_index("source_id")["target_id"]
    for number in range(len(robot.phrases)):
        assert torch.equal(robot.into_neuralese[number], vectors[best[number]])
    said = rows.query("direction == 'R->H' and source_id == 5")
    found = robot.into_english(vectors[5])
    assert [text for text, _ in found[:3]] == said["target"].tolist()
    assert [score for _, score in found[:3]] == pytest.approx(said["score"].tolist(), rel=1e-4)


def test_a_criterion_that_the_dictionary_has_not_is_refused_with_those_it_has(results):
    with pytest.raises(NeuraleseError, match="no translation by 'telepathy'; choose from printed, mine"):
        load_robot(results, 0, "telepathy")
