"""`make` installs each thing once, with the versions that were tested; the lock file names them all."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
PIN = re.compile(r"^([a-z0-9-]+)==([0-9a-zA-Z.+]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)
PINS = [(name, version) for name, version, _ in PIN.findall(LOCK)]
INSTALL = "install --quiet --constraint constraints.txt --editable .[test]"


@pytest.mark.parametrize(
    ("target", "extras"), [("all", []), ("docs", ["docs"]), ("lint", ["test"]), ("test-slurm", ["test", "slurm"])]
)
def test_a_target_installs_what_is_missing(tmp_path, target, extras):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)

    def installs() -> list[str]:
        command = ["make", "--dry-run", "--no-print-directory", target]
        printed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        return re.findall(r'tools/install \.venv "?(.*?)"?$', printed, re.M)

    wanted = [".", *(f".[{extra}]" for extra in extras)]
    assert installs() == wanted
    (tmp_path / ".venv").mkdir()
    for stamp in (".installed", *(f".installed-{extra}" for extra in extras)):
        (tmp_path / ".venv" / stamp).touch()
        wanted = wanted[1:]
        assert installs() == wanted


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
    write_command(tmp_path / "bin" / "python3", python)
    return tmp_path


def write_command(path, text):
    path.write_text(text)
    path.chmod(0o755)


def calls(machine) -> list[str]:
    command = [str(ROOT / "tools/install"), f"{machine}/venv", ".[test]"]
    subprocess.run(command, env={"PATH": f"{machine}/bin"}, check=True)
    return (machine / "called").read_text().splitlines()


def test_without_uv_pip_installs_into_an_environment_that_is_created_once(machine):
    created, installed = f"python -m venv {machine}/venv", f"python {INSTALL}"
    assert calls(machine) == [created, installed]
    assert calls(machine) == [created, installed, installed]


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ("", ""),
        ("global.find-links='/wheels'\nglobal.timeout='9'\n", " --find-links /wheels"),
        (":env:.find-links='/mine /other'\nglobal.find-links='/w'\n", " --find-links /mine --find-links /other"),
        ("global.extra-index-url='\\nfile:///a\\nfile:///b'\n", " --index file:///a --index file:///b"),
        ("global.index-url='https://i.test/simple'\n", " --default-index https://i.test/simple"),
    ],
)
def test_uv_searches_the_package_sources_of_pip(machine, settings, options):
    (machine / "settings").write_text(settings)
    write_command(machine / "bin" / "uv", f'#!/bin/sh\necho "uv $*" >> {machine}/called\n')
    _, created, installed = calls(machine)
    assert created == f"uv venv --quiet --allow-existing --python python3 {machine}/venv"
    given = f"--quiet --python {machine}/venv/bin/python --index-strategy unsafe-best-match{options}"
    assert installed == f"uv pip install {given} --constraint constraints.txt --editable .[test]"


def test_the_pinned_torch_is_one_of_a_range_that_the_package_allows():
    (pin,) = re.findall(r"^torch==(\S+)", (ROOT / "constraints.txt").read_text(), re.M)
    (torch,) = [Requirement(line) for line in PROJECT["dependencies"] if line.startswith("torch")]
    assert pin in torch.specifier
    assert not str(torch.specifier).startswith("==")  # other environments could not meet it


def test_the_lock_file_has_only_pins_with_digests_and_every_direct_dependency():
    pins = re.sub(r"^#.*$", "", LOCK, flags=re.M)
    assert PIN.sub("", pins).strip() == ""
    extras = PROJECT["optional-dependencies"]
    asked = [Requirement(text).name for text in (*PROJECT["dependencies"], *extras["test"], *extras["docs"])]
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in asked} <= {"neuralese", *dict(PINS)}


def test_the_page_of_licences_lists_what_is_locked():
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (\S+) \| (.+) \|$", page, re.M)[2:]  # below the head
    assert [row[:2] for row in rows] == PINS
    assert not {licence for _, _, licence in rows} & {"unknown", "not installed here"}
