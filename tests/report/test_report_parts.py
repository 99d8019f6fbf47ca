import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import torch
from comparison_rows import PAPERS, behavior_rows, belief_rows

from neuralese import tasks
from neuralese.agents.messages import Speech
from neuralese.evaluate.comparison import SECTIONS, compare, to_html
from neuralese.figures import plt, save
from neuralese.games.reference import ReferenceGame
from neuralese.report.comparison import draw_comparison
from neuralese.report.page.beyond import bound_sentence, criteria_values, theory_sentence, theory_values
from neuralese.report.page.explorer import Explorer
from neuralese.report.page.facts import clock, time_spent
from neuralese.report.page.gather import cloud, repeated, verdicts
from neuralese.report.page.write import Contents, comparison_tables, embed, faithful_rows, fitting, render
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.tasks.driving.watch import turn_by_turn
from neuralese.translate.languages import English, Neuralese

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
COMPARISON = compare(belief_rows(seeds=3, tasks=("colors",)), papers=PAPERS)
BEYOND = {
    "ablation": [],
    "criteria": [],
    "faithful": [],
    "bound": [],
    "theory": {"messages": 1, "games": 1, "broken": 0, "dots": [], "recovered": []},
}
FACTS = {"data": [], "seeds": [0, 1, 2], "versions": {"python": "3"}, "made": "today"}
FACTS["spent"] = {"jobs": 0, "total": "0 s", "longest": []}


def part(seed=0, phrase="red"):
    return {"task": "colors", "seed": seed, "phrases": [phrase], "history": {"update": [1]}, "protocol": []}


def page(comparison=COMPARISON, parts=None, **beyond):
    parts = parts or [part()]
    return render(Contents(tasks.every(), FACTS, comparison, BEYOND | beyond, parts, parts, []))


def seen(text):
    """A page without its scripts."""
    return html.unescape(re.sub(r"<script.*", "", text, flags=re.DOTALL))


def languages(generator, candidates=2):
    torch.manual_seed(0)
    game = ReferenceGame(torch.rand(20, 3, generator=generator), n_candidates=candidates)
    robot, human = RobotSpeaker(game, 8, 4, 0.3), HumanSpeaker(game, 8, 3)
    english = English(game, human, ["red", "green", "blue"])
    said = Neuralese(game, robot, torch.randn(6, 4, generator=generator), torch.arange(10, 16))
    return game, english, said


def entry(direction, criterion, source, target, score=1.0, new=False, text=""):
    return {
        "direction": direction,
        "criterion": criterion,
        "source_id": source,
        "source": text,
        "rank": 1,
        "target_id": target,
        "score": score,
        "new": new,
    }


def test_the_explorer_holds_the_beliefs_of_all_that_it_offers(generator):
    game, english, said = languages(generator)
    bags = pd.DataFrame({"bag_id": [0, 1], "text": ["red", "red, blue"], "parts": [[0], [0, 2]]})
    rows = [entry("R->H", "mine", 10, 2), entry("R->H", "mine", 99, 1), entry("H->R", "mine", 0, 12, np.inf)]
    rows += [entry("R->H", "synthesis", 10, 1, new=True), entry("H->R", "synthesis", 0, 14, new=True, text="red")]
    rows += [entry("H->R", "mine", 3, 13, text="red, blue"), entry("H->R", "judge", 3, 15, new=True, text="red, blue")]
    states = game.draw_states(5, generator)
    explorer = Explorer(english, said, said, said, bags)
    values = explorer.values(pd.DataFrame(rows), game.candidates(states))
    by_name = {(each["criterion"], each["direction"]): each for each in values["translations"]}
    assert by_name["mine", "R->H"]["best"] == {10: [[2, 1.0]]}  # 99 is not among the messages to look up
    assert by_name["mine", "H->R"]["best"] == {0: [[12, None]]}  # nor are utterances of several phrases
    assert ("judge", "H->R") not in by_name
    kinds = {name: each["kind"] for name, each in by_name.items()}
    assert kinds == {
        ("mine", "R->H"): "phrase",
        ("mine", "H->R"): "message",
        ("synthesis", "R->H"): "bag",
        ("synthesis", "H->R"): "new",
    }
    for each in values["translations"]:
        for targets in each["best"].values():
            assert all(len(values["beliefs"][each["kind"]][target]) == 5 for target, _ in targets)
    assert values["bags"] == {1: "red, blue"}
    assert values["made_for"] == {14: "red"}
    log_prob = english.log_likelihood(game.candidates(states))[0]
    expected = (100 * log_prob.softmax(-1)[:, 0]).round().int().tolist()
    assert values["beliefs"]["phrase"][0] == expected
    json.dumps(values, allow_nan=False)


