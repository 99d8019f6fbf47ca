"""Corpora whose tables are broken: each is refused in one sentence that names the row."""

import re

import numpy as np
import pytest
from breaking import (
    CONTEXTS,
    IDS,
    ROWS,
    Change,
    N,
    both,
    cell,
    column,
    column_gone,
    in_context,
    jsonl,
    lines,
    parquet,
    put,
    refused,
    settings,
    table,
    with_contexts,
    without,
)
from small_corpus import run, small_corpus, write

STATE = {"shape": "a", "angle": 10, "rgb": "#ff0000"}

BROKEN: dict[str, tuple[Change, str]] = {
    # states
    "no state_id": (
        column_gone("states.csv", "state_id"),
        r"states\.csv has no column 'state_id'; add it \(there are shape",
    ),
    "a column that is not there": (column_gone("states.csv", "angle"), r"states\.csv has no column 'angle'"),
    "an id twice": (table("states.csv", 5, "s3", "s1"), r"states\.csv, line 5: 'state_id' is 's1', as in line 3"),
    "an empty id": (table("states.csv", 5, "s3", ""), r"states\.csv, line 5: 'state_id' is empty"),
    "a control character": (
        table("states.csv", 3, "square", "squ\x1bare"),
        r"line 3: 'shape' has the control character U",
    ),
    "text for a number": (
        table("states.csv", 4, "1.0", "large"),
        r"states\.csv, line 4: 'size' is 'large'; write a number",
    ),
    "nan in CSV": (table("states.csv", 4, "1.0", "nan"), r"states\.csv, line 4: 'size' is 'nan'; write a number"),
    "an infinite number": (table("states.csv", 4, "1.0", "1e999"), r"line 4: 'size' is inf; write a finite number"),
    "an empty number": (table("states.csv", 4, "1.0", ""), r"states\.csv, line 4: 'size' is empty"),
    "no colour": (
        table("states.csv", 6, "#ff0000", "reddish"),
        r"line 6: 'rgb' is 'reddish', not a colour; write \"#rrggbb\"",
    ),
    "a colour out of range": (
        lambda files: files.update({"states.csv": re.sub("#......", "1 2 256", files["states.csv"])}),
        r"line 2: 'rgb' is '1 2 256', not a colour",
    ),
    "one state": (
        both(
            lambda files: lines(files, "states.csv", lambda found: found.__delitem__(slice(2, None))),
            put("messages.csv", "state_id,message\n" + "s0,1 2\n" * 9),
            without("utterances.csv"),
            settings("utterances: {language: en, least: 3}\n", ""),
        ),
        r"states\.csv has only one state, so there is nothing to tell apart",
    ),
    "mixed types": (
        put(
            "states.jsonl",
            jsonl(*({"state_id": f"s{n}", **STATE, "size": "big" if n == 7 else n} for n in range(12))),
            instead="states.csv",
        ),
        r"states\.jsonl, line 8: 'size' is text \('big'\) but a number in line 1",
    ),
    "ragged vectors of states": (
        both(settings("size: {type: number}", "size: {type: vector}"), table("states.csv", 9, "3.5", "3.5 1")),
        r"states\.csv, line 9: 'size' has 2 numbers but 1 in the first row",
    ),
    "a picture that is not there": (
        settings("shape: {type: category}", "shape: {type: image}"),
        r"states\.csv, line 2: 'shape' is 'circle', but the folder has no such file; add it",
    ),
    "a picture that is none": (
        both(
            settings("shape: {type: category}", "shape: {type: image}"),
            put("circle", "text"),
            put("square", "t"),
            put("star", "t"),
        ),
        r"line 2: 'shape' is 'circle', which cannot be read as a picture: its format is unknown; replace it",
    ),
    "too many categories": (
        both(
            put(
                "states.csv",
                "state_id,shape,size,angle,rgb\n" + "".join(f"s{n},kind{n},1,1,#000000\n" for n in range(1001)),
            )
        ),
        r"'shape' has 1,001 different values, more than the 1,000",
    ),
    # messages
    "messages without states": (
        column_gone("messages.csv", "state_id"),
        r"messages\.csv has no column 'state_id': a translation compares .* add that column",
    ),
    "messages with empty states": (
        lambda files: files.update({"messages.csv": re.sub("^s[0-9]+", "", files["messages.csv"], flags=re.M)}),
        r"messages\.csv: 'state_id' is empty in every row: a translation compares",
    ),
    "an unknown state": (
        table("messages.csv", 8, "s6", "s99"),
        r"line 8: 'state_id' is 's99', which no row of states\.csv",
    ),
    "no message column": (table("messages.csv", 1, "message", "sent"), r"messages\.csv has no column 'message'"),
    "an empty message": (
        table("messages.csv", 3, "2 5 0 7", ""),
        r"messages\.csv, line 3: 'message' is empty; if the agent",
    ),
    "a negative symbol": (
        table("messages.csv", 3, "2 5", "2 -5"),
        r"line 3: 'message' holds -5, but symbols count from 0",
    ),
    "a symbol outside": (
        table("messages.csv", 3, "2 5", "2 9"),
        r"line 3: 'message' holds 9, which is not below 9, messages",
    ),
    "a list of Python": (
        table("messages.csv", 3, "2 5 0 7", "[2 5]"),
        r"line 3: 'message' is '\[2 5\]'; write its entries",
    ),
    "symbols that are fractions": (table("messages.csv", 3, "2 5", "2 5.5"), r"line 3: 'message' is '2 5\.5 0 7'"),
    "symbols in Parquet that are fractions": (
        put("messages.parquet", parquet(state_id=IDS, message=[[1.5]] * N), instead="messages.csv"),
        r"messages\.parquet, row 0 \(counted from 0\): 'message' holds values of type double",
    ),
    "text as messages": (
        put("messages.parquet", parquet(state_id=IDS, message=["1 2"] * N), instead="messages.csv"),
        r"'message' is of type (large_)?string; write a list",
    ),
    "ids that are fractions": (
        put("messages.parquet", parquet(state_id=np.arange(N) / 1.0, message=[[1]] * N), instead="messages.csv"),
        r"row 0 \(counted from 0\): 'state_id' is 0\.0; an id is a whole number or text",
    ),
    "ragged vectors": (
        both(
            settings("kind: symbols, end: 0, vocabulary: 9", "kind: vector"),
            put(
                "messages.parquet",
                parquet(state_id=IDS, message=[[0.5, 1.0]] * 41 + [[0.5]] + [[0.5, 1.0]] * 18),
                instead="messages.csv",
            ),
        ),
        r"row 41 \(counted from 0\): 'message' has 1 numbers but 2 in the first row",
    ),
    "NaN in a vector": (
        both(
            settings("kind: symbols, end: 0, vocabulary: 9", "kind: vector"),
            put(
                "messages.parquet",
                parquet(state_id=IDS, message=[[0.5, float("nan") if row == 5 else 0.0] for row in ROWS]),
                instead="messages.csv",
            ),
        ),
        r"row 5 \(counted from 0\): 'message' holds nan; write finite numbers",
    ),
    "nothing in a list": (
        put(
            "messages.parquet",
            parquet(state_id=IDS, message=[[1, None if row == 3 else 2] for row in ROWS]),
            instead="messages.csv",
        ),
        r"row 3 \(counted from 0\): 'message' holds an empty entry",
    ),
    # splits
    "an unknown split": (
        column("messages.csv", "split", lambda row: ("train", "val", "test")[row % 3]),
        r"messages\.csv, line 3: 'split' is 'val'; did you mean dev\?",
    ),
    "an empty split": (
        column("messages.csv", "split", lambda row: ("train", "test")[row % 2]),
        r"messages\.csv has nothing in the split 'dev'",
    ),
    "an empty split of utterances": (
        column("utterances.csv", "split", lambda row: "train"),
        r"utterances\.csv has nothing in the split 'dev'",
    ),
    "two groups": (
        both(settings("test: 0.2", "test: 0.2, by: half"), column("states.csv", "half", lambda row: row % 2)),
        r"messages\.csv has 2 different values of 'half', too few for training, dev and test",
    ),
    # contexts
    "contexts that nobody speaks in": (
        put("contexts.csv", CONTEXTS),
        r"contexts\.csv exists, but no message names its",
    ),
    "a context that is not there": (
        column("messages.csv", "context_id", in_context),
        r"messages\.csv has a column 'context_id', but there is no table of contexts",
    ),
    "an unknown context": (
        both(with_contexts(CONTEXTS), table("messages.csv", 4, "c0", "c7")),
        r"messages\.csv, line 4: 'context_id' is 'c7', which no row of the table of contexts has",
    ),
    "one candidate in a context": (
        with_contexts(CONTEXTS.replace("s0 s1,0,1", "s0,0,0")),
        r"contexts\.csv, line 2: 'candidates' has 1, but with fewer than two",
    ),
    "an unknown candidate": (
        with_contexts(CONTEXTS.replace("s3", "s33")),
        r"contexts\.csv, line 3: 'candidates' has 's33', which no row of states\.csv has; in CSV",
    ),
    "true out of range": (
        with_contexts(CONTEXTS.replace("s0 s1,0", "s0 s1,2")),
        r"contexts\.csv, line 2: 'true' is 2; write a position from 0 to 1",
    ),
    "a negative pick": (
        with_contexts(CONTEXTS.replace("s4,2,", "s4,2,-1")),
        r"contexts\.csv, line 3: 'pick' is -1; write a position from 0 to 2 .* or leave it empty",
    ),
    "a context twice": (
        with_contexts(CONTEXTS.replace("c1", "c0")),
        r"contexts\.csv, line 3: 'context_id' is 'c0', as in",
    ),
    "a state that is not the context's": (
        both(put("contexts.csv", CONTEXTS), column("messages.csv", "context_id", in_context)),
        r"messages\.csv, line 3: 'state_id' is 's1', but the true state of context 'c1' is 's4'",
    ),
    # utterances
    "too few utterances": (
        put("utterances.csv", "state_id,text\n" + "".join(f"s{n},word{n}\n" for n in range(12))),
        r"utterances\.csv has too few utterances: 0 of their words occur in 3 of the \d+ training utterances",
    ),
    "utterances of an unknown state": (
        table("utterances.csv", 4, "s2", "x"),
        r"utterances\.csv, line 4: 'state_id' is 'x'",
    ),
    "utterances without text": (table("utterances.csv", 1, "text", "said"), r"utterances\.csv has no column 'text'"),
    "numbers for text": (
        put("utterances.jsonl", jsonl(*({"state_id": i, "text": 3} for i in IDS)), instead="utterances.csv"),
        r"utterances\.jsonl, line 1: 'text' is 3, not text",
    ),
    "utterances that are promised": (
        without("utterances.csv"),
        r"has a key 'utterances', but there is no table of them",
    ),
    "utterances from both": (
        settings("{language: en, least: 3}", "{from: states}"),
        r"says `utterances: \{from: states\}`, but utterances\.csv exists",
    ),
    "nothing to say of states": (
        both(
            without("utterances.csv"),
            put(
                "corpus.yaml",
                "messages: {kind: symbols}\nstates: {size: {type: vector}}\nutterances: {from: states}\n",
            ),
        ),
        r"no phrases can be made from the states, since 'states' names only vectors",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_corpus_is_refused_in_one_sentence(tmp_path, name):
    change, says = BROKEN[name]
    sentence = refused(tmp_path, change)
    assert re.search(says, sentence), sentence


def test_the_unbroken_one_is_not_refused(small):
    assert run("check", small).exit_code == 0


def test_faults_that_have_nothing_to_do_with_each_other_are_all_named(tmp_path):
    files = small_corpus()
    cell(files, "states.csv", 4, "1.0", "large")
    cell(files, "states.csv", 6, "#ff0000", "reddish")
    cell(files, "messages.csv", 3, "2 5", "2 -5")
    cell(files, "messages.csv", 8, "s6", "s99")
    cell(files, "utterances.csv", 4, "s2", "x")
    done = run("check", write(tmp_path / "broken", files))
    assert done.exit_code == 1
    sentences = done.stderr.splitlines()
    assert len(sentences) == 5
    assert [re.search(r"(\w+\.csv), line (\d+)", sentence).groups() for sentence in sentences] == [
        ("states.csv", "4"),
        ("states.csv", "6"),
        ("messages.csv", "3"),
        ("messages.csv", "8"),
        ("utterances.csv", "4"),
    ]
