"""Compare two result folders by value: `python tools/same_results.py BEFORE AFTER`.

The columns of all Parquet files and the tensors of all safetensors files are compared, metadata is not. Prints every
file that differs or exists on one side only, and exits with 1 if any does.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from safetensors.numpy import load_file

SUFFIXES = (".parquet", ".safetensors")


def files(folder: Path) -> dict[str, Path]:
    """The Parquet and safetensors files of a folder, by their paths in it."""
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES}


def different(before: Path, after: Path) -> list[str]:
    """The columns or tensors in which two files differ."""
    if before.suffix == ".safetensors":
        one, other = load_file(before), load_file(after)
        same = {name for name in one.keys() & other if np.array_equal(one[name], other[name], equal_nan=True)}
        return sorted((one.keys() | other) - same)
    one, other = pq.read_table(before).replace_schema_metadata(), pq.read_table(after).replace_schema_metadata()
    missing = set(one.column_names) ^ set(other.column_names)
    shared = [name for name in one.column_names if name in other.column_names]
    # pandas takes NaN to equal NaN; types are compared first
    unequal = [
        name
        for name in shared
        if one.schema.field(name).type != other.schema.field(name).type
        or not one.select([name]).to_pandas().equals(other.select([name]).to_pandas())
    ]
    return sorted(missing) + unequal


def main(before: str, after: str) -> int:
    """Print what differs; the number of files that are equal comes last."""
    one, other = files(Path(before)), files(Path(after))
    if not one or not other:
        print(f"{after if one else before} has no results; name the folder of a run.")
        return 1
    for name in sorted(one.keys() ^ other):
        print(f"only in {before if name in one else after}: {name}")
    found = {name: different(one[name], other[name]) for name in sorted(one.keys() & other)}
    for name, columns in found.items():
        if columns:
            print(f"differs: {name}: {', '.join(columns)}")
    equal = sum(not columns for columns in found.values())
    print(f"{equal} of {len(found)} files in both folders are equal")
    return int(equal < len(found) or one.keys() != other.keys())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    raise SystemExit(main(*sys.argv[1:]))
