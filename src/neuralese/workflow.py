"""The code that a script runs, as a digest: a job is run again when it changes.

digest(Path("workflow/scripts/ablate.py"), ("colors",))

Stage functions, the methods of `Run` and those of the task are followed one by one, by the names and attributes that
they use, because a run can load everything and a stage needs little of it. Any other module counts as a whole, with all
that it imports. How files are stored, the config and the command line are left out: values of the config are params.
"""

import ast
import hashlib
import re
from collections.abc import Iterator, Set
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from neuralese import tasks as registry
from neuralese.translate.criteria import GROUP

RUN, TASKS, TASK = "neuralese.stages.run", "neuralese.tasks", "neuralese.tasks.task"
CRITERIA = "neuralese.translate.criteria"
STAGES = "neuralese.stages."  # these modules are followed, and those that define tasks
LEFT_OUT = ("neuralese.errors", "neuralese.storage", "neuralese.cli", "neuralese.config", "neuralese.stages.job")
TAKERS = (RUN, TASK, TASKS)  # whoever imports these may use a run or a task


@cache
def digest(script: Path | None, tasks: tuple[str, ...], methods: tuple[str, ...] = ()) -> str:
    """A short text that changes as soon as the code of a script does, or of these methods of the tasks."""
    found = reached(script, tasks, methods)
    return hashlib.sha256("".join(f"{name}\n{found[name]}\n" for name in sorted(found)).encode()).hexdigest()[:16]


def reached(script: Path | None, tasks: tuple[str, ...] = (), methods: tuple[str, ...] = ()) -> dict[str, str]:
    """The text of each module and followed definition that a script runs, by name."""
    kinds = [(kind.__module__, kind.__name__) for task in tasks for kind in type(registry.get(task)).__mro__[:-1]]
    classes = list(dict.fromkeys([(RUN, "Run"), *kinds]))
    followed = frozenset([TASKS, *(module for module, _ in classes)])
    found: dict[str, str] = {}
    used = set(methods)
    waiting: list[tuple[str, str, ast.AST]] = [("", script.name, ast.parse(script.read_bytes()))] if script else []
    while waiting or (waiting := [each for each in _members(classes, used) if each[1] not in found]):
        module, name, node = waiting.pop()
        if name in found:
            continue
        found |= {name: ast.unparse(node), **_assets(module, node)}
        modules = {bound for bound, dotted in (*_imports(node), *_imports_at_top(module)) if _file(dotted)}
        used |= _attributes(node, modules)
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        here = _definitions(module) if module else {}
        near = [each for each in names & here.keys() if (module, each) not in classes]
        waiting += [(module, f"{module}.{each}", here[each]) for each in near]
        imported = [*_imports(node), *(each for each in _imports_at_top(module) if each[0] in names)]
        for dotted in {dotted for _, dotted in imported}:
            owner, _, last = dotted.rpartition(".")
            if (owner.startswith(STAGES) or owner in followed) and owner != STAGES + "job":
                if (owner, last) not in classes and (inner := _definitions(owner).get(last)):
                    waiting.append((owner, dotted, inner))
                continue
            for whole in {each for start in _modules(dotted) for each in _closure(start, followed)} - found.keys():
                found |= {whole: _path(whole).read_text(encoding="utf-8"), **_assets(whole, _tree(whole))}
                used |= _asked(whole)
    return found


def _members(classes: list[tuple[str, str]], used: set[str]) -> Iterator[tuple[str, str, ast.AST]]:
    """The methods and facts of these classes that are used."""
    for module, name in classes:
        body = _definitions(module).get(name)
        for node in body.body if isinstance(body, ast.ClassDef) else ():
            for each in _bound(node):
                if each in used or each == "__init__":
                    yield module, f"{module}.{name}.{each}", node


@cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    """What a module defines at its top, by name."""
    return {name: node for node in _tree(module).body for name in _bound(node)}


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


