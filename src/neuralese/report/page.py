"""The report: one page in one file, which opens from disk and loads nothing."""

import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from neuralese.evaluate.comparison import SECTIONS, read_comparison, title_of, with_gain_texts
from neuralese.evaluate.outcomes import over_seeds
from neuralese.report import charts, claims
from neuralese.storage.files import read_json, write_text
from neuralese.storage.tables import read_table
from neuralese.tasks.task import Task

ASSETS = files("neuralese.report") / "assets"
SCRIPTS = ("elements", "charts", "states", "explorer")  # and `chapters` after those that tasks bring
SEEDS = 10  # that can be explored, so that the page stays below 15 MB
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


def render(gathered: Sequence[dict], tasks: Sequence[Task], facts: dict, comparison: pd.DataFrame, beyond: dict) -> str:
    """The page as text."""
    names, shown = {each.name: each.title for each in tasks}, list(dict.fromkeys(part["task"] for part in gathered))
    left_out = list(dict.fromkeys(part["seed"] for part in gathered))[SEEDS:]
    parts = [with_charts(part) for part in gathered if part["seed"] not in left_out]
    tables, silent = comparison_tables(comparison), claims.uninformative(gathered)
    cells = claims.main_cells(comparison, silent)
    roles = {name: role for cell in cells for name, role in cell["roles"].items()}
    baselines = [name for name, role in roles.items() if role == "baseline"]
    lowest = min([0.5, *(min(cell["chance"], *(low for _, low, _ in cell["marks"].values())) for cell in cells)])
    drawn = {f"table-{place}": table["charts"] for place, table in enumerate(tables)}
    drawn |= {f"relay-{place}": [each["chart"]] for place, each in enumerate(beyond["relay"])}
    drawn |= {f"ablation-{place}": each["charts"] for place, each in enumerate(beyond["ablation"])}
    learned = {f"learning-{task}": learning_curves(gathered, task) for task in shown}
    drawn |= learned | {"theory": beyond["theory"]}
    scripts = [ASSETS / f"{name}.js" for name in SCRIPTS]
    scripts += [*(task.script for task in tasks if task.script), ASSETS / "chapters.js"]
    environment = Environment(loader=PackageLoader("neuralese.report", "assets"), autoescape=True)
    environment.filters["embed"] = embed
    return environment.get_template("page.html").render(
        facts=facts,
        tasks=shown,
        names=names,
        embedded=[fact["task"] for fact in facts["data"] if fact["source"] == "embedded"],
        silent=silent,
        found=claims.findings(cells),
        cells=cells,
        judges=claims.JUDGED_BY,
        baselines=baselines,
        # how each criterion is drawn: by its role, and baselines after the first in another way
        kinds={name: f"{role} next" if name in baselines[1:] else role for name, role in roles.items()},
        low=math.floor(20 * lowest) / 20,  # where axes of shares begin
        notes=list({part["task"]: part["repeated"] for part in parts if part["repeated"]}.items()),
        watched=list(dict.fromkeys(part["task"] for part in parts if part["games"])),
        parts=parts,
        left_out=left_out,
        tables=tables,
        beyond=beyond,
        relayed=claims.relay_sentence(beyond["relay"], names),
        curves=any(learned.values()),
        charts=drawn,
        shared={"charts": drawn, "config": charts.CONFIG, "names": names, "baselines": baselines},
        style=Markup((ASSETS / "page.css").read_text("utf-8")),
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
    drawn = {"bits": charts.bits(part["protocol"])} | ({"cloud": charts.cloud(part)} if "x" in part["cloud"] else {})
    return {name: value for name, value in part.items() if name != "history"} | {"charts": drawn}


def learning_curves(gathered: Iterable[dict], task: str) -> list[charts.Spec]:
    """The learning curves of a task, if its agents were trained here."""
    own = (part for part in gathered if part["task"] == task and part["history"])
    curves = [{"seed": part["seed"], **part["history"]} for part in own]
    told = {"success": "Share of games won", "reward": "Reward per game"} if curves else {}
    return [charts.learning(curves, field, f"{text} in training, with exploration") for field, text in told.items()]


# tables


def comparison_tables(comparison: pd.DataFrame) -> list[dict]:
    """The comparison, by table of the paper: title, claims, charts, and rows by the title of their section."""
    tables = []
    for number, rows in comparison.groupby("table", sort=False):
        plain, measures = plain_rows(rows), rows.groupby("measure", sort=False)
        titles = {"": "", **SECTIONS}
        sections = {title: [row for row in plain if row["section"] == key] for key, title in titles.items()}
        tables.append(
            {
                "number": number,
                "task": rows["task"].iloc[0],
                "data": rows["data"].iloc[0],
                "beside": bool(rows["paper"].notna().any()),
                "silence": bool(rows["over_silence"].notna().any()),
                "truth": bool(rows["truth"].notna().any()),
                "measures": len(measures),
                "title": "; ".join(title_of(measure, part) for measure, part in measures),
                "heading": charts.heading(rows.iloc[0]),
                "claims": claims.claims(rows),
                "sections": {title: part for title, part in sections.items() if part},
                "charts": [*charts.comparison(rows).values()],
            }
        )
    return tables


def plain_rows(rows: pd.DataFrame) -> list[dict]:
    """Rows of the comparison as plain values, with their gains as text."""
    rows = with_gain_texts(charts.by_pair(rows))
    return rows.astype(object).where(rows.notna(), None).to_dict("records")


def load_beyond(paths: Mapping[str, str | Path]) -> dict:
    """What goes beyond the paper's tables, as plain values, charts and sentences, from tables by file name."""
    names = ("ablation", "criteria", "bound", "proposition_1", "proposition_2", "relay", "listening")
    known = {name: read_table(path, name).to_pandas() for name in names if (path := paths.get(f"{name}.parquet"))}
    criteria, lost = known["criteria"], known["proposition_1"]
    means = known["bound"].groupby("task", sort=False)[["native", "translated", "lost", "divergence", "bound"]].mean()
    return {
        "relay": relay_tables(known["relay"]) if "relay" in known else [],  # of games that can be played
        "listening": listening_tables(known["listening"]) if "listening" in known else [],
        "ablation": [
            {"task": task, "pair": pair, "charts": [*filter(None, [charts.ablation(cells), charts.frontier(cells)])]}
            for task, pair, cells in charts.panels(known["ablation"])
        ],
        "criteria": chosen_members(criteria).round(4).to_dict("records"),
        "bound": means.round(4).reset_index().to_dict("records"),
        "theory": charts.theory(lost, known["proposition_2"]),
        "sentences": {"bound": claims.bound_sentence(means), "theory": claims.theory_sentence(lost)},
    }


def chosen_members(criteria: pd.DataFrame) -> pd.DataFrame:
    """The members of families that were chosen, and in how many seeds."""
    keys, means = ["task", "direction", "criterion", "member", "members"], ("accuracy", "second_accuracy")
    groups = criteria[criteria["members"] > 1].groupby(keys, sort=False)
    found = {name: (name, "mean") for name in means} | {"second": ("second", "first"), "seeds": ("seed", "nunique")}
    return groups.agg(**found).reset_index()


def relay_tables(relays: pd.DataFrame) -> list[dict]:
    """For each task and measure, what players achieve through English: in figures and as a chart."""
    joined, tables = with_gain_texts(over_seeds(relays, averaged=["understood"], dropped=CHOSEN)), []
    for (task, measure), rows in joined.groupby(["task", "measure"], sort=False):
        known = rows.set_index("criterion")["value"]
        none, own = known.get("no-channel", math.nan), known["neuralese"]
        plain = rows.assign(language=(rows["value"] - none) / (own - none)).to_dict("records")
        shown = {"silent": not math.isnan(none), "nonsense": "nonsense" in known}
        tables.append({"task": task, "measure": measure, "rows": plain, "chart": charts.relay(plain, measure)} | shown)
    return tables


def listening_tables(listening: pd.DataFrame) -> list[dict]:
    """For each task, what a robot achieves with a model human who listens, over seeds."""
    joined, tables = with_gain_texts(over_seeds(listening, dropped=CHOSEN)), []
    for task, table in joined.groupby("task", sort=False):
        rows, completed = (table[table["measure"] == measure] for measure in ("reward", "completion"))
        tables.append({"task": task, "rows": rows.assign(completion=completed["value"].to_numpy()).to_dict("records")})
    return tables


# the run


def run_facts(provenances: Iterable[str | Path], seeds: Sequence[int], benchmarks: str | Path) -> dict:
    """Data, versions and time of a run."""
    return {
        "data": [data_fact(Path(path)) for path in provenances],
        "seeds": list(seeds),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
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


def time_spent(benchmarks: str | Path) -> str:
    """The number of jobs with a benchmark, and their time."""
    seconds = [pd.read_csv(path, sep="\t", usecols=["s"])["s"].sum() for path in Path(benchmarks).rglob("*.tsv")]
    return f"{timedelta(seconds=round(sum(seconds)))} (hours:minutes:seconds) in {len(seconds)} jobs"
