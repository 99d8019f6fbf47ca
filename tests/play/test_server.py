"""The page's server, over real HTTP: who is let in, what is refused, and that refusing loses no turn."""

import errno
import json
import os
import re
import socket

import pytest
from asking import ask, post
from scripted_person import MESSAGES, way

from neuralese.errors import StorageError
from neuralese.play.server import MOST_BYTES
from neuralese.tasks.driving import logs
from neuralese.tasks.driving.play.phrases import MOST_CHARACTERS


def test_a_game_is_played_to_its_end_and_saved(server):
    said = iter(MESSAGES)
    _, _, content = ask(server, "GET", "state")
    state = json.loads(content)
    while not state["outcome"]:
        status, state = post(server, "act", {"turn": state["turn"], "action": way(state), "message": next(said, "")})
        assert status == 200
    (path,) = server.sitting.saved
    assert str(path) in state["note"]
    road, rows = logs.parse_log(path.read_bytes())
    assert road.splitlines() == state["road"]
    assert len(rows) == 2 * (state["turn"] + 1)
    status, answer = post(server, "act", {"turn": state["turn"], "action": 0, "message": ""})
    assert (status, answer["error"]) == (409, "This game is over; please start a new one.")
    assert post(server, "new", {})[1]["turn"] == 0


@pytest.mark.parametrize("name", ["", "state", "page.js", "act", "nothing"])
@pytest.mark.parametrize("token", ["", "wrong", "%C3%A9", "x" * 5000])
def test_nothing_is_given_without_the_token(server, name, token):
    for method in ("GET", "POST"):
        status, _, content = ask(server, method, name, token=token)
        assert status == 403
        assert "please open the full address" in json.loads(content)["error"]


def test_a_person_without_the_token_reads_a_polite_page(server):
    status, headers, content = ask(server, "GET", "", token="wrong", Accept="text/html")
    assert (status, headers["Content-Type"]) == (403, "text/html; charset=utf-8")
    assert b"please open the full address shown in the terminal" in content


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80"])
def test_a_request_under_another_name_is_refused_even_with_the_token(server, host):
    assert ask(server, "GET", "state", Host=host)[0] == 403
    assert ask(server, "GET", "state", Host=f"localhost:{server.server_port}")[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"turn": 0, "action": 1, "message": "now I go left"}, 400, "4 words; please use 3 or fewer"),
        ({"turn": 0, "action": 1, "message": "left" * 20}, 400, "please keep to 40"),
        ({"turn": 0, "action": 1, "message": "xyzzy"}, 400, "no word like"),
        ({"turn": 0, "action": 1, "message": "x" * MOST_BYTES}, 413, "too long"),
        ("x" * 500_000, 413, "too long"),
        ({"turn": 0, "action": 9, "message": ""}, 400, "A car can wait"),
        ({"turn": 3, "action": 1, "message": ""}, 409, "played already"),
        ({"turn": 0, "action": True, "message": ""}, 400, "must contain turn (int)"),
        ({"turn": 0, "action": 1}, 400, "must contain turn (int)"),
        ('{"turn": 0,', 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        ("[]", 400, "must contain"),
        ("[" * 1000, 400, "not JSON"),
    ],
)
def test_a_wrong_move_is_refused_politely_and_the_turn_is_not_lost(server, body, status, says):
    got, answer = post(server, "act", body)
    assert got == status
    assert says in answer["error"]
    assert server.sitting.state()["turn"] == 0


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


def test_a_body_that_ends_early_is_no_bug(server, caplog):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as sent:
        head = (
            f"POST /{server.token}/new HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\nContent-Length: 9\r\n\r\n{{"
        )
        sent.sendall(head.encode())
        sent.shutdown(socket.SHUT_WR)
        assert sent.makefile().readline().startswith("HTTP/1.0 408")
    assert not caplog.records


def test_what_a_person_can_mend_is_told_to_them_and_is_no_bug(server, monkeypatch, caplog):
    def full():
        raise StorageError("the disk is full; free some space.")

    monkeypatch.setattr(server.sitting, "new", full)
    assert post(server, "new", {}) == (500, {"error": "the disk is full; free some space."})
    assert [record.getMessage() for record in caplog.records] == ["the disk is full; free some space."]


def test_the_page_is_whole_and_loads_nothing_from_elsewhere(server):
    status, headers, content = ask(server, "GET", "")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert (headers["Referrer-Policy"], headers["Cache-Control"]) == ("no-referrer", "no-store")
    page = content.decode()
    for name in re.findall(r'(?:src|href)="([^"]+)"', page):
        assert ask(server, "GET", name.removeprefix("./"))[0] == 200, name
    assert "//" not in page
    assert f'maxlength="{MOST_CHARACTERS}"' in page
    assert ask(server, "GET", "../server.py")[0] == 404


def test_a_preview_says_what_would_be_heard_and_plays_nothing(server):
    assert post(server, "hear", {"message": "goiung left"}) == (200, {"heard": "going left", "exact": False})
    assert "4 words" in post(server, "hear", {"message": "a b c d"})[1]["refused"]
    assert server.sitting.state()["turn"] == 0


def test_the_server_is_for_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32


def test_a_game_that_cannot_be_saved_is_still_shown(server, tmp_path):
    (tmp_path / "play").write_text("a file where the folder should be")
    said, state = iter(MESSAGES), server.sitting.state()
    while not state["outcome"]:
        state = server.sitting.act(state["turn"], way(state), next(said, ""))
    assert "could not be saved" in state["note"]


def test_a_disk_that_is_full_at_the_end_of_a_game_is_said_and_the_game_is_still_shown(server, monkeypatch, caplog):
    def full(*paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("neuralese.storage.files.os.replace", full)
    said, state = iter(MESSAGES), server.sitting.state()
    while not state["outcome"]:
        status, state = post(server, "act", {"turn": state["turn"], "action": way(state), "message": next(said, "")})
        assert status == 200
    assert state["note"].startswith("This game could not be saved (No space left on device); is there room in ")
    assert all("bug" not in record.getMessage() for record in caplog.records)
    assert not server.sitting.saved
