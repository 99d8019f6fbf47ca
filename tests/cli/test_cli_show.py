import json

import pytest

DICTIONARY = "results/colors/seed0/dictionary.parquet"


def test_every_file_of_the_results_can_be_shown(shell, results):
    files = [path for path in sorted(results.rglob("*")) if path.suffix in (".parquet", ".json", ".safetensors")]
    assert len(files) > 10
    for path in files:
        assert shell.prints("show", path)
        assert json.loads(shell.prints("show", path, "--json"))


def test_a_table_is_aligned_and_says_how_many_rows_there_are(shell):
    lines = shell.prints("show", DICTIONARY, "--rows", 2).splitlines()
    assert lines[0] == f"{DICTIONARY}: 360 rows; 2 shown"
    assert lines[1].split() == ["direction", "criterion", "source_id", "source", "rank", "target_id", "target", "score"]
    assert len(lines) == 4
    assert lines[2].startswith("R->H       released         300  message 300     1")


def test_rows_are_filtered_sorted_and_chosen(shell):
    where = "direction == 'H->R' and criterion in ['mine', 'direct'] and not rank > 1 and source.str.contains('green')"
    shown = shell.json("show", DICTIONARY, "--where", where, "--sort", "-score", "--columns", "source,score,criterion")
    assert (shown["rows"], shown["matching"]) == (360, 4)
    assert [list(row) for row in shown["shown"]] == [["source", "score", "criterion"]] * 4
    found = [row["score"] for row in shown["shown"]]
    assert found == sorted(found, reverse=True)
    assert {row["source"] for row in shown["shown"]} == {"green", "dark green"}
    assert shell.json("show", DICTIONARY, "--where", "0 < rank <= 1 or rank == -1", "--rows", 0)["matching"] == 120


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("rank ==", "cannot be used (invalid syntax"),
        ("rang == 1", "(name 'rang' is not defined); write it for pandas, like \"criterion == 'belief'"),
        ("rank + 1", "neither true nor false"),
        ("source.nothing()", "has no attribute 'nothing'"),
        ("rank", "with these columns: direction, criterion"),
    ],
)
def test_a_wrong_condition_is_one_clear_sentence(shell, where, says):
    assert says in shell.fails("show", DICTIONARY, "--where", where)


def test_unknown_columns_are_named(shell):
    for option in ("--columns", "--sort"):
        assert "no column 'sauce'; choose from direction" in shell.fails("show", DICTIONARY, option, "sauce")


def test_the_schema_names_vectors_and_what_is_written_about_a_table(shell):
    assert "message     fixed_size_list<element: float>[6]" in shell.prints(
        "show", "results/colors/seed0/messages.parquet", "--schema"
    )
    schema = shell.json("show", DICTIONARY, "--schema")
    assert schema["columns"]["score"] == "double"
    assert schema["about"]["criteria"]["R->H"]["mine"]["divergence"] == "reverse"


def test_weights_are_listed_with_their_settings(shell):
    listed = shell.json("show", "results/colors/seed0/robot_speaker.safetensors")
    assert listed["about"]["neuralese"]["module"] == {"hidden": 8, "message": 6, "scale": 0.3}
    assert {"name": "mean.2.bias", "type": "F32", "shape": [6]} in listed["weights"]


@pytest.mark.parametrize("suffix", [".parquet", ".safetensors", ".json"])
def test_broken_and_missing_files_are_said_so(shell, tmp_path, suffix):
    broken = tmp_path / f"broken{suffix}"
    assert "neuralese status --files" in shell.fails("show", broken)
    broken.write_bytes(b"half")
    assert "delete it" in shell.fails("show", broken)


def test_other_files_are_refused(shell, tmp_path):
    (tmp_path / "picture.png").write_bytes(b"")
    assert "not .png" in shell.fails("show", tmp_path / "picture.png")
    assert shell("show", "results/colors/provenance.json", "--sort", "x").exit_code == 2
