"""Odd command lines and damaged results end in one sentence; what comes from files cannot speak to the terminal."""

import json
import os
import re
import shutil
import stat
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neuralese.cli.output import plain, plain_json

ESCAPES = [
    *("\x1b[31mred", "\x1b]0;title\x07", "a\rb", "a\x08b", "\u202etxt.exe"),
    *("a\nb", "\x9b2J", "\u200b", "\x00", "\ud800"),
]


@pytest.fixture
def copy(results, tmp_path, monkeypatch):
    """Results of one's own, to be damaged."""
    shutil.copytree(results, tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def one_sentence(done) -> str:
    """What a command says that does not end well, after making sure that it is a sentence and no traceback."""
    assert done.exit_code in (1, 2), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    said = done.stderr.strip().splitlines()
    assert "Traceback" not in done.stderr
    assert all(line.isprintable() for line in said)
    assert len(said) == 1 if done.exit_code == 1 else said
    return said[-1]


# ---- conditions on rows

TABLE = "results/colors/seed0/dictionary.parquet"
ODD_CONDITIONS = [
    *("", " ", "(", "rank ==", "rank = 1", "rank 1", "1 +", "\n", "import os", "lambda: 1", "x := 1", "rank == '1"),
    *("rank == \0", "'\\x'", "f'{rank}'", "'\\ud800' == source", "nothing == 1", "rank()", "[x for x in source] == 1"),
    *("@nothing == 1", "source.nothing()", "rank.sum()", "1", "None", "rank + 1", "rank if rank else rank", "*rank"),
    *("rank is 1", "source > 1", "rank in ['x']", "rank == ()", "1 == 1", "rank == " + "9" * 400, "(" * 50_000),
    *("not " * 500 + "rank", "rank == 1 or " * 150 + "rank", "x" * 10_000, "\x1b[31m == 1", "rank == '\u202e'"),
]


@pytest.mark.parametrize("condition", ODD_CONDITIONS, ids=lambda text: ascii(text)[:50])
def test_an_odd_condition_is_answered_or_refused_in_one_sentence(shell, condition):
    done = shell("show", TABLE, "--rows", 1, "--where", condition)
    if done.exit_code:
        one_sentence(done)
    else:
        assert done.stdout.splitlines()[0].isprintable()


# ---- command lines

SHOW, COLORS = ["show", TABLE], ["translate", "--task", "colors"]
ESCAPE, LONG = "\x1b[31m", "9" * 30
# the start of a command line, and how it may end
ODD_ENDS = [
    ([*SHOW, "--rows"], ["-1", "1e20", LONG, "x", "", "1.5", "10000001", "nan"]),
    ([*SHOW, "--columns"], ["rank,rank", ",", "rank,", "nothing", ESCAPE, "rank;score", " , "]),
    ([*SHOW, "--sort"], ["nothing", "-", "--", "-nothing", ESCAPE, "-\u202e"]),
    (["show"], ["results", "nothing.parquet", "results/colors/seed0", "", f"{ESCAPE}.parquet", "/dev/null"]),
    (["show"], ["x" * 5000 + ".parquet", "results/colors/seed0/train_agent.tsv"]),
    (["status", "--results"], ["nothing", "/dev/null", TABLE]),
    (["translate", "blue", "--task"], ["nothing", "", "..", "../results/colors", ESCAPE, "*", "colors/seed0"]),
    ([*COLORS, "blue", "--seed"], ["9", "x", "-1"]),
    ([*COLORS, "blue", "-n"], ["0", "1e9"]),
    ([*COLORS, "blue", "--criterion"], ["nothing", ESCAPE, "../x"]),
    ([*COLORS, "--message-id"], ["-1", "99999999", LONG, "x", "1.5"]),
    ([*COLORS, "--message"], ["nothing.npy", "results", TABLE, "/dev/null"]),
    (COLORS, ["nothing", "", ESCAPE, "nothing " * 500]),
    (["corpus", "check"], ["nothing", "", "/dev/null", TABLE, "results"]),
    ([], ["show", "nothing", ESCAPE]),
]
ODD_LINES = [
    *([*start, end] for start, ends in ODD_ENDS for end in ends),
    ["show", "results/colors/provenance.json", "--where", "rank == 1"],
    ["show", "results/colors/seed0/messages.parquet", "--sort", "message"],
    COLORS,
    [*COLORS, "--new", "green", "dark green"],
    [*COLORS, "--new", "--criterion", "mine", "blue"],
    [*COLORS, "--save", "x.npy", "--message-id", "3"],
    [*COLORS, "blue", "--message-id", "3"],
    ["corpus", "import", "csv", "nothing", "out"],
    ["corpus", "nothing"],
]


@pytest.mark.parametrize("line", ODD_LINES, ids=lambda line: ascii(" ".join(line))[:60])
def test_an_odd_command_line_is_refused_in_one_sentence(shell, line):
    assert one_sentence(shell(*line))


# ---- damaged results

ODD_PROVENANCE = [
    *(b"", b"{", b"[]", b"null", b"5", b'"x"', b"\xff\xfe", b"{}", b"[" * 100_000, b"\x00", b"9" * 5000, b"NaN"),
    *(b'{"source": %s}' % source for source in (b"null", b"5", b"[]", b'"\\u001b[31m"', b'"elsewhere"')),
    *(b'{"source": "mirror", %s}' % more for more in (b'"rows": 5', b'"rows": []', b'"rows": {"a": {}}')),
    *(b'{"source": "mirror", %s}' % more for more in (b'"time": 5', b'"data_set": {}')),
]


@pytest.mark.parametrize("content", ODD_PROVENANCE, ids=lambda content: ascii(content[:40]))
def test_a_damaged_provenance_is_said_in_one_sentence(copy, shell, monkeypatch, content):
    monkeypatch.chdir(copy.parent)
    (copy / "colors" / "provenance.json").write_bytes(content)
    said = one_sentence(shell("translate", "--task", "colors", "blue"))
    assert re.search(r"provenance.json (does not say where the data comes from|is damaged); delete it", said)
    shown = shell("show", "results/colors/provenance.json")
    assert shown.exit_code == 0 or one_sentence(shown)


@pytest.mark.parametrize("said", [b"{", b"5", b"[]", b'{"R->H": 5}', b'{"R->H": {"mine": 5}}', b"\xff", b"[" * 100_000])
def test_a_dictionary_whose_criteria_are_damaged_is_said_in_one_sentence(copy, shell, monkeypatch, said):
    monkeypatch.chdir(copy.parent)
    path = copy / "colors" / "seed0" / "dictionary.parquet"
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, b"criteria": said}), path)
    assert "dictionary.parquet" in one_sentence(shell("translate", "--task", "colors", "light", "green"))


