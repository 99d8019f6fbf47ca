"""Every chart, specified once in Vega-Lite: embedded in the page, and drawn into files by `save`.

Colours are those of the page's style sheet, such as `var(--accent)`: the page replaces them by those of the reader's
theme, `save` by those of the light one. `usermeta` holds the caption.
"""

import html
import json
import logging
import math
import re
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from neuralese.evaluate.comparison import EASIER
from neuralese.storage.files import write_bytes

log = logging.getLogger(__name__)

Spec = dict[str, Any]
ACCENT, SECOND, MUTED, LINE, INK, CARD = (
    f"var(--{name})" for name in ("accent", "second", "muted", "line", "ink", "card")
)
SERIES = [f"var(--series-{number})" for number in range(9)]
CONFIG = {
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {"labelColor": INK, "titleColor": MUTED, "gridColor": LINE, "domainColor": LINE, "tickColor": LINE}
    | {"labelFontSize": 11.5, "titleFontWeight": 400, "titleFontSize": 12, "labelLimit": 320},
    "axisQuantitative": {"tickCount": 6, "labelFlush": False, "labelOverlap": "greedy"},
    "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontWeight": 400, "labelLimit": 140},
    "title": {"color": INK, "fontSize": 13, "fontWeight": 600, "anchor": "start"},
}
WIDTH = 30  # characters of a line of labels
SHOWN = 16  # criteria in a panel of the ablation: the best on dev; the chosen ones and sole members of a family besides
DOTS = 1500  # messages of random games that are drawn
OTHER = "other phrases"


def finite(value: Any) -> Any:
    """A value for JSON, which has no NaN and no infinity: they become null."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _chart(height: int, values: list[dict], caption: str, **parts: Any) -> Spec:
    return {"height": height, "data": {"values": values}, "usermeta": {"caption": caption}, **parts}


def _mark(kind: str, values: list[dict] | None = None, encoding: Spec | None = None, **properties: Any) -> Spec:
    """A layer: a mark, how it shows the values, and the values if they are not those of the chart."""
    data = {} if values is None else {"data": {"values": values}}
    return {**data, "mark": {"type": kind, **properties}, "encoding": encoding or {}}


def _number(field: str, title: str | None = None, **scale: Any) -> Spec:
    found = {"field": field, "type": "quantitative", "title": title, "scale": scale}
    return {name: value for name, value in found.items() if value}


def _kind(field: str, shades: Mapping[str, str] | Sequence[str], title: str | None = None, **legend: Any) -> Spec:
    """The encoding of kinds by colours, in the order of `shades`."""
    found: Spec = {"field": field, "type": "nominal", "title": title, "scale": {"range": [*shades]}}
    if isinstance(shades, Mapping):
        found |= {"scale": {"domain": [*shades], "range": [*shades.values()]}, "sort": [*shades]}
    return found | ({"legend": legend} if legend else {})


def _tips(*names: str, **titles: str) -> list[Spec]:
    """What is shown of the value pointed at: fields as they are, and numbers under titles."""
    numbers = [{"field": field, "title": title, "format": ".3f"} for field, title in titles.items()]
    return [{"field": name} for name in names] + numbers


def _dots(
    rows: list[dict], measure: str, caption: str, points: list[Spec], rules: Mapping[str, float | None] | None = None
) -> Spec:
    """Rows with a label, an interval from `low` to `high`, and `points`; `rules` are vertical lines by their colour."""
    texts = [textwrap.wrap(row["label"], WIDTH, break_long_words=False, break_on_hyphens=False) for row in rows]
    values = [{**row, "label": "\n".join(text)} for row, text in zip(rows, texts, strict=True)]
    axis = {"grid": False, "domain": False, "ticks": False, "labelExpr": "split(datum.label, '\\n')"}
    label = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": axis}
    lines = [
        _mark("rule", [{}], {"y": None, "x": {"datum": place}}, color=shade, strokeWidth=2)
        for shade, place in (rules or {}).items()
        if place is not None and not math.isnan(place)
    ]
    interval = {"x": _number("low", measure, zero=False, padding=14), "x2": {"field": "high"}}
    layer = [*lines, _mark("rule", None, interval, strokeWidth=2, color=ACCENT), *points]
    height = len(rows) * max(21, 6 + 14 * max(map(len, texts)))
    return _chart(height, values, caption, encoding={"y": label}, layer=layer)


def _point(field: str, shade: str, hollow: bool = False, **properties: Any) -> Spec:
    """A layer of `_dots`: a mark at the values of a field, where there are any."""
    tips = [{"field": "label", "title": "row"}, *_tips(**{field: field, "low": "low", "high": "high"})]
    looks = {"size": 60, "opacity": 1, "strokeWidth": 1.8, "color": shade, "fill": CARD if hollow else shade}
    layer = _mark("point", None, {"x": _number(field), "tooltip": tips}, **looks | properties)
    return layer | {"transform": [{"filter": f"isValid(datum.{field})"}]}


# charts of the page


def by_pair(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the comparison with those of one pair together, pairs in order of appearance."""
    return rows.iloc[rows["pair"].factorize()[0].argsort(kind="stable")]