def _attributes(node: ast.AST, modules: Set[str] = frozenset()) -> set[str]:
    """The attributes that a piece of code asks for, except those of `modules`."""
    asked = [each for each in ast.walk(node) if isinstance(each, ast.Attribute)]
    return {each.attr for each in asked if not (isinstance(each.value, ast.Name) and each.value.id in modules)}


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What a piece of code imports: bound name, dotted name; what is for type checkers only is left out."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.If) and "TYPE_CHECKING" in ast.dump(each.test):
            continue
        if isinstance(each, ast.Import):
            yield from ((alias.asname or alias.name.split(".")[0], alias.name) for alias in each.names)
        elif isinstance(each, ast.ImportFrom) and each.module:
            yield from ((alias.asname or alias.name, f"{each.module}.{alias.name}") for alias in each.names)
        waiting += ast.iter_child_nodes(each)


@cache
def _imports_at_top(module: str) -> list[tuple[str, str]]:
    """What a followed module imports at its top; only the names that a definition uses count."""
    body = _tree(module).body if module else []
    return [found for node in body if isinstance(node, ast.Import | ast.ImportFrom) for found in _imports(node)]


@cache
def _closure(module: str, followed: frozenset[str]) -> frozenset[str]:
    """A module and all that it imports, directly or not, except for modules that are followed."""
    found, waiting = set(), [module]
    while waiting:
        each = waiting.pop()
        if each not in found and each not in followed and not each.startswith(STAGES):
            found.add(each)
            waiting += [*_direct(each), *(_brought() if each == CRITERIA else ())]
    return frozenset(found)


@cache
def _direct(module: str) -> frozenset[str]:
    """The modules that one imports itself."""
    return frozenset(inner for _, name in _imports(_tree(module)) for inner in _modules(name))


@cache
def _asked(module: str) -> set[str]:
    """The attributes that a module may ask of a run or a task; none if it knows of neither."""
    names = {name for _, name in _imports(_tree(module))} - {f"{TASK}.Files"}
    knows = {*names, *(name.rpartition(".")[0] for name in names)} & set(TAKERS)
    return _attributes(_tree(module)) if knows else set()


def _assets(module: str, node: ast.AST) -> dict[str, str]:
    """The scripts and styles of pages, next to a module, that a piece of code names, or folders of them."""
    texts = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    files = []
    for text in texts if module else ():
        if re.fullmatch(r"[\w-]+(\.(js|css|html))?", text, re.ASCII):
            place = _path(module).parent / text
            is_folder = place.is_dir() and not any(place.glob("*.py"))  # no package
            files += [each for each in place.rglob("*") if each.is_file()] if is_folder else []
            files += [place] if place.suffix and place.is_file() else []
    names = {f"{module}:{file.relative_to(_path(module).parent)}": file for file in files}
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in names.items()}


@cache
def _modules(name: str) -> tuple[str, ...]:
    """The modules that importing a dotted name runs: its packages, and itself if it is one."""
    parts = name.split(".")
    homes = [*registry.homes().values(), *_brought(), "neuralese"]  # ours, and what brings tasks or criteria
    if parts[0] not in {home.partition(":")[0].split(".")[0] for home in homes}:
        return ()
    places = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return tuple(
        each for each in places if not f"{each}.".startswith(tuple(f"{out}." for out in LEFT_OUT)) and _file(each)
    )


@cache
def _brought() -> tuple[str, ...]:
    """The modules of criteria that other packages bring."""
    return tuple(each.value for each in sorted(entry_points(group=GROUP)))


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_path(module).read_bytes())


def _path(module: str) -> Path:
    if (path := _file(module)) is None:
        raise ModuleNotFoundError(f"{module} is installed as a task or a criterion, but cannot be found")
    return path


@cache
def _file(name: str) -> Path | None:
    """The file of a module, which is not imported; none if a name is none of a module."""
    first, *rest = name.split(".")
    spec = find_spec(first)
    if spec is None or spec.origin is None:
        return None
    if not rest:
        return Path(spec.origin)
    place = Path(spec.origin).parent.joinpath(*rest) if spec.submodule_search_locations else None
    files = [place / "__init__.py", place.with_suffix(".py")] if place else []
    return next((file for file in files if file.is_file()), None)
