"""What EGG writes becomes a corpus: its text dump, and a saved Interaction, no part of which is ever executed."""

import os
import sys
from dataclasses import dataclass, fields, make_dataclass
from types import ModuleType

import numpy as np
import pytest
import torch
from small_corpus import fails, prints

from neuralese.tasks.corpus.read import read_corpus

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
    path = folder / "interaction_gpu0"
    torch.save(what, path, **options)
    return path


@pytest.mark.parametrize("zipped", [True, False])
def test_an_interaction_of_a_reconstruction_game(tmp_path, interaction, zipped):
    values, inputs = attribute_values(90)
    message = torch.cat([values + 1, torch.zeros(90, 1, dtype=torch.long), torch.full((90, 1), 5)], dim=1)
    lengths = torch.full((90,), 3)
    made = interaction(
        sender_input=inputs, labels=inputs, message=message, message_length=lengths, receiver_output=torch.rand(90, 6),
        aux={"acc": torch.ones(90)},
    )  # fmt: skip
    path = save(tmp_path, made, _use_new_zipfile_serialization=zipped)
    page = prints("import", "egg", path, tmp_path / "mine")
    assert "90 messages (symbols) in 9 states" in page
    corpus = read_corpus(tmp_path / "mine")
    assert corpus.settings.messages.end == 0
    assert corpus.messages.symbols[5] == (3, 2, 0)
    for place, name in enumerate(("attribute_1", "attribute_2")):
        column = corpus.states.columns[name]
        assert (column.values[corpus.messages.state] == values[:, place].numpy()).all()
    assert corpus.contexts is None
    assert "attribute_1 2" in corpus.inventory.phrases


def test_an_interaction_of_a_discrimination_game_has_contexts(tmp_path, interaction):
    torch.manual_seed(0)
    inputs = torch.randn(80, 4)
    labels = torch.arange(80) % 3
    offered = inputs[torch.randint(80, (80, 3))]
    offered[torch.arange(80), labels] = inputs
    scores = torch.nn.functional.one_hot(labels, 3).float()
    scores[:8] = scores[:8].roll(1, dims=1)
    relaxed = torch.nn.functional.one_hot(torch.arange(160).reshape(80, 2) % 7, 7) * 0.9 + 0.1 / 7
    made = interaction(
        sender_input=inputs, receiver_input=offered, labels=labels, message=relaxed, receiver_output=scores
    )
    prints("import", "egg", save(tmp_path, made), tmp_path / "mine")
    corpus = read_corpus(tmp_path / "mine")
    assert len(corpus.contexts) == 80
    assert (corpus.contexts.true == labels.numpy()).all()
    assert (corpus.contexts.pick == corpus.contexts.true).mean() == 0.9
    seen = np.stack([corpus.states.columns[f"input_{place}"].values for place in range(1, 5)], axis=1)
    np.testing.assert_allclose(seen[corpus.messages.state], inputs.numpy(), atol=1e-6)
    np.testing.assert_allclose(seen[corpus.contexts.candidates].reshape(80, 3, 4), offered.numpy(), atol=1e-6)
    assert corpus.messages.symbols[3] == (6, 0)


def test_one_symbol_and_continuous_messages(tmp_path, interaction):
    values, inputs = attribute_values(30)
    symbol = interaction(sender_input=inputs, message=values[:, 0], message_length=torch.ones(30))
    prints("import", "egg", save(tmp_path, symbol), tmp_path / "symbol")
    corpus = read_corpus(tmp_path / "symbol")
    assert corpus.settings.messages.end is None
    assert corpus.messages.symbols[2] == (2,)
    continuous = interaction(sender_input=inputs, message=torch.randn(30, 5))
    prints("import", "egg", save(tmp_path, continuous), tmp_path / "vector")
    assert read_corpus(tmp_path / "vector").messages.vectors.shape == (30, 5)


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
        (interaction(sender_input=inputs, message=values - 1), "message does not hold symbols"),
        (interaction(sender_input=inputs, message=values, message_length=torch.ones(7)), "with mismatched parts"),
    ]:
        assert says in fails("import", "egg", save(tmp_path, what), tmp_path / "mine")
        assert not (tmp_path / "mine").exists()
    (tmp_path / "cut").write_bytes(save(tmp_path, interaction(sender_input=inputs, message=values)).read_bytes()[:400])
    assert "can be read safely" in fails("import", "egg", tmp_path / "cut", tmp_path / "mine")


@pytest.mark.parametrize("separator", [" ", ","])
def test_a_text_dump(tmp_path, separator):
    lines = ["Launching game with parameters: Namespace(lr=0.1)"]
    for row in range(60):
        inputs = separator.join(["1.0" if place == row % 4 else "0.0" for place in range(4)])
        lines.append(f"{inputs};{separator.join(map(str, (row % 4 + 1, 0)))};{row % 4};{row % 4}")
    (tmp_path / "out.txt").write_text("\n".join(lines) + "\n")
    prints("import", "egg", tmp_path / "out.txt", tmp_path / "mine", "--title", "Game")
    corpus = read_corpus(tmp_path / "mine")
    assert corpus.settings.title == "Game"
    assert len(corpus.states) == 4
    assert corpus.settings.messages.end == 0
    category = corpus.states.columns["attribute"].values[corpus.messages.state]
    assert category.tolist() == [row % 4 for row in range(60)]
    assert corpus.messages.symbols[6] == (3, 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no line of a dump"),
        ("hello\n", "has no line of a dump"),
        ("1 0;1 0;1;1\n1 0;x;1;1\n", "line 2 is '1 0;x;1;1'"),
        ("1 0;1 0;1;1\n1 0 0;1;1;1\n", "line 2 has an input of 3 numbers"),
        ("1 0;1 0;1;1\n1 0;-1;1;1\n", "line 2 has a negative symbol"),
        ("1 0;1 0;1;1\nnan 0;1;1;1\n", "line 2 is 'nan 0;1;1;1'"),
    ],
)
def test_a_text_that_is_no_dump_is_refused(tmp_path, text, says):
    (tmp_path / "out.txt").write_text(text)
    assert says in fails("import", "egg", tmp_path / "out.txt", tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def test_the_stand_in_has_the_parts_of_eggs_class(interaction):
    assert tuple(field.name for field in fields(type(interaction()))) == NAMES