def heading(row: pd.Series) -> str:
    """The title of a table: its number in the paper, if it has one."""
    return str(row["table"]) if str(row["table"]).startswith(row["task"]) else f"Table {row['table']}: {row['task']}"


def comparison(rows: pd.DataFrame) -> dict[str, Spec]:
    """One table of the comparison by measure, with a chart of its own for the paper's easier distractors."""
    easier = (rows["section"] == EASIER) & (rows["unit"] != "phrase") & (rows["role"] != "upper bound")
    measure = rows["measure"].where(~easier, rows["measure"] + ", the paper's easier distractors")
    rows = by_pair(rows.assign(measure=measure)[(rows["section"] == "") | easier])
    found = {}
    for measure, part in rows.groupby("measure", sort=False):
        names = part["title"].where(part["criterion"] != "none", "").map(lambda name: name and f", {name}")
        columns = {"value": "ours", "ci_low": "low", "ci_high": "high", "paper": "paper"}
        values = part[[*columns]].rename(columns=columns).astype(float).assign(label=part["pair"] + names)
        points, caption = [_point("ours", ACCENT)], "● ours with its 95 % interval"
        if part["paper"].notna().any():
            points = [_point("paper", SECOND, hollow=True, shape="diamond", size=75), *points]
            caption += "; ◇ the paper's figure"
        rules = {LINE: part["chance"].iloc[0]}
        found[measure] = _dots(values.to_dict("records"), measure, caption, points, rules)
    return found


