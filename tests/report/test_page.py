"""The page: its sections and sentences, and nothing in it that data could break out of."""

import html
import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from comparison_rows import PAPERS, behavior_rows, belief_rows

from neuralese import tasks
from neuralese.evaluate.comparison import SECTIONS, compare, to_html
from neuralese.report.claims import bound_sentence, theory_sentence
from neuralese.report.page import SEEDS, comparison_tables, embed, load_beyond, plain_rows, render, time_spent
from neuralese.storage.tables import write_table

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
COMPARISON = compare(belief_rows(seeds=3, tasks=("colors",)), papers=PAPERS)
NOTHING = ("ablation", "criteria", "faithful", "bound", "relay", "listening", "theory")
BEYOND = {name: [] for name in NOTHING} | {"sentences": {"bound": "", "theory": ""}}
NOTHING_SAID = [{"measure": "p_value", "variable": "", "value": 0.4}]
FACTS = {"data": [], "seeds": [0, 1, 2], "versions": {"python": "3"}, "made": "today", "spent": "0:00:00 in 0 jobs"}
CHOSEN = {"task": "colors", "direction": "R->H", "criterion": "mine", "member": "belief sum x2", "accuracy": 0.8}
CHOSEN |= {"second": "belief sum x1", "second_accuracy": 0.7, "members": 36, "seeds": 3, "seed": 0}


def part(seed=0, phrase="red"):
    curve = {"update": [1], "success": [0.5], "reward": [0.5]}
    phrases = [{"text": phrase, "count": 1, "right": 1.0, "message": None, "said_in": None}]
    found = {"task": "colors", "seed": seed, "phrases": phrases, "history": curve, "protocol": []}
    found |= {"repeated": "", "games": None, "messages": []}
    return found | {"cloud": {"ids": [7], "x": [0.0], "y": [0.0], "phrases": [0], "share": [0.6, 0.4]}}


def page(comparison=COMPARISON, parts=None, facts=None, **beyond):
    return render(parts or [part()], tasks.every(), FACTS | (facts or {}), comparison, BEYOND | beyond)


def seen(text):
    """A page without its scripts."""
    return html.unescape(re.sub(r"<script.*", "", text, flags=re.DOTALL))


def test_nothing_in_the_data_can_end_a_script_or_become_markup():
    assert "<" not in embed({"phrase": NASTY})
    assert json.loads(embed({"phrase": NASTY})) == {"phrase": NASTY}
    assert embed({"a": [float("nan"), 1.5], "b": float("inf")}) == '{"a":[null,1.5],"b":null}'
    nasty = COMPARISON.assign(criterion=NASTY, title=NASTY)
    text = page(nasty, [part(phrase=NASTY)], criteria=[CHOSEN | {"criterion": NASTY, "member": NASTY}])
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "<script>" not in to_html(nasty)


