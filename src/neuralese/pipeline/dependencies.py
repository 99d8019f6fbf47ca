"""What follows from the list of stages: which wait for which, and which sections of the config a file depends on.

before("score_dictionary")               # the names of the stages that make what it reads
SECTIONS["dictionary.parquet"]           # the sections used by its own stage and all before it
jobs(["belief_test.parquet"])            # the jobs needed for it, each with the name of its stage
"""

from collections.abc import Iterable
from functools import cache

from neuralese import tasks
from neuralese.pipeline.stages import DATA, STAGES, TASKS, TOKENS
from neuralese.tasks.stages import RUN, SWEPT_FILES, Stage

NAMED = {stage.name: stage for stage in STAGES}


def tasks_of(stage: Stage, file: str = "") -> tuple[str, ...]:
    """The tasks that have a stage, or for which it makes a file or figure."""
    return stage.only.get(file, TASKS if stage.tasks is None else stage.tasks)


def reads(stage: Stage, among: Iterable[str] | None = None) -> tuple[str, ...]:
    """The files that a stage reads, for all its tasks or for those `among` them."""
    found = []
    for name in stage.reads:
        if name in TOKENS:
            wanted = tasks_of(stage) if among is None else among
            found += [file for task in wanted for file in getattr(tasks.get(task), TOKENS[name])]
        else:
            found.append(name)
    return tuple(dict.fromkeys(found))


@cache
def makers(file: str) -> tuple[tuple[str, str], ...]:
    """The stages that make a file, each for one task if there are several, and the jobs in question."""
    return tuple((stage.name, job) for stage in STAGES for made, job in stage.made() if made == file)


@cache
def maker(file: str, task: str) -> Stage:
    """The stage that makes a task's file."""
    return next(NAMED[name] for name, _ in makers(file) if task in tasks_of(NAMED[name], file))


@cache
def tasks_with(file: str) -> tuple[str, ...]:
    """The tasks that have a file, or one of which a run needs to make it."""
    found = {task for name, _ in makers(file) for task in tasks_of(NAMED[name], file)}
    return tuple(task for task in TASKS if task in found)


def before(name: str) -> frozenset[str]:
    """The stages that make what a stage reads."""
    stage = NAMED[name]
    found = set()
    for file in reads(stage):
        found |= {maker for maker, _ in makers(file) if set(tasks_of(NAMED[maker])) & set(tasks_of(stage))}
    return frozenset(found)


@cache
def sections(name: str) -> frozenset[str]:
    """The sections of the config used by a stage and all before it."""
    return frozenset(NAMED[name].sections).union(*map(sections, before(name)))


def jobs(files: Iterable[str]) -> dict[str, str]:
    """Every job needed for these files, whatever the task, and its stage."""
    found, seen, waiting = {}, set(), list(files)
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            for name, job in makers(file):
                found[job] = name
                waiting += reads(NAMED[name])
    return found


# the sections that each file of a task or seed depends on
SECTIONS = {
    file: frozenset().union(*(sections(name) for name, _ in makers(file)))
    for stage in STAGES
    if stage.each != RUN
    for file, _ in stage.made()
}
# the jobs that a sweep repeats for another point, if they depend on the swept values; data belongs to no agent
SWEPT_JOBS = frozenset(job for job, name in jobs(SWEPT_FILES.values()).items() if not sections(name) <= DATA | {"data"})
