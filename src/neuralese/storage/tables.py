"""The contract of every Parquet file: its columns and their types, checked on writing and on reading.

A table may hold more columns than its contract names, but never fewer, nor of another type. The values allowed
in them are in `values`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from neuralese.errors import DamagedError, NeuraleseError
from neuralese.storage.files import atomic
from neuralese.storage.made import KEY, made_by
from neuralese.storage.values import RULES, Rules, fault

if TYPE_CHECKING:  # takes longer to import than a table takes to read
    import pandas as pd

VECTOR = "fixed-size list of float32"  # of any one length; everything else is a pyarrow type
MESSAGE = "fixed-size list of float32, or list of int32"  # an agent's message: a vector, or symbols


@dataclass(frozen=True)
class Contract:
    """What a kind of table holds, and the values allowed in it."""

    name: str
    columns: Mapping[str, pa.DataType | str]
    rules: Rules


# tables that every task has; those of one task are defined with that task
CONTRACTS: dict[str, dict[str, pa.DataType | str]] = {
    "inventory": {"phrase_id": pa.int32(), "phrase": pa.string(), "count": pa.int64()},
    # what the players may talk about, and what humans said about it (or, without items, about a row of another table)
    "items": {"item_id": pa.int32(), "split": pa.string(), "feature": VECTOR},
    "traces": {"item_id": pa.int32(), "phrases": pa.list_(pa.int16())},
    "history": {
        "update": pa.int64(),
        **dict.fromkeys(("loss", "reward", "success", "epsilon"), pa.float64()),
    },
    "messages": {"message_id": pa.int32(), "split": pa.string(), "message": MESSAGE},
    "contexts": {"context_id": pa.int32()},  # and the columns of a state, which differ between tasks
    "meanings": {"context_id": pa.int32(), "candidate": pa.int32(), "message": VECTOR, "log_phrases": VECTOR},
    "dictionary": {
        "direction": pa.string(),
        "criterion": pa.string(),
        "source_id": pa.int32(),
        "source": pa.string(),
        "rank": pa.int32(),
        "target_id": pa.int32(),
        "target": pa.string(),
        "score": pa.float64(),
    },
    "examples": {
        **dict.fromkeys(("message_id", "target", "other", "rank"), pa.int32()),
        "phrase": pa.string(),
        "score": pa.float64(),
    },
    "belief": {
        "task": pa.string(),
        "seed": pa.int64(),
        "speaker": pa.string(),
        "listener": pa.string(),
        "criterion": pa.string(),
        **dict.fromkeys(("accuracy", "ci_low", "ci_high"), pa.float64()),
        "n": pa.int64(),
        "data": pa.string(),
        "candidates": pa.int64(),
        "chance": pa.float64(),
        **dict.fromkeys(("title", "role", "kind"), pa.string()),  # of the criterion
        "unit": pa.string(),  # the unit of translation: a message, an utterance, or one phrase of it
        "distractors": pa.string(),
        **dict.fromkeys(("distinct", "games"), pa.int64()),  # messages and games among the n items
        # relative to the baseline and to the control, on the same items
        **dict.fromkeys(("gain", "gain_error", "p_value", "gain_control", "gain_control_error"), pa.float64()),
    },
    "ablation": {
        **dict.fromkeys(("task", "split", "speaker", "listener", "data"), pa.string()),
        **dict.fromkeys(("family", "criterion", "title", "role"), pa.string()),
        "seed": pa.int64(),
        **dict.fromkeys(("accuracy", "ci_low", "ci_high"), pa.float64()),
    },
    "criteria": {  # the member of each family chosen on dev, and why
        **dict.fromkeys(("task", "direction", "criterion", "member", "settings", "second"), pa.string()),
        **dict.fromkeys(("members", "seeds"), pa.int64()),
        **dict.fromkeys(("accuracy", "second_accuracy"), pa.float64()),
    },
    "protocol": {
        **dict.fromkeys(("task", "measure", "variable", "data"), pa.string()),
        "seed": pa.int64(),
        "value": pa.float64(),
    },
    "bound": {
        **dict.fromkeys(("task", "criterion", "data"), pa.string()),
        "seed": pa.int64(),
        **dict.fromkeys(("divergence", "bound", "native", "translated", "lost"), pa.float64()),
    },
    "proposition_1": {"game": pa.int64(), **dict.fromkeys(("lost", "bound", "bound_product"), pa.float64())},
    "proposition_2": {"criterion": pa.string(), **dict.fromkeys(("rarity", "recovered"), pa.float64())},
    "bags": {"bag_id": pa.int32(), "text": pa.string(), "parts": pa.list_(pa.int16())},  # phrases said together
    "utterances": {  # what humans said in one go, and how often in each split
        "utterance_id": pa.int32(),
        "text": pa.string(),
        "parts": pa.list_(pa.int16()),
        **dict.fromkeys(("train", "dev", "test"), pa.int64()),
    },
    "relay": {
        "task": pa.string(),
        "seed": pa.int64(),
        "criterion": pa.string(),
        "measure": pa.string(),  # accuracy, reward or completion
        **dict.fromkeys(("value", "ci_low", "ci_high"), pa.float64()),
        "n": pa.int64(),
        "data": pa.string(),
        **dict.fromkeys(("title", "role"), pa.string()),
        # the share of the gain of neuralese over silence that survives English
        **dict.fromkeys(("share", "share_low", "share_high"), pa.float64()),
        # and of its gain over messages that say nothing
        **dict.fromkeys(("content", "content_low", "content_high"), pa.float64()),
        **dict.fromkeys(("gain_silence", "gain_silence_error"), pa.float64()),  # on the same items or games
        **dict.fromkeys(("gain_baseline", "gain_baseline_error"), pa.float64()),
        "understood": pa.float64(),  # how often the model human guesses the state from the same English
        **dict.fromkeys(("there", "back"), pa.string()),  # members chosen on dev: out of neuralese, back into it
    },
    "listening": {  # a robot with a model human who listens, through a translator
        **dict.fromkeys(("task", "pair", "criterion", "title", "role", "while_silent", "data"), pa.string()),
        **dict.fromkeys(("seed", "n"), pa.int64()),
        "dev_reward": pa.float64(),
        **{
            f"{measure}{of}": pa.float64() for measure in ("reward", "completion") for of in ("", "_ci_low", "_ci_high")
        },
        **{
            f"{measure}_over_{reference}{of}": pa.float64()  # on the same games
            for measure in ("reward", "completion")
            for reference in ("silence", "control", "baseline")
            for of in ("", "_error", "_p")
        },
    },
    "behavior": {
        "task": pa.string(),
        "seed": pa.int64(),
        "pair": pa.string(),
        "criterion": pa.string(),
        **dict.fromkeys(("reward", "reward_ci_low", "reward_ci_high"), pa.float64()),
        **dict.fromkeys(("completion", "completion_ci_low", "completion_ci_high"), pa.float64()),
        **dict.fromkeys(("n", "games"), pa.int64()),
        "possible": pa.float64(),  # share of games that could be completed at all
        **dict.fromkeys(("title", "role", "data"), pa.string()),
        **{
            f"{measure}_over_{reference}{error}": pa.float64()  # on the same games
            for measure in ("reward", "completion")
            for reference in ("silence", "control", "baseline")
            for error in ("", "_error")
        },
    },
}


def vectors(values: np.ndarray) -> pa.Array:
    """Turn an array (n, d) into a column of fixed-size lists."""
    flat = pa.array(np.ascontiguousarray(values, dtype=np.float32).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def matrix(column: pa.ChunkedArray) -> np.ndarray:
    """Turn a column of fixed-size lists back into an array (n, d)."""
    width = column.type.list_size
    return numbers(column.combine_chunks().flatten()).reshape(-1, width)


def numbers(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Turn a column of numbers without gaps into an array (n,); unlike `to_numpy`, without pandas."""
    return np.from_dlpack(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)


