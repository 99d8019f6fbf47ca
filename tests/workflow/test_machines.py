"""Runs on a machine whose clock goes backwards, and in a folder that cannot be written."""

import os
import subprocess
from pathlib import Path

import pytest
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


def test_a_read_only_results_folder_stops_the_run_before_any_job(fresh):
    results = fresh.folder / "results"
    results.mkdir()
    mount = f"mount -t tmpfs none {results}; mount -o remount,ro {results}"
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-e", "-c", f'{mount}; exec "$@"', "sh"]
    try:
        possible = subprocess.run([*inside, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        possible = False
    if not possible:
        pytest.skip("no file system can be mounted here (unshare --mount)")
    command = [*inside, *fresh.command("results/quick/colors/inventory.parquet", *QUICK)]
    done = subprocess.run(command, cwd=fresh.folder, env=fresh.environment(), capture_output=True, text=True)
    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert f"{results}/quick cannot be written: you may not write to its folder; make it writable or choose" in output
    assert "rule download" not in output
