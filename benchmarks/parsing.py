"""Rows per second of the parsers, compared with only reading the archives: real data with a mirror, else embedded."""

from pathlib import Path
from tempfile import TemporaryDirectory

from measure import peak_megabytes, seconds

from neuralese import tasks
from neuralese.data.archives import members
from neuralese.data.fetch import mirror_folder
from neuralese.tasks.birds import data as cub
from neuralese.tasks.colors import data as xkcd
from neuralese.tasks.driving import logs

COLUMNS = {
    "task": "task",
    "data": "data",
    "rows": "rows",
    "CPU s": "seconds",
    "rows/s": "rows_a_second",
    "of the time, reading archives": "reading",
    "peak MB": "megabytes",
}


def cases(quick: bool) -> list[dict]:
    """All tasks."""
    return [{"task": task, "repeats": 1 if quick else 2} for task in (["driving"] if quick else tasks.BUILT_IN)]


def parse(task: str, raw: dict[str, Path]) -> int:
    """Parse a task's archives and return their number of rows."""
    if task == "colors":
        return len(xkcd.parse(raw["xkcd"]))
    if task == "driving":
        return len(logs.parse(raw["logs"])[1])
    images = cub.parse_images(raw["images"], raw["splits"])
    return len(images) + len(cub.parse_captions(raw["captions"], images))


def measure(task: str, repeats: int) -> dict[str, float | str]:
    """Parse, and only read what the parser reads, alternately."""
    archives, mirror = tasks.get(task).data_set.archives, mirror_folder(None)
    with TemporaryDirectory() as folder:
        if mirror:
            raw = {archive.file: mirror / archive.mirror for archive in archives}
        else:
            tasks.part(task, "embedded").write(Path(folder))
            raw = {archive.file: Path(folder) / archive.file for archive in archives}

        def read() -> None:
            for archive in archives:
                for _ in members(raw[archive.file], archive.used):
                    pass

        rows = parse(task, raw)
        parsing, reading = seconds(lambda: parse(task, raw), read, repeats=repeats)
    return {
        "data": "real" if mirror else "embedded",
        "rows": rows,
        "seconds": parsing,
        "rows_a_second": rows / parsing,
        "reading": reading / parsing,
        "megabytes": peak_megabytes(),
    }
