"""Corpora in the formats of others."""

import csv
import json

import pyarrow as pa
import pytest
from click.testing import CliRunner

from neuralese.cli.main import cli
from neuralese.tasks.corpus.export import write_tables
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.write import new_corpus, write_corpus


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora") / "toy"
    new_corpus(folder)
    return folder


@pytest.fixture(scope="module")
def results(toy, tmp_path_factory):
    """The tables that the workflow makes of it."""
    folder = tmp_path_factory.mktemp("results") / "toy"
    names = ("states", "recorded", "inventory", "traces", "utterances")
    made = {name: folder / f"{name}.parquet" for name in names} | {"provenance": folder / "provenance.json"}
    write_tables(read_corpus(toy), made)
    return folder


def run(*arguments) -> object:
    return CliRunner().invoke(cli, ["corpus", "export", *map(str, arguments)])


@pytest.mark.parametrize("source", ["toy", "results"])
def test_a_corpus_exported_as_csv_is_the_same_corpus(source, toy, tmp_path, request):
    done = run("csv", request.getfixturevalue(source), tmp_path / "out")
    assert done.exit_code == 0, done.output
    before, after = read_corpus(toy), read_corpus(tmp_path / "out")
    assert after.recorded.select(["message", "split"]) == before.recorded.select(["message", "split"])
    assert after.features == pytest.approx(before.features, abs=1e-5)
    assert after.inventory["phrase"] == before.inventory["phrase"]


@pytest.mark.parametrize("source", ["toy", "results"])
def test_other_tools_get_symbols_or_symbols_and_meanings_in_each_line(source, toy, tmp_path, request):
    lines = {}
    for kind in ("xferbench", "csar"):
        assert run(kind, request.getfixturevalue(source), tmp_path / kind).exit_code == 0
        lines[kind] = [json.loads(line) for line in (tmp_path / kind).read_text().splitlines()]
    with open(toy / "messages.csv") as file:
        sent = [[int(symbol) for symbol in row["message"].split()] for row in csv.DictReader(file)]
    assert lines["xferbench"] == [message[:-1] for message in sent]  # the last symbol is the end
    assert [symbols for symbols, _ in lines["csar"]] == lines["xferbench"]
    shape, _, size = lines["csar"][0][1]
    assert shape.startswith("shape ")
    assert size.endswith(" size")


def test_vectors_are_refused_by_formats_of_symbols(tmp_path):
    states = pa.table({"state_id": range(4), "x": [0.0, 1.0, 2.0, 3.0]})
    messages = pa.table({"state_id": [0, 1, 2, 3] * 5, "message": [[0.5, 1.5]] * 20})
    tables = {"states": states, "messages": messages}
    write_corpus(tmp_path / "mine", "messages: {kind: vector}\nstates:\n  x: {type: number}\n", tables)
    done = run("xferbench", tmp_path / "mine", tmp_path / "out.jsonl")
    assert done.exit_code == 1
    assert "these messages are vectors" in done.output
    assert not (tmp_path / "out.jsonl").exists()


def test_a_folder_that_is_no_corpus_is_refused(tmp_path):
    done = run("csv", tmp_path, tmp_path / "out")
    assert done.exit_code == 1
    assert "is neither a corpus" in done.output