def test_the_explorer_shows_how_likely_the_true_one_of_several_is(generator):
    game, english, said = languages(generator, candidates=4)
    candidates = game.candidates(game.draw_states(5, generator))
    explorer = Explorer(english, said, said, said, pd.DataFrame({"bag_id": [], "text": [], "parts": []}))
    values = explorer.values(pd.DataFrame([entry("R->H", "mine", 10, 2)]), candidates)
    log_prob = said.log_likelihood(candidates)[0]
    assert log_prob.shape == (5, 4)
    assert values["beliefs"]["message"][10] == (100 * log_prob.softmax(-1)[:, 0]).round().int().tolist()


def test_the_cloud_keeps_the_directions_in_which_messages_differ(generator):
    messages = torch.randn(50, 4, generator=generator) * torch.tensor([0.1, 5.0, 0.1, 1.0])
    said = Speech(torch.arange(50), torch.zeros(50, 2, dtype=torch.long), messages)
    shown = cloud(said, dict.fromkeys(range(50), 0), count=20)
    assert len(shown["x"]) == len(shown["states"]) == len(shown["phrases"]) == 20
    assert abs(np.corrcoef(shown["x"], messages[:20, 1])[0, 1]) > 0.99
    assert shown["share"][0] > shown["share"][1] > 0


def test_driving_games_keep_every_turn_of_both_cars():
    rows = [
        {"pair": "R/R", "criterion": "mine", "game": 0, "turn": turn, "player": player}
        | {"map": 2, "pose": 5, "goal": 1, "action": 1}
        | {"who": "robot", "said": "north", "reward": 0.5, "outcome": "arrived" if turn else ""}
        for turn in (0, 1)
        for player in (0, 1)
    ]
    (game,) = turn_by_turn(pd.DataFrame(rows))
    assert (game["map"], game["who"], len(game["turns"])) == (2, ["robot", "robot"], 2)
    assert game["turns"][1]["outcome"] == "arrived"
    assert len(game["turns"][0]["cars"]) == 2
    both = turn_by_turn(pd.concat([pd.DataFrame(rows), pd.DataFrame(rows).assign(criterion="theirs")]))
    assert [(each["criterion"], each["start"], len(each["turns"])) for each in both] == [
        ("mine", 0, 2),
        ("theirs", 0, 2),
    ]


def test_nothing_in_the_data_can_end_a_script_or_become_markup():
    assert "<" not in embed({"phrase": NASTY})
    assert json.loads(embed({"phrase": NASTY})) == {"phrase": NASTY}
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


def test_what_could_not_be_measured_is_null():
    assert embed({"a": [float("nan"), 1.5], "b": float("inf")}) == '{"a":[null,1.5],"b":null}'


def test_the_page_loads_nothing_from_elsewhere():
    text = page()
    assert Addresses(text).found == ["data:,"]
    style = text.split("</style>")[0]
    assert "@import" not in style
    assert "url(" not in style
    assert "default-src 'none'" in text


def test_embedded_results_have_no_column_for_the_paper():
    assert '<th scope="col" class="n">paper</th>' in page()
    embedded = page(compare(belief_rows("embedded", seeds=3, tasks=("colors",)), papers=PAPERS))
    assert '<th scope="col" class="n">paper</th>' not in embedded
    assert "0.86" in seen(page())
    assert "0.86" not in seen(embedded)


def test_a_page_of_embedded_data_says_so_at_the_top():
    about = {"task": "colors", "source": "embedded", "meaning": "", "data_set": "", "rows": "", "licence": "MIT"}
    facts = {**FACTS, "data": [about]}
    text = render(Contents(tasks.every(), facts, COMPARISON, BEYOND, [part()], [part()], []))
    assert re.search(r'class="banner".*?Embedded data\..*?Colours: made from a\s+generated stand-in', text, re.DOTALL)
    assert 'class="banner"' not in seen(page())


