"""Pages that are made from the code are up to date, and say something of every file and column there is."""

import pytest
from pages import ROOT, load

file_table = load("file_table")
PLACES = [(folder, file) for folder, files in file_table.FILES.values() for file in files]


@pytest.mark.parametrize("tool", ["file_table", "commands", "config_keys"])
def test_pages_made_from_code_are_up_to_date(tool):
    module = load(tool)
    assert (ROOT / module.PAGE).read_text(encoding="utf-8") == module.page(), "make it anew: make reference"


def test_every_file_that_a_stage_makes_is_described():
    made = {path.rpartition("/")[2] for path in file_table.outputs() if path.startswith("{task}/")}
    assert made <= {file for _, file in PLACES}


@pytest.mark.parametrize(("folder", "file"), PLACES)
def test_every_file_that_is_described_is_made_and_keeps_a_contract_if_it_is_a_table(folder, file):
    assert file_table.makers(folder, file)
    assert not file.endswith(".parquet") or file.startswith("sweep/") or file_table.contract_of(file)


def test_every_contract_is_of_a_file_and_every_column_has_a_meaning():
    kept = {contract.name for _, file in PLACES if (contract := file_table.contract_of(file))}
    assert kept == set(file_table.contracts())
    meanings = [column.meaning for each in file_table.contracts().values() for column in each.columns.values()]
    assert all(meaning.endswith((".", ")", "...")) for meaning in meanings)
