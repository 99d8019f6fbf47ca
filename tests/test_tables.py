"""Every table is checked when it is written and when it is read; a wrong value is named by file, column and row."""

import re
from contextlib import nullcontext
from importlib import import_module

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralese.errors import NeuraleseError
from neuralese.storage.schema import CONTRACTS, MESSAGE, VECTOR, Column, Contract
from neuralese.storage.tables import check, contract_of, read_table, vectors, write_table

OF_TASKS = [
    found
    for module in ("colors.data", "birds.data", "driving.tables", "corpus.task")
    for found in vars(import_module(f"neuralese.tasks.{module}")).values()
    if isinstance(found, Contract)
]
EVERY = [*CONTRACTS.values(), *OF_TASKS]
ROWS = 5
TEXTS = ("word", "\n".join(["##......"] * 8))  # of which one matches any pattern

INVENTORY = pd.DataFrame({"phrase_id": [0, 1], "phrase": ["red", "blue"], "count": [5, 3]})


def test_a_table_is_written_with_the_types_of_its_contract_and_read_back(tmp_path):
    write_table(tmp_path / "inventory.parquet", INVENTORY.assign(more=[0.5, 1.5]), "inventory")
    table = read_table(tmp_path / "inventory.parquet", "inventory")
    assert table.schema.field("phrase_id").type == pa.int32()
    assert table.to_pandas()["more"].tolist() == [0.5, 1.5]


def good_column(column: Column) -> pa.Array:
    """Values that are allowed."""
    if column.type in (VECTOR, MESSAGE):
        return vectors(np.arange(ROWS * 3, dtype=np.float32).reshape(ROWS, 3))
    if column.names or column.pattern:
        texts = column.names or [text for text in TEXTS if re.fullmatch(column.pattern, text)]
        return pa.array([texts[0]] * ROWS)
    if pa.types.is_list(column.type):
        return pa.array([[1, 2]] * ROWS, column.type)
    if pa.types.is_string(column.type) or pa.types.is_binary(column.type):
        return pa.array([f"word {row}" for row in range(ROWS)]).cast(column.type)
    if pa.types.is_boolean(column.type) or (column.high is not None and column.high < ROWS):
        return pa.array([column.high or 1] * ROWS).cast(column.type)
    first = 0 if column.low is None else max(1, int(column.low))
    return pa.array(range(first, first + ROWS)).cast(column.type)


def good_table(contract: Contract | str) -> pa.Table:
    return pa.table({name: good_column(column) for name, column in contract_of(contract).columns.items()})


def spoiled(table: pa.Table, name: str, row: int, value: object) -> pa.Table:
    values = table[name].to_pylist()
    values[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(values, table.schema.field(name).type))


def bad_values(column: Column) -> list[object]:
    """Values that a column must not hold."""
    outside = [] if column.low is None else [column.low - 1]
    outside += [] if column.high is None else [column.high + 1]
    missing: list[object] = [] if column.optional else [None]
    if column.type in (VECTOR, MESSAGE):
        return [*missing, [0.0, float("nan"), 1.0], [0.0, 1.0, float("-inf")]]
    if pa.types.is_list(column.type):
        return [*missing, [None, 0], *([0, each] for each in outside)]
    if pa.types.is_floating(column.type):
        missing += [float("inf")] if column.optional else [float("inf"), float("nan")]
    if column.names or column.pattern:
        missing += [each for each in ("somewhere else", "") if each not in column.names]
    return [*missing, *outside, *([ROWS, -1] if column.row_number else [])]


CASES = [(contract, name) for contract in EVERY for name, column in contract.columns.items() if bad_values(column)]


