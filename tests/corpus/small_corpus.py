"""A small corpus as the texts of its files, to be changed, broken and written; and a way to run commands."""

from pathlib import Path

from click.testing import CliRunner, Result

from neuralese.cli.main import cli

SHAPES = ("circle", "square", "star")
SETTINGS = """\
title: Small
licence: CC0-1.0
messages: {kind: symbols, end: 0, vocabulary: 9}
states:
  shape: {type: category}
  size: {type: number}
  angle: {type: circular, period: 360}
  rgb: {type: color}
candidates: 2
split: {dev: 0.2, test: 0.2}
utterances: {language: en, least: 3}
"""


def small_corpus() -> dict[str, str | bytes]:
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


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


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
