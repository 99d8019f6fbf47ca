"""The ablation as a picture: which criteria are shown, in which order, and what marks the chosen ones."""

from itertools import product

import pandas as pd
import pytest
from comparison_rows import PAPERS
from matplotlib import pyplot as plt

from neuralese.report.ablation import SHOWN, draw_ablation, panel, panels
from neuralese.report.page.beyond import ablation_values, load_beyond
from neuralese.report.page.write import embed
from neuralese.storage.tables import write_table

LISTENERS = {("colors", "R"): "H*", ("colors", "H"): "R", ("driving", "R"): "H*", ("driving", "H"): "R*"}


def rows(task="colors", speaker="R", data="mirror", seeds=2, members=20) -> pd.DataFrame:
    """A family of many, one that is alone, and what asks the judge, whose dev and test accuracy is known."""
    family = [("mine", f"member {number}", f"member {number}", "ours", 0.5 + number / 100) for number in range(members)]
    alone = [
        ("printed", "member 3", "Algorithm 1 (as printed)", "printed", 0.53),  # one of the family, too
        ("poor", "poor x1", "poor", "", 0.2),
        ("pragmatic", "pragmatic", "pragmatic (asks the judge)", "asks the judge", 0.9),
    ]
    table = pd.DataFrame(
        [
            (
                name,
                member,
                title,
                role,
                split,
                seed,
                accuracy + (seed - (seeds - 1) / 2) / 100 - 0.05 * (split == "test"),
            )
            for (name, member, title, role, accuracy) in family + alone
            for split, seed in product(("dev", "test"), range(seeds))
        ],
        columns=["family", "criterion", "title", "role", "split", "seed", "value"],
    ).assign(task=task, speaker=speaker, listener=LISTENERS[task, speaker], data=data, candidates=2, chance=0.5)
    table = table.assign(ci_low=table["value"] - 0.01, ci_high=table["value"] + 0.02, measure="accuracy", n=9, groups=9)
    return table.assign(chosen=((table["family"] == "mine") & (table["criterion"] == "member 1")) | alone_in(table))


def alone_in(table: pd.DataFrame) -> pd.Series:
    return table["family"].isin(["printed", "poor"])


def test_a_row_is_the_mean_over_seeds_of_dev_and_test():
    row = panel(rows()).set_index("title").loc["member 12"]
    assert [row["dev"], row["test"], row["low"], row["high"]] == pytest.approx([0.62, 0.57, 0.56, 0.59])


def test_the_best_by_dev_are_shown_and_always_the_chosen_and_those_that_are_alone():
    shown = panel(rows())
    assert shown["dev"].is_monotonic_increasing  # the best on top of the picture, which is last
    titles = shown["title"].tolist()
    assert titles[-1] == "pragmatic (asks the judge)"
    assert {"member 1", "poor", "Algorithm 1 (as printed)"} < set(titles)
    family = [title for title in titles if title.startswith("member")]
    assert len(family) == SHOWN - 1 + 1  # the best, of which one asks the judge, and the chosen one
    assert "member 2" not in titles
    assert shown.set_index("title")["judge"].to_dict()["pragmatic (asks the judge)"]
    assert shown["judge"].sum() == 1


def test_a_criterion_of_two_families_stands_there_by_its_title_and_once():
    titles = panel(rows(members=5))["title"].tolist()
    assert "Algorithm 1 (as printed)" in titles
    assert "member 3" not in titles
    few = rows(members=5)
    again = few[few["family"] == "mine"].assign(family="yours", chosen=False)
    titles = panel(pd.concat([few, again]))["title"].tolist()
    assert titles.count("member 4") == 1  # in two families of several, and chosen in neither
    assert titles.count("member 1") == 1  # chosen in one of them


def test_a_chosen_criterion_is_shown_even_where_it_is_the_papers_too():
    table = rows(members=5)
    both = table.assign(chosen=table["chosen"] | (table["criterion"] == "member 3"))
    titles = panel(both)["title"].tolist()
    assert {"member 3", "Algorithm 1 (as printed)"} < set(titles)


