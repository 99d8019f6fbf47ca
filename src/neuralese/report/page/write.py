"""The page itself: one file that opens from disk and loads nothing."""

import json
import logging
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from neuralese.evaluate.comparison import SECTIONS, title_of, with_gain_texts
from neuralese.report.comparison import by_pair, charted, heading
from neuralese.report.page.beyond import bound_sentence, theory_sentence
from neuralese.report.page.claims import claims
from neuralese.report.page.found import main_cells, paragraph, scale, uninformative
from neuralese.storage.files import read_json, write_text
from neuralese.tasks.task import Task

log = logging.getLogger(__name__)

ASSETS = files("neuralese.report.page") / "assets"
STYLES = ("page", "parts")
SCRIPTS = (
    "elements",
    "theme",
    "sections",
    "charts",
    "states",
    "address",
    "explorer",
    "cloud",
    "games",
    "tasks",
    "results",
)
LIMIT = 15_000_000  # maximum size of the page in bytes
ROOM = 2_000_000  # bytes reserved for everything but the tasks


def write_page(
    path: str | Path,
    parts: Sequence[str | Path],
    tasks: Sequence[Task],
    facts: dict,
    comparison: pd.DataFrame,
    beyond: dict,
) -> None:
    """Write the page from the gathered `parts` (`report.json` of each task and seed) and what is common to all.

    `beyond["faithful"]` is the comparison of the run that follows the paper in everything, if there was one.

    Every seed's learning curve is shown; the rest of a seed only while the page stays small, first seeds first.
    """
    gathered = [read_json(part) for part in parts]
    whole, left_out = fitting(gathered, LIMIT - ROOM)
    more = {**beyond, "faithful": faithful_rows(beyond.get("faithful"))}
    write_text(path, render(Contents(tasks, facts, comparison, more, gathered, whole, left_out)))


def fitting(gathered: list[dict], limit: int) -> tuple[list[dict], list[int]]:
    """The parts of as many seeds as fit into `limit` bytes, always including the first, and the seeds left out."""
    seeds = list(dict.fromkeys(part["seed"] for part in gathered))
    kept: list[int] = []
    used = 0
    for seed in seeds:
        used += sum(len(embed(part)) for part in gathered if part["seed"] == seed)
        if kept and used > limit:
            break
        kept.append(seed)
    return [part for part in gathered if part["seed"] in kept], [seed for seed in seeds if seed not in kept]


# in a separate process, since the packer kills its process if memory is limited (ulimit -v)
PACK = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"
NO_CHARTS = "the report has no charts, since their library could not be packed (%s); allow more memory and run again."


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script; empty, with a warning, if they cannot be packed."""
    try:
        done = subprocess.run([sys.executable, "-c", PACK], capture_output=True, timeout=600)
        script, why = done.stdout.decode(), f"exit code {done.returncode}"
    except (OSError, subprocess.SubprocessError, ValueError, MemoryError) as error:
        script, why = "", str(error)
    if script and why == "exit code 0":
        return script
    log.warning(NO_CHARTS, why)
    return ""


def embed(value: Any) -> Markup:
    """A value as JSON that is safe inside a script element: nothing in it can end the element.

    JSON has no number for missing values: they become null.
    """
    text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Contents:
    """The contents of the page."""

    tasks: Sequence[Task]
    facts: dict
    comparison: pd.DataFrame
    beyond: dict
    gathered: list[dict]  # for every task and seed
    whole: list[dict]  # for those shown in full
    left_out: list[int]  # seeds not shown in full


def render(contents: Contents) -> str:
    """The page as text."""
    environment = Environment(loader=PackageLoader("neuralese.report.page", "assets"), autoescape=True)
    environment.filters["embed"] = embed
    tasks = list(dict.fromkeys(part["task"] for part in contents.gathered))
    curves = {
        task: [
            {"seed": part["seed"], **part["history"]}
            for part in contents.gathered
            if part["task"] == task and part["history"]
        ]
        for task in tasks
    }
    tables, beyond = comparison_tables(contents.comparison), contents.beyond
    names = {each.name: each.title for each in contents.tasks}
    nothing_in = uninformative(contents.gathered)
    cells = main_cells(contents.comparison, nothing_in)
    embedded = any(fact["source"] == "embedded" for fact in contents.facts["data"])
    own = [each.script for each in contents.tasks if each.script]
    return environment.get_template("page.html").render(
        facts=contents.facts,
        tasks=tasks,
        names=names,
        found=paragraph(cells, beyond.get("relay", ()), names, embedded, nothing_in),
        cells=scale(cells),
        parts=[{name: value for name, value in part.items() if name != "history"} for part in contents.whole],
        left_out=contents.left_out,
        tables=tables,
        beyond=beyond,
        sentences=beyond_sentences(beyond),
        shared={"curves": curves, "tables": [table["rows"] for table in tables], **beyond},
        style=Markup("".join((ASSETS / f"{name}.css").read_text("utf-8") for name in STYLES)),
        library=Markup(vega()),
        scripts=[Markup(path.read_text("utf-8")) for path in scripts(own)],
    )


def scripts(own: Sequence[Path]) -> list[Traversable]:
    """The page's scripts; those of tasks come before the last ones, which show the tasks."""
    ours = [ASSETS / f"{name}.js" for name in SCRIPTS]
    return [*ours[:-2], *own, *ours[-2:]]


def beyond_sentences(beyond: dict) -> dict:
    """The sentences that `beyond` supports."""
    return {
        "bound": bound_sentence(beyond["bound"]),
        "theory": theory_sentence(beyond["theory"]),
    }


def comparison_tables(comparison: pd.DataFrame) -> list[dict]:
    """The comparison, by table of the paper: title, sentences and rows, section by section."""
    tables = []
    for number, rows in comparison.groupby("table", sort=False):
        measures = list(dict.fromkeys(rows["measure"]))
        rows = by_pair(rows)
        plain = plain_rows(rows)
        sections = [
            {"title": title, "rows": part}
            for key, title in {"": "", **SECTIONS}.items()
            if (part := [row for row in plain if row["section"] == key])
        ]
        tables.append(
            {
                "number": number,
                "task": rows["task"].iloc[0],
                "beside": bool(rows["paper"].notna().any()),
                "data": rows["data"].iloc[0],
                "measures": len(measures),
                "silence": bool(rows["over_silence"].notna().any()),
                "title": "; ".join(title_of(measure, rows[rows["measure"] == measure]) for measure in measures),
                "heading": heading(rows.iloc[0]),
                "claims": claims(rows),
                "sections": sections,
                "rows": plain_rows(charted(rows)),
            }
        )
    return tables


def plain_rows(rows: pd.DataFrame) -> list[dict]:
    """Rows of the comparison as plain values, with their gains as text."""
    rows = with_gain_texts(rows)
    return rows.astype(object).where(rows.notna(), None).to_dict("records")


def faithful_rows(comparison: pd.DataFrame | None) -> list[dict]:
    """The main rows of the run that follows the paper in everything."""
    return [] if comparison is None else plain_rows(by_pair(comparison[comparison["section"] == ""]))
