"""The record of a job, carried by each file it makes in its stamp: stage, settings, code, and inputs.

    maker = job.begin("results")       # check its inputs, and say what makes its outputs
    with making(maker): ...            # everything written now carries the record
    job.end(maker)

Two files have the same identity if the same stage made them with the same settings and code from inputs of the same
identity. So what a file would be now is known without making it, whatever a workflow engine remembers.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import file_digest, read_json, write_json
from neuralese.storage.stamps import ANEW, STAMPED, Maker, Record, check_place, identity, making, read_record

SOURCE = "source.json"  # in a folder of raw data: where it comes from, with a digest of each file
CODE = "code"  # the param that holds the digest of the code
FOLDERS = ("folder",)  # params that say where something is, not what it is
CORPUS = "corpus"  # the kind of data of a user's own files


@dataclass(frozen=True)
class Job:
    """One job as seen by a workflow engine."""

    stage: str
    wildcards: Mapping[str, str]
    params: Mapping[str, Any]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def record(self, results: str, inputs: Mapping[str, str]) -> Record:
        """The record its files carry; `inputs` are the identities of its inputs, by place."""
        settings = {
            name: value
            for name, value in self.params.items()
            if name not in (CODE, *FOLDERS) and not (isinstance(value, str) and value.startswith(f"{results}/"))
        }
        record = {
            "stage": self.stage,
            "wildcards": {name: value for name, value in self.wildcards.items() if value},
            "settings": settings,
            "code": self.params.get(CODE, ""),
            "inputs": dict(inputs),
        }
        return json.loads(json.dumps(record, sort_keys=True, default=str))  # as it will be read back

    def begin(self, results: str) -> Maker:
        """Check that the inputs are genuine and belong together; return what makes the outputs."""
        maker, found, kinds = Maker(results, {}), {}, set()
        said_by: dict[str, tuple[str, str]] = {}
        for path in self.inputs:
            check(path, results)
            place, record = maker.place(path), read_record(record_file(path)) or {}
            found[place] = identity_of(path)
            kinds.add(_kind(path, record))
            here = record.get("place") == maker.place(
                record_file(path)
            )  # and not of another results folder in this one
            for each, name in {**(record["inputs"] if here else {}), place: found[place]}.items():
                other, first = said_by.setdefault(each, (name, path))
                if other != name:
                    raise NeuraleseError(
                        f"{path} and {first} were not made from the same {each}; delete both and run snakemake again."
                    )
        data = "+".join(sorted(kinds - {""}))
        return Maker(results, {**self.record(results, found), "data": data})

    def end(self, maker: Maker) -> None:
        """Stamp outputs that cannot carry a stamp themselves."""
        for path in map(Path, self.outputs):
            if path.is_file() and path.suffix not in STAMPED:
                with making(maker):
                    write_json(record_file(path), {"sha256": file_digest(path)})


def record_file(path: str | Path) -> Path:
    """The file that has the stamp of `path`: itself, one inside it, or a hidden one next to it."""
    path = Path(path)
    if not path.suffix:
        return path / SOURCE
    return path if path.suffix in STAMPED else path.with_name(f".{path.name}.json")


def identity_of(path: str | Path) -> str:
    """The identity of a file or a folder of raw data, by what made it, or by its bytes if it does not say."""
    path, record = Path(path), read_record(record_file(path))
    if not path.is_dir():
        return file_digest(path)[:16] if record is None else identity(record)
    source = read_json(path / SOURCE)
    content = [identity(record or {}), source["source"], [[each["file"], each["sha256"]] for each in source["files"]]]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def _kind(path: str, record: Record) -> str:
    """The kind of data of an input."""
    if Path(path).is_dir():
        return read_json(Path(path) / SOURCE)["source"]
    return record.get("data", CORPUS)


def below(path: str, results: str) -> bool:
    """Whether a file is one of the results rather than a user's own."""
    return Path(path).absolute().is_relative_to(Path(results).absolute())


def check(path: str, results: str) -> None:
    """Raise a `NeuraleseError` unless an input is what it claims to be.

    Everything below the results must say what made it; anything else is a user's own. The bytes of files that carry
    their stamp are checked when they are read.
    """
    stamped = record_file(path)
    if not below(path, results):
        return
    record = read_record(stamped)
    if record is None:
        raise NeuraleseError(f"{path} does not say what made it; {ANEW}.")
    check_place(stamped, record)
    if Path(path).is_dir():
        for each in read_json(stamped)["files"]:
            if not (Path(path) / each["file"]).is_file() or file_digest(Path(path) / each["file"]) != each["sha256"]:
                raise NeuraleseError(
                    f"{path}/{each['file']} is not the file that was fetched; delete {path} and run snakemake again."
                )
    elif stamped != Path(path) and file_digest(path) != read_json(stamped)["sha256"]:
        raise NeuraleseError(f"{path} was changed after it was made; {ANEW}.")