@pytest.mark.parametrize("contract", EVERY, ids=lambda contract: contract.name)
def test_a_good_table_goes_through_also_without_optional_values(tmp_path, contract):
    table = good_table(contract)
    optional = [name for name, column in contract.columns.items() if column.optional]
    for name in optional:
        table = spoiled(table, name, 1, None)
    write_table(tmp_path / "good.parquet", table, contract)
    read = read_table(tmp_path / "good.parquet", contract)
    assert read.num_rows == ROWS
    assert all(read[name].null_count == 1 for name in optional)
    assert all(
        read.schema.field(name).metadata[b"meaning"].decode() == contract.columns[name].meaning
        for name in read.schema.names
    )


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(CASES), st.integers(0, ROWS - 1), st.data())
def test_one_wrong_value_anywhere_is_found_and_named(case, row, data):
    contract, name = case
    value = data.draw(st.sampled_from(bad_values(contract.columns[name])))
    with pytest.raises(NeuraleseError) as caught:
        check(spoiled(good_table(contract), name, row, value), contract, "some.parquet", "make it anew")
    sentence = str(caught.value)
    assert sentence.startswith("some.parquet")
    assert f"column '{name}' of row {row}" in sentence
    assert sentence.endswith("make it anew.")
    assert "\n" not in sentence


@settings(deadline=None, max_examples=100)
@given(st.sampled_from([each for each in EVERY if each.unique]), st.data())
def test_a_row_named_twice_is_found(contract, data):
    table = good_table(contract)
    first, second = sorted(data.draw(st.lists(st.integers(0, ROWS - 1), min_size=2, max_size=2, unique=True)))
    for name in contract.unique:
        table = spoiled(table, name, second, table[name][first].as_py())
    with pytest.raises(NeuraleseError, match=f"of row {second} for the second time"):
        check(table, contract, "some.parquet", "make it anew")


@pytest.mark.parametrize("split", [["train", "test", "train"], ["train", "tset", "dev", "tset"]])
def test_names_kept_as_numbers_are_checked_like_names(split):
    rows = {"item_id": pa.array(range(len(split)), pa.int32()), "split": pa.array(split).dictionary_encode()}
    table = pa.table(rows | {"feature": vectors(np.zeros((len(split), 2)))})
    wrong = pytest.raises(NeuraleseError, match="'tset' in column 'split' of row 1, where one of")
    with wrong if "tset" in split else nullcontext():
        check(table, contract_of("items"), "items.parquet", "")


TWO = {"phrase_id": pa.array([0, 1], pa.int32()), "phrase": pa.array(["a", "b"])}
NEGATIVE = "holds -1 in column 'count' of row 1, where at least 0 is expected; "


@pytest.mark.parametrize(
    ("table", "written", "read"),
    [
        (pa.table(TWO), "has no column 'count'", "has no column 'count'"),
        (pa.table(TWO | {"count": [1.0, 2.5]}), "column 'count' is not int64", "holds column 'count' as double"),
        (pa.table(TWO | {"count": [1, -1]}), f"{NEGATIVE}it was not written", f"{NEGATIVE}delete the file"),
        (pa.table(TWO | {"count": [1, 2]})[:0], "has no rows; it was not written", "has no rows; delete the file"),
    ],
)
def test_a_wrong_table_is_neither_written_nor_read(tmp_path, table, written, read):
    path = tmp_path / "inventory.parquet"
    with pytest.raises(NeuraleseError, match=written) as caught:
        write_table(path, table, "inventory")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())
    with pytest.raises(NeuraleseError, match="does not exist yet; run snakemake"):
        read_table(path, "inventory")
    pq.write_table(table, path)
    with pytest.raises(NeuraleseError, match=rf"inventory\.parquet.* {read}"):
        read_table(path, "inventory")


def test_points_of_a_sweep_have_rows_of_their_own(tmp_path):
    table = good_table("protocol").slice(0, 1)
    both = [table.append_column("agent.noise", pa.array([noise])) for noise in (0.1, 0.3)]
    write_table(tmp_path / "protocol.parquet", pa.concat_tables(both), "protocol")
    with pytest.raises(NeuraleseError, match="for the second time"):
        write_table(tmp_path / "protocol.parquet", pa.concat_tables([both[0], both[0]]), "protocol")
