"""The same config on the same machine gives the same bytes, on one core as on two, whatever else runs.

Here are the bird tables up to the pooled pictures; `test_kills.py` has all of colours.
"""

import subprocess
import time

import pytest
from copies import QUICK, Project

TABLES = [f"results/quick/birds/{name}.parquet" for name in ("images", "captions", "pooled")]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[Project, tuple[int, str]]:
    """A run of the first bird tables on one core, and the exit code and output of a second run started meanwhile."""
    copy = Project(tmp_path_factory.mktemp("one_core"))
    output, locks = copy.folder / "output.txt", copy.folder / ".snakemake" / "locks"
    with output.open("w") as file:
        command = copy.command(*TABLES, *QUICK, cores=1)
        first = subprocess.Popen(
            command, cwd=copy.folder, env=copy.environment(), stdout=file, stderr=subprocess.STDOUT
        )
    while first.poll() is None and not (locks.exists() and any(locks.iterdir())):
        time.sleep(0.1)
    second = copy.snakemake(*TABLES, *QUICK)
    assert first.wait(600) == 0, output.read_text()
    return copy, second


@pytest.mark.parametrize("table", TABLES)
def test_one_core_makes_the_same_tables_as_two(project, runs, table):
    assert (runs[0].folder / table).read_bytes() == (project.folder / table).read_bytes()


def test_a_second_run_in_one_folder_is_refused_with_what_to_do(runs):
    code, output = runs[1]
    assert code != 0
    assert "Directory cannot be locked" in output
    assert "make sure that no other Snakemake process" in output
    assert "--unlock" in output
