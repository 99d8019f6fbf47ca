"""Runs on a machine whose clock goes backwards."""

import os
from pathlib import Path

from copies import QUICK


def move_to_tomorrow(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime + 24 * 3600))


def test_a_clock_set_back_reruns_no_stage(project):
    move_to_tomorrow(project.quick)
    move_to_tomorrow(project.folder / "workflow" / "scripts")
    assert project.planned("all", *QUICK) == set()
    bound = project.quick / "tables" / "bound.parquet"
    before = bound.read_bytes()
    bound.unlink()
    code, output = project.snakemake("all", *QUICK)
    assert code == 0, output
    assert "results from the future are now dated to the present" in output
    assert output.count("Finished jobid") == 3  # check_theory, write_report, and all
    assert bound.read_bytes() == before
    assert project.planned("all", *QUICK) == set()
