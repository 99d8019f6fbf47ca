"""A stage of the workflow as data: what it reads, what it makes, and the sections of the config it uses."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

RUN, TASK, SEED = "run", "task", "seed"  # what a stage is run once for; a seed belongs to a task
FOLDERS = {RUN: "", TASK: "{task}/", SEED: "{task}/seed{seed}/"}  # where its files are, below the results

# the tables that a sweep produces, and the file of every point, task and seed that each is made from
SWEPT_FILES = {
    "belief": "belief_test.parquet",
    "behavior": "behavior_test.parquet",
    "protocol": "protocol.parquet",
    "ablation": "ablation.parquet",
}
# what may be in braces in a file name besides task and seed
WILDCARDS = {"table": tuple(SWEPT_FILES)}


@dataclass(frozen=True)
class Stage:
    """One stage; its files are relative to its folder (see `FOLDERS`), its inputs to the folder of their maker."""

    name: str
    each: str
    reads: tuple[str, ...]
    files: tuple[str, ...]
    sections: tuple[str, ...] = ()  # that it uses itself
    tasks: tuple[str, ...] | None = None  # that have it; by default, all
    figures: tuple[str, ...] = ()  # without suffixes, in the folder `figures`
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # names that only some tasks have
    job: str = ""  # the name of its log and benchmark files, if it is not its own

    def made(self, patterns: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Every file, or those with some of the names, with any values in braces, and the job that makes it."""
        for pattern in self.files if patterns is None else patterns:
            names = [name for name in WILDCARDS if f"{{{name}}}" in pattern]
            for values in product(*(WILDCARDS[name] for name in names)):
                file, job = pattern, self.job or self.name
                for name, value in zip(names, values, strict=True):
                    file, job = (text.replace(f"{{{name}}}", value) for text in (file, job))
                yield file, job
