"""How long interdependent jobs take on a number of cores, and the longest chain among them.

jobs = [Job("train", 60), Job("score", 20, after=("train",)), Job("draw", 5)]
wall_time(jobs, cores=2)                                  # 80
critical_path(jobs)                                       # the jobs train and score
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from neuralese.storage.errors import NeuraleseError


@dataclass(frozen=True)
class Job:
    """A job, and the names of the jobs that must end before it."""

    name: str
    seconds: float
    after: tuple[str, ...] = ()
    priority: int = 0
    cores: int = 1


def starts(jobs: Sequence[Job], cores: int) -> dict[str, float]:
    """When each job starts, if no job waits that could run.

    Among ready jobs, those of the highest priority begin first, in the order of `jobs`. One that
    asks for more cores than there are gets all of them.
    """
    _ordered(jobs)
    missing = {job.name: set(job.after) for job in jobs}
    followers: dict[str, list[int]] = {job.name: [] for job in jobs}
    for place, job in enumerate(jobs):
        for name in set(job.after):
            followers[name].append(place)
    ready = sorted((-job.priority, place) for place, job in enumerate(jobs) if not job.after)
    running: list[tuple[float, int, int]] = []
    started, now, free = {}, 0.0, cores
    while ready or running:
        waiting = []
        for key in ready:
            job = jobs[key[1]]
            taken = min(job.cores, cores)
            if taken > free:
                waiting.append(key)
                continue
            free -= taken
            started[job.name] = now
            heapq.heappush(running, (now + job.seconds, key[1], taken))
        now = running[0][0]
        while running and running[0][0] == now:
            _, place, taken = heapq.heappop(running)
            free += taken
            for follower in followers[jobs[place].name]:
                waits = missing[jobs[follower].name]
                waits.remove(jobs[place].name)
                if not waits:
                    waiting.append((-jobs[follower].priority, follower))
        ready = sorted(waiting)
    return started


def wall_time(jobs: Sequence[Job], cores: int) -> float:
    """Seconds from the start of the first job to the end of the last."""
    started = starts(jobs, cores)
    return max((started[job.name] + job.seconds for job in jobs), default=0.0)


def critical_path(jobs: Sequence[Job]) -> list[Job]:
    """The longest chain of jobs that wait for each other: with any number of cores, a run takes at least that long."""
    ends: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for job in _ordered(jobs):
        last = before[job.name] = max(job.after, key=ends.__getitem__, default=None)
        ends[job.name] = job.seconds + (0.0 if last is None else ends[last])
    named = {job.name: job for job in jobs}
    path, name = [], max(ends, key=ends.__getitem__, default=None)
    while name is not None:
        path.append(named[name])
        name = before[name]
    return path[::-1]


def _ordered(jobs: Sequence[Job]) -> list[Job]:
    """The jobs, each after those it waits for."""
    named = {job.name: job for job in jobs}
    if len(named) < len(jobs):
        raise NeuraleseError("two jobs have the same name.")
    if unknown := {name for job in jobs for name in job.after} - set(named):
        raise NeuraleseError(f"no job is called {min(unknown)!r}, but another one waits for it.")
    try:
        return [named[name] for name in TopologicalSorter({job.name: job.after for job in jobs}).static_order()]
    except CycleError as error:
        raise NeuraleseError(f"jobs wait for each other in a cycle: {' → '.join(error.args[1])}.") from error
