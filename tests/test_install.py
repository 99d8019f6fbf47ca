"""What is installed are the versions that were tested, and files that other platforms read agree with the project."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from neuralese.errors import EXTRAS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
PIN = re.compile(r"^([a-z0-9-]+)==([0-9a-zA-Z.+]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)
PINS = [(name, version) for name, version, _ in PIN.findall(LOCK)]
INSTALL = "install --quiet --constraint constraints.txt --editable .[test]"


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
    every = [*PROJECT["dependencies"], *(text for name in extras if name != "slurm" for text in extras[name])]
    asked = [Requirement(text).name for text in every]
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in asked} <= {"neuralese", *dict(PINS)}


def test_the_page_of_licences_lists_what_is_locked():
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (\S+) \| (.+) \|$", page, re.M)[2:]  # below the head
    assert [row[:2] for row in rows] == PINS
    assert not {licence for _, _, licence in rows} & {"unknown", "not installed here"}


def read(path: str) -> dict:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_ci_tests_every_supported_version_of_python_and_runs_targets_of_the_makefile():
    named = [text.rsplit(" ", 1)[1] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    workflow = read(".github/workflows/ci.yml")
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"
    commands = " ".join(step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"])
    targets = {*re.findall(r"\bmake ([a-z-]+)", commands), *matrix["part"]}
    assert targets <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))


def test_the_version_is_the_same_everywhere():
    citation = read("CITATION.cff")
    latest = re.search(r"^## \[(\d\S+)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert latest.groups() == (PROJECT["version"], str(citation["date-released"]))
    assert citation["version"] == PROJECT["version"]


WITHOUT_EXTRAS = """
import sys
from neuralese.errors import EXTRAS
for libraries in EXTRAS.values():
    for library in libraries:
        sys.modules[library] = None  # as if it were not installed
from neuralese import Recording, Translator, open_run, read_corpus
from neuralese.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--help"], "Bring your own agents"),
        (["corpus", "new", "mine"], "mine is a corpus of a toy game"),
        (["run"], "snakemake is not installed; install it with: pip install 'neuralese[workflow]'"),
    ],
)
def test_without_the_extras_corpora_work_and_commands_name_the_extra_they_lack(arguments, said, tmp_path):
    command = [sys.executable, "-c", WITHOUT_EXTRAS, *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_every_library_of_an_extra_is_known_and_the_extra_all_has_the_others():
    extras = PROJECT["optional-dependencies"]
    assert [Requirement(text).extras for text in extras["all"]] == [set(EXTRAS)]
    for extra, libraries in EXTRAS.items():
        names = {re.sub(r"[-_.]+", "_", Requirement(text).name).lower() for text in extras[extra]}
        renamed = {"skimage": "scikit_image", "vl_convert": "vl_convert_python"}
        assert {renamed.get(library, library) for library in libraries} <= names


def test_importing_the_package_loads_nothing_else():
    code = "import neuralese, sys; print({'torch', 'pandas', 'numpy', 'pydantic'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"
