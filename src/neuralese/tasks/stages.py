"""A stage of the workflow as data: what it reads, what it makes, and the sections of the config it looks at."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

RUN, TASK, SEED = "run", "task", "seed"  # what a stage is run once for; a seed is one of a task
FOLDERS = {RUN: "", TASK: "{task}/", SEED: "{task}/seed{seed}/"}  # where its files are, below the results

# the tables that a sweep is seen in, and the file of every point, task and seed that each is made of
SWEPT_FILES = {
    "belief": "belief_test.parquet",
    "behavior": "behavior_test.parquet",
    "protocol": "protocol.parquet",
    "ablation": "ablation.parquet",
}
# what else than task and seed may stand in braces in the name of a file; shards are as many as the config says
WILDCARDS = {"split": ("dev", "test"), "model": ("speaker", "listener"), "table": tuple(SWEPT_FILES)}


@dataclass(frozen=True)
class Stage:
    """One stage; its files are named from its folder (see `FOLDERS`), what it reads from that of who makes it."""

    name: str
    each: str
    reads: tuple[str, ...]
    files: tuple[str, ...]
    sections: tuple[str, ...] = ()  # that it looks at itself
    tasks: tuple[str, ...] | None = None  # that have it; all, if none are named
    figures: tuple[str, ...] = ()  # without their endings, in the folder `figures`
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of all these names, those of some tasks alone
    job: str = ""  # the name of its log and benchmark files, if it is not its own

    def made(self, patterns: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Every file, or those of some of the names, whatever may stand in their braces, and the job that makes it."""
        for pattern in self.files if patterns is None else patterns:
            names = [name for name in WILDCARDS if f"{{{name}}}" in pattern]
            for values in product(*(WILDCARDS[name] for name in names)):
                file, job = pattern, self.job or self.name
                for name, value in zip(names, values, strict=True):
                    file, job = (text.replace(f"{{{name}}}", value) for text in (file, job))
                yield file, job
