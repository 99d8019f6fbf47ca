"""The server of games about items, over real HTTP: pictures, and requests that nobody should make."""

import io
import json
import re

import pytest
from asking import ask, post
from PIL import Image

from neuralese.play.server import MOST_BYTES


@pytest.fixture
def server(serve, sit):
    return serve(sit("colors"))


@pytest.mark.parametrize(("task", "size"), [("colors", (1, 1)), ("birds", None)])
def test_the_candidates_are_pictures_beside_the_page(serve, sit, task, size):
    server = serve(sit(task))
    for candidate in server.sitting.state()["candidates"]:
        status, headers, content = ask(server, "GET", candidate["picture"])
        assert (status, headers["Content-Type"]) == (200, "image/png")
        picture = Image.open(io.BytesIO(content))
        assert picture.size == (size or picture.size)
        assert ask(server, "GET", candidate["picture"], token="wrong")[0] == 403


@pytest.mark.parametrize("name", ["", "watch.html"])
def test_both_pages_are_whole_and_load_nothing_from_elsewhere(server, name):
    status, _, content = ask(server, "GET", name)
    assert status == 200
    page = content.decode()
    scripts = re.findall(r'(?:src|href)="([^"#]+)"', page)
    for each in scripts:
        status, _, content = ask(server, "GET", each.removeprefix("./"))
        assert status == 200, each
        for imported in re.findall(r'from "\./([^"]+)"', content.decode()) if each.endswith(".js") else ():
            assert ask(server, "GET", imported)[0] == 200, imported
    assert "//" not in page


@pytest.mark.parametrize(
    ("name", "body", "status", "says"),
    [
        ("describe", {"round": 1, "words": ""}, 400, "Please say something first."),
        ("describe", {"round": 1, "words": "xyzzy"}, 400, "no word like"),
        ("describe", {"round": 1, "words": "blue " * 20}, 400, "please keep to 80"),
        ("describe", {"round": 1, "words": "x" * MOST_BYTES}, 413, "too long"),
        ("describe", {"round": 2, "words": "blue"}, 409, "played already"),
        ("describe", {"round": -1, "words": "blue"}, 409, "played already"),
        ("describe", {"round": True, "words": "blue"}, 400, "must contain round (int), words (str)"),
        ("describe", {"words": "blue"}, 400, "must contain round (int)"),
        ("describe", {"round": 1, "words": "\ud800 \x00"}, 400, "Please say something first."),
        ("pick", {"round": 1, "place": 0}, 400, "the robot's turn to pick"),
        ("pick", {"round": 10**30, "place": 0}, 409, "played already"),
        ("pick", {"round": 1, "place": "0"}, 400, "must contain round (int), place (int)"),
        ("next", {"round": 1}, 400, "not over yet"),
        ("choose", {"criterion": "telepathy", "interpreter": False}, 400, "choose from direct, mine"),
        ("choose", {"criterion": "mine", "interpreter": 1}, 400, "interpreter (bool)"),
        ("saved", {}, 404, "nothing at this address"),
        ("_save", {}, 404, "nothing at this address"),
        ("new", '{"round":', 400, "not JSON"),
        ("watch", "[" * 1000, 400, "not JSON"),
    ],
)
def test_a_wrong_request_is_refused_politely_and_the_round_is_not_lost(server, name, body, status, says):
    got, answer = post(server, name, body)
    assert got == status
    assert says in answer["error"]
    assert (server.sitting.state()["round"], server.sitting.state()["played"]) == (1, 0)


@pytest.mark.parametrize("name", ["state-1.png.html", "../server.py", "state--1.png", "robot.py", "__init__.py", "//"])
def test_nothing_but_the_page_and_its_pictures_is_served(server, name):
    assert ask(server, "GET", name)[0] == 404


def test_a_preview_says_what_would_be_heard_and_plays_nothing(server):
    assert post(server, "hear", {"words": "ligt blue xyzzy"}) == (
        200,
        {"phrases": ["light", "blue"], "corrected": {"ligt": "light"}, "left_out": ["xyzzy"]},
    )
    assert "no word like" in post(server, "hear", {"words": "xyzzy"})[1]["refused"]
    assert server.sitting.state()["played"] == 0


def test_a_game_is_played_over_http_and_saved(server):
    state = json.loads(ask(server, "GET", "state")[2])
    while not state["over"]:
        asked = {"describe": {"words": "dark red"}, "pick": {"place": 1}}[state["kind"]]
        status, state = post(server, state["kind"], {"round": state["round"], **asked})
        assert status == 200
        state = state if state["over"] else post(server, "next", {"round": state["round"]})[1]
    assert server.sitting.saved[0].exists()
    assert post(server, "next", {"round": 4})[0] == 409
    assert post(server, "new", {})[1]["round"] == 1