def panels(ablation: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Task, pair and rows of every panel of the ablation: one for each task and direction."""
    ways = ablation[["task", "speaker", "listener"]].drop_duplicates().itertuples(index=False)
    cells = dict(list(ablation.groupby(["task", "speaker"], sort=False)))
    return [(task, f"{speaker} → {listener}", cells[task, speaker]) for task, speaker, listener in ways]


def panel(cells: pd.DataFrame) -> pd.DataFrame:
    """The criteria shown for one task and direction: means over judges and seeds, the best on dev first.

    Columns: title, chosen, and dev, test, low and high.
    """
    keys = ["family", "criterion", "title", "chosen", "role"]
    cells = cells.assign(chosen=cells.groupby(["family", "criterion"])["chosen"].transform("any"))  # in any seed
    means = cells.pivot_table(index=keys, columns="split", values=["value", "ci_low", "ci_high"])
    columns = {"value dev": "dev", "value test": "test", "ci_low test": "low", "ci_high test": "high"}
    table = means.set_axis(means.columns.map(" ".join), axis=1).rename(columns=columns).reset_index()
    table = table.sort_values("dev", ascending=False, kind="stable")[[*keys, *columns.values()]]
    table = table.reset_index(drop=True)
    told = table["chosen"] | (table["title"] != table["criterion"])  # chosen, or alone in its family
    again = table["criterion"].isin(table.loc[told, "criterion"]) | table["criterion"].duplicated()
    shown = told | ((table.index < SHOWN) & ~again)  # a member of two families appears under its title
    return table[shown].reset_index(drop=True)


def ablation(cells: pd.DataFrame, rules: Mapping[str, float | None] | None = None) -> Spec:
    """The criteria of one task and direction."""
    shown = panel(cells).round(4)
    rows = shown.assign(label=shown["chosen"].map({True: "★ ", False: ""}) + shown["title"])
    points = [_point("dev", MUTED, hollow=True, size=40), _point("test", ACCENT)]
    caption = "★ chosen on dev; ○ dev; ● test with its 95 % interval"
    values = rows[["label", "dev", "test", "low", "high"]].to_dict("records")
    return _dots(values, "accuracy", caption, points, rules)


def frontier(cells: pd.DataFrame) -> Spec | None:
    """How well the criteria of a task are understood in English, by how many of their words people would not say."""
    test = cells[(cells["split"] == "test") & cells["truth"].notna()]
    if test.empty:
        return None
    means = test.groupby(["family", "criterion"], sort=False)[["value", "truth", "said"]].mean().round(4).reset_index()
    chosen = test.groupby(["family", "criterion"], sort=False)["chosen"].any().to_numpy()
    hardly = "share of words that people say of the target in under 1 % of cases"
    encoding = {
        "x": _number("truth", hardly, zero=False, padding=12),
        "y": _number("value", "accuracy, mean of the judges", zero=False, padding=12),
        "color": _kind("family", SERIES, orient="top"),
        "size": {"condition": {"test": "datum.chosen", "value": 140}, "value": 45},
        "tooltip": _tips("criterion", value="accuracy", truth="under 1 %", said="among the five likeliest"),
    }
    caption = "Every criterion on test; large: chosen on dev. Further up is better understood, further left is truer"
    values = means.assign(chosen=chosen).to_dict("records")
    return _chart(280, values, caption, **_mark("point", None, encoding, filled=True))


def relay(rows: list[dict], measure: str) -> Spec:
    """What a robot achieves through English, and how well the model human understands this English."""
    values = [row for row in rows if not math.isnan(row["understood"])]
    ends = [row for row in rows if row["role"] in ("native", "silence")]
    place, named = {"x": _number("value")}, {"x": _number("value"), "text": {"field": "criterion"}}
    reached = {
        "x": _number("value", f"{measure} through English", zero=False, padding=30),
        "y": _number("understood", "understood by the model human", zero=False, padding=12),
        "color": {"condition": {"test": "datum.role === 'ours'", "value": ACCENT}, "value": MUTED},
        "tooltip": _tips("title", value=measure, understood="understood"),
    }
    layer = [
        _mark("rule", ends, place, strokeWidth=2, color=LINE),
        _mark("text", ends, named, align="left", dx=3, y=8, color=MUTED, fontSize=11),
        _mark("point", None, reached, size=70, filled=True, opacity=1),
        _mark("text", None, named | {"y": _number("understood")}, align="left", dx=8, color=INK, fontSize=11),
    ]
    caption = "Further right, the robot at the end understands more; further up, the model human on the way does"
    return _chart(280, values, caption, layer=layer)


def learning(curves: Sequence[Mapping[str, Any]], field: str, caption: str) -> Spec:
    """A measure of all seeds during training."""
    values = [
        {"update": update, "value": value, "seed": str(curve["seed"])}
        for curve in curves
        for update, value in zip(curve["update"], curve[field], strict=True)
    ]
    encoding = {"x": _number("update", "updates"), "y": _number("value", field, zero=False)}
    encoding["color"] = _kind("seed", SERIES) | ({} if len(curves) > 1 else {"legend": None})
    line = _mark("line", None, encoding | {"tooltip": _tips("seed", "update", value=field)}, strokeWidth=1.8)
    line["mark"] |= {"tooltip": True, "point": {"size": 12}}
    return _chart(200, values, caption, **line)


def bits(protocol: Iterable[Mapping[str, Any]]) -> Spec:
    """How much messages say about each variable of the state, beside its entropy."""
    names = {"information": "mutual information (lower bound)", "entropy": "entropy"}
    values = [
        {"variable": row["variable"], "value": row["value"], "what": names[row["measure"]]}
        for row in protocol
        if row["variable"] and row["measure"] in names
    ]
    encoding = {
        "y": {"field": "variable", "type": "nominal", "title": None, "sort": None},
        "yOffset": {"field": "what", "sort": [*names.values()]},
        "x": _number("value", "bits"),
        "color": _kind("what", dict(zip(names.values(), (ACCENT, LINE), strict=True)), orient="top", labelLimit=260),
        "tooltip": _tips("variable", "what", value="bits"),
    }
    caption = "Information (bits) in a message as heard, with noise, about each variable of the state"
    return _chart(14 * len(values), values, caption, **_mark("bar", None, encoding, cornerRadiusEnd=2))


def cloud(part: Mapping[str, Any]) -> Spec:
    """Messages along the two directions of largest variance, coloured by their English.

    The parameter `here` is the message that the reader looks at.
    """
    found, phrases = part["cloud"], [each["text"] for each in part["phrases"]]
    shades = part.get("shades") or [None] * len(phrases)
    frequent = [phrase for phrase, _ in Counter(found["phrases"]).most_common(len(SERIES))]
    kinds = {phrases[each]: shades[each] or SERIES[place] for place, each in enumerate(frequent)}
    columns = zip(found["ids"], found["x"], found["y"], [phrases[each] for each in found["phrases"]], strict=True)
    values = [
        {"i": i, "id": number, "x": x, "y": y, "phrase": phrase, "group": phrase if phrase in kinds else OTHER}
        for i, (number, x, y, phrase) in enumerate(columns)
    ]
    if len(set(found["phrases"])) > len(frequent):
        kinds[OTHER] = MUTED
    titles = (
        f"{name} direction ({100 * share:.0f} % of the variance, channel noise included)"
        for name, share in zip(("first", "second"), found["share"], strict=True)
    )
    places = {name: _number(name, title) | {"axis": {"grid": False}} for name, title in zip("xy", titles, strict=True)}
    here = {"opacity": {"condition": {"test": "datum.i === here", "value": 1}, "value": 0}}
    legend = {"orient": "bottom", "columns": 3, "symbolStrokeWidth": 0, "symbolOpacity": 1}
    said = {
        "color": _kind("group", kinds, "in English", **legend),
        "opacity": {"condition": {"param": "chosen", "value": 0.9}, "value": 0.08},
        "tooltip": [{"field": "phrase", "title": "in English"}, {"field": "id", "title": "message"}],
    }
    chosen = {"name": "chosen", "select": {"type": "point", "fields": ["group"]}, "bind": "legend"}
    layer = [
        _mark("point", None, places | here, filled=False, size=220, strokeWidth=2.5, color=INK),
        _mark("point", None, places | said, filled=True, size=46, strokeWidth=0.7, stroke=MUTED) | {"params": [chosen]},
    ]
    caption = (
        "Point at a message to see its state, or use the arrow keys; click phrases in the legend to single them out."
    )
    return _chart(380, values, caption, params=[{"name": "here", "value": -1}], layer=layer)


def theory(lost: pd.DataFrame, recovered: pd.DataFrame) -> list[Spec]:
    """Reward lost beside its bound (Proposition 1), and recovery of a hidden strategy (Proposition 2)."""
    some = lost.sample(min(DOTS, len(lost)), random_state=0)[["bound", "lost"]].round(4)
    limit = float(min(2, some["bound"].max()))
    dots = {"x": _number("bound", "√(2D)", domain=[0, limit]), "y": _number("lost", "reward lost", domain=[-0.1, 1])}
    bound = [
        _mark("circle", None, dots, size=9, opacity=0.45, color=ACCENT, clip=True),
        _mark("line", [{"x": 0}, {"x": limit}], {"x": _number("x"), "y": _number("x")}, color=SECOND, clip=True),
    ]
    hidden = {
        "x": _number("rarity", "share of humans with the robot's strategy"),
        "y": _number("recovered", "messages translated into it", domain=[0, 1]),
        "color": _kind("criterion", SERIES, orient="bottom"),
        "tooltip": _tips("criterion", rarity="rarity", recovered="recovered"),
    }
    first = "Proposition 1: a message of a random game; none may lie above the line"
    rows = recovered[["criterion", "rarity", "recovered"]].round(4).to_dict("records")
    return [
        _chart(260, some.to_dict("records"), first, layer=bound),
        _chart(260, rows, "Proposition 2: a strategy hidden among others")
        | _mark("line", None, hidden, point=True, strokeWidth=2),
    ]


# charts that are only drawn into files


def sweep(belief: pd.DataFrame, protocol: pd.DataFrame, key: str, criterion: str) -> tuple[Spec, Spec]:
    """For one task and swept key: the accuracy by a criterion, and two measures of the protocol."""
    shades = {"R → R": MUTED, "R → R*": MUTED, "R → H*": ACCENT, "H → R": SECOND, "H → R*": SECOND}
    heard = belief[belief["criterion"].isin(["none", criterion]) & (belief["judge"] == belief["listener"])]
    heard = heard.assign(kind=heard["speaker"] + " → " + heard["listener"])
    play = heard["distractors"] == "play"
    own = play | ~play.groupby(heard[key]).transform("any")  # the game's own distractors, where there are any
    heard = heard[heard["kind"].isin(shades) & (heard["unit"] != "phrase") & own]
    names = {"information": "mutual information (bits)", "effective_dimension": "effective dimension"}
    agent = [column for column in protocol if column not in ("variable", "value")]
    most = protocol[protocol["measure"].isin(names)].groupby(agent, as_index=False)["value"].max()
    most = most.assign(kind=most["measure"].map(names))
    hues = dict(zip(names.values(), (SERIES[4], SERIES[6]), strict=True))
    return _lines(heard, key, f"accuracy ({criterion})", shades), _lines(most, key, "", hues)


def _lines(table: pd.DataFrame, key: str, title: str, shades: Mapping[str, str]) -> Spec:
    """Means at the values of a swept key, a line for each kind, and every agent as a dot."""
    values = table[[key, "value", "kind"]].rename(columns={key: "at"}).to_dict("records")
    shades = {kind: shade for kind, shade in shades.items() if kind in set(table["kind"])}
    encoding = {"x": {"field": "at", "type": "ordinal", "title": key}, "color": _kind("kind", shades, orient="bottom")}
    value = _number("value", title, zero=False)
    means = _mark("line", None, {"y": value | {"aggregate": "mean"}})
    agents = _mark("circle", None, {"y": value}, size=14, opacity=0.5)
    return _chart(200, values, "", encoding=encoding, layer=[means, agents])


# drawing

# in a separate process, since Vega's engine kills its process if memory is limited (ulimit -v)
BUNDLE = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"
DRAW = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.vegalite_to_svg(sys.stdin.read()).encode())"


@cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script; empty, with a warning, if they cannot be packed."""
    return _apart(BUNDLE, "the report has no charts, since their library could not be packed")


def save(charts: Iterable[tuple[str, Spec]], title: str, *paths: str | Path, columns: int = 2) -> None:
    """Draw charts under their headings into files (png or svg)."""
    from vl_convert import svg_to_png

    figure = {
        "title": {"text": title, "offset": 16},
        "columns": columns,
        "spacing": 30,
        "concat": [
            {"width": 400, **spec, "title": {"text": heading, "subtitle": spec["usermeta"]["caption"]}, "usermeta": {}}
            for heading, spec in charts
        ],
        "resolve": {"scale": {"color": "independent"}},
        "config": CONFIG | {"background": CARD, "padding": 12, "font": "sans-serif"},
    }
    style = (files("neuralese.report") / "assets/page.css").read_text("utf-8")
    light = dict(re.findall(r"--([\w-]+): light-dark\((#\w+)", style))
    text = re.sub(r"var\(--([\w-]+)\)", lambda name: light[name[1]], json.dumps(finite(figure)))
    svg = _apart(DRAW, f"{paths[0]} shows no chart, since it could not be drawn", text)
    if not svg:
        told = html.escape(f"{title}: not drawn for lack of memory")
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="40"><text x="8" y="24">{told}</text></svg>'
    for path in map(Path, paths):
        write_bytes(path, svg.encode() if path.suffix == ".svg" else svg_to_png(svg, scale=1.5))


def _apart(code: str, otherwise: str, given: str = "") -> str:
    """The output of a Python program that runs in a process of its own; empty, with a warning, if it fails."""
    try:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, input=given.encode(), capture_output=True, timeout=600, check=True)
        if made := done.stdout.decode():
            return made
        why = "no output"
    except (OSError, subprocess.SubprocessError, ValueError, MemoryError) as error:
        why = f"exit code {error.returncode}" if isinstance(error, subprocess.CalledProcessError) else str(error)
    log.warning("%s (%s); allow more memory and run again.", otherwise, why)
    return ""