def test_a_page_of_one_seed_says_once_at_the_top_that_differences_are_descriptive():
    comparison = compare(belief_rows(seeds=1), papers=PAPERS)
    one = render(Contents(tasks.every(), FACTS | {"seeds": [0]}, comparison, BEYOND, [part()], [part()], []))
    assert one.count("One seed: differences are descriptive.") == 1
    assert "is not shown" not in seen(one)
    assert "One seed" not in seen(page())


def test_a_test_without_a_number_of_bits_gives_none():
    bits = {"": float("nan"), "hue": 0.4}
    rows = [row for name in bits for row in (("p_value", name, 0.01), ("information", name, bits[name]))]
    said = verdicts(pd.DataFrame(rows, columns=["measure", "variable", "value"]))
    assert said[0] == "These messages say something about the states (permutation test, p = 0.010)."
    assert "about hue, at least 0.40 bits (permutation" in said[1]


def protocol_table(dimension):
    rows = [("effective_dimension", "", dimension), ("clusters", "", 2.0), ("information", "hue", 0.4)]
    return pd.DataFrame(rows, columns=["measure", "variable", "value"])


def test_words_that_come_back_again_and_again_are_explained_by_the_protocol():
    phrases = ["lime", "royal", "red"]
    nearly_binary = repeated([0] * 6 + [1] * 3 + [2], phrases, protocol_table(1.2))
    assert nearly_binary.startswith("90% of the test messages are translated as “lime” or “royal”.")
    assert "almost one bit" in nearly_binary
    assert "effective dimension 1.2 before noise" in nearly_binary
    assert "one bit" not in repeated([0] * 9 + [2], phrases, protocol_table(5.0))
    assert repeated([0, 1, 2] * 3 + [3, 4, 5] * 3, [*phrases, "a", "b", "c"], protocol_table(1.2)) == ""


CHOSEN = {"task": "colors", "direction": "R->H", "criterion": "mine", "member": "belief sum x2", "accuracy": 0.8}
CHOSEN |= {"second": "belief sum x1", "second_accuracy": 0.7, "members": 36, "seeds": 3}


def test_every_section_of_a_table_stands_under_its_title():
    tables = comparison_tables(compare(belief_rows(seeds=3), behavior_rows(seeds=3), PAPERS))
    found = {table["number"]: [section["title"] for section in table["sections"]] for table in tables}
    phrase, easier, told, judge = SECTIONS.values()
    apart = ["", phrase, told, judge]
    assert found == {"1a": apart, "1b": apart, "2": ["", phrase, easier, told], "3": [""]}
    text = seen(page())
    main, of_phrases, of_judge = (text.index(what) for what in ("R → R</th>", phrase, judge))
    assert main < of_phrases < of_judge < text.index("asks the judge</td>")


def test_gains_are_written_with_their_tests_over_seeds():
    (table,) = comparison_tables(COMPARISON)
    row = next(row for row in table["rows"] if row["role"] == "ours" and row["pair"] == "R → H*")
    assert row["over_baseline"].startswith("+0.100 (p ")
    assert "Holm" in row["over_baseline"]
    assert row["over_control"].startswith("+0.250 (p ")
    assert row["over_silence"] == ""
    assert not table["silence"]
    (first, *_) = comparison_tables(compare(belief_rows(seeds=1, tasks=("colors",)), papers=PAPERS))
    row = next(row for row in first["rows"] if row["role"] == "ours" and row["pair"] == "R → H*")
    assert row["over_baseline"] == "+0.100"  # one seed, no test


def test_silence_has_a_column_where_robots_drive():
    tables = comparison_tables(compare(belief_rows(), behavior_rows(), PAPERS))
    (table,) = [table for table in tables if table["number"] == "3"]
    assert table["silence"]
    assert (table["measures"], table["task"]) == (2, "driving")


def test_what_dev_chose_among_several_is_told_with_the_second_best():
    criteria = pd.DataFrame([CHOSEN, CHOSEN | {"criterion": "alone", "members": 1, "second": ""}])
    values = criteria_values(criteria.assign(settings="{}"))
    assert [row["criterion"] for row in values] == ["mine"]
    text = seen(page(criteria=values))
    assert 'belief sum x2</td><td class="n">0.800</td><td>belief sum x1</td><td class="n">0.700</td>' in text


