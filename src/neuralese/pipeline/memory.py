"""How a stage's process uses the memory of the machine."""

import ctypes
import sys

# parameters of mallopt(3), as in malloc.h, and the largest values it takes, in bytes
M_TRIM_THRESHOLD, MOST_KEPT = -1, 2**31 - 1
M_MMAP_THRESHOLD, LARGEST_KEPT = -3, 2**25


def keep_memory() -> None:
    """Keep freed memory for the next array instead of returning it to the system.

    By default, every large array is fresh memory, whose pages the system has to find and clear: up to a fifth of the
    time of stages that make one large array after another. Systems without glibc are left alone.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(M_TRIM_THRESHOLD, MOST_KEPT)
        mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT)
