"""What code a script runs is found from its imports."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from neuralese.pipeline import imports
from neuralese.pipeline.imports import SOURCE, digest, imported

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "workflow/scripts").rglob("*.py"))


def names(path: Path) -> set[str]:
    return {each.relative_to(SOURCE).as_posix() for each in imported(path)}


def test_a_script_runs_what_it_imports_and_what_that_imports_and_nothing_else():
    found = names(ROOT / "workflow/scripts/train_agent.py")
    assert {"agents/training.py", "agents/unroll.py", "games/game.py", "storage/errors.py", "__init__.py"} <= found
    assert not {each for each in found if each.startswith(("translate", "evaluate", "report", "cli", "play"))}


def test_a_page_is_made_of_its_scripts_and_gathering_its_facts_is_not():
    assert "report/page/assets/explorer.js" in names(ROOT / "workflow/scripts/write_report.py")
    assert "report/page/assets/explorer.js" not in names(ROOT / "workflow/scripts/gather_report.py")


def test_a_stage_depends_on_what_its_own_function_imports():
    found = names(ROOT / "workflow/scripts/parse_colors.py")
    assert {"stages/prepare.py", "tasks/colors/data.py", "tasks/items.py"} <= found
    assert not {each for each in found if each.startswith(("tasks/birds", "tasks/driving", "agents"))}


# what Python has loaded after the imports at the top of a script, without running its stage
TOP = """
import ast, sys
from pathlib import Path
tree = ast.parse(Path(sys.argv[1]).read_text())
tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
exec(compile(tree, sys.argv[1], "exec"))
print(*{module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "neuralese"}, sep="\\n")
"""


@pytest.mark.parametrize("script", ["train_agent", "write_report", "extract_features", "choose_criteria"])
def test_what_is_found_is_what_python_loads(script):
    path = ROOT / f"workflow/scripts/{script}.py"
    done = subprocess.run([sys.executable, "-c", TOP, str(path)], check=True, capture_output=True, text=True)
    loaded = {Path(line) for line in done.stdout.split()}
    assert {each for each in imported(path) if each.suffix == ".py"} >= loaded


def test_an_edit_is_seen_by_just_the_scripts_that_import_the_file(tmp_path, monkeypatch):
    package = tmp_path / "src/neuralese"
    (package / "room").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "room/__init__.py").write_text("")
    (package / "room/a.py").write_text("from neuralese.room import b\n")
    (package / "room/b.py").write_text("def f():\n    import neuralese.c\n")
    (package / "c.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import neuralese.d\n")
    (package / "d.py").write_text("")
    (tmp_path / "one.py").write_text("from neuralese.room.a import something\n")
    (tmp_path / "two.py").write_text("import neuralese.room.b, numpy\n")
    monkeypatch.setattr(imports, "SOURCE", package)

    def digests() -> list[str]:
        imports._direct.cache_clear()
        return [digest(imported(tmp_path / name)) for name in ("one.py", "two.py")]

    before = digests()
    for file, seen in {"room/a.py": [1, 0], "c.py": [1, 1], "d.py": [0, 0], "room/__init__.py": [1, 1]}.items():
        original = (package / file).read_text()
        (package / file).write_text(original + "\n")
        assert [int(a != b) for a, b in zip(before, digests(), strict=True)] == seen, file
        (package / file).write_text(original)
    imports._direct.cache_clear()


def test_every_rule_depends_on_the_code_of_its_own_script():
    rules = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").rglob("*.smk")))
    blocks = [block for block in re.split(r"(?m)^(?=rule )", rules) if block.startswith("rule ")]
    scripts = set()
    for block in blocks:
        if script := re.search(r'script:\s+"(?:\.\./)+scripts/((?:tasks/)?\w+)\.py"', block):
            scripts.add(script[1])
            if script[1] != "download":  # real data is known by its digest
                assert f'code=code("{script[1]}")' in block, block.splitlines()[0]
    assert scripts == {path.relative_to(ROOT / "workflow/scripts").with_suffix("").as_posix() for path in SCRIPTS}
