"""The same config on the same machine gives the same bytes, on one core as on two, whatever else runs.

Here are the bird tables up to the pooled pictures; `test_kills.py` has all of colours.
"""

import subprocess
import time
from dataclasses import dataclass

import pytest
from copies import QUICK, Project


@dataclass
class OneCore:
    """What a run on one core made, and how a second run in the same folder fared meanwhile."""

    project: Project
    tables: list[str]
    code: int
    output: str
    intruder: tuple[int, str]


@pytest.fixture(scope="module")
def one_core(project, tmp_path_factory) -> OneCore:
    """The first tables of birds."""
    made = [project.quick / "birds" / f"{name}.parquet" for name in ("images", "captions", "pooled")]
    tables = [str(path.relative_to(project.folder)) for path in made]
    copy = Project(tmp_path_factory.mktemp("one_core"))
    output, locks = copy.folder / "output.txt", copy.folder / ".snakemake" / "locks"
    with output.open("w") as file:
        command = copy.command(*tables, *QUICK, cores=1)
        first = subprocess.Popen(
            command, cwd=copy.folder, env=copy.environment(), stdout=file, stderr=subprocess.STDOUT
        )
    while first.poll() is None and not (locks.exists() and any(locks.iterdir())):
        time.sleep(0.1)
    intruder = copy.snakemake(*tables, *QUICK)
    code = first.wait(600)
    return OneCore(copy, tables, code, output.read_text(), intruder)


def test_one_core_makes_the_same_tables_as_two(project, one_core):
    assert one_core.code == 0, one_core.output
    same = {
        name: (one_core.project.folder / name).read_bytes() == (project.folder / name).read_bytes()
        for name in one_core.tables
    }
    assert [name for name, equal in same.items() if not equal] == []


def test_a_second_run_in_one_folder_is_refused_with_what_to_do(one_core):
    code, output = one_core.intruder
    assert code != 0
    assert "Directory cannot be locked" in output
    assert "make sure that no other Snakemake process" in output
    assert "--unlock" in output
