"""The commands that make, import and check a corpus: from nothing, from flat files, and from what EGG writes."""

import json
import os
import sys
from dataclasses import dataclass, make_dataclass
from types import ModuleType

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
import yaml
from small_corpus import column, fails, jsonl, messages, prints, snapshot

from neuralese import Translator
from neuralese.agents.messages import Sequences
from neuralese.tasks.corpus.export import export_csv, load
from neuralese.tasks.corpus.read import read_corpus


def test_a_new_corpus_goes_into_an_empty_folder_and_into_no_other(tmp_path):
    (tmp_path / "empty").mkdir()
    assert "neuralese corpus check" in prints("new", tmp_path / "empty")
    assert (tmp_path / "empty/README.md").exists()
    corpus = read_corpus(tmp_path / "empty")
    assert len(corpus.recorded) == 400
    assert {"red", "square", "small"} <= set(corpus.inventory["phrase"].to_pylist())
    before = snapshot(tmp_path)
    assert "is not empty" in fails("new", tmp_path / "empty")
    assert "is a file; name a folder" in fails("new", tmp_path / "empty" / "README.md")
    assert "cannot be written" in fails("new", tmp_path / "empty" / "README.md" / "under")
    assert snapshot(tmp_path) == before


def test_check_says_what_a_corpus_holds_and_writes_nothing(small, tmp_path):
    path = small / "messages.csv"
    path.write_text(path.read_text().replace("1 4 0 7,0\n", "8 4 0 7,0\n", 1))
    before = snapshot(tmp_path)
    page = prints("check", small)
    assert "Small (licence: CC0-1.0)" in page
    assert ["messages", "60", "36", "12", "12"] in [line.split()[:5] for line in page.splitlines()]
    assert "angle   circular  0 to 330, period 360" in page
    assert "No contexts: 2 candidates are drawn for each message." in page
    assert "Warning: test has only 12 messages" in page
    found = json.loads(prints("check", small, "--json"), parse_constant=pytest.fail)
    assert found["messages"]["splits"] == {"train": 36, "dev": 12, "test": 12}
    assert found["messages"]["lengths"] == [3, 3]
    assert found["inventory"]["red"] + found["inventory"]["blue"] == 36
    shape = {"column": "shape", "type": "category", "holds": "3 values: circle, square, star"}
    assert found["states"]["columns"][0] == shape
    assert "symbols were said fewer than 10 times in training, so what they mean" in " ".join(found["warnings"])
    assert any("phrases were said fewer than 10 times in training" in each for each in found["warnings"])
    assert snapshot(tmp_path) == before


# flat files

LOG = """\
sent,kind,angle,hue name,rgb,note,said,game
1 2,cat,90,x,"10, 20, 30",a,red cat,g1
"[3, 0]",dog,180,y,"[1, 2, 3]",b,,g1
4,cat,90,x,"10, 20, 30",c,a cat,g2
"""


def test_a_flat_csv_becomes_a_corpus_whose_types_are_guessed(tmp_path):
    (tmp_path / "log.txt").write_text(LOG)
    options = ("--message", "sent", "--utterance", "said", "--episode", "game", "--states", "kind,angle,hue name,rgb")
    page = prints("import", "csv", tmp_path / "log.txt", tmp_path / "mine", *options)
    assert "3 messages (symbols) in 2 states" in page
    settings = yaml.safe_load((tmp_path / "mine/corpus.yaml").read_text())
    assert {name: each["type"] for name, each in settings["states"].items()} == {
        **{"kind": "category", "angle": "category", "hue name": "category", "rgb": "vector"}
    }
    assert (settings["title"], settings["split"]["by"]) == ("log", "episode")
    assert pq.read_table(tmp_path / "mine/utterances.parquet")["state_id"].to_pylist() == [0, 0]


def test_ids_of_a_flat_file_are_not_taken_for_ours(tmp_path):
    (tmp_path / "log.csv").write_text("state_id,message,kind\n7,1,cat\n9,2,dog\n7,1,cat\n")
    prints("import", "csv", tmp_path / "log.csv", tmp_path / "mine")
    assert pq.read_table(tmp_path / "mine/states.parquet").to_pydict() == {"state_id": [0, 1], "kind": ["cat", "dog"]}
    assert pq.read_table(tmp_path / "mine/messages.parquet")["state_id"].to_pylist() == [0, 1, 0]


