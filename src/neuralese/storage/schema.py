"""The contract of every table: one line per column with its type, its meaning and the values allowed in it.

A table may have more columns than its contract names, but never fewer, nor of another type. Unless its line says
otherwise, a column has a value in every row, every number is finite, and a table has at least one row.

    contract("turns", "game, turn, player").of(game=int32("The game."), ...)   # three columns identify a row

The tables of one task are defined beside that task.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

VECTOR = "fixed-size list of float32"  # of any one length
MESSAGE = "fixed-size list of float32, or list of int32"  # an agent's message: a vector, or symbols
SLACK = 1e-9  # how far rounding may push a mean of numbers in range


@dataclass(frozen=True)
class Column:
    """One column: its type, its meaning, and its values; the limits of a list hold for its elements."""

    type: pa.DataType | str
    meaning: str
    low: float | None = None
    high: float | None = None
    names: tuple[str, ...] = ()  # the only texts allowed
    pattern: str = ""  # that a text must match in full
    row_number: bool = False  # 0, 1, 2, ...
    optional: bool = False  # a value may be missing, or NaN

    @property
    def allowed(self) -> str:
        """The values allowed, in words; empty if these are all of its type."""
        if self.row_number:
            return "the row number, counted from 0"
        if self.names:
            return f"one of {', '.join(self.names)}"
        if self.pattern:
            return f"text of the form {self.pattern!r}"
        if self.low is not None:
            return f"at least {self.low:g}" if self.high is None else f"a number from {self.low:g} to {self.high:g}"
        return ""

    @property
    def metadata(self) -> dict[str, str]:
        """The meaning of the column and its values, for files and pages."""
        values = [self.allowed, "may be missing" if self.optional else ""]
        return {"meaning": self.meaning, "values": "; ".join(filter(None, values))}

    def holds(self, kind: pa.DataType) -> bool:
        """Whether a column of this pyarrow type is of the column's type."""
        if self.type == MESSAGE and pa.types.is_list(kind):
            return kind.value_type == pa.int32()
        if self.type in (VECTOR, MESSAGE):
            return pa.types.is_fixed_size_list(kind) and kind.value_type == pa.float32()
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return kind == self.type or (self.type == pa.string() and pa.types.is_large_string(kind))

    def fault(self, column: pa.Array) -> tuple[int, str, str] | None:
        """The row and the value of the first fault in `column`, and what is expected instead."""
        if column.null_count and not self.optional:
            return pc.index(column.is_null(), True).as_py(), "nothing", self.allowed or "a value"
        is_list = pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type)
        values = column.flatten() if is_list else column
        for wrong in (values.is_null(), *self._wrong(values)) if is_list else self._wrong(values):
            if (first := pc.index(wrong, True).as_py()) >= 0:
                value = values[first].as_py()
                row = pc.list_parent_indices(column)[first].as_py() if is_list else first
                return row, "nothing" if value is None else repr(value), self.allowed or "a finite number"
        return None

    def _wrong(self, values: pa.Array) -> Iterator[pa.Array]:
        """For each rule, a mask of the values that break it; missing values break none."""
        if pa.types.is_floating(values.type):
            yield pc.is_inf(values) if self.optional else pc.invert(pc.is_finite(values))
        if self.low is not None:
            yield pc.less(values, self.low - SLACK)
        if self.high is not None:
            yield pc.greater(values, self.high + SLACK)
        texts = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        if self.names:
            yield pc.invert(pc.is_in(texts, pa.array(self.names, texts.type)))
        if self.pattern:
            yield pc.invert(pc.match_substring_regex(texts, rf"\A(?:{self.pattern})\z"))
        if self.row_number:
            rows = pa.py_buffer(np.arange(len(values)))  # pa.array would import pandas
            yield pc.not_equal(values, pa.Array.from_buffers(pa.int64(), len(values), [None, rows]))


