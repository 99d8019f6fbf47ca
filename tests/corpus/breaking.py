"""How to break a corpus that is the texts of its files."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from small_corpus import fails, small_corpus, snapshot, write

Files = dict[str, str | bytes]
Change = Callable[[Files], None]
CONTEXTS = "context_id,candidates,true,pick\nc0,s0 s1,0,1\nc1,s2 s3 s4,2,\n"


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def jsonl(*rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def lines(files: Files, name: str, change: Callable[[list[str]], None]) -> None:
    """Change the lines of a table."""
    found = files[name].splitlines()
    change(found)
    files[name] = "\n".join(found) + "\n"


def cell(files: Files, name: str, line: int, before: str, after: str) -> None:
    """Change what stands in one line, counted from 1."""

    def change(found: list[str]) -> None:
        assert before in found[line - 1]
        found[line - 1] = found[line - 1].replace(before, after, 1)

    lines(files, name, change)


def settings(before: str, after: str) -> Change:
    def change(files: Files) -> None:
        assert before in files["corpus.yaml"]
        files["corpus.yaml"] = files["corpus.yaml"].replace(before, after)

    return change


def table(name: str, line: int, before: str, after: str) -> Change:
    return lambda files: cell(files, name, line, before, after)


def put(name: str, content: str | bytes, instead: str | None = None) -> Change:
    def change(files: Files) -> None:
        if instead:
            del files[instead]
        files[name] = content

    return change


def without(*names: str) -> Change:
    def change(files: Files) -> None:
        for name in names:
            del files[name]

    return change


def both(*changes: Change) -> Change:
    def change(files: Files) -> None:
        for each in changes:
            each(files)

    return change


def column_gone(name: str, column: str) -> Change:
    def change(files: Files) -> None:
        place = files[name].splitlines()[0].split(",").index(column)
        lines(files, name, lambda found: found.__setitem__(slice(None), [_without(line, place) for line in found]))

    return change


def _without(line: str, place: int) -> str:
    cells = line.split(",")
    return ",".join(cells[:place] + cells[place + 1 :])


def column(name: str, head: str, value: Callable[[int], object]) -> Change:
    """Add a column."""

    def change(found: list[str]) -> None:
        found[0] += f",{head}"
        found[1:] = [f"{line},{value(row)}" for row, line in enumerate(found[1:])]

    return lambda files: lines(files, name, change)


def in_context(row: int) -> str:
    return f"c{row % 2}"


def with_contexts(text: str) -> Change:
    """Let every message be said in one of two contexts, and the states be those of the contexts."""
    return both(
        put("contexts.csv", text),
        column_gone("messages.csv", "state_id"),
        column("messages.csv", "context_id", in_context),
    )


N = 60
ROWS = list(range(N))
IDS = [f"s{row % 12}" for row in ROWS]


def refused(tmp_path: Path, change: Change) -> str:
    """The sentence on a small corpus that was changed; nothing is written meanwhile."""
    files = small_corpus()
    change(files)
    folder = write(tmp_path / "broken", files)
    before = snapshot(tmp_path)
    sentence = fails("check", folder)
    assert "Traceback" not in sentence
    assert snapshot(tmp_path) == before
    return sentence
