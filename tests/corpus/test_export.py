"""Corpora in the formats of others."""

import pytest
from click.testing import CliRunner

from neuralese.cli.main import cli
from neuralese.tasks.corpus.export import write_tables
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.write import new_corpus


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


def test_a_folder_that_is_no_corpus_is_refused(tmp_path):
    done = run("csv", tmp_path, tmp_path / "out")
    assert done.exit_code == 1
    assert "is neither a corpus" in done.output
