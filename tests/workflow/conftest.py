"""A copy of the project in which whole runs are made."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Project:
    """A copy of the project in which Snakemake runs as a user would run it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Snakefile", "workflow", "config", "profiles", "src"):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(source, folder / name)
        self.quick = folder / "results" / "quick"

    def snakemake(self, *arguments: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
        """Run Snakemake; return its exit code and all it printed."""
        variables = {**os.environ, "PYTHONPATH": str(self.folder / "src"), **(environment or {})}
        variables.pop("NEURALESE_MIRROR", None)
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=600,
        )
        return done.returncode, done.stdout + done.stderr

    def planned(self, *arguments: str) -> set[str]:
        """The rules that a dry run would run."""
        code, output = self.snakemake("--dry-run", *arguments)
        assert code == 0, output
        return set(re.findall(r"^(\w+) +\d+$", output, flags=re.MULTILINE)) - {"total", "all"}


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Project:
    """A project after one whole quick run."""
    made = Project(tmp_path_factory.mktemp("project"))
    code, output = made.snakemake("all", "--configfile", "config/quick.yaml")
    assert code == 0, output
    return made


@pytest.fixture
def fresh(tmp_path) -> Project:
    return Project(tmp_path)