# ---- what a terminal is told


@pytest.mark.parametrize("text", ESCAPES, ids=ascii)
def test_nothing_from_a_file_speaks_to_the_terminal(text, tmp_path, shell, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = text.replace("\0", "").encode("utf-8", "ignore").decode()
    written = {f"a{known}": ["x", known], "b": [[known], ["y"]]}
    table = pa.table(written).replace_schema_metadata({f"note {known}": known, "other": json.dumps({known: [known]})})
    pq.write_table(table, "odd.parquet")
    (tmp_path / "odd.json").write_text(json.dumps({f"name {text}": text, "list": [text]}))
    header = json.dumps(
        {"__metadata__": {f"note{known}": known}, f"w{known}": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    )
    (tmp_path / "odd.safetensors").write_bytes(struct.pack("<Q", len(header.encode())) + header.encode() + bytes(4))
    for name in ("odd.parquet", "odd.json", "odd.safetensors"):
        for more in ([], ["--json"], *([["--schema"], ["--schema", "--json"]] if name == "odd.parquet" else [])):
            done = shell("show", name, *more)
            assert done.exit_code == 0, done.output
            assert all(line.isprintable() for line in done.stdout.split("\n"))
    assert json.loads(shell("show", "odd.json", "--json").stdout) == {f"name {text}": text, "list": [text]}


def test_plain_texts_are_left_as_they_are():
    for text in ("blue", "café ★ → €", "", "a b"):
        assert plain(text) == text
        assert json.loads(plain_json([text])) == [text]
    assert plain("\x1b[31m\n\u202e") == "\\x1b[31m\\n\\u202e"
    assert plain_json({"a": "\x9b"}) == '{"a": "\\u009b"}'


# ---- what is replaced


def test_only_files_are_replaced(copy, shell, monkeypatch, tmp_path):
    monkeypatch.chdir(copy.parent)
    os.mkfifo("pipe.npy")
    (tmp_path / "dangling.npy").symlink_to("nowhere")
    (tmp_path / "device.npy").symlink_to("/dev/full")
    for name in ("pipe.npy", "device.npy", "dangling.npy"):
        before = os.lstat(name).st_mode
        said = one_sentence(shell("translate", "--task", "colors", "blue", "--save", name))
        assert "is not a regular file" in said
        assert os.lstat(name).st_mode == before
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    for _ in range(2):
        assert shell("translate", "--task", "colors", "blue", "--save", "file.npy").exit_code == 0
    assert np.load("file.npy").shape[1] == 6
