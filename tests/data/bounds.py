"""How long something hostile may take, and how much memory."""

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def bounded(megabytes: int, seconds: float = 5) -> Iterator[None]:
    """Fail if the block needs more time or memory; memory that C libraries allocate is not counted."""
    tracemalloc.start()
    begun = time.process_time()
    try:
        yield
        assert time.process_time() - begun < seconds
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()
