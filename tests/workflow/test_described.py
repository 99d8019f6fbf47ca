"""What results/README.md says of files and columns is so in a whole run."""

import re
import runpy

import pyarrow.parquet as pq
from copies import ROOT

from neuralese.storage.tables import check

ELSEWHERE = ("logs", "benchmarks", "raw", "README.md", "config.json")  # described as folders


def described() -> list[tuple[re.Pattern, object]]:
    """What every described file is called, below the results."""
    names = [
        (f"{place}{file}{'.{ending}' if place == 'figures/' else ''}".replace("*", "{any}"), of)
        for place, files in runpy.run_path(str(ROOT / "tools/file_table.py"))["sections"]().values()
        for file, of in files.items()
    ]
    return [(re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(name))), of) for name, of in names]


def test_every_file_of_a_run_is_described_and_keeps_the_contract_that_is_named(project):
    known, seen = described(), 0
    for path in sorted(project.quick.rglob("*")):
        place = path.relative_to(project.quick)
        if path.is_dir() or any(part.startswith(".") or part in ELSEWHERE for part in place.parts):
            continue
        found = [of for pattern, of in known if pattern.fullmatch(place.as_posix())]
        assert found, f"{place} is not described"
        if path.suffix == ".parquet" and found[0].contract:
            check(pq.read_schema(path), found[0].contract, path)
            seen += 1
    assert seen > 50
