"""A small corpus as the texts of its files, to be changed, converted and written; and a way to run commands."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner, Result

from neuralese.cli.main import cli

Files = dict[str, str | bytes]
SHAPES = ("circle", "square", "star")
SETTINGS = """\
title: Small
licence: CC0-1.0
messages: {kind: symbols, end: 0}
states:
  shape: {type: category}
  size: {type: number}
  angle: {type: circular, period: 360}
  rgb: {type: color}
candidates: 2
split: {dev: 0.2, test: 0.2}
utterances: {language: en, least: 3}
"""
WITH_CONTEXTS = {
    "contexts.csv": "context_id,candidates,true,pick\n7,s0 s1,0,1\n8,s2 s3 s4,2,\n9,s5 s6,1,1\n",
    "messages.csv": "context_id,message\n" + "".join(f"{7 + row % 3},{1 + row % 3} 0\n" for row in range(30)),
}


def small_corpus() -> Files:
    """Twelve states, sixty messages and sixty utterances, as CSV; line n + 2 of a table is its row n."""
    states = ["state_id,shape,size,angle,rgb,board"]
    for number in range(12):
        color = ("#ff0000", "#0000ff")[number % 2]
        states.append(f"s{number},{SHAPES[number % 3]},{number / 2},{30 * number},{color},{number % 4}")
    messages, utterances = ["state_id,message,episode"], ["state_id,text"]
    for row in range(60):
        number = row % 12
        messages.append(f"s{number},{1 + number % 3} {4 + number % 2} 0 7,{row // 6}")
        utterances.append(f"s{number},a {('red', 'blue')[number % 2]} {SHAPES[number % 3]}.")
    tables = {"states.csv": states, "messages.csv": messages, "utterances.csv": utterances}
    return {"corpus.yaml": SETTINGS} | {name: "\n".join(lines) + "\n" for name, lines in tables.items()}


def converted(files: dict[str, str], suffix: str) -> Files:
    """The tables of a corpus in another format."""
    made: Files = {"corpus.yaml": files["corpus.yaml"]}
    for name in [name for name in files if name.endswith(".csv")]:
        rows = [{key: _typed(name, key, value) for key, value in row.items()} for row in _rows(files[name])]
        made[name.replace(".csv", suffix)] = jsonl(*rows) if suffix == ".jsonl" else parquet(pa.Table.from_pylist(rows))
    return made


def _rows(text: str) -> csv.DictReader:
    return csv.DictReader(io.StringIO(text))


def _typed(table: str, key: str, value: str) -> object:
    if key in ("message", "candidates"):
        return [int(each) if key == "message" else each for each in value.split()]
    if key in ("true", "pick"):
        return int(value) if value else None
    return float(value) if key in ("size", "angle") else value


def jsonl(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def write(folder: Path, files: Files) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def column(corpus, name: str) -> list:
    """A column of the states, for the state of each message."""
    return [corpus.columns[name].tolist()[row] for row in corpus.state]


def messages(corpus) -> list:
    return corpus.recorded["message"].to_pylist()


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["corpus", *map(str, arguments)], prog_name="neuralese")


def prints(*arguments: object) -> str:
    """What a command that ends well prints."""
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    return done.stdout


def fails(*arguments: object) -> str:
    """The one sentence of an error that a user can fix."""
    done = run(*arguments)
    assert done.exit_code == 1, done.output
    assert isinstance(done.exception, SystemExit)
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("Error: ")
    assert line.endswith((".", "?"))
    return line.removeprefix("Error: ")


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