def _is(actual: pa.DataType, expected: pa.DataType | str) -> bool:
    if expected == MESSAGE and pa.types.is_list(actual):
        return actual.value_type == pa.int32()
    if expected in (VECTOR, MESSAGE):
        return pa.types.is_fixed_size_list(actual) and actual.value_type == pa.float32()
    if pa.types.is_dictionary(actual):
        actual = actual.value_type
    if expected == pa.string():
        return pa.types.is_string(actual) or pa.types.is_large_string(actual)
    return actual == expected


MAKE_ANEW = "delete the file and run snakemake again to remake it"
NOT_WRITTEN = "it was not written; check its inputs"


def contract_of(kind: str | Contract) -> Contract:
    """A contract, or that of a table common to all tasks, by its name."""
    return kind if isinstance(kind, Contract) else Contract(kind, CONTRACTS[kind], RULES[kind])


def check(schema: pa.Schema, contract: Contract, path: str | Path) -> None:
    """Raise a `NeuraleseError` unless `schema` keeps the contract."""
    for column, expected in contract.columns.items():
        if column not in schema.names:
            raise NeuraleseError(
                f"{path} has no column '{column}', which every {contract.name} table must have: "
                f"it has {', '.join(schema.names)}; {MAKE_ANEW}."
            )
        if not _is(schema.field(column).type, expected):
            raise NeuraleseError(
                f"{path} holds column '{column}' as {schema.field(column).type} where a {contract.name} table "
                f"holds {expected}; {MAKE_ANEW}."
            )


