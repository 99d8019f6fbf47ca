"""Results that a run would now make differently: with other settings, other code, or from other inputs.

    out_of_date(jobs, "results")     # path -> why, for what the jobs of a run make; `jobs` by their outputs

Results themselves say what made them (`made`), so this works even if Snakemake's own records are gone, or if
results come from another copy of the project.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neuralese.pipeline.made import SOURCE, Job, identity_of, record_file
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.stamps import Maker, Record, identity, read_record

FOLLOWS = ""  # why a file is out of date: only because its inputs are
ANEW = "anew"  # the identity of raw data that will be fetched again: unlike any other


def out_of_date(jobs: Mapping[str, Job], results: str) -> dict[str, str]:
    """Why each existing file would now be made differently, for the outputs of `jobs`."""
    check = _Check(jobs, Maker(results, {}))
    for path in jobs:
        check.identity(path)
    return check.found


class _Check:
    """What is known so far."""

    def __init__(self, jobs: Mapping[str, Job], maker: Maker) -> None:
        self.jobs, self.maker = jobs, maker
        self.seen: dict[str, str | None] = {}  # path -> identity
        self.found: dict[str, str] = {}  # path -> why it is out of date

    def identity(self, path: str) -> str | None:
        """What a file will be once it is made; none if that cannot be known, because raw data is missing."""
        if path not in self.seen:
            if path in self.jobs:
                self.look_at(self.jobs[path])
            else:
                self.seen[path] = identity_of(path) if Path(path).exists() else None
        return self.seen[path]

    def look_at(self, job: Job) -> None:
        """Compare what a job made with what it would make."""
        inputs = {self.maker.place(path): self.identity(path) for path in job.inputs}
        follows = any(path in self.found for path in job.inputs)
        for output in job.outputs:
            stamped, there = record_file(output), Path(output).exists()
            was = read_record(stamped) if there else None
            claimed = (was or {}).get("inputs", {})
            known = {place: claimed.get(place) if name is None else name for place, name in inputs.items()}
            now = {**job.record(self.maker.results, known), "place": self.maker.place(stamped)}
            if there and (was is None or identity(was) != identity(now)):
                self.found[output] = FOLLOWS if follows else why(was, now)
            if stamped.name == SOURCE:
                self.seen[output] = self.raw(output) if there else None
            else:
                self.seen[output] = None if None in known.values() else identity(now)

    def raw(self, folder: str) -> str:
        """The identity of a folder of raw data, which depends on what was found when it was fetched."""
        if folder not in self.found:
            try:
                return identity_of(folder)
            except (NeuraleseError, KeyError) as error:
                self.found[folder] = f"where it comes from cannot be read: {error}".rstrip(".")
        return ANEW


def why(was: Record | None, now: Record) -> str:
    """What has changed, in a few words."""
    if was is None:
        return "it does not say what made it"
    if was["place"] != now["place"]:
        return f"it was made as {was['place']}"
    before, after = _flat(was["settings"]), _flat(now["settings"])
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            return f"{name} was {before.get(name, 'not set')} and is {after.get(name, 'not set')}"
    if was["code"] != now["code"]:
        return "the code has changed"
    for place in sorted(was["inputs"].keys() | now["inputs"].keys()):
        if was["inputs"].get(place) != now["inputs"].get(place):
            return f"{place} is not the one it was made from"
    return "another stage made it"


def _flat(settings: Any, above: str = "") -> dict[str, Any]:
    """Settings by their dotted names."""
    if not isinstance(settings, dict) or not settings:
        return {above: settings}
    return {
        key: each
        for name, value in settings.items()
        for key, each in _flat(value, f"{above}.{name}" if above else name).items()
    }


def told(found: Mapping[str, str], shown: int = 4) -> str:
    """One sentence for everything that is out of date, and why."""
    by_reason: dict[str, list[str]] = {}
    for path, reason in found.items():
        by_reason.setdefault(reason, []).append(path)
    by_reason.pop(FOLLOWS, None)
    causes = [
        f"{paths[0]}{f' and {len(paths) - 1} more' if len(paths) > 1 else ''} ({reason})"
        for reason, paths in by_reason.items()
    ]
    causes[shown:] = ["..."] if len(causes) > shown else []
    are = "1 result is" if len(found) == 1 else f"{len(found)} results are"
    return f"{are} out of date and will be remade: {', '.join(causes)}."
