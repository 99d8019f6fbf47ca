"""Read and write tables: Parquet files that keep a contract of `schema` and whose pages have checksums."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from neuralese.errors import DamagedError, NeuraleseError
from neuralese.storage.files import KEY, atomic, made_by, not_made
from neuralese.storage.schema import CONTRACTS, Contract

if TYPE_CHECKING:  # takes longer to import than a table takes to read
    import pandas as pd

MAKE_ANEW = "delete the file and run snakemake again to remake it"
NOT_WRITTEN = "it was not written; check its inputs"


def vectors(values: np.ndarray) -> pa.Array:
    """Turn an array (n, d) into a column of fixed-size lists."""
    flat = pa.array(np.ascontiguousarray(values, dtype=np.float32).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def matrix(column: pa.ChunkedArray) -> np.ndarray:
    """Turn a column of fixed-size lists back into an array (n, d)."""
    flat = column.combine_chunks().flatten()
    return np.from_dlpack(flat).reshape(-1, column.type.list_size)  # to_numpy would import pandas


def contract_of(kind: str | Contract) -> Contract:
    """A contract, or that of a table common to all tasks, by its name."""
    return kind if isinstance(kind, Contract) else CONTRACTS[kind]


def check(table: pa.Table, contract: Contract, path: str | Path, advice: str) -> None:
    """Raise a `NeuraleseError` that ends with `advice` unless `table` keeps the contract."""
    if wrong := contract.fault(table):
        raise NeuraleseError(f"{path}, a table of kind '{contract.name}', {wrong}; {advice}.")


def write_table(
    path: str | Path,
    table: "pa.Table | pd.DataFrame",
    contract: str | Contract,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write `table` as Parquet, with checksums, once it keeps its contract; columns are cast to the contract's types.

    `about` is written into the file's metadata, each value as JSON.
    """
    if not isinstance(table, pa.Table):
        table = pa.Table.from_pandas(table, preserve_index=False)
    table = _typed(path, table, contract := contract_of(contract))
    check(table, contract, path, NOT_WRITTEN)
    table = table.replace_schema_metadata({name: json.dumps(value) for name, value in (about or {}).items()})
    options = {"compression": "zstd", "write_page_checksum": True}
    with atomic(path) as temporary, pq.ParquetWriter(temporary, table.schema, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({KEY: json.dumps(made_by())})


def _typed(path: str | Path, table: pa.Table, contract: Contract) -> pa.Table:
    """`table` with the types and meanings of its contract, if it can be cast."""
    for index, name in enumerate(table.column_names):
        if not (column := contract.columns.get(name)):
            continue
        values = table[name]
        try:
            values = values if isinstance(column.type, str) or column.holds(values.type) else values.cast(column.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            why = str(error).splitlines()[0]
            raise NeuraleseError(f"{path}: column '{name}' is not {column.type} ({why}); {NOT_WRITTEN}.") from None
        table = table.set_column(index, pa.field(name, values.type, metadata=column.metadata), values)
    return table


@contextmanager
def open_table(path: str | Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file whose pages are verified as they are read."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except FileNotFoundError:
        raise not_made(path) from None
    except (pa.ArrowException, OSError, ValueError, RuntimeError):
        raise DamagedError(path) from None


def read_table(path: str | Path, kind: str | Contract) -> pa.Table:
    """Read a Parquet file that keeps the contract of its `kind`."""
    with open_table(path) as file:
        table = file.read()
    check(table, contract_of(kind), path, MAKE_ANEW)
    return table


def read_about(path: str | Path) -> dict[str, Any]:
    """The `about` of a table, as given to `write_table`."""
    with open_table(path) as file:
        metadata = file.schema_arrow.metadata or {}
        ours = {name.decode(): value for name, value in metadata.items() if not name.startswith(b"ARROW")}
        return {name: json.loads(value) for name, value in ours.items() if name != KEY}
