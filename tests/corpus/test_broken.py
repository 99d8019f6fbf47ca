"""Broken corpora: each is refused in one sentence that names the place, and damaged ones never crash the reader."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from small_corpus import WITH_CONTEXTS, Files, converted, fails, jsonl, parquet, run, small_corpus, snapshot, write

from neuralese.tasks.corpus.describe import describe
from neuralese.tasks.corpus.files import CorpusError
from neuralese.tasks.corpus.read import read_corpus

Change = Callable[[Files], None]
CONTEXTS = "context_id,candidates,true,pick\nc0,s0 s1,0,1\nc1,s2 s3 s4,2,\n"
N = 60
IDS = [f"s{row % 12}" for row in range(N)]
SYMBOLS = "kind: symbols, end: 0"
LEAST = "messages: {kind: symbols}\nstates: {size: {type: vector}}\nutterances: {from: states}\n"

# file, and its line for tables | what stands there | what is put in its place | part of the sentence
EDITS = r"""
corpus.yaml | candidates: | candidate: | 'candidate' is not a known key; did you mean 'candidates'?
corpus.yaml | type: number | kind: number | 'states.size.kind' is not a known key
corpus.yaml | messages: {kind: symbols, end: 0} | | 'messages' is missing
corpus.yaml | kind: symbols | kind: words | 'messages.kind' is wrong: 'words' should be 'symbols' or 'vector'
corpus.yaml | {type: number} | number | 'states.size' is wrong: 'number' should be a section
corpus.yaml | , period: 360 | | in 'states.angle', a circular column needs its period
corpus.yaml | period: 360 | period: .nan | 'states.angle.period' is wrong: nan should be a finite number
corpus.yaml | least: 3 | least: 3, about: [hue] | 'utterances.about' names hue, which is not under 'states'
corpus.yaml | candidates: 2 | candidates: 1 | 'candidates' is wrong: 1 should be greater than or equal to 2
corpus.yaml | dev: 0.2, test: 0.2 | dev: 0.5, test: 0.5 | in 'split', nothing is left for training
corpus.yaml | kind: symbols | kind: vector | in 'messages', 'end' has no meaning for messages of kind
corpus.yaml | licence: CC0-1.0 | title: Again | line 2 has the key 'title' for the second time
corpus.yaml |   size: |   on: | line 6: YAML does not read the key 'on' as text
corpus.yaml | Small | "Sm\u0007all" | 'title' is wrong: 'Sm\x07all' should be a line of text without control
corpus.yaml | size: | "si\u0007ze": | line 6 has a key with the control character U+0007
corpus.yaml | candidates: 2 | same: [room] | 'same' names room, which is not a column of states
corpus.yaml | shape: {type: category} | shape: {type: image} | line 2: 'shape' is 'circle', but the folder has no
corpus.yaml | {language: en, least: 3} | {from: states} | says `utterances: {from: states}`, but utterances.csv exists
messages.csv 1 | episode | message | messages.csv has two columns called 'message'
messages.csv 1 | episode | | has no name for column 3
messages.csv 3 | 2 5 0 7 | | line 3: 'message' is empty; if the agent
messages.csv 3 | 2 5 | 2 -5 | line 3: 'message' holds -5, but symbols count from 0
messages.csv 3 | 2 5 | 2 9999999999 | line 3: 'message' holds 9999999999, which is not below
messages.csv 3 | 2 5 | 2 5.5 | line 3: 'message' is '2 5.5 0 7'
messages.csv 3 | 2 5 | 99999999999999999999 | line 3: 'message' holds 99999999999999999999, which is too large
messages.csv 8 | s6 | s99 | line 8: 'state_id' is 's99', which no row of states.csv
states.csv 3 | square | squ<ESC>are | line 3: 'shape' has the control character U
states.csv 4 | 1.0 | large | states.csv, line 4: 'size' is 'large'; write a number
states.csv 4 | 1.0 | 1e999 | line 4: 'size' is inf; write a finite number
states.csv 4 | 1.0 | | states.csv, line 4: 'size' is empty
states.csv 5 | s3 | s1 | states.csv, line 5: 'state_id' is 's1', as in line 3
states.csv 6 | #ff0000 | reddish | line 6: 'rgb' is 'reddish', not a colour; write "#rrggbb"
utterances.csv 5 | a | a, | utterances.csv, line 5 has 3 cell(s), but
utterances.csv 5 | a | "a | utterances.csv, line 5 is not CSV (unexpected end of
""".replace("<ESC>", "\x1b")


def put(name: str, content: str | bytes, instead: str | None = None) -> Change:
    def change(files: Files) -> None:
        files.pop(instead, None)
        files[name] = content

    return change


def replace(name: str, before: str, after: str) -> Change:
    def change(files: Files) -> None:
        assert before in files[name]
        files[name] = files[name].replace(before, after)

    return change


def without(*names: str) -> Change:
    return lambda files: [files.pop(name) for name in names] and None


def both(*changes: Change) -> Change:
    return lambda files: [change(files) for change in changes] and None


def column(name: str, head: str, value: Callable[[int], object] | None = None) -> Change:
    """Add a column or, without values, remove it."""

    def change(files: Files) -> None:
        rows = [line.split(",") for line in files[name].splitlines()]
        if value is None:
            place = rows[0].index(head)
            rows = [row[:place] + row[place + 1 :] for row in rows]
        else:
            rows = [[*row, str(head if not at else value(at - 1))] for at, row in enumerate(rows)]
        files[name] = "\n".join(map(",".join, rows)) + "\n"

    return change


def in_contexts(text: str) -> Change:
    """Let every message be said in one of two contexts, and the states be those of the contexts."""
    return both(put("contexts.csv", text), column("messages.csv", "state_id"), NAMED)


def of(name: str, cells: list, **more) -> Change:
    """Messages in Parquet, or a table in JSON Lines."""
    return put("messages.parquet", parquet(pa.table({"state_id": IDS, name: cells} | more)), "messages.csv")


def vectors(cells: list) -> Change:
    return both(replace("corpus.yaml", SYMBOLS, "kind: vector"), of("message", cells))


STATE = {"shape": "a", "angle": 10, "rgb": "#ff0000"}
MIXED = jsonl(*({"state_id": f"s{n}", **STATE, "size": "big" if n == 7 else n} for n in range(12)))
MANY = "state_id,shape,size,angle,rgb\n" + "".join(f"s{n},kind{n},1,1,#000000\n" for n in range(1001))
IMAGE = replace("corpus.yaml", "shape: {type: category}", "shape: {type: image}")
NAMED = column("messages.csv", "context_id", lambda row: f"c{row % 2}")
UNKNOWN = both(in_contexts(CONTEXTS), replace("messages.csv", "c0", "c7"))
EPISODES = replace("corpus.yaml", "test: 0.2", "test: 0.2, by: episode")
VECTOR = replace("corpus.yaml", "size: {type: number}", "size: {type: vector}")


def splits(name: str, *cells: str) -> Change:
    return column(name, "split", lambda row: cells[row % len(cells)])


def states(text: str) -> str:
    return f"state_id,shape,size,angle,rgb\n{text}"


def substituted(name: str, pattern: str, after: str) -> Change:
    return lambda files: files.update({name: re.sub(pattern, after, files[name])})


TWO = both(column("messages.csv", "episode"), column("messages.csv", "episode", lambda row: row % 2))
ONE = both(
    put("states.csv", states("s0,a,1,1,#000000\n")),
    put("messages.csv", "state_id,message\n" + "s0,1 2\n" * 9),
    put("utterances.csv", "state_id,text\n" + "s0,a red star\n" * 9),
)
FROM_STATES = replace("corpus.yaml", "language: en, least: 3", "from: states, about: [shape]")
PICTURES = both(IMAGE, *(put(name, "text") for name in ("circle", "square", "star")))
RARE = "state_id,text\n" + "".join(f"s{n},word{n}\n" for n in range(12))
TEXTS = put("utterances.jsonl", jsonl(*({"state_id": i, "text": 3} for i in IDS)), "utterances.csv")
BROKEN: list[tuple[str, Change]] = [
    # corpus.yaml
    ("corpus.yaml does not exist", without("corpus.yaml")),
    ("corpus.yaml is empty", put("corpus.yaml", "")),
    ("'states.angle.period' is wrong", replace("corpus.yaml", "360", "9" * 400)),
    ("'states' is wrong: {} should", put("corpus.yaml", "messages: {kind: symbols}\nstates: {}\n")),
    ("line 2 has an alias", put("corpus.yaml", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n")),
    ("line 1 is not YAML (could not", put("corpus.yaml", "title: !!python/name:os.system x\n")),
    ("is nested too deeply", put("corpus.yaml", "a: " + "[" * 5000 + "]" * 5000)),
    ("in 'utterances', 'about' is about people, but `from: states`", both(FROM_STATES, without("utterances.csv"))),
    ("'split.by' is episode, but messages.csv has no column", both(EPISODES, column("messages.csv", "episode"))),
    # files
    ("has no table of states: a translation compares what messages make", without("states.csv")),
    ("has both states.csv and states.jsonl; remove one", put("states.jsonl", "{}")),
    ("states.csv is empty", put("states.csv", "")),
    ("states.csv has no rows", put("states.csv", states(""))),
    ("utterances.csv, line 2: 'text' has the control character U+0000", replace("utterances.csv", "a red", "a\0 red")),
    ("utterances.csv, line 2 is not UTF-8 (byte 0xe9)", put("utterances.csv", b"state_id,text\ns1,\xe9")),
    ("line 2 is not a JSON object (Expecting", put("messages.jsonl", '{"message": [1]}\n{"a":\n', "messages.csv")),
    (
        "line 1: 'message' holds nan",
        put("messages.jsonl", '{"state_id": "s0", "message": [NaN]}\n', "messages.csv"),
    ),
    ("line 1 is not a JSON object", put("messages.jsonl", "[" * 100_000, "messages.csv")),
    ("messages.parquet is not a whole Parquet file", put("messages.parquet", b"PAR1 and no more", "messages.csv")),
    # states
    ("states.csv has no column 'state_id'; add it (there are shape", column("states.csv", "state_id")),
    ("line 2: 'rgb' is '1 2 256', not a colour", substituted("states.csv", "#......", "1 2 256")),
    ("states.csv has only one state, so there is nothing to tell apart", ONE),
    ("line 8: 'size' is text ('big') but a number in line 1", put("states.jsonl", MIXED, "states.csv")),
    ("line 9: 'size' has 2 numbers but 1 in the first row", both(VECTOR, replace("states.csv", ",3.5,", ",3.5 1,"))),
    ("line 2: 'shape' is 'circle', which is not a whole picture; replace it", PICTURES),
    ("'shape' has 1,001 different values, more than the 1,000", put("states.csv", MANY)),
    # messages
    ("messages.csv has no column 'state_id': a translation compares", column("messages.csv", "state_id")),
    ("messages.csv, line 2: 'state_id' is empty; fill it in", substituted("messages.csv", "(?m)^s[0-9]+", "")),
    ("row 0 (counted from 0): 'message' holds 1.5, but a symbol is a whole number", of("message", [[1.5]] * N)),
    ("row 0 (counted from 0): 'state_id' is 0.0; an id", of("message", [[1]] * N, state_id=np.arange(N) / 1.0)),
    ("row 41 (counted from 0): 'message' has 1 numbers", vectors([[0.5, 1.0]] * 41 + [[0.5]] + [[0.5, 1.0]] * 18)),
    ("row 5 (counted from 0): 'message' holds nan; write", vectors([[0.5, np.nan if n == 5 else 0] for n in range(N)])),
    ("row 3 (counted from 0): 'message' holds an empty", of("message", [[1, None if n == 3 else 2] for n in range(N)])),
    # splits
    (
        "messages.csv, line 3: 'split' is 'val'; write one of train",
        splits("messages.csv", "train", "val", "test"),
    ),
    ("messages.csv has nothing in the split 'dev'", splits("messages.csv", "train", "test")),
    ("messages.csv has 2 different values of 'episode', too few", both(EPISODES, TWO)),
    # contexts
    ("contexts.csv exists, but no message names its", put("contexts.csv", CONTEXTS)),
    ("messages.csv has a column 'context_id', but there is no table of contexts", NAMED),
    ("'context_id' is 'c7', which no row of the table of contexts has", UNKNOWN),
    ("line 2: 'candidates' has 1, but with fewer than two", in_contexts(CONTEXTS.replace("s0 s1,0,1", "s0,0,0"))),
    ("line 3: 'candidates' has 's33', which no row of states.csv has; in", in_contexts(CONTEXTS.replace("s3", "s33"))),
    ("line 2: 'true' is 2; write a position from 0 to 1", in_contexts(CONTEXTS.replace("s0 s1,0", "s0 s1,2"))),
    ("line 3: 'pick' is -1; write a position from 0 to 2", in_contexts(CONTEXTS.replace("s4,2,", "s4,2,-1"))),
    ("line 3: 'context_id' is 'c0', as in", in_contexts(CONTEXTS.replace("c1", "c0"))),
    (
        "line 3: 'state_id' is 's1', but the true state of context 'c1' is",
        both(put("contexts.csv", CONTEXTS), NAMED),
    ),
    # utterances
    ("too few utterances: 0 of their words occur in 3 of the 7 training utterances", put("utterances.csv", RARE)),
    ("utterances.jsonl, line 1: 'text' is 3, not text", TEXTS),
    ("has a key 'utterances', but there is no table of them", without("utterances.csv")),
    ("since 'states' names only vectors", both(without("utterances.csv"), put("corpus.yaml", LEAST))),
]


def edit(line: str) -> tuple[str, Change]:
    """One of the edits: its sentence, and the change."""
    where, before, after, says = (part.strip() for part in line.split("|", 3))
    name, _, number = where.partition(" ")

    def change(files: Files) -> None:
        lines = files[name].splitlines()
        rows = [int(number) - 1] if number else [row for row, text in enumerate(lines) if before in text][:1]
        assert before in lines[rows[0]]
        lines[rows[0]] = lines[rows[0]].replace(before, after, 1)
        files[name] = "\n".join(lines) + "\n"

    return says, change


CASES = [*map(edit, EDITS.strip().splitlines()), *BROKEN]


@pytest.mark.parametrize(("says", "change"), CASES, ids=[says for says, _ in CASES])
def test_a_broken_corpus_is_refused_in_one_sentence_and_nothing_is_written(tmp_path, says, change):
    files = small_corpus()
    change(files)
    folder = write(tmp_path / "broken", files)
    before = snapshot(tmp_path)
    sentence = fails("check", folder)
    assert says in sentence
    assert snapshot(tmp_path) == before


def test_the_unbroken_one_is_not_refused_and_a_folder_has_to_be_there(small, tmp_path):
    assert run("check", small).exit_code == 0
    assert "does not exist; `neuralese corpus new" in fails("check", tmp_path / "nowhere")
    assert "is not a folder" in fails("check", small / "states.csv")


def test_faults_that_have_nothing_to_do_with_each_other_are_all_named(tmp_path):
    files = small_corpus()
    for line in (
        "states.csv 4 | 1.0 | large | ",
        "states.csv 6 | #ff0000 | reddish | ",
        "messages.csv 3 | 2 5 | 2 -5 | ",
        "messages.csv 8 | s6 | s99 | ",
        "utterances.csv 4 | s2 | x | ",
    ):
        edit(line)[1](files)
    done = run("check", write(tmp_path / "broken", files))
    assert done.exit_code == 1
    found = [re.search(r"(\w+\.csv), line (\d+)", sentence).groups() for sentence in done.stderr.splitlines()]
    assert [" ".join(each) for each in found] == [
        *("states.csv 4", "states.csv 6", "messages.csv 3", "messages.csv 8", "utterances.csv 4")
    ]


INSERTED = b'|,|"|\n|-1|1e400|nan|\xff|\0|[|{|}|&a |*a|: |\t'.split(b"|")


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Cut out a few bytes, and put others in their place."""
    at = int(rng.integers(len(content)))
    return content[:at] + INSERTED[rng.integers(len(INSERTED))] + content[at + int(rng.integers(4)) :]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_damaged_corpus_is_read_or_refused(tmp_path: Path, suffix: str):
    rng = np.random.default_rng(0)
    whole = small_corpus() | WITH_CONTEXTS
    whole = whole if suffix == ".csv" else converted(whole, suffix)
    sentences = []
    for number in range(60):
        files = {name: content if isinstance(content, bytes) else content.encode() for name, content in whole.items()}
        name = sorted(files)[number % len(files)]
        for _ in range(1 + number % 3):
            files[name] = damaged(files[name], rng)
        try:
            describe(read_corpus(write(tmp_path / str(number), files)))
        except CorpusError as error:
            sentences += error.sentences
    assert len(sentences) > 10
    assert all(sentence.isprintable() and sentence.endswith((".", "?")) for sentence in sentences)
