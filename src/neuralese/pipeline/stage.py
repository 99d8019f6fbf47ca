"""What every pipeline stage does around its work: log to a file, respect its threads, fail in one sentence.

with stage(snakemake):     # all that a script needs; its outputs say what made them
"""

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from neuralese.pipeline.made import Job
from neuralese.pipeline.memory import keep_memory
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import storage_problem
from neuralese.storage.stamps import making

logger = logging.getLogger("neuralese")


class _LogFile(logging.FileHandler):
    """A log that a full disk silences; important messages also go to stderr."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(path, mode="w", encoding="utf-8")
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Ignore a record that could not be written."""

    def close(self) -> None:
        """Close, even if the last records cannot be written."""
        with suppress(OSError):
            super().close()


def by_name(paths: Iterable[str]) -> dict[str, list[Path]]:
    """Paths by the name of the file: those of several tasks and seeds together."""
    found: dict[str, list[Path]] = {}
    for path in paths:
        found.setdefault(Path(path).name, []).append(Path(path))
    return found


@contextmanager
def stage(given: Any) -> Iterator[None]:
    """Do the work of a script, given Snakemake's object `given` (called `snakemake` there).

    Send logging (and the text of a `NeuraleseError`) to its log, limit torch to its threads, check that its inputs are
    what they claim to be, and let its outputs say what made them.
    """
    with logged(given.log[0], given.threads):
        wildcards, params = (dict(each.items()) for each in (given.wildcards, given.params))
        job = Job(given.rule, wildcards, params, tuple(given.input), tuple(given.output))
        maker = job.begin(given.config["results"])
        with making(maker):
            yield
        job.end(maker)


@contextmanager
def logged(log: str | Path, threads: int = 1) -> Iterator[None]:
    """Send logging (and the text of a `NeuraleseError`) to the file `log`, and limit torch to `threads` threads."""
    keep_memory()
    if torch := sys.modules.get("torch"):  # many stages do not need it, and importing it would take most of their time
        torch.set_num_threads(threads)
    logger.setLevel(logging.INFO)
    warnings = logging.StreamHandler(sys.stderr)
    warnings.setLevel(logging.WARNING)
    handlers: list[logging.Handler] = [warnings]
    logger.addHandler(warnings)
    try:
        handlers.append(_LogFile(Path(log)))
        logger.addHandler(handlers[-1])
        yield
    except NeuraleseError as error:
        logger.error("%s", error)
        sys.exit(1)
    except KeyboardInterrupt:
        logger.error("it was stopped; the same command goes on from where it was.")
        sys.exit(130)
    except BaseException as error:
        written = getattr(error, "filename", None) or "a file of this stage"
        if isinstance(error, OSError) and (why := storage_problem(error, written)):
            logger.error("%s", why)
            sys.exit(1)
        logger.exception("this is a bug in neuralese, or the machine ran out of some resource:")
        raise
    finally:
        for each in handlers:
            logger.removeHandler(each)
            each.close()
