"""Messages written as letters or words: they are numbered, and their names can be read back."""

import json

import pyarrow.parquet as pq
import pytest
import yaml
from small_corpus import fails, prints

from neuralese import Translator
from neuralese.agents.messages import Sequences
from neuralese.tasks.corpus.export import export_csv, load
from neuralese.tasks.corpus.read import read_corpus

WORDS = [["b", "a"], ["c"], ["a", "a", "b"]]
NUMBERS = [[1, 0], [2], [0, 0, 1]]


def imported(folder, kind: str, messages: list) -> tuple[list, dict]:
    """The messages of a file with these cells, once imported, and their settings."""
    log = folder / f"log.{kind}"
    if kind == "csv":
        log.write_text("message,kind\n" + "".join(f'"{each}",{"xy"[n % 2]}\n' for n, each in enumerate(messages)))
    else:
        rows = [{"message": each, "kind": "xy"[n % 2]} for n, each in enumerate(messages)]
        log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    prints("import", kind, log, folder / "mine")
    settings = yaml.safe_load((folder / "mine/corpus.yaml").read_text())
    return pq.read_table(folder / "mine/messages.parquet")["message"].to_pylist(), settings["messages"]


@pytest.mark.parametrize(
    ("kind", "messages"),
    [
        ("csv", ["ba", "c", "aab"]),
        ("csv", ["b a", "c", "a a b"]),
        ("csv", ["b, a", "c", "a,a,b"]),
        ("csv", ["['b', 'a']", "['c']", "['a', 'a', 'b']"]),
        ("jsonl", ["ba", "c", "aab"]),
        ("jsonl", WORDS),
    ],
)
def test_letters_are_numbered_in_alphabetical_order(tmp_path, kind, messages):
    assert imported(tmp_path, kind, messages) == (NUMBERS, {"kind": "symbols", "names": ["a", "b", "c"]})


def test_words_between_spaces_are_symbols(tmp_path):
    found = imported(tmp_path, "csv", ["wa tu", "tu", "no wa"])
    assert found == ([[2, 1], [1], [0, 2]], {"kind": "symbols", "names": ["no", "tu", "wa"]})


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_whole_numbers_are_read_as_they_are(tmp_path, kind):
    messages = ["7 3", "12", "[3, 3]"] if kind == "csv" else [[7, 3], [12], [3, 3]]
    assert imported(tmp_path, kind, messages) == ([[7, 3], [12], [3, 3]], {"kind": "symbols"})


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        (["1 2", "2 1", "1 x"], "line 4: 'message' holds '1 x'; write all messages in numbers, or all in letters"),
        (["a b", "7", "b a"], "line 3: 'message' holds '7'; write all messages in numbers, or all in letters"),
        (["0.5 1", "0.1 nan"], "line 3: 'message' holds '0.1 nan'; write all"),
        (["a", "[]"], "line 3: 'message' is empty"),
    ],
)
def test_numbers_among_letters_are_refused(tmp_path, messages, says):
    (tmp_path / "log.csv").write_text("message,kind\n" + "".join(f"{each},x\n" for each in messages))
    assert says in fails("import", "csv", tmp_path / "log.csv", tmp_path / "mine")


def test_numbers_and_texts_in_one_list_are_refused(tmp_path):
    rows = [{"message": ["a", "b"], "kind": "x"}, {"message": ["a", 2], "kind": "y"}]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "holds 'a 2'; write all" in fails("import", "jsonl", tmp_path / "log.jsonl", tmp_path / "mine")


@pytest.fixture
def spoken(tmp_path):
    """A corpus whose messages name a kind in letters."""
    rows = [{"message": "ba" if row % 2 else "ca", "kind": "xy"[row % 2], "size": row / 7} for row in range(80)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "a is 0, b is 1, c is 2" in prints("import", "jsonl", tmp_path / "log.jsonl", tmp_path / "mine")
    return tmp_path / "mine"


def test_names_are_shown_wherever_messages_are(spoken, tmp_path):
    assert "from 3 symbols: a is 0, b is 1, c is 2" in prints("check", spoken)
    config = {"speakers": {"steps": 20}, "messages": {"contexts": 50}, "evaluation": {"resamples": 100}}
    translator = Translator("direct", config=config).fit_corpus(spoken)
    assert set(translator.dictionary_.query("direction == 'R->H'")["source"]) == {"b a", "c a"}
    assert translator.to_english([[1, 0]], n_best=1)["source"].tolist() == ["b a"]


def test_names_are_exported(spoken, tmp_path):
    export_csv(load(spoken), tmp_path / "tables")
    assert read_corpus(tmp_path / "tables").settings.messages.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("[a, b]", "holds 2, which is not below 2, the number of messages.names in corpus.yaml"),
        ("[a, b, b]", "'messages.names' names a symbol twice"),
        ("abc", "'messages.names' is 'abc'; write a list of symbols, such as [a, b]"),
    ],
)
def test_names_must_be_those_of_all_symbols(spoken, names, says):
    text = (spoken / "corpus.yaml").read_text()
    (spoken / "corpus.yaml").write_text(text.replace("[a, b, c]", names))
    assert says in fails("check", spoken)


def test_symbols_without_names_are_called_by_their_numbers():
    assert Sequences.of([[3, 1], [1]]).texts() == ["3 1", "1"]