@dataclass(frozen=True)
class Contract:
    """What a kind of table holds."""

    name: str
    unique: tuple[str, ...] = ()  # columns that together identify a row
    may_be_empty: bool = False
    columns: Mapping[str, Column] = field(default_factory=dict)

    def of(self, **columns: Column) -> "Contract":
        """The same contract with these columns."""
        return replace(self, columns=columns)

    def fault(self, table: pa.Table) -> str | None:
        """What is wrong with a table, such as "has no column 'seed'"."""
        for name, column in self.columns.items():
            if name not in table.column_names:
                return f"has no column '{name}', which it must have: it has {', '.join(table.column_names)}"
            if not column.holds(kind := table[name].type):
                return f"holds column '{name}' as {kind}, where {column.type} is expected"
            if found := column.fault(table[name].combine_chunks()):
                row, value, expected = found
                return f"holds {value} in column '{name}' of row {row}, where {expected} is expected"
        if not table.num_rows and not self.may_be_empty:
            return "has no rows"
        swept = [name for name in table.column_names if "." in name]  # in a sweep every point has its own rows
        return _repeated(table, [*self.unique, *swept]) if self.unique else None


def _repeated(table: pa.Table, keys: list[str]) -> str | None:
    """The first row that `keys` identify for the second time."""
    table = table.select(keys).combine_chunks()
    if table.group_by(keys).aggregate([]).num_rows == table.num_rows:
        return None
    first: dict[tuple, int] = {}
    rows = enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True))
    row, value = next((row, value) for row, value in rows if first.setdefault(value, row) != row)
    names, values = (", ".join(map(repr, each)) for each in (keys, value))
    return f"holds {values} in column {names} of row {row} for the second time"


def contract(name: str, unique: str = "", may_be_empty: bool = False) -> Contract:
    """A contract without columns (see `Contract.of`); `unique` lists those that will together identify a row."""
    return Contract(name, tuple(filter(None, unique.split(", "))), may_be_empty)


# columns of a type, to be called with a meaning and the rest of a `Column`
text = partial(Column, pa.string())
boolean = partial(Column, pa.bool_())
int8, int16, int32, int64 = (partial(Column, kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64()))
int16s, int32s = (partial(Column, pa.list_(kind)) for kind in (pa.int16(), pa.int32()))
float32, float64 = partial(Column, pa.float32()), partial(Column, pa.float64())
share = partial(Column, pa.float64(), low=0, high=1)
vector = partial(Column, VECTOR)

SPLITS = ("train", "dev", "test")
SPLIT = text("The split.", names=SPLITS)
PARTS = int16s("Its phrases, by their place in the inventory.", low=0)
RANK = int32("1 is the best.", low=1)
SCORE = float64("By the criterion; lower is better.")
DIRECTION = text("`R->H`, messages into English, or `H->R`, English into messages.", names=("R->H", "H->R"))
CRITERION = text("The criterion by its name in the config, or a control.")

RESULT = {
    "task": text("The task.", pattern="[A-Za-z][A-Za-z0-9_-]*"),
    "seed": int64("The seed.", low=0),
    "data": text("Which data it was made from.", names=("mirror", "official", "embedded", "corpus")),
}
CONDITION = {
    "criterion": CRITERION,
    "title": text("What the criterion is called in tables."),
    "role": text("What it is there for: `native`, `ours`, `baseline`, `control`, ... (`neuralese.evaluate.outcomes`)."),
}
PLAYERS = {
    "speaker": text("Who speaks.", names=("R", "H")),
    "listener": text("Who guesses.", names=("R", "R*", "H*")),
}
JUDGED = {
    "judge": text("By what it judges English: `H*`, `neighbours` or `comparative`; the listener itself if a robot."),
    "ties": share("How often it prefers no candidate to all others.", optional=True),
    "truth": share("Share of the words that people say of the target in under 1 % of cases.", optional=True),
    "said": share("Share of the words that are among the five which people say of it most.", optional=True),
}
PAIR = text("Who plays with whom, such as `R/H`.")


