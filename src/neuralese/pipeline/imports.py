"""The code that a script runs: the modules of this package that it imports, directly or not, and parts of tasks.

imported("workflow/scripts/train_agent.py", tasks=["colors"])     # the files, sorted
digest(files)                                                     # a short text that changes whenever one of them does

A part of a task (`tasks.part(name, "game")`) is imported by name at run time: whichever parts the modules of a
script ask for in this way, those of the tasks it is run for belong to its code, even if they come from another
package. So do the criteria of other packages, wherever there are criteria. The functions in `neuralese.stages` import
what they need themselves; only those that a script names belong to its code.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from neuralese import tasks as registry
from neuralese.translate.criteria import GROUP

PACKAGE = "neuralese"
SOURCE = Path(__file__).parents[1]
CRITERIA = "translate/criteria.py"
STAGES = "neuralese.stages"  # modules whose functions import what they need


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
        parts = _seen(path).parts
        for task in tasks if parts else ():
            waiting += [file for part in parts if (file := registry.file(task, part))]
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


@dataclass(frozen=True)
class Seen:
    """What one file says of the code that it runs."""

    names: frozenset[str]  # dotted names that it imports, also inside functions
    parts: frozenset[str]  # of tasks that it asks for: names in calls of `part` and `has`, and facts, by `tasks.get`
    texts: frozenset[str]  # all its strings, among which may be names of files


@cache
def _seen(path: Path) -> Seen:
    """Read a file once; what is for type checkers only is left out."""
    names: set[str] = set()
    parts: set[str] = set()
    texts: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_bytes())] if path.suffix == ".py" else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.FunctionDef) and path.parent == SOURCE / "stages":
            continue
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                texts.add(node.value)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module:
                names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
                waiting += _bodies(node.module, {alias.name for alias in node.names})
        else:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                parts.update(_asked(node.func, node.args))
            waiting += ast.iter_child_nodes(node)
    return Seen(frozenset(names), frozenset(parts), frozenset(texts))


def _bodies(module: str, names: set[str]) -> Iterator[ast.stmt]:
    """What the functions with these names do, if the module is one of stages."""
    if module.startswith(f"{STAGES}."):
        for node in ast.parse(_origin(module).read_bytes()).body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                yield from node.body


def _asked(called: ast.Attribute, given: list[ast.expr]) -> Iterator[str]:
    """The part of a task that a call asks for, if it does."""
    if called.attr in ("part", "has"):
        texts = (each.value for each in given[1:2] if isinstance(each, ast.Constant))
        yield from (text for text in texts if isinstance(text, str))
    if called.attr == "get" and isinstance(called.value, ast.Name) and called.value.id == "tasks":
        yield registry.FACTS


@cache
def _direct(path: Path) -> list[Path]:
    """The files that one file imports, from our package or its own, and the files of pages in folders that it names."""
    if path.suffix != ".py":
        return []
    seen = _seen(path)
    near = list(path.parent.iterdir())
    beside = [each for each in near if each.suffix in (".js", ".css", ".html") and each.name in seen.texts]
    folders = [each for each in near if each.name in seen.texts and each.is_dir()]
    folders = [each for each in folders if not (each / "__init__.py").exists()]
    used = [each for folder in folders for each in folder.rglob("*") if each.is_file()]
    return [each for name in seen.names for each in _files(name)] + used + beside


@cache
def _files(name: str) -> list[Path]:
    """The files that importing a dotted name runs, if it belongs to our package or a task's; otherwise none."""
    package, *rest = name.split(".")
    source = SOURCE if package == PACKAGE else _foreign().get(package)
    if source is None:
        return []
    places = [source.joinpath(*rest[:depth]) for depth in range(len(rest) + 1)]
    files = (path for place in places for path in (place / "__init__.py", place.with_suffix(".py")))
    return [path for path in files if path.is_file()]


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
