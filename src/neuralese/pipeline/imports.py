"""What code a script runs: the modules of this package that it imports, and those that these import.

imported("workflow/scripts/train_agent.py")     # the files, sorted
digest(files)                                   # one short text that changes whenever one of them does
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = "neuralese"
SOURCE = Path(__file__).parents[1]


def imported(*roots: str | Path) -> list[Path]:
    """The files of all modules of the package that these files import, directly or not, and of those among them."""
    found: set[Path] = set()
    waiting = [Path(root).resolve() for root in roots]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _direct(path)
    return sorted(path for path in found if path.is_relative_to(SOURCE))


@cache
def _direct(path: Path) -> list[Path]:
    """The files of the package that one file imports, and those (of a page) in folders beside it that it names."""
    if path.suffix != ".py":
        return []
    tree = ast.parse(path.read_bytes())
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    folders = [each for each in path.parent.iterdir() if each.is_dir() and not (each / "__init__.py").exists()]
    used = [each for folder in folders if folder.name in texts for each in folder.rglob("*") if each.is_file()]
    return [each for name in _names(tree) for each in _files(name)] + used


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
    """The files that importing a dotted name of the package runs, if it is one; what is no module has none."""
    package, *rest = name.split(".")
    if package != PACKAGE:
        return
    for depth in range(len(rest) + 1):
        place = SOURCE.joinpath(*rest[:depth])
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                yield path


def digest(files: Iterable[Path]) -> str:
    """A short text that is another one as soon as a file or its name is."""
    total = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        total.update(f"{path.relative_to(SOURCE).as_posix()}\n{len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()[:16]