@pytest.mark.parametrize(("first", "kind"), [(7, "symbols"), (0.5, "vector")])
def test_flat_json_lines_become_a_corpus_that_can_be_checked(tmp_path, first, kind):
    kinds = ("cat", "dog", "cow")
    cells = [{"size": row % 15 + 0.5, "seen": row % 2 == 0, "place": [row % 5, 1.5]} for row in range(90)]
    rows = [{"message": [first, row % 3], "kind": kinds[row % 3]} | cells[row] for row in range(90)]
    (tmp_path / "log.jsonl").write_text(jsonl(*rows))
    assert f"90 messages ({kind})" in prints("import", "jsonl", tmp_path / "log.jsonl", tmp_path / "mine")
    corpus = read_corpus(tmp_path / "mine")
    types = {name: each.type for name, each in corpus.settings.states.items()}
    assert types == {"kind": "category", "size": "number", "seen": "category", "place": "vector"}
    assert len(corpus.states) == 30
    assert messages(corpus)[4] == [first, 1]
    assert column(corpus, "kind")[4] == "dog"
    assert "kind dog" in corpus.inventory["phrase"].to_pylist()


MIXED = [{"message": ["a", "b"], "kind": "x"}, {"message": ["a", 2], "kind": "y"}]


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
        (jsonl({"message": 1, "b": 2, "s": 3}), ("--utterance", "s"), "an utterance is text, not 3"),
        ("message,b\n1\0,2\n", (), "line 2: 'message' holds"),
        ("message,b\n1 2,x\n2 1,x\n1 x,x\n", (), "line 4: 'message' holds '1 x'; write all messages in numbers"),
        ("message,b\na b,x\n7,x\nb a,x\n", (), "line 3: 'message' holds '7'; write all messages in numbers, or all"),
        ("message,b\n0.5 1,x\n0.1 nan,x\n", (), "line 3: 'message' holds '0.1 nan'; write all"),
        (jsonl({"message": 1, "b": 10**20}), (), "the column 'b' cannot be written"),
        (jsonl(*MIXED), (), "holds 'a 2'; write all"),
    ],
)
def test_a_flat_file_that_is_no_good_is_refused_and_nothing_is_written(tmp_path, text, options, says):
    kind = "jsonl" if text.startswith("{") else "csv"
    (tmp_path / "log").write_text(text)
    assert says in fails("import", kind, tmp_path / "log", tmp_path / "mine", *options)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_an_import_overwrites_nothing_and_needs_its_file(tmp_path, small):
    before = snapshot(tmp_path)
    assert "is not empty" in fails("import", "csv", small / "messages.csv", small)
    assert "does not exist" in fails("import", "csv", tmp_path / "nothing", tmp_path / "mine")
    assert snapshot(tmp_path) == before


# letters and words

LETTERS = ([[1, 0], [2], [0, 0, 1]], {"kind": "symbols", "names": ["a", "b", "c"]})
NUMBERS = ([[7, 3], [12], [3, 3]], {"kind": "symbols"})


@pytest.mark.parametrize(
    ("kind", "cells", "wanted"),
    [
        ("csv", ["ba", "c", "aab"], LETTERS),
        ("csv", ["b a", "c", "a a b"], LETTERS),
        ("csv", ["b, a", "c", "a,a,b"], LETTERS),
        ("jsonl", ["ba", "c", "aab"], LETTERS),
        ("jsonl", [["b", "a"], ["c"], ["a", "a", "b"]], LETTERS),
        ("csv", ["wa tu", "tu", "no wa"], ([[2, 1], [1], [0, 2]], {"kind": "symbols", "names": ["no", "tu", "wa"]})),
        ("csv", ["7 3", "12", "[3, 3]"], NUMBERS),
        ("jsonl", [[7, 3], [12], [3, 3]], NUMBERS),
    ],
)
def test_letters_and_words_are_numbered_in_alphabetical_order(tmp_path, kind, cells, wanted):
    rows = list(zip(cells, "xyx", strict=True))
    lines = "message,kind\n" + "".join(f'"{cell}",{other}\n' for cell, other in rows)
    text = lines if kind == "csv" else jsonl(*({"message": cell, "kind": other} for cell, other in rows))
    (tmp_path / "log").write_text(text)
    prints("import", kind, tmp_path / "log", tmp_path / "mine")
    settings = yaml.safe_load((tmp_path / "mine/corpus.yaml").read_text())
    assert (pq.read_table(tmp_path / "mine/messages.parquet")["message"].to_pylist(), settings["messages"]) == wanted


