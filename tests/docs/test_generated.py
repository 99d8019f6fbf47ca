"""Pages that are made from the code are up to date, and say something of every file and column there is."""

import re

import pytest
from pages import ROOT, load

from neuralese import tasks
from neuralese.storage.described import COLUMNS, OF_KIND
from neuralese.storage.tables import CONTRACTS, Contract
from neuralese.workflow import reached

file_table = load("file_table")
ANEW = "make it anew: make reference"
DESCRIBED = {file: of for _, files in file_table.sections().values() for file, of in files.items()}
PLACES = [(place, file) for place, files in file_table.sections().values() for file in files]


def test_what_is_said_of_results_is_up_to_date():
    assert (ROOT / file_table.PAGE).read_text(encoding="utf-8") == file_table.page(), ANEW


@pytest.mark.parametrize("tool", ["commands", "config_keys"])
def test_what_is_said_of_commands_and_keys_is_up_to_date(tool):
    module = load(tool)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), ANEW


def test_to_word_something_better_reruns_nothing():
    scripts = (ROOT / "workflow/scripts").rglob("*.py")
    found = {module for script in scripts for module in reached(script, tasks.BUILT_IN)}
    worded = r"neuralese\.(tasks\.\w+\.described|storage\.described)"
    assert not [module for module in found if re.fullmatch(worded, module)]


def test_every_file_that_a_stage_makes_is_described():
    made = {path.rpartition("/")[2] for path in file_table.outputs() if path.startswith("{task}/")}
    assert made <= set(DESCRIBED), made - set(DESCRIBED)


@pytest.mark.parametrize(("place", "file"), PLACES)
def test_every_file_that_is_described_is_made_and_every_column_has_a_meaning(place, file):
    of = DESCRIBED[file]
    assert file_table.makers(file_table.path_of(place, file))
    assert of.meaning.endswith(".")
    if file.endswith(".parquet") and not file.startswith("sweep/"):
        assert isinstance(of.contract, Contract)
        for column in of.contract.columns:
            assert of.column(column).endswith((".", ")", "..."))
        assert set(of.columns) <= {*of.contract.columns, *_shared(of.columns)}


def _shared(columns) -> set[str]:
    """Columns that several tables of a task have, described once for all."""
    counts = {name: sum(name in each.columns for each in DESCRIBED.values()) for name in columns}
    return {name for name, count in counts.items() if count > 1}


def test_nothing_is_said_of_columns_that_are_not_there():
    known = {name for of in DESCRIBED.values() if of.contract for name in of.contract.columns}
    assert set(COLUMNS) <= known | {name for name in COLUMNS if name.endswith("_p")}
    for kind, columns in OF_KIND.items():
        assert set(columns) <= set(CONTRACTS[kind]), kind


def test_every_contract_is_of_a_file():
    assert set(CONTRACTS) <= set(file_table.kinds())
