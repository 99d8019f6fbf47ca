"""What code a script runs is found in its source, and an edit of anything else changes nothing."""

import re
from pathlib import Path

import pytest

from neuralese import workflow
from neuralese.workflow import digest, reached

ROOT = Path(__file__).parents[1]
SCRIPTS = {path.stem: path for path in (ROOT / "workflow/scripts").rglob("*.py")}


def names(script: str, task: str = "colors") -> set[str]:
    return set(reached(SCRIPTS[script], (task,)))


def test_a_script_runs_what_it_imports_and_what_that_imports_and_nothing_else():
    found = names("train_agent")
    assert {"neuralese.agents.training", "neuralese.agents.unroll", "neuralese.games.states", "neuralese"} <= found
    rooms = ("translate", "evaluate", "report", "cli", "play", "storage")
    assert not {each for each in found if each.startswith(tuple(f"neuralese.{room}" for room in rooms))}


@pytest.mark.parametrize(
    ("part", "having"),
    [
        ("neuralese.evaluate.listeners", {"evaluate_belief", "ablate"}),
        ("neuralese.stages.run.Run.listener", {"evaluate_belief", "ablate"}),
        ("neuralese.translate.dictionary", {"score_dictionary", "evaluate_belief", "ablate"}),
        ("neuralese.stages.evaluate.ablate", {"ablate"}),
        ("neuralese.stages.run.Run.english", {"score_dictionary", "evaluate_belief", "ablate"}),
        ("neuralese.tasks.task.ReferenceTask.load_traces", {"evaluate_belief", "ablate"}),
        ("neuralese.tasks.colors.task.Colors.pixels", set()),
        ("neuralese.agents.training", {"train_agent"}),
        ("neuralese.stages.run.read_config", set()),
    ],
)
def test_a_stage_depends_only_on_the_methods_that_it_uses(part, having):
    scripts = ("train_agent", "score_dictionary", "choose_criteria", "evaluate_belief", "ablate")
    assert {script for script in scripts if part in names(script)} == having


def test_a_stage_depends_on_its_own_task():
    assert "neuralese.tasks.colors.task.Colors.pixels" in names("gather_report")
    assert "neuralese.games.driving" in names("train_agent", "driving")
    assert "neuralese.games.driving" not in names("train_agent", "birds")
    assert "neuralese.tasks.corpus.game" not in names("fit_robot_speaker", "colors")
    assert {"neuralese.stages.run.Run.listeners", "neuralese.stages.run.Run.cell"} <= names("relay_driving", "driving")


def test_a_page_is_made_of_its_scripts_and_gathering_its_facts_is_not():
    explorer = "neuralese.report.page:assets/explorer.js"
    assert explorer in names("write_report")
    assert explorer not in names("gather_report")
    assert "neuralese.tasks.driving.task:report.js" in names("write_report", "driving")


def test_the_facts_of_a_task_count_where_they_are_used():
    paper = "neuralese.tasks.colors.task.Colors.paper"
    assert paper in names("tabulate")
    assert paper not in names("train_agent")


def test_what_makes_a_stand_in_is_known():
    assert "neuralese.tasks.colors.embedded" in reached(None, ("colors",), ("embed",))
    assert digest(None, ("colors",), ("embed",)) != digest(None, ("birds",), ("embed",))


def may_be_left_out(module: str) -> bool:
    """Whether a module that is loaded is no code of a stage: followed by its parts, a fact of some task, or empty."""
    facts = r"(agents|games|speakers)\.settings|data\.data_sets"
    facts += r"|tasks(\.(\w+\.)?(task|stages|source|settings))?"
    followed = module.startswith(("neuralese.stages", *workflow.LEFT_OUT)) or re.fullmatch(
        rf"neuralese\.({facts})", module
    )
    return bool(followed) or not workflow._path(module).read_text().strip()


def forget() -> None:
    for cached in vars(workflow).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()


def test_an_edit_is_seen_by_just_the_scripts_that_run_it(tmp_path, monkeypatch):
    package = tmp_path / "neuralese"
    (package / "room").mkdir(parents=True)
    files = {
        "room/a.py": "from neuralese.room import b\n",
        "room/b.py": "def f():\n    import neuralese.c\n",
        "c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import neuralese.d\n",
        "d.py": "",
        "__init__.py": "",
        "room/__init__.py": "",
        "stages/run.py": "class Run:\n    pass\n",
        "stages/s.py": "def one():\n    from neuralese.room import a\n\ndef two(): return three()\ndef three(): pass\n",
    }
    (package / "stages").mkdir()
    for name, text in files.items():
        (package / name).write_text(text)
    (tmp_path / "one.py").write_text("from neuralese.stages.s import one\none()\n")
    (tmp_path / "two.py").write_text("import neuralese.room.b, numpy\nfrom neuralese.stages.s import two\n")

    def file(name: str) -> Path | None:
        place = tmp_path.joinpath(*name.split("."))
        return next((each for each in (place / "__init__.py", place.with_suffix(".py")) if each.is_file()), None)

    monkeypatch.setattr(workflow, "_file", file)

    def digests() -> list[str]:
        forget()
        return [digest(tmp_path / name, ()) for name in ("one.py", "two.py")]

    before = digests()
    edits = {
        "room/a.py": ("#", [1, 0]),
        "c.py": ("#", [1, 1]),
        "d.py": ("#", [0, 0]),
        "room/__init__.py": ("#", [1, 1]),
        "stages/s.py": ("# a comment\n", [0, 0]),
    }
    for name, (more, seen) in edits.items():
        (package / name).write_text(files[name] + more)
        assert [int(a != b) for a, b in zip(before, digests(), strict=True)] == seen, name
        (package / name).write_text(files[name])
    (package / "stages/s.py").write_text(files["stages/s.py"].replace("three(): pass", "three(): return 3"))
    assert [int(a != b) for a, b in zip(before, digests(), strict=True)] == [0, 1]
    monkeypatch.undo()
    forget()


def test_every_rule_depends_on_the_code_of_its_own_script():
    rules = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").rglob("*.smk")))
    blocks = [block for block in re.split(r"(?m)^(?=rule )", rules) if block.startswith("rule ")]
    scripts = set()
    for block in blocks:
        if script := re.search(r'script:\s+"(?:\.\./)+scripts/((?:tasks/)?\w+)\.py"', block):
            scripts.add(script[1])
            if script[1] != "download":  # real data is known by its digest
                assert re.search(rf'code=code\("{script[1]}"[,)]', block), block.splitlines()[0]
    assert scripts == {
        path.relative_to(ROOT / "workflow/scripts").with_suffix("").as_posix() for path in SCRIPTS.values()
    }