@pytest.fixture
def spoken(tmp_path):
    """A corpus whose messages name a kind in letters."""
    rows = [{"message": "ba" if row % 2 else "ca", "kind": "xy"[row % 2], "size": row / 7} for row in range(80)]
    (tmp_path / "log.jsonl").write_text(jsonl(*rows))
    prints("import", "jsonl", tmp_path / "log.jsonl", tmp_path / "mine")
    return tmp_path / "mine"


def test_names_are_shown_and_exported_wherever_messages_are(spoken, tmp_path):
    config = {"speakers": {"steps": 20}, "messages": {"contexts": 50}, "evaluation": {"resamples": 100}}
    translator = Translator("direct", config=config).fit_corpus(spoken)
    assert set(translator.dictionary_.query("direction == 'R->H'")["source"]) == {"b a", "c a"}
    assert translator.to_english([[1, 0]], n_best=1)["source"].tolist() == ["b a"]
    export_csv(load(spoken), tmp_path / "tables")
    assert read_corpus(tmp_path / "tables").settings.messages.names == ["a", "b", "c"]
    assert Sequences.of([[3, 1], [1]]).texts() == ["3 1", "1"]  # without names


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("[a, b]", "holds 2, which is not below 2, the number of messages.names in corpus.yaml"),
        ("[a, b, b]", "'messages.names' is wrong: ['a', 'b', 'b'] should name each once"),
        ("abc", "'messages.names' is wrong: 'abc' should be a list"),
    ],
)
def test_names_must_be_those_of_all_symbols(spoken, names, says):
    text = (spoken / "corpus.yaml").read_text()
    (spoken / "corpus.yaml").write_text(text.replace("[a, b, c]", names))
    assert says in fails("check", spoken)


# EGG

MODULE = "egg.core.interaction"
NAMES = ("sender_input", "receiver_input", "labels", "aux_input", "message", "receiver_output", "message_length", "aux")


@pytest.fixture
def interaction(monkeypatch):
    """A class like EGG's, where EGG has it."""
    for name in ("egg", "egg.core", MODULE):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    made = make_dataclass("Interaction", NAMES, unsafe_hash=True)
    made.__module__ = MODULE
    sys.modules[MODULE].Interaction = made
    return lambda **values: made(**dict.fromkeys(NAMES) | {"aux_input": {}, "aux": {}} | values)


