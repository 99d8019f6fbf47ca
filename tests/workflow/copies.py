"""Copies of the project, to run it in."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
WATCHED = Path(__file__).parent / "watched"
QUICK = ["--configfile", "config/quick.yaml"]


class Project:
    """A copy of the project in which Snakemake runs as a user would run it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("Snakefile", "workflow", "config", "profiles", "src"):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(source, folder / name)
        self.quick = folder / "results" / "quick"
        self.watched = folder / "watched"  # what each job imported, see watched/sitecustomize.py
        self.watched.mkdir()

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        """A command that runs Snakemake."""
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *arguments]

    def environment(self) -> dict[str, str]:
        """The environment of a run: the copied library, and no mirror."""
        paths = os.pathsep.join(map(str, (self.folder / "src", WATCHED)))
        variables = {**os.environ, "PYTHONPATH": paths, "NEURALESE_WATCHED": str(self.watched)}
        variables.pop("NEURALESE_MIRROR", None)
        return variables

    def snakemake(self, *arguments: str, environment: dict[str, str] | None = None, cores: int = 2) -> tuple[int, str]:
        """Run Snakemake; return its exit code and its output."""
        done = subprocess.run(
            self.command(*arguments, cores=cores),
            cwd=self.folder,
            env={**self.environment(), **(environment or {})},
            capture_output=True,
            text=True,
            timeout=1800,
        )
        return done.returncode, done.stdout + done.stderr

    def planned(self, *arguments: str) -> set[str]:
        """The rules that a dry run would run."""
        code, output = self.snakemake("--dry-run", *arguments)
        assert code == 0, output
        return set(re.findall(r"^(\w+) +\d+$", output, flags=re.MULTILINE)) - {"total", "all", "default"}

    def neuralese(self, *arguments: str) -> str:
        """Run a command; return what it prints."""
        command = [sys.executable, "-m", "neuralese.cli.main", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextmanager
def restored(*paths: Path) -> Iterator[None]:
    """Put files back with their times, so that nothing made from them is rerun."""
    kept = {path: (path.read_bytes(), path.stat()) for path in paths}
    try:
        yield
    finally:
        for path, (content, was) in kept.items():
            path.write_bytes(content)
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
