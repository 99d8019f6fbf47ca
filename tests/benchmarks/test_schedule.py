from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedule import Job, critical_path, starts, wall_time

from neuralese.storage.errors import NeuraleseError

# data 2 ─┬─ train 5 ─┬─ score 3 ─ draw 1
#         └─ fit 4 ───┘
DIAMOND = [
    Job("draw", 1, ("score",)),
    Job("score", 3, ("train", "fit")),
    Job("fit", 4, ("data",)),
    Job("train", 5, ("data",)),
    Job("data", 2),
]


def test_a_diamond_takes_what_it_takes_by_hand():
    assert wall_time(DIAMOND, 1) == 15
    assert wall_time(DIAMOND, 2) == wall_time(DIAMOND, 100) == 11
    assert [job.name for job in critical_path(DIAMOND)] == ["data", "train", "score", "draw"]
    assert starts(DIAMOND, 1) == {"data": 0, "fit": 2, "train": 6, "score": 11, "draw": 14}
    assert starts(DIAMOND, 2) == {"data": 0, "fit": 2, "train": 2, "score": 7, "draw": 10}


def test_of_the_jobs_that_are_ready_the_highest_priority_goes_first():
    short, long = [Job(f"short{n}", 2) for n in range(3)], Job("long", 6)
    assert wall_time([*short, long], 2) == 8
    assert wall_time([*short, Job("long", 6, priority=1)], 2) == 6


def test_a_job_waits_until_its_cores_are_free_and_lets_others_pass():
    jobs = [Job("first", 4), Job("wide", 3, cores=2), Job("narrow", 1)]
    assert starts(jobs, 2) == {"first": 0, "narrow": 0, "wide": 4}
    assert starts([Job("wide", 3, cores=8)], 2) == {"wide": 0}


def test_nothing_takes_no_time():
    assert wall_time([], 2) == 0
    assert critical_path([]) == []


@pytest.mark.parametrize(
    ("jobs", "says"),
    [
        ([Job("a", 1, ("b",)), Job("b", 1, ("a",))], "in a cycle"),
        ([Job("a", 1, ("b",))], "no job is called 'b'"),
        ([Job("a", 1), Job("a", 2)], "the same name"),
    ],
)
def test_jobs_that_cannot_be_run_are_refused(jobs, says):
    for ask in (critical_path, lambda jobs: wall_time(jobs, 1)):
        with pytest.raises(NeuraleseError, match=says):
            ask(jobs)


@st.composite
def graphs(draw):
    """Jobs in any order, each waiting for some of those with a smaller number."""
    numbers = range(draw(st.integers(1, 8)))
    jobs = [
        Job(
            str(number),
            draw(st.integers(0, 4)),
            tuple(str(other) for other in range(number) if draw(st.booleans())),
            draw(st.integers(0, 1)),
            draw(st.integers(1, 3)),
        )
        for number in numbers
    ]
    return draw(st.permutations(jobs))


def chains(job, jobs):
    """The length of every chain that ends in a job, one by one."""
    named = {each.name: each for each in jobs}
    return [job.seconds + rest for name in job.after for rest in chains(named[name], jobs)] or [job.seconds]


def second_by_second(jobs, cores):
    """The same schedule by a clock that ticks: look every second at who has ended and who can begin."""
    left, begun, ended, clock = {}, {}, set(), 0
    while len(ended) < len(jobs):
        while True:
            done = {name for name, rest in left.items() if rest == 0}
            ended |= done
            left = {name: rest for name, rest in left.items() if rest}
            used = sum(min(job.cores, cores) for job in jobs if job.name in left)
            changed = bool(done)
            for job in sorted(jobs, key=lambda job: -job.priority):
                fits = used + min(job.cores, cores) <= cores
                if job.name not in begun and set(job.after) <= ended and fits:
                    begun[job.name], left[job.name] = clock, job.seconds
                    used += min(job.cores, cores)
                    changed = True
            if not changed:
                break
        clock += 1
        left = {name: rest - 1 for name, rest in left.items()}
    return begun


@given(graphs(), st.integers(1, 4))
def test_it_is_the_schedule_of_a_clock_that_ticks_and_no_shorter_than_its_longest_chain(jobs, cores):
    assert starts(jobs, cores) == second_by_second(jobs, cores)
    path = critical_path(jobs)
    longest = max(max(chains(job, jobs)) for job in jobs)
    assert sum(job.seconds for job in path) == longest <= wall_time(jobs, cores)
    assert all(earlier.name in later.after for earlier, later in pairwise(path))
    work = sum(job.seconds * min(job.cores, cores) for job in jobs)
    assert work <= cores * wall_time(jobs, cores)
