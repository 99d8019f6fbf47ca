"""The commands that make, import and check a corpus."""

import json

import pyarrow.parquet as pq
import pytest
import yaml
from small_corpus import fails, prints, run, snapshot

from neuralese.tasks.corpus.read import read_corpus


def test_a_new_corpus_works_and_the_agent_can_be_understood(tmp_path):
    folder = tmp_path / "mine"
    assert "neuralese corpus check" in prints("new", folder)
    assert {path.name for path in folder.iterdir()} == {
        "corpus.yaml",
        "README.md",
        "states.csv",
        "messages.csv",
        "utterances.csv",
    }
    corpus = read_corpus(folder)
    assert len(corpus.messages) == 400
    assert {"red", "square", "small"} <= set(corpus.inventory.phrases)
    shapes = corpus.states.columns["shape"].values[corpus.messages.state]
    stars = [symbols[0] for symbols, shape in zip(corpus.messages.symbols, shapes, strict=True) if shape == 2]
    assert max(stars.count(symbol) for symbol in set(stars)) > 0.9 * len(stars)


def test_two_new_corpora_are_the_same(tmp_path):
    for name in ("one", "two"):
        prints("new", tmp_path / name)
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "two")


def test_a_new_corpus_goes_into_an_empty_folder_and_into_no_other(tmp_path):
    (tmp_path / "empty").mkdir()
    prints("new", tmp_path / "empty")
    before = snapshot(tmp_path)
    assert "is not empty" in fails("new", tmp_path / "empty")
    assert "is a file; name a folder" in fails("new", tmp_path / "empty" / "README.md")
    assert "cannot be written" in fails("new", tmp_path / "empty" / "README.md" / "under")
    assert snapshot(tmp_path) == before


def test_check_says_what_a_corpus_holds(small):
    page = prints("check", small)
    assert "Small (licence: CC0-1.0)" in page
    assert ["messages", "60", "36", "12", "12"] in [line.split()[:5] for line in page.splitlines()]
    assert "angle   circular  0 to 330, period 360" in page
    assert "No contexts: 2 candidates are drawn for each message." in page
    assert "red (" in page
    assert "Warning: test has only 12 messages" in page


def test_check_prints_strict_json(small):
    found = json.loads(prints("check", small, "--json"), parse_constant=pytest.fail)
    assert found["messages"]["splits"] == {"train": 36, "dev": 12, "test": 12}
    assert found["messages"]["lengths"] == [3, 3]
    assert found["inventory"]["red"] + found["inventory"]["blue"] == 36
    assert found["states"]["columns"][0] == {
        "column": "shape",
        "type": "category",
        "holds": "3 values: circle, square, star",
    }
    assert found["contexts"]["count"] == 0


def test_check_warns_of_what_was_seen_too_seldom(small):
    messages = small / "messages.csv"
    messages.write_text(messages.read_text().replace("1 4 0 7,0\n", "8 4 0 7,0\n", 1))
    corpus = json.loads(prints("check", small, "--json"))
    assert any("symbols were said" in each or "never in training: 8" in each for each in corpus["warnings"])
    assert any("phrases were said fewer than 10 times in training" in each for each in corpus["warnings"])


def test_check_writes_nothing(small, tmp_path):
    before = snapshot(tmp_path)
    prints("check", small)
    assert snapshot(tmp_path) == before


LOG = """\
sent,kind,angle,hue name,rgb,note,said,game
1 2,cat,90,x,"10, 20, 30",a,red cat,g1
"[3, 0]",dog,180,y,"[1, 2, 3]",b,,g1
4,cat,90,x,"10, 20, 30",c,a cat,g2
"""


def test_a_flat_csv_becomes_a_corpus_whose_types_are_guessed(tmp_path):
    (tmp_path / "log.txt").write_text(LOG)
    page = prints(
        *("import", "csv", tmp_path / "log.txt", tmp_path / "mine", "--message", "sent", "--utterance", "said"),
        *("--episode", "game", "--states", "kind,angle,hue name,rgb", "--title", "Cats: and dogs", "--licence", "MIT"),
    )
    assert "3 messages (symbols) in 2 states" in page
    settings = yaml.safe_load((tmp_path / "mine/corpus.yaml").read_text())
    assert settings["states"] == {
        "kind": {"type": "category"},
        "angle": {"type": "circular", "period": 360},
        "hue name": {"type": "category"},
        "rgb": {"type": "color"},
    }
    assert settings["title"] == "Cats: and dogs"
    assert settings["split"]["by"] == "episode"
    assert "guessed" in (tmp_path / "mine/corpus.yaml").read_text()


