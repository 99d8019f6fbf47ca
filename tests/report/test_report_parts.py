import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import torch

from neuralese.agents.messages import Speech
from neuralese.evaluate.paper import to_html
from neuralese.games.reference import ReferenceGame
from neuralese.report.comparison import draw_comparison
from neuralese.report.figures import plt, save
from neuralese.report.page.beyond import bound_sentence, theory_sentence, theory_values
from neuralese.report.page.explorer import Explorer
from neuralese.report.page.facts import clock, time_spent
from neuralese.report.page.gather import cloud, driving_games
from neuralese.report.page.items import thumbnail
from neuralese.report.page.write import embed, fitting, render
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.languages import English, Neuralese

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
COMPARISON = pd.DataFrame(
    {
        "table": ["1a", "1a"],
        "task": "colors",
        "pair": "R → H*",
        "criterion": ["belief", "direct"],
        "measure": "accuracy",
        "data": "mirror",
        "ours": [0.8, 0.7],
        "ci_low": [0.79, 0.69],
        "ci_high": [0.81, 0.71],
        "seeds": 1,
        "n": 100,
        "paper": [0.86, 0.72],
        "gain": [0.1, np.nan],
        "p_value": [0.001, np.nan],
        "difference": [-0.06, -0.02],
    }
)
BEYOND = {
    "ablation": [],
    "bound": [],
    "theory": {"messages": 1, "games": 1, "broken": 0, "dots": [], "recovered": []},
}
FACTS = {"data": [], "seeds": [0], "versions": {"python": "3"}, "made": "today"}
FACTS["spent"] = {"jobs": 0, "total": "0 s", "longest": []}


def part(seed=0, phrase="red"):
    return {"task": "colors", "seed": seed, "phrases": [phrase], "history": {"update": [1]}}


def page(comparison=COMPARISON, parts=None):
    parts = parts or [part()]
    return render(FACTS, comparison, BEYOND, parts, parts, [])


def languages(generator):
    torch.manual_seed(0)
    game = ReferenceGame(torch.rand(20, 3, generator=generator))
    robot, human = RobotSpeaker(game, 8, 4, 0.3), HumanSpeaker(game, 8, 3)
    english = English(game, human, ["red", "green", "blue"])
    said = Neuralese(game, robot, torch.randn(6, 4, generator=generator), torch.arange(10, 16))
    return game, english, said


def entry(direction, criterion, source, target, score=1.0):
    return {
        "direction": direction,
        "criterion": criterion,
        "source_id": source,
        "rank": 1,
        "target_id": target,
        "score": score,
    }


def test_the_explorer_holds_the_beliefs_of_all_that_it_offers(generator):
    game, english, said = languages(generator)
    bags = pd.DataFrame({"bag_id": [0, 1], "text": ["red", "red, blue"], "parts": [[0], [0, 2]]})
    rows = [entry("R->H", "belief", 10, 2), entry("R->H", "belief", 99, 1), entry("H->R", "belief", 0, 12, np.inf)]
    rows += [entry("R->H", "synthesis", 10, 1), entry("H->R", "synthesis", 0, 14)]
    states = game.draw_states(5, generator)
    explorer = Explorer(english, said, said, said, bags)
    values = explorer.values(pd.DataFrame(rows), game.candidates(states))
    by_name = {(each["criterion"], each["direction"]): each for each in values["translations"]}
    assert by_name["belief", "R->H"]["best"] == {10: [[2, 1.0]]}  # 99 is not among the messages to look up
    assert by_name["belief", "H->R"]["best"] == {0: [[12, None]]}
    for each in values["translations"]:
        for targets in each["best"].values():
            assert all(len(values["beliefs"][each["kind"]][target]) == 5 for target, _ in targets)
    assert values["bags"] == {1: "red, blue"}
    log_prob = english.log_likelihood(game.candidates(states))[0]
    expected = (100 * log_prob.softmax(-1)[:, 0]).round().int().tolist()
    assert values["beliefs"]["phrase"][0] == expected
    json.dumps(values, allow_nan=False)


def test_the_cloud_keeps_the_directions_in_which_messages_differ(generator):
    messages = torch.randn(50, 4, generator=generator) * torch.tensor([0.1, 5.0, 0.1, 1.0])
    said = Speech(torch.arange(50), torch.zeros(50, 2, dtype=torch.long), messages)
    shown = cloud(said, dict.fromkeys(range(50), 0), count=20)
    assert len(shown["x"]) == len(shown["states"]) == len(shown["phrases"]) == 20
    assert abs(np.corrcoef(shown["x"], messages[:20, 1])[0, 1]) > 0.99
    assert shown["share"][0] > shown["share"][1] > 0


def test_driving_games_keep_every_turn_of_both_cars():
    rows = [
        {"pair": "R/R", "game": 0, "turn": turn, "player": player, "map": 2, "pose": 5, "goal": 1, "action": 1}
        | {"who": "robot", "said": "north", "reward": 0.5, "outcome": "arrived" if turn else ""}
        for turn in (0, 1)
        for player in (0, 1)
    ]
    (game,) = driving_games(pd.DataFrame(rows))
    assert (game["map"], game["who"], len(game["turns"])) == (2, ["robot", "robot"], 2)
    assert game["turns"][1]["outcome"] == "arrived"
    assert len(game["turns"][0]["cars"]) == 2


def test_nothing_in_the_data_can_end_a_script_or_become_markup():
    assert "<" not in embed({"phrase": NASTY})
    assert json.loads(embed({"phrase": NASTY})) == {"phrase": NASTY}
    text = page(COMPARISON.assign(criterion=NASTY), [part(phrase=NASTY)])
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "<script>" not in to_html(COMPARISON.assign(criterion=NASTY))


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
    embedded = page(COMPARISON.assign(data="embedded", paper=np.nan, difference=np.nan))
    assert '<th scope="col" class="n">paper</th>' not in embedded
    assert "0.86" not in re.sub(r"<script.*", "", embedded, flags=re.DOTALL)


def test_seeds_are_kept_while_they_fit_and_the_first_always():
    parts = [part(seed, "x" * 1000) for seed in (3, 5, 7)]
    assert fitting(parts, 10**6) == (parts, [])
    assert fitting(parts, 2500) == (parts[:2], [7])
    assert fitting(parts, 10) == (parts[:1], [5, 7])


def test_a_bird_is_made_small():
    picture = np.random.default_rng(0).integers(0, 255, (300, 200, 3), dtype=np.uint8)
    assert thumbnail(picture).startswith("data:image/webp;base64,")
    assert len(thumbnail(picture)) < 10_000


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


def test_a_saved_figure_is_closed(tmp_path):
    before = plt.get_fignums()
    save(plt.figure(), tmp_path / "empty.png")
    assert plt.get_fignums() == before