def test_there_is_a_panel_for_each_task_and_direction():
    table = pd.concat([rows(task, speaker) for task, speaker in LISTENERS])
    named = [(task, pair) for task, pair, _ in panels(table)]
    assert named == [("colors", "R → H*"), ("colors", "H → R"), ("driving", "R → H*"), ("driving", "H → R*")]


@pytest.fixture
def drawn(monkeypatch):
    """What `draw_ablation` would save."""
    kept = []
    monkeypatch.setattr("neuralese.report.ablation.save", lambda figure, *paths: kept.append(figure))
    yield kept
    plt.close("all")


def test_the_chosen_of_a_family_are_bold_and_what_asks_the_judge_has_its_own_colour(drawn):
    draw_ablation(pd.concat([rows(speaker=speaker) for speaker in ("R", "H")]), PAPERS)
    labels = {label.get_text(): label for label in drawn[0].axes[0].get_yticklabels()}
    bold = {text for text, label in labels.items() if label.get_fontweight() == "bold"}
    assert bold == {"member 1"}
    assert labels["pragmatic (asks the judge)"].get_color() != labels["member 1"].get_color()


def test_the_papers_figure_is_drawn_beside_real_data_with_the_same_distractors_alone(drawn):
    for data in ("mirror", "embedded"):
        draw_ablation(pd.concat([rows(task, speaker, data) for task, speaker in LISTENERS]), PAPERS)
    legends = [
        [
            text.get_text()
            for axes in figure.axes
            for text in axes.get_legend().get_texts()
            if "paper" in text.get_text()
        ]
        for figure in drawn
    ]
    assert legends == [["paper, belief: 0.86", "paper, belief: 0.73"], []]


def test_chance_is_drawn_where_it_is_and_a_task_that_the_paper_has_not_is_drawn_without_it(drawn):
    table = pd.concat([rows(speaker=speaker) for speaker in ("R", "H")])
    draw_ablation(table.assign(task="shapes", candidates=4, chance=0.25), {"shapes": None})
    for axes in drawn[0].axes:
        assert 0.25 in [line.get_xdata()[0] for line in axes.lines]
        assert not any("paper" in text.get_text() for text in axes.get_legend().get_texts())


def test_the_page_gets_the_same_rows_the_best_first():
    values = ablation_values(pd.concat([rows(task, speaker) for task, speaker in LISTENERS]))
    assert [(each["task"], each["pair"]) for each in values][-1] == ("driving", "H → R*")
    first = values[0]["rows"][0]
    assert (first["label"], first["judge"], first["chosen"]) == ("pragmatic (asks the judge)", True, False)
    assert first["dev"] == 0.9
    embed(values)


def test_all_that_goes_beyond_the_paper_is_loaded_from_its_tables(tmp_path):
    settings = {"task": "colors", "direction": "R->H", "criterion": "mine", "member": "member 1", "settings": "{}"}
    tables = {
        "ablation": pd.concat([rows(speaker=speaker) for speaker in ("R", "H")]),
        "criteria": pd.DataFrame([settings | {"second": "member 2", "members": 20, "seeds": 2}]).assign(
            accuracy=0.51, second_accuracy=0.5
        ),
        "bound": pd.DataFrame([{"task": "colors", "criterion": "mine", "data": "mirror", "seed": 0}]).assign(
            divergence=0.02, bound=0.2, native=0.9, translated=0.8, lost=0.1
        ),
        "proposition_1": pd.DataFrame({"game": [0], "lost": [0.1], "bound": [0.2], "bound_product": [0.3]}),
        "proposition_2": pd.DataFrame({"criterion": ["mine"], "rarity": [0.1], "recovered": [1.0]}),
    }
    paths = {f"{name}.parquet": tmp_path / f"{name}.parquet" for name in tables}
    for name, table in tables.items():
        write_table(paths[f"{name}.parquet"], table, name)
    beyond = load_beyond(paths)
    assert [row["member"] for row in beyond["criteria"]] == ["member 1"]
    assert len(beyond["ablation"]) == 2
    embed(beyond)