def test_ids_of_a_flat_file_are_not_taken_for_ours(tmp_path):
    (tmp_path / "log.csv").write_text("state_id,message,kind\n7,1,cat\n9,2,dog\n7,1,cat\n")
    prints("import", "csv", tmp_path / "log.csv", tmp_path / "mine")
    assert pq.read_table(tmp_path / "mine/states.parquet").to_pydict() == {"state_id": [0, 1], "kind": ["cat", "dog"]}
    assert pq.read_table(tmp_path / "mine/messages.parquet")["state_id"].to_pylist() == [0, 1, 0]


def flat_rows(n: int) -> list[dict]:
    kinds = ("cat", "dog", "cow")
    return [
        {
            "message": [row % 3, 7],
            "kind": kinds[row % 3],
            "size": row % 15 + 0.5,
            "seen": row % 2 == 0,
            "place": [row % 5, 1.5],
        }
        for row in range(n)
    ]


def test_flat_json_lines_become_a_corpus_that_can_be_checked(tmp_path):
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in flat_rows(90)))
    prints("import", "jsonl", tmp_path / "log.jsonl", tmp_path / "mine")
    corpus = read_corpus(tmp_path / "mine")
    types = {name: column.type for name, column in corpus.states.columns.items()}
    assert types == {"kind": "category", "size": "number", "seen": "category", "place": "vector"}
    assert len(corpus.states) == 30
    assert corpus.messages.symbols[4] == (1, 7)
    assert corpus.states.columns["kind"].names[corpus.states.columns["kind"].values[corpus.messages.state[4]]] == "dog"
    assert "kind dog" in corpus.inventory.phrases


def test_vectors_are_recognised(tmp_path):
    rows = [{"message": [0.5, row], "kind": "ab"[row % 2]} for row in range(30)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "30 messages (vector)" in prints("import", "jsonl", tmp_path / "log.jsonl", tmp_path / "mine")
    assert read_corpus(tmp_path / "mine").messages.vectors.shape == (30, 2)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("a,b\n1,2\n", (), "has no column 'message'"),
        ("message,b\n1,2\n", ("--states", "c"), "has no column 'c'"),
        ("message,b\n1 x,2\n", (), "line 2: 'message' holds '1 x'"),
        ("message,b\n1,2\n,3\n", (), "line 3: 'message' is empty"),
        ("message,b\n1,\n", (), "line 2: 'b' is empty"),
        ("message\n1\n", (), "no column describes the states"),
        ("", (), "is empty"),
        ("message,state_id\n1,2\n", ("--states", "state_id"), "states are renumbered"),
        ("message,b,s\n1,2,\n", ("--utterance", "s"), "'s' is empty in every row"),
        ("message,b\n1\0,2\n", (), "NUL byte"),
    ],
)
def test_a_flat_file_that_is_no_good_is_refused_and_nothing_is_written(tmp_path, text, options, says):
    (tmp_path / "log.csv").write_text(text)
    assert says in fails("import", "csv", tmp_path / "log.csv", tmp_path / "mine", *options)
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


def test_a_number_that_no_column_holds_is_refused(tmp_path):
    (tmp_path / "log.jsonl").write_text(json.dumps({"message": 1, "b": 10**20}) + "\n")
    assert "the column 'b' cannot be written" in fails("import", "jsonl", tmp_path / "log.jsonl", tmp_path / "mine")
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


def test_an_import_overwrites_nothing_and_needs_its_file(tmp_path, small):
    before = snapshot(tmp_path)
    assert "is not empty" in fails("import", "csv", small / "messages.csv", small)
    assert "does not exist" in fails("import", "csv", tmp_path / "nothing", tmp_path / "mine")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "command", [("new",), ("check",), ("import",), ("import", "csv"), ("import", "jsonl"), ("import", "egg")]
)
def test_every_command_has_examples(command):
    page = prints(*command, "--help")
    examples = page.split("Examples:\n")[1].splitlines()
    assert examples
    assert all(line.startswith(f"  neuralese corpus {' '.join(command)}") for line in examples)


def test_wrong_usage_is_told_apart():
    assert run("check").exit_code == 2
    assert run("sing").exit_code == 2
