"""Real web servers on this machine that behave well and badly."""

import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """One address; its n-th request gets the n-th of `answers`, and later ones get the last."""

    def __init__(self, answers: tuple[Answer, ...]):
        self.ranges: list[str | None] = []  # the Range header of every request so far
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                site.ranges.append(self.headers["Range"])
                answers[min(len(site.ranges), len(answers)) - 1](self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/archive.tar"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


class Web:
    """The sites of one test, and the ways in which they can answer."""

    def __init__(self):
        self.sites: list[Site] = []
        self.over = threading.Event()
        self.closed = socket.socket()
        self.closed.bind(("127.0.0.1", 0))  # never listens, so connecting is refused
        self.nowhere = f"http://127.0.0.1:{self.closed.getsockname()[1]}/archive.tar"

    def site(self, *answers: Answer) -> Site:
        self.sites.append(Site(answers))
        return self.sites[-1]

    def close(self) -> None:
        self.over.set()
        self.closed.close()
        for site in self.sites:
            site.server.shutdown()
            site.server.server_close()

    @staticmethod
    def _head(handler: BaseHTTPRequestHandler, status: int, length: int, content_range: str | None = None) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(length))
        if content_range:
            handler.send_header("Content-Range", content_range)
        handler.end_headers()

    def fails(self, status: int) -> Answer:
        return lambda handler: self._head(handler, status, 0)

    def gives(self, body: bytes, only: int | None = None) -> Answer:
        """Answer with all of `body`, whatever range is asked for, or break off after `only` bytes."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            self._head(handler, 200, len(body))
            handler.wfile.write(body[:only])

        return answer

    def resumes(self, body: bytes) -> Answer:
        """Answer with the range that is asked for."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            start = int((handler.headers["Range"] or "bytes=0-").removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                self._head(handler, 416, 0, f"bytes */{len(body)}")
                return
            self._head(handler, 206, len(body) - start, f"bytes {start}-{len(body) - 1}/{len(body)}")
            handler.wfile.write(body[start:])

        return answer

    def trickles(self, body: bytes, pieces: int, rest: float) -> Answer:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            self._head(handler, 200, len(body))
            size = -(-len(body) // pieces)
            for start in range(0, len(body), size):
                time.sleep(rest)
                handler.wfile.write(body[start : start + size])

        return answer

    def stalls(self, body: bytes, after: int) -> Answer:
        """Send the first bytes, then nothing until the test is over."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            self._head(handler, 200, len(body))
            handler.wfile.write(body[:after])
            self.over.wait(30)

        return answer


@pytest.fixture
def web(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    web = Web()
    yield web
    web.close()
