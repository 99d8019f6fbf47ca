"""Where the workflow is found: in the project, and as a module of others, from a clone or where it is published."""

import re
import subprocess

import pytest

FOREIGN = """
module neuralese:
    snakefile: {place}
    config: config
use rule * from neuralese as neuralese_*
"""
PUBLISHED = "https://github.com/someone/neuralese"
AUTHOR = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]


def planned(project, folder, place, **variables) -> set[str]:
    """The rules that a workflow would run whose module is at `place`, in a folder of its own."""
    folder.mkdir()
    (folder / "Snakefile").write_text(FOREIGN.format(place=place))
    configs = [str(project.folder / "config" / name) for name in ("config.yaml", "quick.yaml")]
    command = project.command("--dry-run", "--configfile", *configs)
    done = subprocess.run(command, cwd=folder, env=project.environment() | variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return set(re.findall(r"^(\w+) +\d+$", done.stdout, re.M))


SNAKEFILES = pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])


@SNAKEFILES
def test_another_workflow_can_use_this_one_as_a_module(fresh, tmp_path, snakefile):
    rules = planned(fresh, tmp_path / "other", f'"{fresh.folder / snakefile}"')
    assert {"neuralese_train_agent", "neuralese_write_report"} <= rules


def test_a_module_can_come_from_the_published_repository(fresh, tmp_path):
    for arguments in (["init", "--quiet"], ["add", "."], [*AUTHOR, "commit", "--quiet", "--message", "all"]):
        subprocess.run(["git", *arguments], cwd=fresh.folder, check=True)
    subprocess.run(["git", "tag", "v1"], cwd=fresh.folder, check=True)
    here = {  # git looks here for what is published there, so that no network is needed
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{fresh.folder}.insteadOf",
        "GIT_CONFIG_VALUE_0": PUBLISHED,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    place = 'github("someone/neuralese", path="workflow/Snakefile", tag="v1")'
    rules = planned(fresh, tmp_path / "other", place, **here)
    assert {"neuralese_train_agent", "neuralese_prepare_birds", "neuralese_write_report", "neuralese_all"} <= rules
