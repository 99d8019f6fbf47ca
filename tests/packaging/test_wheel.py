"""A wheel holds library, commands and workflow, and works from an empty folder; the long test by `make test-wheel`."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT_FROM = ("src", "workflow", "config", "profiles")
FILES = ("Snakefile", "pyproject.toml", "constraints.txt", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")
asked = pytest.mark.skipif(
    os.environ.get("NEURALESE_WHEEL") != "1", reason="a fresh environment takes minutes; `make test-wheel` makes one"
)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from a source distribution of a copy, so that nothing is left in the project."""
    pytest.importorskip("hatchling", reason="hatchling is not installed; it comes with the extra `test`")
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("dist")
    for name in BUILT_FROM:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in FILES:
        shutil.copy(ROOT / name, copy)
    environment = plain_environment()
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", out]
    subprocess.run(build, cwd=copy, check=True, capture_output=True, env=environment)
    (source,) = out.glob("*.tar.gz")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", out]
    done = subprocess.run([*command, source], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("*.whl")
    return path


def plain_environment() -> dict[str, str]:
    """The environment without what would let another copy of the library be found."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NEURALESE_RESULTS")}


def test_a_wheel_holds_every_file_of_the_library_and_of_the_workflow_and_finds_them(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    packaged = tmp_path / "site/neuralese/packaged"
    expected = {packaged / "Snakefile"}
    for name in BUILT_FROM:
        place = tmp_path / "site" if name == "src" else packaged / name
        files = (path for path in (ROOT / name).rglob("*") if path.is_file())
        expected |= {place / path.relative_to(ROOT / name) for path in files if "__pycache__" not in path.parts}
    held = {path for path in (tmp_path / "site").rglob("*") if path.is_file() and ".dist-info" not in str(path)}
    assert held == {path for path in expected if ".egg-info" not in str(path)}
    code = "from neuralese.cli.run import home, find_config; print(home()); print(find_config('quick'))"
    environment = {**plain_environment(), "PYTHONPATH": str(tmp_path / "site")}
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "empty", capture_output=True, text=True, env=environment
    )
    assert done.stdout.splitlines() == [str(packaged), str(packaged / "config/quick.yaml")], done.stderr


@asked
def test_a_fresh_environment_runs_everything_from_an_empty_folder(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    bin_folder = tmp_path / "venv/bin"
    install = [bin_folder / "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", f"{wheel}[all]"]
    subprocess.run(install, check=True, env=plain_environment())
    (tmp_path / "empty").mkdir()

    def run(*arguments: str) -> str:
        environment = {**plain_environment(), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        command = [bin_folder / "neuralese", *arguments]
        done = subprocess.run(command, cwd=tmp_path / "empty", capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = run("run", "--cores", "2", "--configfile", "quick")
    report = Path("results/quick/report/index.html")
    assert f"Report: {report}" in said
    assert "EMBEDDED DATA: colors, birds, driving" in said
    assert (tmp_path / "empty" / report).is_file()
    assert "nothing to do" in run("run", "--cores", "2", "--configfile", "quick")
    run("init", "mine")
    assert (tmp_path / "empty/mine/config/quick.yaml").is_file()
