"""A run installs what a run needs, tests what tests need, once; uv looks where pip is told to look."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
RUN = "tools/install .venv ."
TEST, DOCS, SLURM = (f'tools/install .venv ".[{extra}]"' for extra in ("test", "docs", "slurm"))
STAMPS = {".installed": RUN, ".installed-test": TEST, ".installed-docs": DOCS, ".installed-slurm": SLURM}
INSTALL = "install --quiet --constraint constraints.txt --editable .[test]"


@pytest.fixture
def clone(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def installs(clone, target) -> list[str]:
    """What a target would install."""
    command = ["make", "--dry-run", "--no-print-directory", "PYTHON=python3", target]
    said = subprocess.run(command, cwd=clone, check=True, capture_output=True, text=True).stdout
    return [line.split(" ", 1)[1] for line in said.splitlines() if "tools/install" in line]


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("all", [RUN]),
        ("bench", [RUN]),
        ("unlock", [RUN]),
        ("reference", [RUN]),
        ("docs", [RUN, DOCS]),
        ("lint", [RUN, TEST]),
        ("test-library", [RUN, TEST]),
        ("coverage", [RUN, TEST]),
        ("test-workflow", [RUN, TEST]),
        ("test-slurm", [RUN, TEST, SLURM]),
    ],
)
def test_a_target_installs_what_it_needs_and_nothing_twice(clone, target, wanted):
    assert installs(clone, target) == wanted
    (clone / ".venv").mkdir()
    for stamp, what in STAMPS.items():
        if what in wanted:
            (clone / ".venv" / stamp).touch()
    assert installs(clone, target) == []


def test_tests_after_a_run_install_only_what_is_missing(clone):
    (clone / ".venv").mkdir()
    (clone / ".venv" / ".installed").touch()
    assert installs(clone, "lint") == [TEST]


@pytest.fixture
def machine(tmp_path):
    """A machine whose commands write down how they were called; pip has settings."""
    (tmp_path / "bin").mkdir()
    for name in ("sh", "sed", "mkdir", "cp", "cat"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    python = f"""#!/bin/sh
echo "python $*" >> {tmp_path}/called
case "$*" in
  *config*) cat {tmp_path}/settings ;;
  *venv*) mkdir -p "$3/bin"; cp "$0" "$3/bin/pip" ;;
esac
"""
    (tmp_path / "settings").write_text("")
    command(tmp_path / "bin" / "python3", python)
    return tmp_path


def command(path, text):
    path.write_text(text)
    path.chmod(0o755)


def calls(machine) -> list[str]:
    subprocess.run(
        [str(ROOT / "tools/install"), f"{machine}/venv", ".[test]"], env={"PATH": f"{machine}/bin"}, check=True
    )
    return (machine / "called").read_text().splitlines()


def test_without_uv_it_is_pip_in_an_environment_that_is_made_once(machine):
    made, installed = (
        f"python -m venv {machine}/venv",
        f"python {INSTALL}",
    )
    assert calls(machine) == [made, installed]
    assert calls(machine) == [made, installed, installed]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("", ""),
        ("global.find-links='/wheels'\nglobal.timeout='9'\n", " --find-links /wheels"),
        (":env:.find-links='/mine /other'\nglobal.find-links='/w'\n", " --find-links /mine --find-links /other"),
        ("global.extra-index-url='\\nfile:///a\\nfile:///b'\n", " --index file:///a --index file:///b"),
        ("global.index-url='https://i.test/simple'\n", " --default-index https://i.test/simple"),
    ],
)
def test_uv_is_told_where_pip_is_told_to_look(machine, settings, told):
    (machine / "settings").write_text(settings)
    command(machine / "bin" / "uv", f'#!/bin/sh\necho "uv $*" >> {machine}/called\n')
    _, made, installed = calls(machine)
    assert made == f"uv venv --quiet --allow-existing --python python3 {machine}/venv"
    options = f"--quiet --python {machine}/venv/bin/python --index-strategy unsafe-best-match{told}"
    assert installed == f"uv pip install {options} --constraint constraints.txt --editable .[test]"


def test_the_version_of_torch_that_is_installed_is_one_that_the_package_allows():
    (pin,) = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch")]
    (wanted,) = [
        Requirement(line)
        for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        if line.startswith("torch")
    ]
    assert pin.removeprefix("torch==") in wanted.specifier
    assert not str(wanted.specifier).startswith("==")  # which other people's environments could not meet


def test_containers_are_built_as_the_docs_install_the_project():
    line = "pip install -c constraints.txt -e ."
    assert f"    {line}\n" in (ROOT / "docs/start.md").read_text()
    for recipe in ("Dockerfile", "neuralese.def"):
        assert line in (ROOT / recipe).read_text().replace("--no-cache-dir ", "")
    assert "apptainer build neuralese.sif neuralese.def" in (ROOT / "workflow/Snakefile").read_text()
