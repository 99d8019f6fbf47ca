"""The tasks: ours, and those of other packages, as entry points of the group `neuralese.tasks`.

    [project.entry-points."neuralese.tasks"]        # in the pyproject.toml of such a package
    shapes = "my_shapes"                            # a module or package with the parts of a task

A task is a few facts (`task.Task`) and its *parts*, which are code. A part is the module of that name in the
task's package or, if the task is one module, that module:

    task         TASK: the facts
    embedded     write(folder): the raw data, or a stand-in for it
    data         prepare(raw, settings): `items.Prepared`; for a task without its own rules
    game         load_games(files, config): its states, or games, by split
    human        load_traces(files, states, split, generator), load_heard(files): what humans said
    variables    variables(files, columns): what there is to say about states
    pictures     pixels(files, codes), described(files, states, names): what states look like
    watched      watched_games(files): games that the report shows, instead of examples
    play         open_sitting(options): a game to play with a trained robot

`files` are paths by file name. A task without `game` or `human` has a reference game over items (`tasks.reference`),
and one without `play` is played as one (`tasks.reference_play`).
Listing tasks imports none of them, and a stage imports only the parts it uses: what it gets by `part(name, "...")`
belongs to the code that it runs (`pipeline.imports`).
"""

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from neuralese.config.models import TASKS as BUILT_IN
from neuralese.config.models import TaskSections
from neuralese.storage.errors import NeuraleseError

if TYPE_CHECKING:
    from neuralese.tasks.task import Task

GROUP = "neuralese.tasks"
CORPORA = "NEURALESE_CORPORA"  # the variable through which a run passes corpora to its jobs: folders by name, as JSON
RESERVED = ("tables", "figures", "report", "theory", "sweep", "logs", "benchmarks", "play")  # folders of the results
FACTS = "task"  # the part with a task's facts
LEFT_OUT = {  # parts that a task may leave out
    **dict.fromkeys(("game", "human"), "neuralese.tasks.reference"),
    "play": "neuralese.tasks.reference_play",
}


@cache
def homes() -> dict[str, str]:
    """The module or package of every task, ours first, by name."""
    brought = {each.name: each.value for each in sorted(entry_points(group=GROUP))}
    found = {name: f"neuralese.tasks.{name}" for name in BUILT_IN}
    for name, home in (*brought.items(), *dict.fromkeys(corpora(), "neuralese.tasks.corpus").items()):
        found.setdefault(name, home)
    return found


def corpora() -> dict[str, str]:
    """The folders of the corpora of a run, by name."""
    return json.loads(os.environ.get(CORPORA, "{}"))


def use_corpora(folders: Mapping[str, str]) -> None:
    """Register corpora as tasks in this process and its children, before any task is asked for."""
    if not isinstance(folders, Mapping) or not all(isinstance(each, str) for each in (*folders, *folders.values())):
        raise NeuraleseError("config: 'corpora' is wrong: write folders by name, such as {mine: path/to/folder}.")
    taken = (*BUILT_IN, *RESERVED)
    for name in folders:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name) or name in taken:
            raise NeuraleseError(
                f"config: a corpus cannot be called '{name}'; choose a name of letters, digits, - and _ that begins "
                f"with a letter and is not one of {', '.join(taken)}."
            )
    os.environ[CORPORA] = json.dumps({name: str(Path(folder).resolve()) for name, folder in folders.items()})
    for cached in (homes, module, get):
        cached.cache_clear()


def names() -> tuple[str, ...]:
    """Every task, ours first."""
    return tuple(homes())


@cache
def module(name: str, part: str) -> str | None:
    """The module that is a part of a task; none if the task has no such part."""
    if name not in homes():
        raise NeuraleseError(f"there is no task '{name}'; choose from {', '.join(names())}.")
    home = homes()[name]
    try:
        spec = find_spec(home)
    except ImportError:
        spec = None
    if spec is None:
        raise NeuraleseError(f"the task '{name}' is installed as {home}, which cannot be found; reinstall it.")
    if spec.submodule_search_locations is None:
        return home
    return f"{home}.{part}" if find_spec(f"{home}.{part}") else LEFT_OUT.get(part)


def part(name: str, part: str) -> ModuleType:
    """A part of a task."""
    found = module(name, part)
    if found is None:
        raise NeuraleseError(f"the task '{name}' has no part '{part}'; write {homes()[name]}.{part} to add one.")
    try:
        return import_module(found)
    except ImportError as error:
        raise NeuraleseError(f"the part '{part}' of the task '{name}' cannot be loaded ({error}); fix it.") from error


def has(name: str, part: str, function: str) -> bool:
    """Whether a task has a part with this function."""
    found = module(name, part)
    return found is not None and hasattr(import_module(found), function)


def file(name: str, part: str) -> Path | None:
    """The file of a part, without importing it; none if the task has no such part."""
    found = module(name, part)
    spec = None if found is None else find_spec(found)
    return None if spec is None or spec.origin is None else Path(spec.origin)


@cache
def get(name: str) -> "Task":
    """The facts of a task."""
    facts = part(name, FACTS)
    task = facts.task_of(name) if name in corpora() else facts.TASK
    if task.name != name:
        raise NeuraleseError(f"{homes()[name]} calls its task '{task.name}', but is installed as '{name}'.")
    return task


def sections() -> dict[str, TaskSections]:
    """What every task adds to the config, by name."""
    return {task.name: TaskSections(task.settings, task.game, task.training, task.fitting) for task in every()}


def every() -> tuple["Task", ...]:
    """The facts of all tasks."""
    return tuple(get(name) for name in names())
