"""What follows from the list of stages: which wait for which, and on which sections of the config a file depends.

before("score_dictionary")               # the names of the stages that make what it reads
SECTIONS["dictionary.parquet"]           # the sections that its own stage and all before it look at
jobs(["belief_test.parquet"])            # what has to be run for it: the jobs' names, each with its stage's
"""

from collections.abc import Iterable
from functools import cache

from neuralese.pipeline.stages import DATA, RUN, STAGES, SWEPT_FILES, TASKS

NAMED = {stage.name: stage for stage in STAGES}


@cache
def makers(file: str) -> tuple[tuple[str, str], ...]:
    """The stages that make a file, of one task each if they are several, and their jobs that do."""
    return tuple((stage.name, job) for stage in STAGES for made, job in stage.made() if made == file)


def tasks_with(file: str) -> tuple[str, ...]:
    """The tasks that have a file, or of which a run has to have one to make it."""
    found = {task for name, _ in makers(file) for task in NAMED[name].tasks_of(file)}
    return tuple(task for task in TASKS if task in found)


def before(name: str) -> frozenset[str]:
    """The stages that make what a stage reads."""
    stage = NAMED[name]
    found = {maker for file in stage.reads for maker, _ in makers(file) if set(NAMED[maker].tasks) & set(stage.tasks)}
    return frozenset(found)


@cache
def sections(name: str) -> frozenset[str]:
    """The sections of the config that a stage and all before it look at."""
    return frozenset(NAMED[name].sections).union(*map(sections, before(name)))


def jobs(files: Iterable[str]) -> dict[str, str]:
    """Every job that has to be run for these files, whatever the task, and its stage."""
    found, seen, waiting = {}, set(), list(files)
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            for name, job in makers(file):
                found[job] = name
                waiting += NAMED[name].reads
    return found


# the sections on which each file of a task or seed depends
SECTIONS = {
    file: frozenset().union(*(sections(name) for name, _ in makers(file)))
    for stage in STAGES
    if stage.each != RUN
    for file, _ in stage.made()
}
# the sections on which what a sweep shows depends
SWEPT_SECTIONS = frozenset().union(*(SECTIONS[file] for file in SWEPT_FILES.values()))
# the jobs that a sweep runs again for another point, if they depend on the swept values; data is not of an agent
SWEPT_JOBS = frozenset(job for job, name in jobs(SWEPT_FILES.values()).items() if not sections(name) <= DATA | {"data"})
