"""What every script does around its work: log to a file, fail in one sentence, say what made its outputs.

with stage(snakemake) as job:
    write_table(job.output[0], ablate(job.run, **job.settings), "ablation")
"""

import ctypes
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from neuralese import tasks
from neuralese.data.data_sets import raw_kind
from neuralese.errors import NeuraleseError, extras
from neuralese.stages.run import Run
from neuralese.storage.files import making, read_made, storage_problem

logger = logging.getLogger("neuralese")
APART = ("game", "code", "checkpoints")  # params that no stage function is given
# parameters of mallopt(3), as in malloc.h, and the largest values it takes, in bytes
M_TRIM_THRESHOLD, MOST_KEPT = -1, 2**31 - 1
M_MMAP_THRESHOLD, LARGEST_KEPT = -3, 2**25


@dataclass(frozen=True)
class Job:
    """What a script is given."""

    wildcards: dict[str, str]
    params: dict[str, Any]
    input: Any
    output: Any

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
        found: dict[str, list[Path]] = {}
        for path in map(Path, self.input):
            found.setdefault(path.name, []).append(path)
        return found


@contextmanager
def stage(given: Any) -> Iterator[Job]:
    """Do the work of a script, given Snakemake's object `given` (called `snakemake` there).

    Send logging (and the text of a `NeuraleseError`) to its log, and write into the metadata of its outputs what made
    them. Snakemake itself limits numerical libraries to the threads of the rule.
    """
    with logged(given.log[0]):
        tasks.use_corpora(given.config.get("corpora", {}))
        job = Job(dict(given.wildcards.items()), dict(given.params.items()), given.input, given.output)
        with making(_made(job, given.rule, given.config["results"])):
            yield job


def _made(job: Job, rule: str, results: str) -> dict[str, Any]:
    """What makes the outputs of a job: its stage, settings, code, and the kinds of data it reads.

    Params that say where something is are left out: places differ between copies of the same results.
    """
    kinds = {_kind(Path(path)) for path in job.input} - {""}
    settings = {name: value for name, value in job.params.items() if name not in ("code", "folder")}
    made = {
        "stage": rule,
        "wildcards": {name: value for name, value in job.wildcards.items() if value},
        "code": job.params.get("code", ""),
        "settings": {name: value for name, value in settings.items() if not str(value).startswith(f"{results}/")},
        "data": "+".join(sorted(kinds)) or ("corpus" if job.input else ""),
    }
    return json.loads(json.dumps(made, sort_keys=True, default=str))


def _kind(path: Path) -> str:
    """The kind of data that an input was made from, if it says so; raw data is checked first."""
    if path.is_dir():
        return raw_kind(path)
    try:
        return read_made(path).get("data", "")
    except Exception:  # whatever is wrong with the file is said where it is read
        return ""


@contextmanager
def logged(log: str | Path) -> Iterator[None]:
    """Send logging (and the text of a `NeuraleseError`) to the file `log`."""
    keep_memory()
    logging.raiseExceptions = False  # a full disk silences the log
    level = logger.level
    logger.setLevel(logging.INFO)
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    handlers[0].setLevel(logging.WARNING)
    logger.addHandler(handlers[0])
    try:
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(log, mode="w", encoding="utf-8"))
        handlers[1].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
        logger.addHandler(handlers[1])
        with extras():
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
            with suppress(OSError):
                each.close()
        logger.setLevel(level)


def keep_memory() -> None:
    """Keep freed memory for the next array instead of returning it to the system.

    By default, every large array is fresh memory, whose pages the system has to find and clear: up to a fifth of the
    time of stages that make one large array after another. Systems without glibc are left alone.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(M_TRIM_THRESHOLD, MOST_KEPT)
        mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT)
