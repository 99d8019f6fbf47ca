"""What every script does around its work: log to a file, respect its threads, fail in one sentence.

with stage(snakemake) as job:
    write_table(job.output[0], ablate(job.run, **job.settings), "ablation")
"""

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from neuralese import tasks
from neuralese.pipeline import made
from neuralese.pipeline.memory import keep_memory
from neuralese.stages.run import Run
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import storage_problem
from neuralese.storage.stamps import making

logger = logging.getLogger("neuralese")
APART = ("game", "code", "checkpoints")  # params that no stage function is given


@dataclass(frozen=True)
class Job:
    """What a script is given."""

    rule: str
    wildcards: dict[str, str]
    params: dict[str, Any]
    input: Any
    output: Any
    config: Mapping[str, Any]

    @cached_property
    def run(self) -> Run:
        """The task and seed, with the inputs as its files."""
        return Run(self.wildcards["task"], self.input, self.wildcards.get("seed", 0), self.params.get("game"))

    @property
    def settings(self) -> dict[str, Any]:
        """The values from the config, by the names that the stage function gives them."""
        return {name: value for name, value in self.params.items() if name not in APART}

    @property
    def inputs(self) -> dict[str, list[Path]]:
        """The inputs by the name of the file: those of several tasks and seeds together."""
        return by_name(self.input)


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
def stage(given: Any) -> Iterator[Job]:
    """Do the work of a script, given Snakemake's object `given` (called `snakemake` there).

    Send logging (and the text of a `NeuraleseError`) to its log, limit torch to its threads, check that its inputs are
    what they claim to be, and let its outputs say what made them.
    """
    with logged(given.log[0], given.threads):
        tasks.use_corpora(given.config.get("corpora", {}))
        wildcards, params = (dict(each.items()) for each in (given.wildcards, given.params))
        record = made.Job(given.rule, wildcards, params, tuple(given.input), tuple(given.output))
        maker = record.begin(given.config["results"])
        with making(maker):
            yield Job(given.rule, wildcards, params, given.input, given.output, given.config)
        record.end(maker)


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