def measured(value: Callable[..., Column] = float64, *over: str) -> dict[str, Column]:
    """The columns of `outcome_table` (`evaluate.outcomes`) for values of a type, with gains over these roles."""
    columns = {
        **CONDITION,
        "measure": text("What was measured.", names=("accuracy", "reward", "completion")),
        "value": value("Its mean."),
        "ci_low": value("Lower end of its 95 % interval (bootstrap)."),
        "ci_high": value("Upper end."),
        "n": int64("How many items or games were measured.", low=1),
        "groups": int64("How many independent groups of items there are, such as games.", low=1),
    }
    for role in over:
        columns[f"over_{role}"] = float64(f"Its gain over the {role}, on the same items or games.", optional=True)
        columns[f"over_{role}_error"] = float64("Its standard error.", low=0, optional=True)
        columns[f"over_{role}_p"] = share("The p-value of the paired test, over items or games.", optional=True)
    return columns


PLAYED = measured(float64, "baseline", "control", "silence")

# the tables that every task has, and those of all tasks together
TABLES = (
    contract("inventory", "phrase").of(
        phrase_id=int32("Its place in the inventory, from 0.", row_number=True),
        phrase=text("The phrase."),
        count=int64("How often it was said.", low=0),
    ),
    contract("items").of(
        item_id=int32("Its row, from 0.", row_number=True),
        split=SPLIT,
        feature=vector("What players see of it."),
    ),
    contract("traces").of(
        item_id=int32("The item, or the row of the table that stands for items.", low=0),
        phrases=int16s("Which phrases of the inventory were said together.", low=0),
    ),
    contract("utterances").of(
        utterance_id=int32("Its place in this table, from 0.", row_number=True),
        text=text("The phrases, separated by commas."),
        parts=PARTS,
        **{split: int64(f"How often it was said in {split}.", low=0) for split in SPLITS},
    ),
    contract("history", "update").of(
        update=int64("Gradient steps so far."),
        loss=float64("Mean loss since the row before.", low=0),
        reward=float64("Mean reward of the games played, if there were any.", optional=True),
        success=share("Share of them that succeeded.", optional=True),
        epsilon=share("How often a player acted at random."),
    ),
    contract("messages", "message_id").of(
        message_id=int32("The message's number."),
        split=text("The split.", names=SPLITS),
        message=Column(MESSAGE, "What was said: a vector, or symbols."),
    ),
    contract("contexts").of(
        context_id=int32("The context's number; its state is in further columns.", row_number=True)
    ),
    contract("dictionary", "direction, criterion, source_id, rank").of(
        direction=DIRECTION,
        criterion=CRITERION,
        source_id=int32("The message or utterance that is translated, by its number.", low=0),
        source=text("What it is called, or says."),
        rank=RANK,
        target_id=int32("The phrase or message that it becomes.", low=0),
        target=text("What that is called, or says."),
        score=SCORE,
    ),
    contract("descriptions", "message_id").of(
        message_id=int32("The message's number.", low=0),
        text=text("Its description: phrases, separated by commas, or `(no phrase says this)`."),
        parts=PARTS,
        score=float64("How many nats a listener is further from what the message says, with the price of the phrases."),
        gain=float64("By how many nats that is better than silence.", low=0),
        sure=share("How often a listener guesses right from descriptions like this, as measured on dev: an average."),
    ),
    contract("examples", "message_id, rank").of(
        message_id=int32("The message's number."),
        target=int32("The true state.", low=0),
        other=int32("Its distractor.", low=0),
        rank=RANK,
        phrase=text("The phrase."),
        score=SCORE,
    ),
    contract("belief", "task, seed, distractors, speaker, listener, judge, unit, criterion").of(
        **RESULT,
        **PLAYERS,
        **JUDGED,
        **measured(share, "baseline", "control"),
        english=text("What robots' messages become.", names=("", "phrase", "description")),
        dev=share("The accuracy on dev by which the criterion was chosen.", optional=True),
        distinct=int64("How many different messages are among the items.", low=1),
        candidates=int64("How many states the listener chooses among.", low=2),
        chance=share("1 / candidates."),
        unit=text("What is translated; a `phrase` is one of an utterance.", names=("message", "utterance", "phrase")),
        distractors=text("Where the other candidates come from.", pattern=r"\w+"),
    ),
    contract("ablation", "task, seed, split, speaker, listener, judge, family, criterion").of(
        **RESULT,
        **PLAYERS,
        **JUDGED,
        **measured(share) | {"criterion": text("The member's label, such as `belief source reverse x1`.")},
        split=SPLIT,
        family=text("The criterion of the config to which it belongs."),
    ),
    contract("criteria", "task, seed, direction, criterion").of(
        task=RESULT["task"],
        seed=int64("The seed in which it translates.", low=0),
        direction=DIRECTION,
        criterion=CRITERION,
        member=text("The member that dev chose, by its label."),
        settings=text("Its settings, as JSON."),
        members=int64("How many there were to choose from.", low=1),
        accuracy=share("Its accuracy on dev, averaged over judges and seeds; none for a random one.", optional=True),
        second=text("The member that came second."),
        second_accuracy=share("And its accuracy on dev, if there was one.", optional=True),
        seeds=int64("How many seeds it was chosen over: all but its own, if there are several.", low=1),
    ),
    contract("protocol", "task, seed, measure, variable").of(
        **RESULT,
        measure=text("Which measure."),
        variable=text("What there is to say, such as a column of the states; empty for states as a whole."),
        value=float64("What it is.", optional=True),
    ),
    contract("bound").of(
        **RESULT,
        criterion=CRITERION,
        divergence=float64("D: how far beliefs are apart under the translations made, on average.", low=0),
        bound=float64("sqrt(2 D), what Proposition 1 allows to be lost."),
        native=share("Accuracy of R → R."),
        translated=share("Accuracy of R → H*."),
        lost=float64("The difference."),
    ),
    contract("relay", "task, seed, criterion, measure").of(
        **RESULT,
        **measured(float64, "baseline", "control", "silence", "nonsense", "silent"),
        share=float64("What survives English: (relay - silence) / (neuralese - silence).", optional=True),
        share_low=float64("Lower end of its 95 % interval (bootstrap).", optional=True),
        share_high=float64("Upper end.", optional=True),
        content=float64("The same with the messages of other states or games in the place of silence.", optional=True),
        content_low=float64("Lower end of its 95 % interval (bootstrap).", optional=True),
        content_high=float64("Upper end.", optional=True),
        understood=share("How often the model human guesses the state from the same English.", optional=True),
        there=text("The member, chosen on dev, that translates out of neuralese."),
        back=text("The member, chosen on dev, that translates back into it."),
    ),
    contract("behavior", "task, seed, pair, criterion, measure").of(
        **RESULT,
        **PLAYED,
        pair=PAIR,
        possible=share("Share of the games that could be completed at all."),
    ),
    contract("listening", "task, seed, pair, criterion, measure").of(
        **RESULT,
        **PLAYED,
        pair=PAIR,
        while_silent=text("What the robot hears while the human is silent, chosen on dev."),
        dev_reward=float64("Mean reward on the dev games by which that was chosen.", optional=True),
    ),
    contract("proposition_1").of(
        game=int64("The game.", low=0),
        lost=float64("The reward that translation loses."),
        bound=float64("sqrt(2 D) with contexts weighted by the source."),
        bound_product=float64("The same with the weights of Equation 2, for which the inequality need not hold."),
    ),
    contract("proposition_2").of(
        criterion=text("`belief` or `direct`."),
        rarity=share("Share of humans who use the robot's code."),
        recovered=share("How often a message is translated into a word of theirs."),
    ),
)
CONTRACTS = {table.name: table for table in TABLES}
