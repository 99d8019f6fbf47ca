"""The tasks there are, by name: colours, birds and driving, those of other packages, and corpora.

A package brings a task (see `neuralese.tasks.task`) by an entry point in its pyproject.toml:

    [project.entry-points."neuralese.tasks"]
    shapes = "neuralese_shapes:Shapes"
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from neuralese.config.models import TASKS as BUILT_IN
from neuralese.config.models import TaskSections
from neuralese.errors import NeuraleseError
from neuralese.tasks.task import Task

GROUP = "neuralese.tasks"  # of entry points
HOMES = {name: f"neuralese.tasks.{name}.task:{name.capitalize()}" for name in BUILT_IN}
RESERVED = ("tables", "figures", "report", "theory", "sweep", "logs", "benchmarks", "play")  # folders of the results
_corpora: dict[str, str] = {}  # folders by name


def corpora() -> dict[str, str]:
    """The folders of the corpora that are tasks here, by name."""
    return dict(_corpora)


def use_corpora(folders: Mapping[str, str]) -> None:
    """Make these corpora, given by name, the tasks of this process that are corpora."""
    if not isinstance(folders, Mapping) or not all(isinstance(each, str) for each in (*folders, *folders.values())):
        raise NeuraleseError("config: 'corpora' is wrong: write folders by name, such as {mine: path/to/folder}.")
    taken = (*BUILT_IN, *RESERVED)
    for name in folders:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name) or name in taken:
            raise NeuraleseError(
                f"config: a corpus cannot be called '{name}'; choose a name of letters, digits, - and _ that begins "
                f"with a letter and is not one of {', '.join(taken)}."
            )
    _corpora.clear()
    _corpora.update({name: str(Path(folder).resolve()) for name, folder in folders.items()})
    forget()


def forget() -> None:
    """Look again for tasks when one is asked for."""
    homes.cache_clear()
    get.cache_clear()


@cache
def homes() -> dict[str, str]:
    """The class of every task except corpora, as `module:class` by name."""
    return {each.name: each.value for each in sorted(entry_points(group=GROUP))} | HOMES


def names() -> tuple[str, ...]:
    """Every task: ours first, corpora last."""
    return tuple(dict.fromkeys((*BUILT_IN, *homes(), *_corpora)))


@cache
def get(name: str) -> Task:
    """A task by its name."""
    if name in _corpora and name not in homes():
        from neuralese.tasks.corpus.task import Corpus

        return Corpus.of(name, Path(_corpora[name]))
    if name not in homes():
        raise NeuraleseError(f"there is no task '{name}'; choose from {', '.join(names())}.")
    home = homes()[name]
    try:
        found = EntryPoint(name, home, GROUP).load()
    except (ImportError, AttributeError) as error:
        raise NeuraleseError(f"the task '{name}' cannot be loaded from {home} ({error}); reinstall it.") from error
    if not (isinstance(found, type) and issubclass(found, Task)):
        raise NeuraleseError(f"the task '{name}' is {home}, which is not a subclass of Task; correct its entry point.")
    if found.name != name:
        raise NeuraleseError(f"{home} calls its task '{found.name}', but is installed as '{name}'.")
    return found()


def every() -> tuple[Task, ...]:
    """All tasks."""
    return tuple(get(name) for name in names())


def sections() -> dict[str, TaskSections]:
    """What every task adds to the config, by name."""
    return {task.name: TaskSections(task.settings, task.game, task.training, task.fitting) for task in every()}
