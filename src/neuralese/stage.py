"""What every pipeline stage does around its work: log to a file, respect its threads, fail in one sentence."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from neuralese.errors import NeuraleseError


@contextmanager
def stage(log: str | Path, threads: int = 1) -> Iterator[None]:
    """Send logging (and the text of a `NeuraleseError`) to the file `log`, and hold torch to `threads` threads."""
    torch.set_num_threads(threads)
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(log, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("neuralese")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    warnings = logging.StreamHandler(sys.stderr)
    warnings.setLevel(logging.WARNING)
    logger.addHandler(warnings)
    try:
        yield
    except NeuraleseError as error:
        logger.error("%s", error)
        sys.exit(1)
    except BaseException:
        logger.exception("this is a bug in neuralese, or a machine that ran out of something:")
        raise
    finally:
        for each in (handler, warnings):
            logger.removeHandler(each)
            each.close()
