"""What platforms read of the project can be read, and names only what there is."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
OTHERS = [ROOT / name for name in (".pre-commit-config.yaml", ".snakemake-workflow-catalog.yml", "CITATION.cff")]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def name(path: Path) -> str:
    return path.name


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow: dict) -> list[dict]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", [*WORKFLOWS, *FORMS, *OTHERS], ids=name)
def test_every_file_is_yaml(path):
    assert isinstance(read(path), dict)


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_workflows_may_read_the_code_and_no_more_and_end_by_themselves(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"]
        assert set(job.get("permissions", {})) <= {"id-token"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_actions_are_pinned_to_a_major_version(path):
    for step in steps(read(path)):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", step["uses"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_workflows_run_only_what_the_makefile_has(path):
    workflow = read(path)
    parts = workflow["jobs"].get("test", {}).get("strategy", {}).get("matrix", {}).get("part", [])
    ran = " ".join(step.get("run", "") for step in steps(workflow))
    asked = {*re.findall(r"\bmake ([a-z-]+)", ran), *parts}
    assert asked <= TARGETS | {"docs"}


def test_ci_tests_every_version_of_python_that_the_package_names():
    named = [text.rsplit(" ", 1)[1] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    assert read(ROOT / ".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_hooks_need_no_network():
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    assert {hook["language"] for hook in repository["hooks"]} == {"system", "pygrep"}


def test_the_version_is_the_same_everywhere():
    version = PROJECT["version"]
    cited = read(ROOT / "CITATION.cff")
    first, *_ = re.findall(r"^## \[(\d\S+)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert (cited["version"], str(cited["date-released"])) == first
    assert first[0] == version
    assert str(version) in (ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text()


def test_the_changelog_keeps_its_form():
    heads = re.findall(r"^(##+) (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    versions = [text for level, text in heads if level == "##"]
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", text) for text in versions[1:])
    assert {text for level, text in heads if level == "###"} <= {"Added", "Changed", "Fixed", "Removed"}


def test_the_catalog_finds_the_workflow_where_it_looks():
    assert (ROOT / "workflow/Snakefile").is_file()
    assert (ROOT / "config/README.md").is_file()
    assert 'include: "workflow/Snakefile"' in (ROOT / "Snakefile").read_text()
    assert read(ROOT / ".snakemake-workflow-catalog.yml")["usage"]["report"] is True


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", ".github/pull_request_template.md"])
def test_pages_name_files_and_targets_that_there_are(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for path in re.findall(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:md|toml|lock|cff))`|\]\(([^)h][^)]*)\)", text):
        assert (ROOT / (path[0] or path[1])).exists(), path
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= TARGETS
