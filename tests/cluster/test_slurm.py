"""The pipeline on a real SLURM gives what a local run gives, even if a job is killed; run with `make test-slurm`."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    os.environ.get("NEURALESE_SLURM") != "1", reason="no SLURM was asked for; `make test-slurm` starts one"
)
QUICK = ["--configfile", "config/quick.yaml"]
# as users run it, but with less waiting than a shared cluster is due
SLURM = ["--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2"]
SLURM += ["--seconds-between-status-checks", "2", "--latency-wait", "10"]


def copy(folder: Path) -> Path:
    """A copy of the project."""
    for name in ("workflow", "config", "profiles", "src"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(ROOT / "Snakefile", folder)
    return folder


def start(folder: Path, *arguments: str) -> subprocess.Popen:
    """Start Snakemake; what it prints goes to a file `printed`."""
    variables = {**os.environ, "PYTHONPATH": str(folder / "src")}
    with open(folder / "printed", "w") as printed:
        command = [sys.executable, "-m", "snakemake", *arguments]
        return subprocess.Popen(command, cwd=folder, env=variables, stdout=printed, stderr=subprocess.STDOUT)


def run(folder: Path, *arguments: str) -> str:
    """Run Snakemake to its good end; return what it printed."""
    code = start(folder, *arguments).wait(timeout=3600)
    printed = (folder / "printed").read_text()
    assert code == 0, printed
    return printed


def tables(folder: Path) -> dict[str, object]:
    """Every Parquet table below a folder."""
    return {str(path.relative_to(folder)): pq.read_table(path) for path in (folder / "results").rglob("*.parquet")}


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Path:
    """The project after a quick run on this machine."""
    folder = copy(tmp_path_factory.mktemp("local"))
    run(folder, "all", *QUICK, "--cores", "2")
    return folder


def test_a_quick_run_on_slurm_makes_the_tables_of_a_local_run(local, tmp_path):
    slurm = copy(tmp_path)
    printed = run(slurm, "all", *QUICK, *SLURM)
    assert "has been submitted with SLURM jobid" in printed
    here, there = tables(local), tables(slurm)
    assert here.keys() == there.keys()
    assert len(here) > 10
    different = [name for name in here if not here[name].equals(there[name])]
    assert not different


def test_a_training_whose_job_is_cancelled_is_submitted_again_and_goes_on_from_its_checkpoint(local, tmp_path):
    agent = "results/quick/colors/seed0/agent.safetensors"
    slurm = copy(tmp_path)
    checkpoints = ["--config", "training={colors: {checkpoint_every: 50}}"]
    running = start(slurm, agent, *QUICK, *checkpoints, *SLURM)
    deadline = time.monotonic() + 900
    while not list((slurm / "results/quick/.checkpoints").glob("*.pt")):
        assert running.poll() is None, (slurm / "printed").read_text()
        assert time.monotonic() < deadline, "no checkpoint was written"
        time.sleep(0.1)
    job = re.findall(r"SLURM jobid (\d+)", (slurm / "printed").read_text())[-1]
    subprocess.run(["scancel", job], check=True)
    code, printed = running.wait(timeout=900), (slurm / "printed").read_text()
    assert code == 0, printed
    assert f"SLURM-job '{job}' failed, SLURM status is: 'CANCELLED'" in printed
    assert "Trying to restart job" in printed
    assert "resumed at update" in (slurm / "results/quick/logs/colors/seed0/train_agent.log").read_text()
    resumed, whole = (load_file(folder / agent) for folder in (slurm, local))
    assert resumed.keys() == whole.keys()
    assert all((resumed[name] == whole[name]).all() for name in whole)