def test_the_faithful_run_is_shown_where_there_was_one():
    assert faithful_rows(None) == []
    assert "As close to the paper as we can get" not in page()
    rows = faithful_rows(COMPARISON)
    assert {row["section"] for row in rows} == {""}
    assert len(rows) == (COMPARISON["section"] == "").sum()
    text = seen(page(faithful=rows)).split("As close to the paper as we can get")[1]
    assert "Algorithm 1 (as printed)" in text


def test_seeds_are_kept_while_they_fit_and_the_first_always():
    parts = [part(seed, "x" * 1000) for seed in (3, 5, 7)]
    assert fitting(parts, 10**6) == (parts, [])
    assert fitting(parts, 2500) == (parts[:2], [7])
    assert fitting(parts, 10) == (parts[:1], [5, 7])


def test_time_spent_adds_up_what_jobs_took(tmp_path):
    for name, seconds in (("a/train.tsv", 60), ("b/train.tsv", 30), ("b/fit.tsv", 5)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"s\th:m:s\n{seconds}\t-\n")
    assert time_spent(tmp_path) == {
        "jobs": 3,
        "total": "1 min 35 s",
        "longest": [("train", "1 min 30 s"), ("fit", "5 s")],
    }
    assert time_spent(tmp_path / "nowhere")["jobs"] == 0
    assert clock(3720) == "1 h 02 min"


@pytest.mark.parametrize(("lost", "says"), [(0.1, "Proposition 1 holds"), (0.9, "Proposition 1 does not hold: 1 of 2")])
def test_a_broken_bound_would_be_told(lost, says):
    games = pd.DataFrame({"game": [0, 1], "lost": [0.0, lost], "bound": [0.5, 0.5]})
    recovered = pd.DataFrame({"criterion": ["belief"], "rarity": [0.1], "recovered": [1.0]})
    assert theory_sentence(theory_values(games, recovered)).startswith(says)


def test_a_bound_of_one_or_more_says_nothing():
    rows = [{"lost": 0.1, "bound": 0.5}, {"lost": 0.4, "bound": 1.2}]
    assert "on 2 of 2 tasks; on 1 of them" in bound_sentence(rows)
    assert "on 0 of 1 tasks." in bound_sentence([{"lost": 0.6, "bound": 0.5}])


def test_the_same_figure_is_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        draw_comparison(COMPARISON, tmp_path / f"{name}.svg", tmp_path / f"{name}.png")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert b"<dc:date>" not in (tmp_path / "a.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_the_papers_easier_distractors_are_drawn_apart_and_single_phrases_not_at_all(monkeypatch):
    drawn = []
    monkeypatch.setattr("neuralese.report.comparison.save", lambda figure, *_: drawn.append(figure))
    table = compare(belief_rows(seeds=2), papers=PAPERS)
    for task in ("colors", "driving"):
        draw_comparison(table[table["task"] == task])
    assert [[axes.get_xlabel() for axes in figure.axes] for figure in drawn] == [
        ["accuracy"],
        ["accuracy", "accuracy, the paper's easier distractors"],
    ]
    labels = [[text.get_text() for text in axes.get_yticklabels()] for axes in drawn[1].axes]
    assert labels[0] == labels[1]
    assert len(labels[0]) == len(set(labels[0]))
    paper = [axes.get_legend_handles_labels()[1] for axes in drawn[1].axes]
    assert ["paper" in labels for labels in paper] == [False, True]
    plt.close("all")


def test_one_seed_is_said_to_be_one(monkeypatch):
    titles = []
    monkeypatch.setattr("neuralese.report.comparison.save", lambda figure, *_: titles.append(figure.get_suptitle()))
    for seeds in (1, 3):
        draw_comparison(compare(belief_rows(seeds=seeds, tasks=("colors",)), papers=PAPERS))
    assert "one seed: intervals are over items only" in titles[0]
    assert "3 seeds" in titles[1]
    plt.close("all")


def test_a_saved_figure_is_closed(tmp_path):
    before = plt.get_fignums()
    save(plt.figure(), tmp_path / "empty.png")
    assert plt.get_fignums() == before
