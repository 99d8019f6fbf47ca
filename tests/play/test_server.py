"""The server of a page, over real HTTP: who is let in, what is refused, and that refusing loses no turn."""

import errno
import io
import json
import os
import re

import pytest
from people import ask, drive, post
from PIL import Image

from neuralese.errors import StorageError
from neuralese.play.server import MOST_BYTES
from neuralese.play.session import MAX_CHARACTERS
from neuralese.tasks.driving import logs


@pytest.fixture
def talking(serve, sit):
    """A server of a reference game."""
    return serve(sit("colors"))


def act(server):
    """Drive over HTTP."""

    def act(**move) -> dict:
        status, state = post(server, "act", move)
        assert status == 200
        return state

    return act


# ---- games


def test_a_driving_game_is_played_to_its_end_and_saved(server):
    state = drive(server.session, act(server))
    (path,) = server.session.saved
    assert str(path) in state["note"]
    road, rows = logs.parse_log(path.read_bytes())
    assert road.splitlines() == state["road"]
    assert len(rows) == 2 * (state["turn"] + 1)
    status, answer = post(server, "act", {"turn": state["turn"], "action": 0, "message": ""})
    assert (status, answer["error"]) == (409, "This game is over; please start a new one.")
    assert post(server, "new", {})[1]["turn"] == 0


def test_a_preview_says_what_would_be_heard_and_plays_nothing(server, talking):
    heard = {"phrases": ["going left"], "exact": False, "corrected": {"goiung": "going"}, "left_out": []}
    assert post(server, "hear", {"words": "goiung left"}) == (200, heard)
    assert "4 words" in post(server, "hear", {"words": "a b c d"})[1]["refused"]
    assert server.session.state()["turn"] == 0
    heard = {"phrases": ["light", "blue"], "exact": False, "corrected": {"ligt": "light"}, "left_out": ["xyzzy"]}
    assert post(talking, "hear", {"words": "ligt blue xyzzy"}) == (200, heard)
    assert "no word like" in post(talking, "hear", {"words": "xyzzy"})[1]["refused"]
    assert talking.session.state()["played"] == 0


@pytest.mark.parametrize(("task", "size"), [("colors", (1, 1)), ("birds", None)])
def test_candidates_are_pictures_beside_the_page(serve, sit, task, size):
    server = serve(sit(task))
    for candidate in server.session.state()["candidates"]:
        status, headers, content = ask(server, "GET", candidate["picture"])
        assert (status, headers["Content-Type"]) == (200, "image/png")
        picture = Image.open(io.BytesIO(content))
        assert picture.size == (size or picture.size)
        assert ask(server, "GET", candidate["picture"], token="wrong")[0] == 403


# ---- who is let in


