"""Files that other platforms read agree with the project."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKEFILE = (ROOT / "Makefile").read_text()


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
    assert targets <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))


def test_workflows_have_no_write_access_and_a_time_limit():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        workflow = read(str(path.relative_to(ROOT)))
        assert workflow["permissions"] == {"contents": "read"}
        for job in workflow["jobs"].values():
            assert job["timeout-minutes"]
            assert set(job.get("permissions", {})) <= {"id-token"}


def test_the_version_is_the_same_everywhere():
    citation = read("CITATION.cff")
    latest = re.search(r"^## \[(\d\S+)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert latest.groups() == (PROJECT["version"], str(citation["date-released"]))
    assert citation["version"] == PROJECT["version"]


def test_the_changelog_has_the_form_of_keep_a_changelog():
    heads = re.findall(r"^(##+) (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    versions = [text for level, text in heads if level == "##"]
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", text) for text in versions[1:])
    assert {text for level, text in heads if level == "###"} <= {"Added", "Changed", "Fixed", "Removed"}
