"""Measuring, for all benchmarks.

Every measurement runs on one thread in its own process, and time is that process's processor time: other load
on the machine slows memory and caches, but is not counted. What is compared is measured alternately.
"""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch


def seconds(*works: Callable[[], object], repeats: int = 3) -> list[float]:
    """The least processor time of each of `works`, measured alternately."""
    best = [float("inf")] * len(works)
    for _ in range(repeats):
        for number, work in enumerate(works):
            started = time.process_time()
            work()
            best[number] = min(best[number], time.process_time() - started)
    return best


def product_rate(rows: int, inner: int, columns: int, dtype: torch.dtype, repeats: int = 3) -> float:
    """Operations per second of a matrix product of this shape that is added to a third matrix."""
    a, b = torch.rand(rows, inner, dtype=dtype), torch.rand(columns, inner, dtype=dtype)
    total = torch.zeros(rows, columns, dtype=dtype)
    (best,) = seconds(lambda: total.addmm_(a, b.T), repeats=repeats)
    return 2 * rows * inner * columns / best


def peak_megabytes() -> float:
    """The peak memory of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():  # unlike ru_maxrss, this does not count the process that started this one
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
