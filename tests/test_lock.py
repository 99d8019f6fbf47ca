"""The lock file names every dependency with a digest, and nothing of where it was made."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text()
ENTRY = re.compile(r"^([a-z0-9-]+)==([0-9a-zA-Z.+]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_line_is_a_pin_with_a_digest():
    left = ENTRY.sub("", "\n".join(line for line in LOCK.split("\n") if not line.startswith("#")))
    assert left.strip() == ""


def test_it_holds_no_place():
    pins = "\n".join(line for line in LOCK.split("\n") if not line.startswith("#"))
    assert not re.search(r"https?:|/|@|\bwww\b|index-url|find-links", pins)


def test_every_direct_dependency_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["test"], *extras["docs"]]  # of which the extra `test` makes use
    names = {normal(re.match(r"[A-Za-z0-9._-]+", text)[0]) for text in asked} - {project["name"]}
    assert names <= {name for name, _, _ in ENTRY.findall(LOCK)}


def test_the_licences_are_of_what_is_locked():
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (\S+) \| (.+) \|$", (ROOT / "docs/licences.md").read_text(), re.M)
    listed = rows[2:]  # below the head
    assert [(name, version) for name, version, _ in listed] == [
        (name, version) for name, version, _ in ENTRY.findall(LOCK)
    ]
    assert not [name for name, _, licence in listed if licence in ("it does not say", "not installed here")]
