"""The values allowed in every table: ranges, names, ids; each rule is one pass over a column.

Unless stated otherwise, no value is missing, every number is finite, and a table has at least one row. Columns that a
contract does not name are not checked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SLACK = 1e-9  # how far rounding may push a mean of numbers in range


@dataclass(frozen=True)
class Between:
    """Numbers from `low` to `high`, or lists of them."""

    low: float
    high: float = float("inf")

    def __str__(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}" if self.high < float("inf") else f"at least {self.low:g}"

    def wrong(self, column: pa.Array) -> pa.Array:
        """A mask of the values that break the rule."""
        return pc.or_(pc.less(column, self.low - SLACK), pc.greater(column, self.high + SLACK))


@dataclass(frozen=True)
class OneOf:
    """One of a few names."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "one of " + ", ".join(self.names)

    def wrong(self, column: pa.Array) -> pa.Array:
        """A mask of the values that break the rule."""
        if pa.types.is_dictionary(column.type):
            return pc.take(self.wrong(column.dictionary), column.indices)
        return pc.invert(pc.is_in(column, pa.array(self.names, column.type)))


@dataclass(frozen=True)
class Matches:
    """Text that a regular expression matches in full."""

    pattern: str
    meaning: str

    def __str__(self) -> str:
        return self.meaning

    def wrong(self, column: pa.Array) -> pa.Array:
        """A mask of the values that break the rule."""
        return pc.invert(pc.match_substring_regex(column, rf"\A(?:{self.pattern})\z"))


@dataclass(frozen=True)
class Numbered:
    """The row number: 0, 1, 2, ..."""

    def __str__(self) -> str:
        return "the row number, counted from 0"

    def wrong(self, column: pa.Array) -> pa.Array:
        """A mask of the values that break the rule."""
        rows = pa.py_buffer(np.arange(len(column)))  # pa.array would import pandas
        return pc.not_equal(column, pa.Array.from_buffers(pa.int64(), len(column), [None, rows]))


@dataclass(frozen=True)
class Rules:
    """The values allowed in one kind of table."""

    columns: Mapping[str, Any]  # the rule of each: Between, OneOf, Matches or Numbered
    unique: tuple[tuple[str, ...], ...] = ()  # columns that together identify a row
    missing: tuple[str, ...] = ()  # columns that may have no value, or NaN
    may_be_empty: bool = False


ROW = Numbered()
COUNT = Between(0)
FIRST = Between(1)
SHARE = Between(0, 1)
SPLIT = OneOf(("train", "dev", "test"))
TASK = Matches(r"[A-Za-z][A-Za-z0-9_-]*", "the name of a task")
DATA = OneOf(("mirror", "official", "embedded", "corpus"))
RESULT = {"task": TASK, "seed": COUNT, "data": DATA}
ACCURACY = dict.fromkeys(("accuracy", "ci_low", "ci_high"), SHARE)
PLAYERS = {"speaker": OneOf(("R", "H")), "listener": OneOf(("R", "R*", "H*"))}
DIRECTION = OneOf(("R->H", "H->R"))
GAIN = Between(-1, 1)

