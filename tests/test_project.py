"""The project keeps its own rules: which package imports which, and which code knows a task by name."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "neuralese"
PACKAGES = ["storage", "config", "data", "games", "agents", "speakers", "translate", "evaluate", "tasks"]
PACKAGES += ["play", "report", "cli"]
TASKS = ("colors", "birds", "driving")


def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_from_packages_above_it(package):
    below = PACKAGES[PACKAGES.index(package) + 1 :]
    for path in (SOURCE / package).rglob("*.py"):
        wrong = [name for name in imports(path) if any(name.startswith(f"neuralese.{other}") for other in below)]
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_the_library_knows_nothing_of_snakemake():
    for path in SOURCE.rglob("*.py"):
        assert not [name for name in imports(path) if name.split(".")[0] == "snakemake"], path


def code(path: Path) -> str:
    """A file without what is said in it to people: comments, docstrings, examples of commands and settings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return re.sub(r"(?m)//.*$|#.*$|<!--.*?-->|\{#.*?#\}|^\s*\"\"\".*?\"\"\"", "", text)
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            body[0] = ast.Pass()  # a docstring
    tree.body = [node for node in tree.body if not ast.unparse(node).startswith("EXAMPLES = ")]
    return re.sub(r"(?:help|advice|epilog)=(?:'[^']*'|\"[^\"]*\")", "", ast.unparse(tree))


def test_nothing_but_the_tasks_themselves_and_the_config_knows_a_task_by_name():
    library = [path for path in SOURCE.rglob("*.py") if not {"tasks", "config"} & {*path.relative_to(SOURCE).parts}]
    library.remove(SOURCE / "stages/prepare.py")  # stages that a task has alone, as their rules are
    library.remove(SOURCE / "errors.py")  # an extra of the package has the name of a task
    library.remove(SOURCE / "play/driving.py")  # the game of one task
    scripts = [path for path in (ROOT / "workflow/scripts").glob("*.py") if "stages.prepare" not in path.read_text()]
    rules = [*(ROOT / "workflow/rules").glob("*.smk"), ROOT / "workflow/Snakefile"]
    rules.remove(ROOT / "workflow/rules/data.smk")
    page = [*(SOURCE / "report/assets").glob("*.js")]
    for path in (*library, *scripts, *rules, *page):
        found = re.findall(rf"\b(?:{'|'.join(TASKS)})\b", code(path))
        assert not found, f"{path.relative_to(ROOT)} names {found}"