class Addresses(HTMLParser):
    """Collects what a page's elements would load."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        loads = {"src", "srcset", "poster", "data"} | ({"href"} if tag == "link" else set())
        self.found += [value for name, value in attributes if name in loads]


def test_the_page_loads_nothing_from_elsewhere():
    text = page()
    assert Addresses(text).found == ["data:,"]
    style = text.split("</style>")[0]
    assert "@import" not in style
    assert "url(" not in style
    assert "default-src 'none'" in text


def test_embedded_data_is_said_at_the_top_and_has_no_column_for_the_paper():
    about = {"task": "colors", "source": "embedded", "meaning": "", "data_set": "", "rows": "", "licence": "MIT"}
    comparison = compare(belief_rows("embedded", seeds=3, tasks=("colors",)), papers=PAPERS)
    embedded = page(comparison, facts={"data": [about]})
    assert re.search(
        r'class="banner".*?Embedded data\..*?Colours: made from a\s+generated stand-in', embedded, re.DOTALL
    )
    assert 'class="banner" role' not in seen(page())
    for has, text in ((True, page()), (False, embedded)):
        assert ('<th scope="col" class="n">paper</th>' in text) is has
        assert ("0.860" in seen(text)) is has


def test_a_page_of_one_seed_says_once_at_the_top_that_differences_are_descriptive():
    one = page(compare(belief_rows(seeds=1), papers=PAPERS), facts={"seeds": [0]})
    assert one.count("One seed: differences are descriptive.") == 1
    assert "is not shown" not in seen(one)
    assert "One seed" not in seen(page())


def test_a_page_opens_with_the_verdict_on_messages_that_say_nothing():
    text = seen(page(parts=[part() | {"protocol": NOTHING_SAID}]))
    verdict = (
        "These messages carry no information about these states that we can detect (Colours: permutation test, p = 0.4"
    )
    assert text.index(verdict) < text.index('class="stand"')
    assert 'class="findings"' not in text
    assert "carry no information" not in seen(page())


def test_the_first_figure_and_the_table_say_who_judged():
    found = seen(page())
    assert 'aria-label="Colours, robot → human, judged by H*: belief 0.750, direct 0.650, the paper 0.86' in found
    table = found.split('class="judges"')[1].split("</table>")[0]
    assert re.findall(r'scope="col">([^<]+)', table) == [
        *("judge", "nonsense", "direct", "algorithm-1", "belief", "untranslated", "the paper")
    ]
    assert "robot → human: <b>H*</b><small>a model of a person" in table
    assert re.findall(r'data-head="[^"]+" class="[^"]+">([\d.]+)', table)[:6] == [
        *("0.500", "0.650", "0.670", "0.750", "0.800", "0.860")
    ]


def test_recorded_agents_have_no_learning_curves():
    assert "Learning curves" in seen(page())
    text = seen(page(parts=[part() | {"history": None}]))
    assert "<span>Learning curves" not in text
    assert "These messages were recorded elsewhere" in text


def test_every_section_of_a_table_stands_under_its_title():
    tables = comparison_tables(compare(belief_rows(seeds=3), behavior_rows(seeds=3), PAPERS))
    found = {table["number"]: [*table["sections"]] for table in tables}
    *judges, phrase, easier, told, judge = SECTIONS.values()
    apart = ["", *judges, phrase, told, judge]
    assert found == {"1a": apart, "1b": apart, "2": ["", phrase, easier, told], "3": [""]}
    text = seen(page())
    text = text[text.index("Every figure") :]
    main, of_phrases, of_judge = (text.index(what) for what in ("R → R</th>", phrase, judge))
    assert main < of_phrases < of_judge < text.index("asks the judge</td>")
    driving = tables[-1]  # where robots drive, silence has a column
    assert (driving["silence"], driving["measures"], driving["task"]) == (True, 2, "driving")


def test_gains_are_written_with_their_tests_over_seeds():
    def ours(comparison):
        (table,) = comparison_tables(comparison)
        assert not table["silence"]
        return next(row for row in table["sections"][""] if row["role"] == "ours" and row["pair"] == "R → H*")

    row = ours(COMPARISON)
    assert row["over_baseline"].startswith("+0.100 (p ")
    assert "Holm" in row["over_baseline"]
    assert row["over_control"].startswith("+0.250 (p ")
    assert ours(compare(belief_rows(seeds=1, tasks=("colors",)), papers=PAPERS))["over_baseline"] == "+0.100"  # no test


def test_the_faithful_run_is_shown_where_there_was_one():
    assert "As close to the paper as we can get" not in page()
    text = seen(page(faithful=plain_rows(COMPARISON))).split("As close to the paper as we can get")[1]
    assert "Algorithm 1 (as printed)" in text


def test_all_that_goes_beyond_the_paper_is_loaded_from_its_tables(tmp_path):
    known = {"task": "colors", "seed": 0, "data": "mirror", "measure": "accuracy", "n": 9, "groups": 9}
    ablation = pd.DataFrame(
        [
            known
            | {"speaker": speaker, "listener": listener, "split": split, "value": 0.7, "ci_low": 0.6, "ci_high": 0.8}
        ]
        for speaker, listener in (("R", "H*"), ("H", "R"))
        for split in ("dev", "test")
    )[0].apply(pd.Series)
    several = CHOSEN | {"settings": "{}"}
    tables = {
        "ablation": ablation.assign(
            family="mine",
            criterion="x2",
            title="x2",
            role="ours",
            chosen=True,
            chance=0.5,
            judge=ablation["listener"],
            ties=0.0,
            truth=0.3,
            said=0.4,
        ),
        "criteria": pd.DataFrame([several, several | {"criterion": "alone", "members": 1, "second": ""}]),
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
    assert [row["criterion"] for row in beyond["criteria"]] == ["mine"]  # of several members
    assert [(each["task"], each["pair"]) for each in beyond["ablation"]] == [("colors", "R → H*"), ("colors", "H → R")]
    text = seen(page(**beyond))
    assert 'belief sum x2</td><td class="n">0.800</td><td>belief sum x1</td><td class="n">0.700</td>' in text


def test_of_many_seeds_the_first_can_be_explored():
    text = page(parts=[part(seed) for seed in range(SEEDS + 2)])
    assert text.count('class="part"') == SEEDS
    assert f"seeds {SEEDS}, {SEEDS + 1} appear only in the tables and learning curves" in text


def test_time_spent_adds_up_what_jobs_took(tmp_path):
    for name, seconds in (("a/train.tsv", 60), ("b/train.tsv", 30), ("b/fit.tsv", 5)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"s\th:m:s\n{seconds}\t-\n")
    assert time_spent(tmp_path) == "0:01:35 (hours:minutes:seconds) in 3 jobs"
    assert time_spent(tmp_path / "nowhere").startswith("0:00:00")


@pytest.mark.parametrize(("lost", "says"), [(0.1, "Proposition 1 holds"), (0.9, "Proposition 1 does not hold: 1 of 2")])
def test_a_broken_bound_would_be_told(lost, says):
    games = pd.DataFrame({"game": [0, 1], "lost": [0.0, lost], "bound": [0.5, 0.5]})
    assert theory_sentence(games).startswith(says)


def test_a_bound_of_one_or_more_says_nothing():
    means = pd.DataFrame({"lost": [0.1, 0.4], "bound": [0.5, 1.2]})
    assert "on 2 of 2 tasks; on 1 of them" in bound_sentence(means)
    assert "on 0 of 1 tasks." in bound_sentence(pd.DataFrame({"lost": [0.6], "bound": [0.5]}))
