"""Charts: which rows they show, in which order, with which marks; and how they are drawn."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from comparison_rows import PAPERS, TASKS, behavior_rows, belief_rows

from neuralese.evaluate.comparison import compare
from neuralese.report import charts
from neuralese.stages import report as stage

LISTENERS = {("colors", "R"): "H*", ("colors", "H"): "R", ("driving", "R"): "H*", ("driving", "H"): "R*"}


def members(task="colors", speaker="R", data="mirror", count=20) -> pd.DataFrame:
    """An ablation with a family of many, two criteria alone in theirs, and one that asks the judge; dev is known."""
    known = [("mine", f"member {number}", f"member {number}", "ours", 0.5 + number / 100) for number in range(count)]
    known += [
        ("printed", "member 3", "Algorithm 1 (as printed)", "printed", 0.53),  # one of the family, too
        ("poor", "poor x1", "poor", "", 0.2),
        ("pragmatic", "pragmatic", "pragmatic (asks the judge)", "asks the judge", 0.9),
    ]
    table = pd.DataFrame(
        [
            (*each, split, seed, value + seed / 100 - 0.005 - 0.05 * (split == "test"))
            for (*each, value), split, seed in product(known, ("dev", "test"), (0, 1))
        ],
        columns=["family", "criterion", "title", "role", "split", "seed", "value"],
    ).assign(task=task, speaker=speaker, listener=LISTENERS[task, speaker], data=data, candidates=2, chance=0.5)
    table = table.assign(ci_low=table["value"] - 0.01, ci_high=table["value"] + 0.02, measure="accuracy", n=9, groups=9)
    alone = table["family"].isin(["printed", "poor"])
    return table.assign(chosen=((table["family"] == "mine") & (table["criterion"] == "member 1")) | alone)


def labels(spec: charts.Spec) -> list[str]:
    return [row["label"].replace("\n", " ") for row in spec["data"]["values"]]


def test_the_best_on_dev_are_shown_first_and_always_the_chosen_and_those_that_are_alone():
    shown = charts.panel(members())
    row = shown.set_index("title").loc["member 12"]
    assert row[["dev", "test", "low", "high"]].tolist() == pytest.approx([0.62, 0.57, 0.56, 0.59])
    assert shown["dev"].is_monotonic_decreasing
    titles = shown["title"].tolist()
    assert titles[0] == "pragmatic (asks the judge)"
    assert {"member 1", "poor", "Algorithm 1 (as printed)"} < set(titles)
    assert sum(title.startswith("member") for title in titles) == charts.SHOWN - 1 + 1  # the best, and the chosen one
    assert "member 2" not in titles


def test_a_criterion_of_two_families_appears_once_by_its_title():
    few = members(count=5)
    titles = charts.panel(few)["title"].tolist()
    assert "Algorithm 1 (as printed)" in titles
    assert "member 3" not in titles
    again = few[few["family"] == "mine"].assign(family="yours", chosen=False)
    titles = charts.panel(pd.concat([few, again]))["title"].tolist()
    assert (titles.count("member 4"), titles.count("member 1")) == (1, 1)  # chosen in no family, and in one of two
    both = few.assign(chosen=few["chosen"] | (few["criterion"] == "member 3"))
    assert {"member 3", "Algorithm 1 (as printed)"} < set(charts.panel(both)["title"])


@pytest.fixture
def drawn(monkeypatch) -> list:
    """What would be drawn: a list of headings and charts, and a title, for each figure."""
    kept = []
    monkeypatch.setattr(charts, "save", lambda found, title, *_, **__: kept.append(([*found], title)))
    return kept


@pytest.mark.parametrize(("data", "figures"), [("mirror", [0.86, 0.73]), ("embedded", [])])
def test_the_ablation_has_a_panel_for_each_task_and_direction_with_chance_and_comparable_figures(
    drawn, monkeypatch, data, figures
):
    monkeypatch.setattr("neuralese.translate.families.mark_chosen", lambda ablation, _: ablation)
    table = pd.concat([members(task, speaker, data) for task, speaker in LISTENERS])
    stage.tabulate_ablation(table, None, [])
    ((panels, _),) = drawn
    found = [title.partition(" (")[0] for title, _ in panels]
    assert found == ["colors, R → H*", "colors, H → R", "driving, R → H*", "driving, H → R*"]
    rules = [
        [
            layer["encoding"]["x"]["datum"]
            for layer in spec["layer"]
            if layer["mark"]["type"] == "rule" and "data" in layer
        ]
        for _, spec in panels
    ]
    assert rules == [[0.5, *figures[:1]], [0.5, *figures[1:]], [0.5], [0.5]]
    assert [label for label in labels(panels[0][1]) if "★" in label] == [
        "★ Algorithm 1 (as printed)",
        "★ member 1",
        "★ poor",
    ]


def test_tables_are_drawn_with_the_easier_distractors_apart_and_without_single_phrases(drawn):
    table = compare(belief_rows(seeds=2), behavior_rows(seeds=2), papers=PAPERS)
    stage.draw_tables(table, [])
    found = {title.partition(" (")[0]: dict(specs) for specs, title in drawn}
    assert list(found) == ["Table 1a: colors", "Table 1b: birds", "Table 2: driving", "Table 3: driving"]
    assert list(found["Table 1a: colors"]) == ["accuracy"]
    main, easier = found["Table 2: driving"].values()
    assert labels(main) == labels(easier)
    assert len(set(labels(main))) == len(labels(main))
    assert ["paper" in spec["usermeta"]["caption"] for spec in (main, easier)] == [False, True]
    assert all("2 seeds" in title for _, title in drawn)
    stage.draw_tables(compare(belief_rows(seeds=1, tasks=("colors",)), papers=PAPERS), [])
    assert "one seed: intervals are over items only" in drawn[-1][1]


def test_long_labels_have_as_many_lines_as_they_need():
    spec = charts.comparison(compare(belief_rows(tasks=("colors",)), papers=PAPERS))["accuracy"]
    lines = [row["label"].split("\n") for row in spec["data"]["values"]]
    assert all(len(line) <= charts.WIDTH for label in lines for line in label)
    assert spec["height"] >= len(lines) * 14 * max(map(len, lines))


def sweep_protocol(key: str, values: tuple) -> pd.DataFrame:
    measures = ("information", "effective_dimension")
    rows = product(TASKS, (0, 1), measures, ["hue"], [1.0], ["mirror"], values)
    return pd.DataFrame(rows, columns=["task", "seed", "measure", "variable", "value", "data", key])


def test_a_sweep_shows_whole_utterances_with_the_games_own_distractors(drawn):
    key, noises = "agent.noise", (0.1, 0.3)
    belief = pd.concat([belief_rows(seeds=2).assign(**{key: noise}) for noise in noises])
    other = (belief["unit"] == "phrase") | (belief["distractors"] == "anywhere") | (belief["criterion"] == "direct")
    belief["value"] = belief["value"].where(~other, 0.1)  # what must not be seen
    belief.loc[(belief[key] == 0.3) & (belief["role"] == "ours") & ~other, "value"] = 0.6
    stage.draw_sweep("", {"belief": belief, "protocol": sweep_protocol(key, noises)}, [key], "belief")
    ((panels, _),) = drawn
    for task, (title, spec) in zip(TASKS, panels[::2], strict=True):
        robot = "R*" if task == "driving" else "R"
        means = pd.DataFrame(spec["data"]["values"]).groupby(["kind", "at"])["value"].mean().round(4).unstack()
        found = {kind: row.tolist() for kind, row in means.iterrows()}
        assert found == {f"R → {robot}": [0.9, 0.9], "R → H*": [0.75, 0.6], f"H → {robot}": [0.75, 0.6]}
        assert title == f"{task} (data: mirror)"


def test_points_of_a_sweep_that_have_only_the_easier_distractors_show_these():
    key, kinds = "driving.distractors", ("anywhere", "play")
    belief = pd.concat([belief_rows(tasks=("driving",)).assign(**{key: kind}) for kind in kinds])
    belief = belief[(belief[key] == "play") | (belief["distractors"] == "anywhere")]
    easier = (belief["distractors"] == "anywhere") & (belief["role"] == "ours")
    belief["value"] = belief["value"].where(~easier, 0.95)
    spec, _ = charts.sweep(belief, sweep_protocol(key, kinds), key, "belief")
    found = pd.DataFrame(spec["data"]["values"]).query("kind == 'R → H*'").groupby("at")["value"].mean()
    assert found.round(4).to_dict() == {"anywhere": 0.95, "play": 0.75}


def test_the_cloud_gives_frequent_phrases_a_colour_of_their_own_and_others_one_together():
    phrases = [f"phrase {number}" for number in range(12)]
    said = [number for number in range(12) for _ in range(12 - number)]
    found = {"ids": list(range(len(said))), "x": said, "y": said, "phrases": said, "share": [0.5, 0.25]}
    spec = charts.cloud(
        {"cloud": found, "phrases": [{"text": text} for text in phrases], "shades": ["#ff0000", *[None] * 11]}
    )
    colors = spec["layer"][1]["encoding"]["color"]["scale"]
    assert colors["domain"] == [*phrases[:9], charts.OTHER]
    assert colors["range"][:2] == ["#ff0000", charts.SERIES[1]]
    assert {row["group"] for row in spec["data"]["values"] if row["phrase"] not in phrases[:9]} == {charts.OTHER}
    assert "50 % of the variance" in spec["layer"][0]["encoding"]["x"]["title"]


def test_a_chart_is_drawn_in_the_colours_of_the_light_theme_as_the_same_bytes(tmp_path):
    rows = compare(belief_rows(seeds=3, tasks=("colors",)), papers=PAPERS)
    for name in ("a", "b"):
        charts.save(charts.comparison(rows).items(), "<A & B>", tmp_path / f"{name}.svg", tmp_path / f"{name}.png")
    text = (tmp_path / "a.svg").read_text()
    assert "#1d4fd0" in text  # the accent
    assert "var(" not in text
    assert "&lt;A &amp; B&gt;" in text
    for kind in ("svg", "png"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_the_other_charts_are_drawn(tmp_path):
    protocol = [
        {"measure": "information", "variable": "hue", "value": 0.5},
        {"measure": "entropy", "variable": "hue", "value": np.nan},
        {"measure": "clusters", "variable": "", "value": 2.0},
    ]
    relay = {"criterion": "mine", "title": "mine", "role": "ours", "value": 0.9, "understood": 0.8}
    curves = [{"seed": 0, "update": [1, 2], "success": [0.1, 0.2]}]
    games = pd.DataFrame({"game": [0, 1], "lost": [0.0, 0.1], "bound": [0.5, 0.5]})
    recovered = pd.DataFrame({"criterion": ["belief"], "rarity": [0.1], "recovered": [1.0]})
    specs = [charts.bits(protocol), charts.learning(curves, "success", "x"), *charts.theory(games, recovered)]
    specs += [charts.relay([relay, relay | {"role": "native", "understood": np.nan}], "accuracy")]
    json.dumps(charts.finite(specs), allow_nan=False)
    charts.save([("", spec) for spec in specs], "all", tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10_000


@pytest.mark.parametrize("ends", ["import os; os.abort()", "raise MemoryError", "import sys; sys.exit(3)", "pass"])
def test_without_memory_for_vega_there_are_no_charts_but_a_warning(tmp_path, monkeypatch, caplog, ends):
    charts.library.cache_clear()
    monkeypatch.setattr(charts, "BUNDLE", ends)
    monkeypatch.setattr(charts, "DRAW", ends)
    assert charts.library() == ""
    assert "the report has no charts, since their library could not be packed" in caplog.text
    charts.save([], "A & B", tmp_path / "a.svg", tmp_path / "a.png")
    assert "a.svg shows no chart" in caplog.text
    assert "A &amp; B: not drawn for lack of memory" in (tmp_path / "a.svg").read_text()
    charts.library.cache_clear()