RULES: dict[str, Rules] = {
    "inventory": Rules({"phrase_id": ROW, "count": COUNT}, unique=(("phrase",),)),
    "items": Rules({"item_id": ROW, "split": SPLIT}),
    "traces": Rules({"item_id": COUNT, "phrases": COUNT}),
    "history": Rules(  # there may have been no round of play since the last row
        {"success": SHARE, "epsilon": SHARE, "loss": COUNT}, unique=(("update",),), missing=("reward", "success")
    ),
    "messages": Rules(
        {"split": OneOf((*SPLIT.names, "synthesised"))},
        unique=(("message_id",),),
        may_be_empty=True,  # no new messages are made for recorded agents
    ),
    "contexts": Rules({"context_id": ROW}),
    "meanings": Rules({"context_id": COUNT, "candidate": COUNT}, unique=(("context_id", "candidate"),)),
    "dictionary": Rules(
        {"direction": DIRECTION, "source_id": COUNT, "target_id": COUNT, "rank": FIRST},
        unique=(("direction", "criterion", "source_id", "rank"),),
    ),
    "examples": Rules({"rank": FIRST, "target": COUNT, "other": COUNT}, unique=(("message_id", "rank"),)),
    "belief": Rules(
        RESULT
        | PLAYERS
        | ACCURACY
        | dict.fromkeys(("n", "distinct", "games"), FIRST)
        | {"candidates": Between(2), "chance": SHARE, "p_value": SHARE, "gain": GAIN, "gain_control": GAIN}
        | {"unit": OneOf(("message", "utterance", "phrase")), "distractors": Matches(r"\w+", "a name")}
        | dict.fromkeys(("gain_error", "gain_control_error"), COUNT),
        unique=(("task", "seed", "distractors", "speaker", "listener", "unit", "criterion"),),
        missing=("gain", "gain_error", "p_value", "gain_control", "gain_control_error"),
    ),
    "ablation": Rules(
        RESULT | PLAYERS | ACCURACY | {"split": SPLIT},
        unique=(("task", "seed", "split", "speaker", "listener", "family", "criterion"),),
    ),
    "criteria": Rules(
        {
            "task": TASK,
            "direction": DIRECTION,
            "members": FIRST,
            "seeds": FIRST,
            "accuracy": SHARE,
            "second_accuracy": SHARE,
        },
        unique=(("task", "direction", "criterion"),),
        missing=("accuracy", "second_accuracy"),  # for a random one, and for one without a runner-up
    ),
    "protocol": Rules(RESULT, unique=(("task", "seed", "measure", "variable"),), missing=("value",)),
    "bound": Rules(RESULT | {"divergence": COUNT, "native": SHARE, "translated": SHARE}),
    "proposition_1": Rules({"game": COUNT}),
    "proposition_2": Rules({"rarity": SHARE, "recovered": SHARE}),
    "bags": Rules({"bag_id": ROW, "parts": COUNT}),
    "utterances": Rules({"utterance_id": ROW, "parts": COUNT} | dict.fromkeys(SPLIT.names, COUNT)),
    "relay": Rules(
        RESULT | {"measure": OneOf(("accuracy", "reward", "completion")), "n": FIRST, "understood": SHARE},
        unique=(("task", "seed", "criterion", "measure"),),
        missing=(
            *("share", "share_low", "share_high", "content", "content_low", "content_high", "understood"),
            *("gain_silence", "gain_silence_error", "gain_baseline", "gain_baseline_error"),
        ),
    ),
    "listening": Rules(
        RESULT | {"n": FIRST, "completion": SHARE},
        unique=(("task", "seed", "pair", "criterion"),),
        missing=(
            "dev_reward",
            *(
                f"{measure}_over_{reference}{of}"
                for measure in ("reward", "completion")
                for reference in ("silence", "control", "baseline")
                for of in ("", "_error", "_p")
            ),
        ),
    ),
    "behavior": Rules(
        {"task": TASK, "seed": COUNT, "data": DATA, "n": FIRST, "games": FIRST, "possible": SHARE}
        | dict.fromkeys(("completion", "completion_ci_low", "completion_ci_high"), SHARE),
        unique=(("task", "seed", "pair", "criterion"),),
        missing=tuple(
            f"{measure}_over_{reference}{error}"
            for measure in ("reward", "completion")
            for reference in ("silence", "control", "baseline")
            for error in ("", "_error")
        ),
    ),
}


def fault(table: pa.Table, rules: Rules, columns: Iterable[str]) -> str | None:
    """The first fault in the values of `columns`, as '... column ... row ...', or nothing."""
    if not table.num_rows:
        return None if rules.may_be_empty else "has no rows"
    for name in columns:
        if found := _fault_in(table[name].combine_chunks(), rules.columns.get(name), name in rules.missing):
            row, value, expected = found
            return f"holds {value} in column '{name}' of row {row}, where {expected} is expected"
    swept = tuple(name for name in table.column_names if "." in name)  # in a sweep every point has its own rows
    whole = [keys + swept for keys in rules.unique if set(keys) <= set(table.column_names)]
    return next((again for keys in whole if (again := _twice(table, keys))), None)


def _fault_in(column: pa.Array, rule: Any, may_miss: bool) -> tuple[int, str, str] | None:
    """Row, value and expectation of a column's first fault."""
    if column.null_count and not may_miss:
        return pc.index(column.is_null(), True).as_py(), "nothing", str(rule or "a value")
    values, rows = _values(column)
    if values.null_count and column.null_count == 0:
        return _row(values.is_null(), rows), "nothing", "a number"
    if pa.types.is_floating(values.type):
        bad = pc.is_inf(values) if may_miss else pc.invert(pc.is_finite(values))
        if pc.any(bad).as_py():
            return _row(bad, rows), str(values[pc.index(bad, True).as_py()].as_py()), str(rule or "a finite number")
    if rule is not None:
        bad = rule.wrong(values)
        if pc.any(bad).as_py():
            return _row(bad, rows), repr(values[pc.index(bad, True).as_py()].as_py()), str(rule)
    return None


def _values(column: pa.Array) -> tuple[pa.Array, pa.Array | None]:
    """The numbers of a column and the row of each, for rows that are lists."""
    if pa.types.is_fixed_size_list(column.type):
        return column.flatten(), column.type.list_size
    if pa.types.is_list(column.type):
        return column.flatten(), column
    return column, None


def _row(bad: pa.Array, rows: object) -> int:
    first = pc.index(bad, True).as_py()
    if rows is None:
        return first
    return first // rows if isinstance(rows, int) else pc.list_parent_indices(rows)[first].as_py()


def _twice(table: pa.Table, keys: tuple[str, ...]) -> str | None:
    """The first row that `keys` identify for the second time."""
    code = np.zeros(table.num_rows, dtype=np.int64)
    for name in keys:
        column = table[name].combine_chunks()
        column = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        code = code * max(1, len(column.dictionary)) + np.from_dlpack(column.indices)  # to_numpy would import pandas
    if len(np.unique(code)) == table.num_rows:
        return None
    row = np.setdiff1d(np.arange(table.num_rows), np.unique(code, return_index=True)[1])[0]
    names, value = (", ".join(map(repr, each)) for each in (keys, (table[name][row].as_py() for name in keys)))
    return f"holds {value} in column {names} of row {row} for the second time"