def attribute_values(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Two attributes of three and three values, and as EGG encodes them: one-hot, one after another."""
    values = torch.stack([torch.arange(n) % 3, torch.arange(n) // 3 % 3], dim=1)
    return values, torch.nn.functional.one_hot(values, 3).flatten(1).float()


def save(folder, what, **options):
    torch.save(what, folder / "interaction_gpu0", **options)
    return folder / "interaction_gpu0"


@pytest.mark.parametrize("zipped", [True, False])
def test_an_interaction_of_a_reconstruction_game(tmp_path, interaction, zipped):
    values, inputs = attribute_values(90)
    message = torch.cat([values + 1, torch.zeros(90, 1, dtype=torch.long), torch.full((90, 1), 5)], dim=1)
    more = {"labels": inputs, "receiver_output": torch.rand(90, 6), "aux": {"acc": torch.ones(90)}}
    made = interaction(sender_input=inputs, message=message, message_length=torch.full((90,), 3), **more)
    path = save(tmp_path, made, _use_new_zipfile_serialization=zipped)
    assert "90 messages (symbols) in 9 states" in prints("import", "egg", path, tmp_path / "mine")
    corpus = read_corpus(tmp_path / "mine")
    assert corpus.settings.messages.end == 0
    assert messages(corpus)[5] == [3, 2, 0]
    for place, name in enumerate(("attribute_1", "attribute_2")):
        assert list(map(int, column(corpus, name))) == values[:, place].tolist()
    assert corpus.contexts is None
    assert "attribute_1 2" in corpus.inventory["phrase"].to_pylist()


def test_an_interaction_of_a_discrimination_game_has_contexts(tmp_path, interaction):
    torch.manual_seed(0)
    inputs, labels = torch.randn(80, 4), torch.arange(80) % 3
    offered = inputs[torch.randint(80, (80, 3))]
    offered[torch.arange(80), labels] = inputs
    scores = torch.nn.functional.one_hot(labels, 3).float()
    scores[:8] = scores[:8].roll(1, dims=1)
    relaxed = torch.nn.functional.one_hot(torch.arange(160).reshape(80, 2) % 7, 7) * 0.9 + 0.1 / 7
    more = {"receiver_input": offered, "labels": labels, "receiver_output": scores}
    path = save(tmp_path, interaction(sender_input=inputs, message=relaxed, **more))
    prints("import", "egg", path, tmp_path / "mine")
    corpus = read_corpus(tmp_path / "mine")
    assert len(corpus.contexts.ids) == 80
    assert corpus.contexts.picked.mean() == 0.9
    others = [[place for place in range(3) if place != label] for label in labels.tolist()]
    seen = np.stack([corpus.columns[f"input_{place}"] for place in range(1, 5)], axis=1)
    np.testing.assert_allclose(seen[corpus.state], inputs.numpy(), atol=1e-6)
    distractors = offered[torch.arange(80)[:, None], torch.tensor(others)]
    np.testing.assert_allclose(seen[corpus.contexts.candidates[:, 1:]], distractors.numpy(), atol=1e-6)
    assert messages(corpus)[3] == [6, 0]


def test_one_symbol_and_continuous_messages(tmp_path, interaction):
    values, inputs = attribute_values(30)
    symbol = interaction(sender_input=inputs, message=values[:, 0], message_length=torch.ones(30))
    prints("import", "egg", save(tmp_path, symbol), tmp_path / "symbol")
    corpus = read_corpus(tmp_path / "symbol")
    assert corpus.settings.messages.end is None
    assert messages(corpus)[2] == [2]
    continuous = interaction(sender_input=inputs, message=torch.randn(30, 5))
    prints("import", "egg", save(tmp_path, continuous), tmp_path / "vector")
    assert len(messages(read_corpus(tmp_path / "vector"))[0]) == 5


@dataclass
class Harm:
    """Writes a file when it is unpickled, if anybody is careless enough."""

    path: str

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_nothing_in_a_file_is_executed(tmp_path, interaction):
    values, inputs = attribute_values(30)
    made = interaction(sender_input=inputs, message=values, aux={"acc": Harm(str(tmp_path / "harm"))})
    assert "can be read safely" in fails("import", "egg", save(tmp_path, made), tmp_path / "mine")
    assert not (tmp_path / "harm").exists()
    assert not (tmp_path / "mine").exists()


def test_files_of_torch_that_hold_no_interaction_are_refused(tmp_path, interaction):
    values, inputs = attribute_values(30)
    for what, says in [
        ({"a": inputs}, "holds a dict, not an Interaction"),
        (interaction(message=values), "sender_input is missing"),
        (interaction(sender_input=inputs), "message is missing"),
        (interaction(sender_input=inputs, message=values[:9]), "message is of shape (9, 2) for 30 inputs"),
        (interaction(sender_input=inputs.reshape(30, 2, 3), message=values), "not a finite vector for each message"),
        (interaction(sender_input=inputs * float("nan"), message=values), "not a finite vector for each message"),
        (interaction(sender_input=inputs, message=values - 1), "save symbols from 0"),
        (interaction(sender_input=inputs, message=values, message_length=torch.ones(7)), "with mismatched parts"),
    ]:
        assert says in fails("import", "egg", save(tmp_path, what), tmp_path / "mine")
        assert not (tmp_path / "mine").exists()
    (tmp_path / "cut").write_bytes(save(tmp_path, interaction(sender_input=inputs, message=values)).read_bytes()[:400])
    assert "can be read safely" in fails("import", "egg", tmp_path / "cut", tmp_path / "mine")
