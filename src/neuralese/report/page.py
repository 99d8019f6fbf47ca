"""The report: one page in one file, which opens from disk and loads nothing."""

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from neuralese.evaluate.comparison import SECTIONS, read_comparison, title_of, with_gain_texts
from neuralese.evaluate.outcomes import over_seeds
from neuralese.report import charts
from neuralese.report.claims import claims, main_cells, paragraph, scale, uninformative
from neuralese.storage.files import read_json, write_text
from neuralese.storage.tables import read_table
from neuralese.tasks.task import Task

ASSETS = files("neuralese.report") / "assets"
STYLES = ("page", "parts")
SCRIPTS = ("elements", "theme", "sections", "charts", "states", "address", "explorer", "cloud", "games")
LAST_SCRIPTS = ("tasks", "results")  # after those that tasks bring
LIMIT = 13_000_000  # bytes of what the page embeds of tasks and seeds; the rest takes 2 MB
PACKAGES = ("neuralese", "torch", "numpy", "pandas", "scikit-learn", "snakemake")
SOURCES = {
    "official": "official address",
    "mirror": "mirror of the official data",
    "embedded": "embedded stand-in, generated; not comparable with the paper",
    "corpus": "your own recordings",
}
# what was chosen on dev, which may differ between seeds
CHOSEN = ("there", "back", "voice", "runner_up", "dev_reward", "runner_up_reward", "while_silent", "phrases")


def write_page(
    path: str | Path, given: Mapping[str, Sequence[Path]], tasks: Sequence[Task], seeds: Sequence[int], benchmarks: str
) -> None:
    """Write the page from the files `given` by name: tables, and `report.json` of each task and seed."""
    gathered = [read_json(part) for part in given["report.json"]]
    ours, *faithful = (read_comparison(each) for each in given["comparison.csv"])
    beyond = load_beyond({name: paths[0] for name, paths in given.items()})
    beyond["faithful"] = plain_rows(faithful[0][faithful[0]["section"] == ""]) if faithful else []
    write_text(path, render(gathered, tasks, run_facts(given["provenance.json"], seeds, benchmarks), ours, beyond))


def render(
    gathered: Sequence[dict],
    tasks: Sequence[Task],
    facts: dict,
    comparison: pd.DataFrame,
    beyond: dict,
    limit: int = LIMIT,
) -> str:
    """The page as text.

    Every seed's learning curve is shown, the rest of a seed only while what is embedded stays within `limit` bytes.
    """
    names, shown = {each.name: each.title for each in tasks}, list(dict.fromkeys(part["task"] for part in gathered))
    parts, left_out = fitting([with_charts(part) for part in gathered], limit)
    tables, nothing_in = comparison_tables(comparison), uninformative(gathered)
    cells = main_cells(comparison, nothing_in)
    embedded = any(fact["source"] == "embedded" for fact in facts["data"])
    drawn = {f"table-{place}": table["charts"] for place, table in enumerate(tables)}
    for name in ("ablation", "relay"):
        drawn |= {f"{name}-{place}": [each["chart"]] for place, each in enumerate(beyond[name])}
    drawn |= {f"learning-{task}": learning_curves(gathered, task) for task in shown} | {"theory": beyond["theory"]}
    scripts = [ASSETS / f"{name}.js" for name in SCRIPTS]
    scripts += [task.script for task in tasks if task.script] + [ASSETS / f"{name}.js" for name in LAST_SCRIPTS]
    environment = Environment(loader=PackageLoader("neuralese.report", "assets"), autoescape=True)
    environment.filters["embed"] = embed
    return environment.get_template("page.html").render(
        facts=facts,
        tasks=shown,
        names=names,
        found=paragraph(cells, beyond["relay"], names, embedded, nothing_in),
        cells=scale(cells),
        parts=parts,
        left_out=left_out,
        tables=tables,
        beyond=beyond,
        charts=drawn,
        shared={"charts": drawn, "config": charts.CONFIG},
        style=Markup("".join((ASSETS / f"{name}.css").read_text("utf-8") for name in STYLES)),
        library=Markup(charts.library()),
        scripts=[Markup(script.read_text("utf-8")) for script in scripts],
    )