@pytest.mark.parametrize(("name", "token"), [("", ""), ("state", "wrong"), ("page.js", "%C3%A9"), ("act", "x" * 5000)])
def test_nothing_is_given_without_the_token(server, name, token):
    assert (server.server_address[0], len(server.token)) == ("127.0.0.1", 32)
    for method in ("GET", "POST"):
        status, _, content = ask(server, method, name, token=token)
        assert status == 403
        assert "please open the full address" in json.loads(content)["error"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80"])
def test_a_request_under_another_name_is_refused_even_with_the_token(server, host):
    assert ask(server, "GET", "state", Host=host)[0] == 403
    assert ask(server, "GET", "state", Host=f"localhost:{server.server_port}")[0] == 200


# ---- wrong requests


def turn(action: object = 1, message: str = "", number: int = 0) -> dict:
    return {"turn": number, "action": action, "message": message}


@pytest.mark.parametrize(
    ("task", "name", "body", "status", "says"),
    [
        ("driving", "act", turn(message="now I go left"), 400, "4 words; please use 3 or fewer"),
        ("driving", "act", turn(message="x" * MOST_BYTES), 413, "too long"),
        ("driving", "act", "x" * 500_000, 413, "too long"),
        ("driving", "act", turn(action=9), 400, "A car can wait"),
        ("driving", "act", turn(action=True), 400, "must contain turn (int)"),
        ("driving", "act", b"\xff\xfe", 400, "not JSON"),
        ("driving", "act", "[]", 400, "must contain"),
        ("driving", "act", "[" * 1000, 400, "not JSON"),
        ("colors", "describe", {"round": 1, "words": ""}, 400, "Please say something first."),
        ("colors", "describe", {"round": 2, "words": "blue"}, 409, "played already"),
        ("colors", "describe", {"round": 1, "words": "\ud800 \x00"}, 400, "Please say something first."),
        ("colors", "pick", {"round": 1, "place": 0}, 400, "the robot's turn to pick"),
        ("colors", "next", {"round": 1}, 400, "not over yet"),
        ("colors", "begin", {}, 404, "nothing at this address"),
    ],
)
def test_a_wrong_request_is_refused_politely_and_changes_nothing(serve, sit, task, name, body, status, says):
    server = serve(sit(task))
    before = server.session.view()
    got, answer = post(server, name, body)
    assert got == status
    assert says in answer["error"]
    assert server.session.view() == before


def test_a_body_of_unknown_length_is_refused(server):
    status, _, content = ask(server, "POST", "new", **{"Transfer-Encoding": "chunked"})  # and no chunk yet
    assert status == 411
    assert b"state its length" in content
    assert ask(server, "POST", "new", **{"Content-Length": "9" * 5000})[0] == 411


@pytest.mark.parametrize("declared", [2, 900, MOST_BYTES + 1])
def test_a_body_that_does_not_come_is_no_bug(server, declared, monkeypatch, caplog):
    monkeypatch.setattr("neuralese.play.server.PATIENCE", 0.2)
    status, _, content = ask(server, "POST", "new", **{"Content-Length": str(declared)})
    assert (status, json.loads(content)) == (408, {"error": "The request was cut off; please try again."})
    assert not caplog.records


def test_what_a_person_can_mend_is_told_to_them_and_is_no_bug(server, monkeypatch, caplog):
    def full():
        raise StorageError("the disk is full; free some space.")

    monkeypatch.setattr(server.session, "new", full)
    assert post(server, "new", {}) == (500, {"error": "the disk is full; free some space."})
    assert [record.getMessage() for record in caplog.records] == ["the disk is full; free some space."]


# ---- pages


@pytest.mark.parametrize("name", ["", "watch.html"])
@pytest.mark.parametrize("task", ["driving", "colors"])
def test_a_page_is_whole_and_loads_nothing_from_elsewhere(serve, sit, task, name):
    server = serve(sit(task))
    status, headers, content = ask(server, "GET", name)
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert (headers["Referrer-Policy"], headers["Cache-Control"]) == ("no-referrer", "no-store")
    page = content.decode()
    for each in re.findall(r'(?:src|href)="([^"#]+)"', page):
        status, _, content = ask(server, "GET", each.removeprefix("./"))
        assert status == 200, each
        for imported in re.findall(r'from "\./([^"]+)"', content.decode()) if each.endswith(".js") else ():
            assert ask(server, "GET", imported)[0] == 200, imported
    assert "//" not in page
    assert name or f'maxlength="{MAX_CHARACTERS}"' in page


@pytest.mark.parametrize(
    "name", ["state-1.png.html", "../server.py", "state--1.png", "session.py", "__init__.py", "driving", "//"]
)
def test_nothing_but_the_page_and_its_pictures_is_served(talking, name):
    assert ask(talking, "GET", name)[0] == 404


@pytest.mark.parametrize("fault", ["no folder", "full"])
def test_a_game_that_cannot_be_saved_is_still_shown(server, monkeypatch, tmp_path, caplog, fault):
    def full(*paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if fault == "full":
        monkeypatch.setattr("neuralese.storage.files.os.replace", full)
    else:
        (tmp_path / "play").write_text("a file where the folder should be")
    state = drive(server.session, act(server))
    reason = "No space left on device" if fault == "full" else ""
    assert state["note"].startswith(f"This game could not be saved ({reason}")
    assert "; is there room in " in state["note"]
    assert all("bug" not in record.getMessage() for record in caplog.records)
    assert not server.session.saved
