"""People who play: over real HTTP, or a driver who takes a shortest way and says `MESSAGES`, one after another."""

import http.client
import json
from collections.abc import Callable

from neuralese.play.session import Session
from neuralese.tasks.driving.embedded import shortest_path

MESSAGES = ["going west", "goiung left", ""]  # a phrase, one that is misspelled, silence


def ask(server, method, name, body=None, token=None, **headers):
    """Status, headers and body of an answer; `name` comes after the token."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    path = f"/{server.token if token is None else token}/{name}"
    content = json.dumps(body) if isinstance(body, dict) else body
    try:
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def post(server, name, body, **headers):
    status, _, content = ask(server, "POST", name, body, **headers)
    return status, json.loads(content)


def way(view: dict) -> int:
    """The next action on a shortest way of the person's car to its star."""
    car = view["car"]
    return shortest_path(view["road"], (car["row"], car["col"], car["direction"]), tuple(car["goal"]))[0]


def drive(session: Session, act: Callable[..., dict] | None = None) -> dict:
    """Drive to the end of a game, by `act` or by the session itself; return the last view."""
    said, state = iter(MESSAGES), session.state()
    while not state["outcome"]:
        move = {"turn": state["turn"], "action": way(state), "message": next(said, "")}
        state = (act or session.act)(**move)
    return state


def talk(session: Session, words: str = "light blue", place: int = 0) -> dict:
    """Play a reference game to its end."""
    state = session.state()
    while not state["over"]:
        number = state["round"]
        state = session.describe(number, words) if state["kind"] == "describe" else session.pick(number, place)
        state = state if state["over"] else session.next(number)
    return state