def embed(value: Any) -> Markup:
    """A value as JSON that is safe inside a script element: nothing in it can end the element."""
    text = json.dumps(charts.finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


# tasks and seeds


def with_charts(part: dict) -> dict:
    """What was gathered of a task and seed, with its charts in place of the learning curve."""
    drawn = {"bits": charts.bits(part["protocol"])} | ({"cloud": charts.cloud(part)} if part["cloud"]["ids"] else {})
    return {name: value for name, value in part.items() if name != "history"} | {"charts": drawn}


def learning_curves(gathered: Iterable[dict], task: str) -> list[charts.Spec]:
    """The learning curves of a task, if its agents were trained here."""
    own = (part for part in gathered if part["task"] == task)
    curves = [{"seed": part["seed"], **part["history"]} for part in own if part["history"]]
    told = {"success": "Share of games won", "reward": "Reward per game"}
    captions = {field: f"{text} during training, exploration included" for field, text in told.items()}
    return [charts.learning(curves, field, caption) for field, caption in captions.items()] if curves else []


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


# tables


def comparison_tables(comparison: pd.DataFrame) -> list[dict]:
    """The comparison, by table of the paper: title, sentences, charts and rows, section by section."""
    tables = []
    for number, rows in comparison.groupby("table", sort=False):
        measures, plain = list(dict.fromkeys(rows["measure"])), plain_rows(rows)
        titles = {"": "", **SECTIONS}
        sections = [(titles[key], [row for row in plain if row["section"] == key]) for key in titles]
        tables.append(
            {
                "number": number,
                "task": rows["task"].iloc[0],
                "beside": bool(rows["paper"].notna().any()),
                "data": rows["data"].iloc[0],
                "measures": len(measures),
                "silence": bool(rows["over_silence"].notna().any()),
                "title": "; ".join(title_of(measure, rows[rows["measure"] == measure]) for measure in measures),
                "heading": charts.heading(rows.iloc[0]),
                "claims": claims(rows),
                "sections": [{"title": title, "rows": part} for title, part in sections if part],
                "charts": [*charts.comparison(rows).values()],
            }
        )
    return tables


def plain_rows(rows: pd.DataFrame) -> list[dict]:
    """Rows of the comparison as plain values, with their gains as text."""
    rows = with_gain_texts(charts.by_pair(rows))
    return rows.astype(object).where(rows.notna(), None).to_dict("records")


def load_beyond(tables: Mapping[str, str | Path]) -> dict:
    """What goes beyond the paper's tables, as plain values and charts, from tables by file name."""
    ablation, criteria, bound, lost, recovered = (
        read_table(tables[f"{name}.parquet"], name).to_pandas()
        for name in ("ablation", "criteria", "bound", "proposition_1", "proposition_2")
    )
    played = [name for name in ("relay", "listening") if f"{name}.parquet" in tables]  # of games that can be played
    known = {name: read_table(tables[f"{name}.parquet"], name).to_pandas() for name in played}
    several = criteria[criteria["members"] > 1]
    means = bound.groupby("task", sort=False)[["native", "translated", "lost", "divergence", "bound"]].mean()
    return {
        "relay": relay_values(known["relay"]) if "relay" in known else [],
        "listening": listening_values(known["listening"]) if "listening" in known else [],
        "ablation": [
            {"task": task, "pair": pair, "chart": charts.ablation(cells)}
            for task, pair, cells in charts.panels(ablation)
        ],
        "criteria": several.drop(columns="settings").round(4).to_dict("records"),
        "bound": means.round(4).reset_index().to_dict("records"),
        "theory": charts.theory(lost, recovered),
        "sentences": {"bound": bound_sentence(means), "theory": theory_sentence(lost)},
    }


def relay_values(relays: pd.DataFrame) -> list[dict]:
    """For each task and measure, what players achieve through English, in figures, in a sentence and as a chart."""
    joined, found = with_gain_texts(over_seeds(relays, averaged=["understood"], dropped=CHOSEN)), []
    for (task, measure), rows in joined.groupby(["task", "measure"], sort=False):
        plain = rows.to_dict("records")
        known = {"task": task, "measure": measure, "data": plain[0]["data"], "seeds": plain[0]["seeds"], "rows": plain}
        found.append(known | {"sentence": relay_sentence(rows), "chart": charts.relay(plain, measure)})
    return found


def relay_sentence(rows: pd.DataFrame) -> str:
    """How much of the value of communication survives ours and the baseline, and who understands the English."""
    known = {row.role: row for row in rows.itertuples()}
    if not {"ours", "baseline"} <= set(known):
        return ""
    told = [
        f"{row.criterion} preserves {row.share:.0%} of that, in words from which the model human guesses the state "
        f"{row.understood:.0%} of the time"
        for row in (known["ours"], known["baseline"])
        if row.share == row.share
    ]
    worth = known["native"].value - known["silence"].value
    first = f"Hearing each other is worth {worth:.3f} in {rows['measure'].iloc[0]} to these robots"
    return f"{first}; {'; '.join(told)}." if told else f"{first}: too little to compute a share of it."


def listening_values(listening: pd.DataFrame) -> list[dict]:
    """For each task, what a robot achieves with a model human who listens, over seeds."""
    joined, found = with_gain_texts(over_seeds(listening, dropped=CHOSEN)), []
    for task, table in joined.groupby("task", sort=False):
        rows, completed = (table[table["measure"] == measure] for measure in ("reward", "completion"))
        plain = rows.assign(completion=completed["value"].to_numpy()).to_dict("records")
        found.append({"task": task, "data": plain[0]["data"], "seeds": plain[0]["seeds"], "rows": plain})
    return found


def bound_sentence(means: pd.DataFrame) -> str:
    """On how many tasks the loss is within its bound."""
    within, idle = (means["lost"] <= means["bound"]).sum(), (means["bound"] >= 1).sum()
    told = f"The accuracy lost is within √(2D) on {within} of {len(means)} tasks"
    return f"{told}; on {idle} of them the bound is 1 or more, so it is vacuous." if idle else f"{told}."


def theory_sentence(lost: pd.DataFrame) -> str:
    """Whether any message of a random game lost more than its bound."""
    broken = (lost["lost"] > lost["bound"] + 1e-9).sum()
    told = f"{len(lost):,} messages of {lost['game'].nunique():,} random games"
    if broken:
        return f"Proposition 1 does not hold: {broken:,} of {told} lose more than their bound."
    return f"Proposition 1 holds: none of {told} loses more than its bound."


# the run


def run_facts(provenances: Iterable[str | Path], seeds: Sequence[int], benchmarks: str | Path) -> dict:
    """Data, versions and time of a run."""
    return {
        "data": [data_fact(Path(path)) for path in provenances],
        "seeds": list(seeds),
        "versions": versions(),
        "spent": time_spent(benchmarks),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def data_fact(path: Path) -> dict:
    """Of one task: which data, from where, how much, and its licence."""
    given = read_json(path)
    return {
        **{name: given[name] for name in ("source", "data_set", "licence")},
        "task": path.parent.name,
        "meaning": SOURCES[given["source"]],
        "rows": ", ".join(f"{count:,} {name}" for name, count in given["rows"].items()),
        "fetched": given["time"].partition("T")[0],
    }


def versions() -> dict[str, str]:
    """Versions of Python and of packages that affect the figures; those not installed are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def time_spent(benchmarks: str | Path) -> dict:
    """The time of all jobs with a benchmark, their number, and the stages that took longest."""
    seconds = {path: pd.read_csv(path, sep="\t", usecols=["s"])["s"].sum() for path in Path(benchmarks).rglob("*.tsv")}
    stages = pd.Series(seconds, dtype=float).groupby([path.stem for path in seconds]).sum()
    longest = stages.sort_values(ascending=False).head(3).items()
    return {
        "jobs": len(seconds),
        "total": clock(sum(seconds.values())),
        "longest": [(name.replace("_", " "), clock(value)) for name, value in longest],
    }


def clock(seconds: float) -> str:
    """1 h 02 min, 3 min 20 s, or 7 s."""
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"
    return f"{int(seconds // 60)} min {int(seconds % 60):02d} s" if seconds >= 60 else f"{seconds:.0f} s"
