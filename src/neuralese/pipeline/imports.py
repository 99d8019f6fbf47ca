"""The code that a script runs: the modules of this package that it imports, directly or not, and parts of tasks.

imported("workflow/scripts/train_agent.py", tasks=["colors"])     # the files, sorted
digest(files)                                                     # a short text that changes whenever one of them does

A part of a task (`tasks.part(name, "game")`) is imported by name at run time: whichever parts the modules of a
script ask for in this way, those of the tasks it is run for belong to its code, even if they come from another
package. So do the criteria of other packages, wherever there are criteria.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from neuralese import tasks as registry
from neuralese.translate.criteria import GROUP

PACKAGE = "neuralese"
SOURCE = Path(__file__).parents[1]
CRITERIA = "translate/criteria.py"


def imported(*roots: str | Path, tasks: Iterable[str] = ()) -> list[Path]:
    """The files of all modules of the package that these files import, directly or not, and these files if among them.

    With `tasks`, also the parts of these tasks that are asked for.
    """
    found: set[Path] = set()
    waiting = [Path(root).resolve() for root in roots]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += _direct(path)
        for task in tasks if _parts(path) else ():
            waiting += [file for part in _parts(path) if (file := registry.file(task, part))]
            waiting += [file for file in (_home(registry.homes()[task]) / "__init__.py",) if file.is_file()]
        waiting += _brought() if path == SOURCE / CRITERIA else []
    homes = {_home(registry.homes()[task]) for task in tasks} | set(_brought())
    return sorted(path for path in found if path.is_relative_to(SOURCE) or any(map(path.is_relative_to, homes)))


def _home(module: str) -> Path:
    """Where the code of a task is: the folder of its package, or its only file."""
    path = _origin(module)
    return path.parent if path.name == "__init__.py" else path


@cache
def _brought() -> list[Path]:
    """The files of the criteria that other packages bring."""
    return [_origin(each.value) for each in sorted(entry_points(group=GROUP))]


def _origin(module: str) -> Path:
    """The file of an installed module."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{module} is installed as a task or a criterion, but cannot be found")
    return Path(spec.origin)


@cache
def _parts(path: Path) -> frozenset[str]:
    """The parts of tasks that a file asks for: names in calls of `part` and `has`, and facts, by `tasks.get`."""
    if path.suffix != ".py":
        return frozenset()
    asked: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("part", "has"):
            texts = [each.value for each in node.args[1:2] if isinstance(each, ast.Constant)]
            asked.update(text for text in texts if isinstance(text, str))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tasks.get":
            asked.add(registry.FACTS)
    return frozenset(asked)


@cache
def _direct(path: Path) -> list[Path]:
    """The files that one file imports, from our package or its own, and the files of pages in folders that it names."""
    if path.suffix != ".py":
        return []
    tree = ast.parse(path.read_bytes())
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    beside = [each for each in path.parent.iterdir() if each.suffix in (".js", ".css", ".html") and each.name in texts]
    folders = [each for each in path.parent.iterdir() if each.is_dir() and not (each / "__init__.py").exists()]
    used = [each for folder in folders if folder.name in texts for each in folder.rglob("*") if each.is_file()]
    return [each for name in _names(tree) for each in _files(name)] + used + beside


def _names(tree: ast.AST) -> Iterator[str]:
    """The dotted names that a module imports, also inside functions; those only for type checkers are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from _names(node)


def _files(name: str) -> Iterator[Path]:
    """The files that importing a dotted name runs, if it belongs to our package or a task's; otherwise none."""
    package, *rest = name.split(".")
    source = SOURCE if package == PACKAGE else _foreign().get(package)
    if source is None:
        return
    for depth in range(len(rest) + 1):
        place = source.joinpath(*rest[:depth])
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                yield path


@cache
def _foreign() -> dict[str, Path]:
    """The folders of other packages that bring tasks, by name; a single module imports nothing of its own."""
    packages = {home.split(".")[0] for home in registry.homes().values()} - {PACKAGE}
    specs = {name: find_spec(name) for name in packages}
    found = {name: spec for name, spec in specs.items() if spec and spec.submodule_search_locations}
    return {name: _origin(name).parent for name in found}


def digest(files: Iterable[Path]) -> str:
    """A short text that changes as soon as a file or its name does."""
    total = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        name = path.relative_to(SOURCE) if path.is_relative_to(SOURCE) else Path(path.parent.name, path.name)
        total.update(f"{name.as_posix()}\n{len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()[:16]
