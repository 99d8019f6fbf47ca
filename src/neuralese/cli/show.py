"""`neuralese show`: files of the results, in a terminal."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from neuralese.cli.output import plain, plain_json, print_json, print_table
from neuralese.cli.results import Examples, json_option
from neuralese.errors import DamagedError, NeuraleseError
from neuralese.storage.files import is_whole

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST = 2000  # characters of a condition that are quoted
MOST_ROWS = 10_000_000  # maximum that can be shown
EXAMPLES = """
neuralese show results/colors/seed0/dictionary.parquet --where "criterion == 'belief' and rank == 1"
neuralese show results/colors/seed0/dictionary.parquet --where "source.str.contains('blue')" --sort score --rows 20
neuralese show results/colors/seed0/messages.parquet --columns message_id,message --rows 3
neuralese show results/tables/belief.parquet --sort -value
neuralese show results/colors/seed0/agent.safetensors
neuralese show results/colors/provenance.json
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--rows", type=click.IntRange(0, MOST_ROWS), default=10, show_default=True, help="Number of rows.")
@click.option("--where", metavar="CONDITION", help="Show only rows for which this condition of pandas holds.")
@click.option("--columns", metavar="A,B,...", help="Show only these columns, in this order.")
@click.option("--sort", metavar="COLUMN", help="Sort by a column; prefix it with - for descending order.")
@click.option("--schema", is_flag=True, help="Show only what the columns mean, and the metadata.")
@json_option
def show(file: Path, rows: int, as_json: bool, **for_tables: Any) -> None:
    """Show FILE: a table (.parquet), weights (.safetensors) or JSON."""
    if not file.is_file():
        raise NeuraleseError(f"{file} does not exist; `neuralese status --files` lists the files of the results.")
    if file.suffix != ".parquet" and (given := [name for name, value in for_tables.items() if value]):
        raise click.UsageError(f"--{given[0]} is for tables (.parquet).")
    match file.suffix:
        case ".parquet":
            _show_table(file, rows, as_json, **for_tables)
        case ".safetensors":
            _show_weights(file, as_json)
        case ".json":
            _show_json(file, as_json)
        case other:
            raise NeuraleseError(
                f"show reads .parquet, .safetensors and .json files, not {other or 'a file without suffix'}."
            )


def _show_table(
    path: Path, rows: int, as_json: bool, where: str | None, columns: str | None, sort: str | None, schema: bool
) -> None:
    from neuralese.storage.tables import open_table

    with open_table(path) as file:
        fields, count = file.schema_arrow, file.metadata.num_rows
        written = {name.decode(): value.decode() for name, value in (file.metadata.metadata or {}).items()}
        written.pop("ARROW:schema", None)
        about = _values(written)
        types = {field.name: str(field.type) for field in fields}
        found = {"file": str(path), "rows": count, "columns": types, "about": about}
        if not schema:
            chosen = fields.names if columns is None else [name.strip() for name in columns.split(",")]
            table = _selected(file.read(), chosen, where, sort)
            found["matching"] = table.num_rows if where else count
            table = table.slice(0, rows)
            found["shown"] = table.to_pylist()
    if as_json:
        print_json(found)
    elif schema:
        described = [{key.decode(): text.decode() for key, text in (field.metadata or {}).items()} for field in fields]
        lines = [
            [field.name, types[field.name], of.get("values", ""), of.get("meaning", "")]
            for field, of in zip(fields, described, strict=True)
        ]
        print_table(["column", "type", "values", "meaning"], lines, f"{path}: {count} rows")
        _print_about(about)
    else:
        matched = f", {found['matching']} of them where {where}" if where else ""
        title = f"{path}: {count} rows{matched}; {table.num_rows} shown"
        print_table(chosen, [list(row.values()) for row in found["shown"]], title)


def _selected(table: "pa.Table", columns: list[str], where: str | None, sort: str | None) -> "pa.Table":
    """The rows that match, sorted."""
    import pyarrow as pa

    schema, by = table.schema, (sort or "").removeprefix("-")
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise NeuraleseError(
            f"the column '{plain(twice)}' is requested twice, or the table has it twice; name it once."
        )
    if unknown := [name for name in (*columns, *([by] if sort else [])) if name not in schema.names]:
        raise NeuraleseError(plain(f"there is no column '{unknown[0]}'; choose from {', '.join(schema.names)}."))
    if where:
        table = table.filter(_mask(table, where))
    if sort:
        try:
            table = table.sort_by([(by, "descending" if sort != by else "ascending")])
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            raise NeuraleseError(f"column '{by}' holds {schema.field(by).type}, which has no order.") from None
    return table.select(columns)


def _mask(table: "pa.Table", where: str) -> "pa.Array":
    """For each row, whether a condition of pandas holds."""
    import pandas as pd
    import pyarrow as pa

    try:
        with warnings.catch_warnings(action="ignore"):
            holds = table.to_pandas().eval(where, engine="python")
        if not (isinstance(holds, pd.Series) and pd.api.types.is_bool_dtype(holds)):
            raise TypeError("it is neither true nor false for a row")
        return pa.array(holds)
    except Exception as error:  # pandas raises almost any
        reason = plain((str(error).splitlines() or [type(error).__name__])[0].rstrip("."))
        raise NeuraleseError(
            f'the condition "{plain(where[:LONGEST])}" cannot be used ({reason}); write it for pandas, like '
            f"\"criterion == 'belief' and rank <= 2\", with these columns: {', '.join(map(plain, table.column_names))}."
        ) from None


def _show_weights(path: Path, as_json: bool) -> None:
    from neuralese.storage.weights import METADATA, read_header

    header = read_header(path)
    about = _values(header.pop(METADATA))
    weights = [(name, header[name]["dtype"], header[name]["shape"]) for name in sorted(header)]
    if as_json:
        listed = [{"name": name, "type": kind, "shape": shape} for name, kind, shape in weights]
        print_json({"file": str(path), "about": about, "weights": listed})
        return
    rows = [[name, kind, " x ".join(map(str, shape)) or "scalar"] for name, kind, shape in weights]
    print_table(["name", "type", "shape"], rows, f"{path}: {len(rows)} tensors")
    _print_about(about)


def _show_json(path: Path, as_json: bool) -> None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError):
        raise DamagedError(path) from None
    if isinstance(value, dict) and not is_whole(value):
        raise DamagedError(path)
    if as_json or not isinstance(value, dict):
        print_json(value)
    else:
        _print_about(value)


def _values(written: dict[str, str]) -> dict:
    """A file's metadata: JSON if we wrote it, any text if others did."""
    values = {}
    for name, text in written.items():
        try:
            values[name] = json.loads(text)
        except (ValueError, RecursionError):
            values[name] = text
    return values


def _print_about(about: dict) -> None:
    """Names and values, one per line."""
    for name, value in about.items():
        click.echo(f"{plain(str(name))}: {plain(value) if isinstance(value, str) else plain_json(value)}")
