"""Corpora whose settings or files are broken: each is refused in one sentence that names the place."""

import re

import pytest
from breaking import IDS, Change, N, both, column_gone, jsonl, parquet, put, refused, settings, table, without
from small_corpus import fails

BILLION = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"

BROKEN: dict[str, tuple[Change, str]] = {
    # corpus.yaml
    "no settings": (without("corpus.yaml"), r"corpus\.yaml does not exist"),
    "empty settings": (put("corpus.yaml", ""), r"corpus\.yaml is empty"),
    "a list as settings": (put("corpus.yaml", "- a\n"), r"corpus\.yaml holds \['a'\]"),
    "unknown key": (
        settings("candidates:", "candidate:"),
        r"'candidate' is not a known key; did you mean 'candidates'\?",
    ),
    "unknown key of messages": (
        settings("end: 0", "ends: 0"),
        r"'messages\.ends' is not a known key; did you mean 'end'",
    ),
    "unknown key of a column": (settings("type: number", "kind: number"), r"'states\.size\.kind' is not a known key"),
    "no messages key": (settings("messages: {kind: symbols, end: 0, vocabulary: 9}\n", ""), r"'messages' is missing"),
    "unknown kind": (
        settings("kind: symbols", "kind: words"),
        r"'messages\.kind' is 'words'; write one of symbols, vector",
    ),
    "unknown type": (
        settings("type: number", "type: float"),
        r"'states\.size\.type' is 'float'; write one of category",
    ),
    "circular without period": (settings(", period: 360", ""), r"'states\.angle\.period' is missing"),
    "period of nan": (
        settings("period: 360", "period: .nan"),
        r"'states\.angle\.period' is nan; write a number above 0",
    ),
    "infinite noise": (
        settings("kind: symbols, end: 0, vocabulary: 9", "kind: vector, noise: .inf"),
        r"'messages\.noise' is inf; write a number above 0",
    ),
    "enormous period": (settings("period: 360", f"period: {'9' * 400}"), r"'states\.angle\.period' is 9999"),
    "people who see a column that is not there": (
        settings("least: 3", "least: 3, about: [hue]"),
        r"'utterances\.about' names hue, which is not under 'states'; name some of shape",
    ),
    "nobody who sees anything": (
        both(settings("language: en, least: 3", "from: states, about: [shape]"), without("utterances.csv")),
        r"'utterances\.about' is for what people saw, but `from: states` makes phrases",
    ),
    "one candidate": (settings("candidates: 2", "candidates: 1"), r"'candidates' is 1; write a whole number from 2"),
    "candidates as text": (settings("candidates: 2", "candidates: two"), r"'candidates' is 'two'"),
    "candidates as true": (settings("candidates: 2", "candidates: yes"), r"'candidates' is True"),
    "nothing to train on": (
        settings("dev: 0.2, test: 0.2", "dev: 0.5, test: 0.5"),
        r"'split' leaves nothing for training",
    ),
    "end of vectors": (
        settings("kind: symbols", "kind: vector"),
        r"'messages\.end' has no meaning for messages of kind",
    ),
    "end beyond the vocabulary": (settings("end: 0", "end: 9"), r"'messages\.end' is 9, but symbols are below"),
    "no columns": (
        both(settings("candidates", "XX"), put("corpus.yaml", "messages: {kind: symbols}\nstates: {}\n")),
        r"'states' names no column",
    ),
    "anchors": (put("corpus.yaml", BILLION), r"line 1 has an anchor or alias"),
    "tags": (put("corpus.yaml", "title: !!python/name:os.system x\n"), r"line 1 has a tag"),
    "deep nesting": (put("corpus.yaml", "a: " + "[" * 5000 + "]" * 5000), r"line 1 is nested more than 6 levels deep"),
    "broken YAML": (put("corpus.yaml", "messages: {kind: symbols\nstates\n"), r"line \d is not YAML"),
    "a key twice": (settings("licence: CC0-1.0", "title: Again"), r"line 2 has the key 'title' for the second time"),
    "a key that is no text": (settings("  size:", "  on:"), r"line 6: YAML does not read the key 'on' as text"),
    "control character in the title": (
        settings("Small", '"Sm\\u0007all"'),
        r"'title' has the control character U\+0007",
    ),
    "settings in UTF-16": (put("corpus.yaml", "title: x".encode("utf-16")), r"corpus\.yaml is UTF-16"),
    "same of no column": (
        settings("candidates: 2", "same: [room]"),
        r"'same' names room, which is not a column of states",
    ),
    "by no column": (settings("test: 0.2", "test: 0.2, by: room"), r"'split\.by' names room, which is not a column"),
    "by episode without any": (
        both(settings("test: 0.2", "test: 0.2, by: episode"), column_gone("messages.csv", "episode")),
        r"'split\.by' is episode, but messages\.csv has no column",
    ),
    # files
    "no states": (without("states.csv"), r"has no table of states: a translation compares what messages make"),
    "no messages": (without("messages.csv"), r"has no table of messages"),
    "two files of states": (put("states.jsonl", "{}"), r"has both states\.csv and states\.jsonl; remove one"),
    "a format that is not read": (
        put("states.xlsx", b"PK", instead="states.csv"),
        r"states\.xlsx is in an unknown format",
    ),
    "empty states": (put("states.csv", ""), r"states\.csv is empty"),
    "a head without rows": (put("states.csv", "state_id,shape,size,angle,rgb\n"), r"states\.csv has no rows"),
    "semicolons": (
        put("messages.csv", "state_id;message\ns1;1 2\n"),
        r"messages\.csv separates its cells with ';'; separate them with commas",
    ),
    "a column twice": (
        table("messages.csv", 1, "episode", "message"),
        r"messages\.csv has two columns called 'message'",
    ),
    "a column without a name": (table("messages.csv", 1, "episode", ""), r"has no name for column 3"),
    "too many cells": (table("utterances.csv", 5, "a ", "a, "), r"utterances\.csv, line 5 has 3 cell\(s\), but"),
    "an open quote": (
        table("utterances.csv", 5, "a ", '"a '),
        r"utterances\.csv, line 5 is not CSV \(unexpected end of",
    ),
    "a quote inside": (table("utterances.csv", 5, "a ", '"a" '), r"utterances\.csv, line 5 is not CSV \(',' expected"),
    "a NUL byte": (table("utterances.csv", 7, "a ", "a\0 "), r"utterances\.csv, line 7 holds a NUL byte"),
    "Latin-1": (
        lambda files: files.update(
            {"utterances.csv": files["utterances.csv"].replace("star", "étoile").encode("latin-1")}
        ),
        r"utterances\.csv, line 4 is not UTF-8 \(byte 0xe9\)",
    ),
    "a broken line of JSON": (
        put("messages.jsonl", jsonl({"state_id": "s0", "message": [1]}) + '{"state_id": \n', instead="messages.csv"),
        r"messages\.jsonl, line 2 is not a JSON object \(Expecting value",
    ),
    "JSON that is no object": (
        put("messages.jsonl", "[1, 2]\n", instead="messages.csv"),
        r"line 1 is \[1, 2\], not a JSON",
    ),
    "NaN in JSON": (
        put("messages.jsonl", '{"state_id": "s0", "message": [NaN]}\n', instead="messages.csv"),
        r"messages\.jsonl, line 1 .*NaN is not a JSON number",
    ),
    "deep JSON": (put("messages.jsonl", "[" * 100_000, instead="messages.csv"), r"line 1 is not a JSON object"),
    "a cut Parquet file": (
        put("messages.parquet", parquet(state_id=IDS, message=[[1]] * N)[:-9], instead="messages.csv"),
        r"messages\.parquet is not a whole Parquet file",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_corpus_is_refused_in_one_sentence(tmp_path, name):
    change, says = BROKEN[name]
    sentence = refused(tmp_path, change)
    assert re.search(says, sentence), sentence


def test_a_folder_that_is_not_there_and_a_file_are_refused(tmp_path):
    assert "does not exist; `neuralese corpus new" in fails("check", tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    assert "is not a folder" in fails("check", tmp_path / "file")
