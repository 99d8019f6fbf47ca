"""Every table is checked when it is written and when it is read, and a wrong value is named by file, column and row."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralese.errors import NeuraleseError
from neuralese.storage.tables import (
    CONTRACTS,
    MESSAGE,
    VECTOR,
    Contract,
    check_values,
    contract_of,
    read_table,
    vectors,
    write_batches,
    write_table,
)
from neuralese.storage.values import RULES, Between, Matches, Numbered, OneOf
from neuralese.tasks.birds.data import FEATURES

ROOT = Path(__file__).parents[1]
ROWS = 5
SHARED = [contract_of(name) for name in CONTRACTS]
OF_TASKS = [
    found
    for module in ("colors.data", "birds.data", "driving.tables", "corpus.tables")
    for found in vars(import_module(f"neuralese.tasks.{module}")).values()
    if isinstance(found, Contract)
]
EVERY = SHARED + OF_TASKS
TEXTS = ("word", "\n".join(["##......"] * 8))  # of which one matches any pattern


def named(contract: Contract) -> str:
    return contract.name


def good_column(contract: Contract, name: str) -> pa.Array:
    """Values that keep every rule."""
    expected, rule = contract.columns[name], contract.rules.columns.get(name)
    if expected in (VECTOR, MESSAGE):
        return vectors(np.arange(ROWS * 3, dtype=np.float32).reshape(ROWS, 3))
    if isinstance(rule, OneOf):
        return pa.array([rule.names[0]] * ROWS)
    if isinstance(rule, Matches):
        return pa.array([next(text for text in TEXTS if re.fullmatch(rule.pattern, text))] * ROWS)
    if pa.types.is_list(expected):
        return pa.array([[1, 2]] * ROWS, expected)
    if pa.types.is_boolean(expected):
        return pa.array([True] * ROWS)
    if pa.types.is_binary(expected):
        return pa.array([b"\x89PNG"] * ROWS)
    if pa.types.is_string(expected):
        return pa.array([f"word {row}" for row in range(ROWS)])
    if isinstance(rule, Between) and rule.high < ROWS:
        return pa.array([rule.high] * ROWS).cast(expected)
    first = max(1, int(rule.low)) if isinstance(rule, Between) else 0
    return pa.array(range(first, first + ROWS)).cast(expected)


def good_table(contract: Contract | str) -> pa.Table:
    contract = contract_of(contract)
    return pa.table({name: good_column(contract, name) for name in contract.columns})


def spoiled(table: pa.Table, name: str, row: int, value: object) -> pa.Table:
    values = table[name].to_pylist()
    values[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(values, table.schema.field(name).type))


def bad_values(contract: Contract, name: str) -> list[object]:
    """Values that a column must not hold."""
    kind, rule, may_miss = contract.columns[name], contract.rules.columns.get(name), name in contract.rules.missing
    bad: list[object] = [] if may_miss else [None]
    if kind in (VECTOR, MESSAGE):
        return [*bad, [0.0, float("nan"), 1.0], [0.0, 1.0, float("-inf")]]
    if pa.types.is_list(kind):
        above = [[0, rule.high + 1]] if rule and rule.high < float("inf") else []
        return [*bad, [0, -1], [None, 0], *above] if rule else [*bad, [None]]
    if pa.types.is_floating(kind):
        bad += [float("inf")] + ([] if may_miss else [float("nan")])
    if isinstance(rule, Between):
        bad += [rule.low - 1] + ([rule.high + 1] if rule.high < float("inf") else [])
    elif isinstance(rule, OneOf | Matches):
        bad += ["somewhere else", ""]
    elif isinstance(rule, Numbered):
        bad += [ROWS, -1]
    return bad


CASES = [(contract, name) for contract in EVERY for name in contract.columns if bad_values(contract, name)]


def test_every_contract_has_rules_about_columns_it_names():
    assert RULES.keys() == CONTRACTS.keys()
    for contract in EVERY:
        rules = contract.rules
        told = {*rules.columns, *rules.missing, *(name for keys in rules.unique for name in keys)}
        assert told <= contract.columns.keys(), contract.name


def test_no_two_kinds_of_table_have_the_same_name():
    assert len({contract.name for contract in EVERY}) == len(EVERY)
    assert {contract.name for contract in OF_TASKS} >= {"colors", "images", "captions", "maps", "games", "turns"}


@pytest.mark.parametrize("contract", EVERY, ids=named)
def test_a_good_table_goes_through(tmp_path, contract):
    write_table(tmp_path / "good.parquet", good_table(contract), contract)
    assert read_table(tmp_path / "good.parquet", contract).num_rows == ROWS


@pytest.mark.parametrize("contract", [each for each in EVERY if each.rules.missing], ids=named)
def test_what_may_be_missing_is_not_missed(tmp_path, contract):
    table = good_table(contract)
    for name in contract.rules.missing:
        table = spoiled(table, name, 1, None)
    write_table(tmp_path / "good.parquet", table, contract)
    read = read_table(tmp_path / "good.parquet", contract)
    assert all(read[name].null_count == 1 for name in contract.rules.missing)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(CASES), st.integers(0, ROWS - 1), st.data())
def test_one_wrong_value_anywhere_is_found_and_named(case, row, data):
    contract, name = case
    value = data.draw(st.sampled_from(bad_values(contract, name)))
    with pytest.raises(NeuraleseError) as caught:
        check_values(spoiled(good_table(contract), name, row, value), contract, "some.parquet", "make it anew")
    sentence = str(caught.value)
    assert sentence.startswith("some.parquet")
    assert f"column '{name}' of row {row}" in sentence
    assert sentence.endswith("make it anew.")
    assert "\n" not in sentence


@settings(deadline=None, max_examples=100)
@given(st.sampled_from([each for each in EVERY if each.rules.unique]), st.data())
def test_a_row_named_twice_is_found(contract, data):
    table = good_table(contract)
    keys = data.draw(st.sampled_from(contract.rules.unique))
    first, second = sorted(data.draw(st.lists(st.integers(0, ROWS - 1), min_size=2, max_size=2, unique=True)))
    for name in keys:
        table = spoiled(table, name, second, table[name][first].as_py())
    with pytest.raises(NeuraleseError, match=f"of row {second} for the second time"):
        check_values(table, contract, "some.parquet", "make it anew")


@settings(deadline=None)
@given(st.lists(st.sampled_from(["train", "dev", "test", "tset"]), min_size=1, max_size=50))
def test_names_kept_as_numbers_are_checked_like_names(split):
    table = pa.table(
        {
            "item_id": pa.array(range(len(split)), pa.int32()),
            "split": pa.array(split).dictionary_encode(),
            "feature": vectors(np.zeros((len(split), 2))),
        }
    )
    if "tset" in split:
        with pytest.raises(
            NeuraleseError, match=f"'tset' in column 'split' of row {split.index('tset')}, where one of"
        ):
            check_values(table, contract_of("items"), "items.parquet", "")
    else:
        check_values(table, contract_of("items"), "items.parquet", "")


def test_a_wrong_table_is_neither_written_nor_read(tmp_path):
    path, wrong = tmp_path / "belief.parquet", spoiled(good_table("belief"), "accuracy", 3, 1.2)
    with pytest.raises(
        NeuraleseError, match=r"belief\.parquet.* holds 1\.2 in column 'accuracy' of row 3.*not written"
    ):
        write_table(path, wrong, "belief")
    assert not list(tmp_path.iterdir())
    pq.write_table(wrong, path)
    with pytest.raises(NeuraleseError, match=r"belief\.parquet.* of row 3, .* from 0 to 1 .*; delete the file and run"):
        read_table(path, "belief")


def test_a_large_table_is_checked_piece_by_piece(tmp_path):
    path, good = tmp_path / "features.parquet", good_table(FEATURES)
    write_batches(path, [good.slice(0, 2), good.slice(2)], FEATURES)
    assert read_table(path, FEATURES).equals(good)
    before = path.read_bytes()
    with pytest.raises(NeuraleseError, match="nan in column 'feature' of row 1"):
        write_batches(path, [good, spoiled(good, "feature", 1, [0.0, float("nan"), 0.0])], FEATURES)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("features.parquet", before)]


def test_a_value_that_its_type_cannot_hold_is_refused_in_one_sentence(tmp_path):
    table = pd.DataFrame({"phrase_id": [0, 1], "phrase": ["a", "b"], "count": [1.0, 2.5]})
    with pytest.raises(NeuraleseError, match="column 'count' is not int64") as caught:
        write_table(tmp_path / "inventory.parquet", table, "inventory")
    assert "\n" not in str(caught.value)


def test_a_table_without_rows_is_refused(tmp_path):
    with pytest.raises(NeuraleseError, match="has no rows"):
        write_table(tmp_path / "items.parquet", good_table("items").slice(0, 0), "items")


def test_a_file_damaged_within_is_refused_when_read(tmp_path):
    path = tmp_path / "messages.parquet"
    write_table(path, good_table("messages"), "messages")
    content = bytearray(path.read_bytes())
    content[4:60] = bytes(56)
    path.write_bytes(content)
    with pytest.raises(NeuraleseError, match=r"messages\.parquet"):
        read_table(path, "messages")


def test_points_of_a_sweep_have_rows_of_their_own(tmp_path):
    table = good_table("protocol").slice(0, 1)
    both = [table.append_column("agent.noise", pa.array([noise])) for noise in (0.1, 0.3)]
    write_table(tmp_path / "protocol.parquet", pa.concat_tables(both), "protocol")
    with pytest.raises(NeuraleseError, match="for the second time"):
        write_table(tmp_path / "protocol.parquet", pa.concat_tables([both[0], both[0]]), "protocol")


def test_no_other_code_reads_or_writes_parquet():
    forbidden = re.compile(r"\bpq\.|pyarrow\.parquet|read_parquet|to_parquet")
    files = [*ROOT.glob("src/neuralese/**/*.py"), *ROOT.glob("workflow/**/*.py")]
    found = {file.name for file in files if forbidden.search(file.read_text())}
    found -= {"file_table.py"}  # it shows a reader how to read one
    # what made a table is read without its rows; what users bring is read and written apart
    assert found == {"tables.py", "made.py", "show.py", "files.py", "write.py"}