def check_values(table: pa.Table, contract: Contract, path: str | Path, advice: str) -> None:
    """Raise a `NeuraleseError` that ends with `advice` unless the values of `table` satisfy `values`."""
    columns = [name for name in contract.columns if name in table.column_names]
    if wrong := fault(table, contract.rules, columns):
        raise NeuraleseError(f"{path}, a table of kind '{contract.name}', {wrong}; {advice}.")


def _typed(path: str | Path, table: pa.Table, contract: Contract) -> pa.Table:
    """`table` with the types of its contract, if it can be cast and its values are right."""
    for index, name in enumerate(table.schema.names):
        expected = contract.columns.get(name, VECTOR)
        if expected not in (VECTOR, MESSAGE) and not _is(table.schema.field(name).type, expected):
            try:
                table = table.set_column(index, name, table.column(name).cast(expected))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                why = str(error).splitlines()[0]
                raise NeuraleseError(f"{path}: column '{name}' is not {expected} ({why}); {NOT_WRITTEN}.") from None
    check(table.schema, contract, path)
    check_values(table, contract, path, NOT_WRITTEN)
    return table.replace_schema_metadata(None)


def write_table(
    path: str | Path,
    table: "pa.Table | pd.DataFrame",
    contract: str | Contract,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write `table` as Parquet once it keeps its contract; columns of the contract are cast to their types.

    `about` is written into the file's metadata, each value as JSON.
    """
    if not isinstance(table, pa.Table):
        table = pa.Table.from_pandas(table, preserve_index=False)
    table = _typed(path, table, contract_of(contract))
    metadata = {name: json.dumps(value) for name, value in (about or {}).items()}
    _write(path, [table.replace_schema_metadata(metadata)], compression="zstd")


def write_batches(path: str | Path, tables: Iterable[pa.Table], contract: str | Contract) -> None:
    """Write a large table of numbers in pieces as they arrive, as they are: few of them occur twice."""
    pieces = (_typed(path, table, contract_of(contract)) for table in tables)
    _write(path, pieces, compression="none", use_dictionary=False)


def _write(path: str | Path, tables: Iterable[pa.Table], **options: Any) -> None:
    """Write tables one after another, with checksums and what made them; `options` are of `ParquetWriter`."""
    with atomic(path) as temporary, ExitStack() as stack:
        writer = None
        for table in tables:
            writer = writer or stack.enter_context(
                pq.ParquetWriter(temporary, table.schema, write_page_checksum=True, **options)
            )
            writer.write_table(table)
        if writer:
            writer.add_key_value_metadata({KEY: json.dumps(made_by())})


@contextmanager
def open_table(path: str | Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file whose pages are verified as they are read."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except FileNotFoundError:
        raise NeuraleseError(f"{path} does not exist yet; run snakemake to make it.") from None
    except (pa.ArrowException, OSError, ValueError, RuntimeError):
        raise DamagedError(path) from None


def read_table(
    path: str | Path, kind: str | Contract, columns: list[str] | None = None, check_every_value: bool = True
) -> pa.Table:
    """Read a Parquet file that keeps the contract of its `kind`: the whole table, or some `columns`."""
    contract = contract_of(kind)
    with open_table(path) as file:
        check(file.schema_arrow, contract, path)
        table = file.read(columns)
        if check_every_value:
            check_values(table, contract, path, MAKE_ANEW)
        return table


def read_about(path: str | Path) -> dict[str, Any]:
    """The `about` of a table, as given to `write_table`."""
    with open_table(path) as file:
        metadata = file.schema_arrow.metadata or {}
        ours = {name.decode(): value for name, value in metadata.items() if not name.startswith(b"ARROW")}
        return {name: json.loads(value) for name, value in ours.items() if name != KEY}


def data_digest(path: str | Path) -> str:
    """A digest of a table's contents and its `about`, regardless of what made it."""
    about, content = json.dumps(read_about(path), sort_keys=True), Path(path).read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8
    return hashlib.sha256(about.encode() + content[:-footer]).hexdigest()
