"""A web server for one person on this machine, which answers only requests with the token in their address.

    GET  /TOKEN/          the page, with its scripts, styles and pictures next to it
    GET  /TOKEN/state     the game as the person may see it
    POST /TOKEN/new       {}; a new game
    POST /TOKEN/...       any other action the game offers; the game after it

Answers are JSON; a refusal holds `error`, a sentence for the person. A request must name this server as its host, so
that no site can reach it under a name of its own (DNS rebinding).
"""

import hmac
import json
import logging
import secrets
import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

from neuralese.errors import NeuraleseError
from neuralese.play.session import RefusedError, Session

log = logging.getLogger(__name__)

MOST_BYTES = 1024  # of a request's body
DRAINED = 1 << 20  # bytes of an oversized body that are still read, so that the sender gets the answer
PATIENCE = 5.0  # seconds of silence allowed within a body
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
SHARED = files("neuralese.play") / "assets"  # what all pages share
NO_ENTRY = "This page is private to the person who started it; please open the full address shown in the terminal."


class RequestError(RefusedError):
    """An invalid request: the sentence and the status of the answer."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class PlayServer(ThreadingHTTPServer):
    """Serves one session on 127.0.0.1; port 0 means any free port."""

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.session, self.token = session, secrets.token_urlsafe(24)
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
        self.url = f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore pages that were closed before they got their answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: PlayServer
    server_version, sys_version = "neuralese", ""
    timeout = 20  # seconds of silence allowed on a connection

    def do_GET(self) -> None:
        """Answer with a page, or the state."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Answer what the page asks for."""
        self._answer(self._post)

    def _answer(self, method: Any) -> None:
        status, sentence = HTTPStatus.OK, ""
        try:
            content, kind = method(self._name())
        except RefusedError as error:
            status, sentence = error.status, str(error)
        except NeuraleseError as error:  # such as a full disk: not a bug, and the person can act on it
            log.warning("%s", error)
            status, sentence = HTTPStatus.INTERNAL_SERVER_ERROR, str(error)
        except Exception:
            log.exception("%s %s failed; this is a bug in neuralese:", self.command, self.path.rsplit("/", 1)[-1])
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            sentence = "Something went wrong here; the terminal says what. Please start a new game."
        if sentence:
            content, kind = _json({"error": sentence})
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _name(self) -> str:
        """What was requested, by someone entitled to it."""
        token, _, name = self.path.split("?")[0].removeprefix("/").partition("/")
        known = hmac.compare_digest(token.encode(), self.server.token.encode())
        if not known or self.headers.get("Host") not in self.server.hosts:
            raise RequestError(HTTPStatus.FORBIDDEN, NO_ENTRY)
        return name

    def _get(self, name: str) -> tuple[bytes, str]:
        if name == "state":
            return _json(self.server.session.answer("state", {}))
        file = name or "page.html"
        kind, picture = KINDS.get(Path(file).suffix), self.server.session.pictures.get(file)
        if picture is not None:
            return picture, KINDS[".png"]
        found = {each.name: each for folder in (SHARED, self.server.session.assets) for each in folder.iterdir()}
        if file not in found or kind is None:
            raise RequestError(HTTPStatus.NOT_FOUND, "There is nothing at this address.")
        return found[file].read_bytes(), kind

    def _post(self, name: str) -> tuple[bytes, str]:
        session = self.server.session
        if name not in session.requests:
            raise RequestError(HTTPStatus.NOT_FOUND, "There is nothing at this address.")
        return _json(session.answer(name, self._body(session.requests[name])))

    def _body(self, fields: Mapping[str, type]) -> dict[str, Any]:
        """The request's body, which must be JSON with exactly these fields."""
        given = self.headers.get("Content-Length", "")
        if not given.isdecimal() or len(given) > 9:
            raise RequestError(HTTPStatus.LENGTH_REQUIRED, "A request must state its length.")
        length = int(given)
        if length > MOST_BYTES:
            self._read(min(length, DRAINED))
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "That is too long; please use fewer words.")
        try:
            body = json.loads(self._read(length))
        except (ValueError, RecursionError):
            raise RequestError(HTTPStatus.BAD_REQUEST, "That is not JSON; please reload the page.") from None
        if not isinstance(body, dict) or {name: type(value) for name, value in body.items()} != fields:
            wanted = ", ".join(f"{name} ({kind.__name__})" for name, kind in fields.items()) or "nothing"
            raise RequestError(HTTPStatus.BAD_REQUEST, f"A request must contain {wanted}; please reload the page.")
        return body

    def _read(self, length: int) -> bytes:
        """Read this many bytes of the body, which must arrive promptly."""
        self.connection.settimeout(PATIENCE)
        try:
            content = self.rfile.read(length)
        except TimeoutError:
            content = b""
        if len(content) < length:
            self.close_connection = True
            raise RequestError(HTTPStatus.REQUEST_TIMEOUT, "The request was cut off; please try again.")
        return content

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal is for the person, and addresses contain the token."""


def _json(value: Any) -> tuple[bytes, str]:
    return json.dumps(value).encode(), "application/json"
