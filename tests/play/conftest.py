"""Sessions with robots that were trained for seconds, and pages to play with them."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from people import drive
from small_runs import make_results

from neuralese.play.server import PlayServer
from neuralese.play.session import PlayOptions, open_session


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    """Results of driving."""
    folder = tmp_path_factory.mktemp("results")
    make_results(folder, "driving")
    return folder


@pytest.fixture(scope="session")
def reference_results(tmp_path_factory) -> Path:
    """Results of the colours and of the birds."""
    folder = tmp_path_factory.mktemp("reference")
    for task in ("colors", "birds"):
        make_results(folder, task)
    return folder


@pytest.fixture(scope="session")
def ending_seed(results) -> int:
    """The seed of a game that ends before time is up with the person of `drive`."""
    session = open_session(PlayOptions("driving", results, results / "play", torch.Generator()))
    for seed in range(200):
        session.generator.manual_seed(seed)
        session.new()
        if drive(session)["outcome"] != "out of time":
            return seed
    raise AssertionError("this robot never arrives and never crashes")


@pytest.fixture
def sit(request, tmp_path) -> Callable:
    """Open a session of a task, whose first game is always the same; `steps` are its rounds."""

    def sit(task: str, steps: int | None = 4, seed: int = 1, **options):
        results = request.getfixturevalue("results" if task == "driving" else "reference_results")
        random = torch.Generator().manual_seed(seed)
        return open_session(PlayOptions(task, results, tmp_path / "play", random, steps=steps, **options))

    return sit


@pytest.fixture
def serve() -> Iterator[Callable[[object], PlayServer]]:
    """Serve a session until the test is over."""
    served = []

    def serve(session) -> PlayServer:
        served.append(PlayServer(session))
        threading.Thread(target=served[-1].serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return served[-1]

    yield serve
    for server in served:
        server.shutdown()
        server.server_close()


@pytest.fixture
def server(ending_seed, sit, serve) -> PlayServer:
    """A server of driving for each test; its first game is that of the `ending_seed`."""
    return serve(sit("driving", steps=None, seed=ending_seed))


@pytest.fixture
def open_page(browser) -> Iterator[Callable]:
    """Open a page of a server; whatever its scripts complain of is in `page.complaints`."""
    contexts = []

    def open_page(server: PlayServer, wait_for: str, name: str = "", narrow: bool = False):
        wide, touch = {"width": 1280, "height": 900}, {"has_touch": True, "is_mobile": True}
        narrow_screen = {"viewport": {"width": 390, "height": 800}, **touch}
        contexts.append(browser.new_context(**narrow_screen if narrow else {"viewport": wide}))
        page = contexts[-1].new_page()
        page.complaints, page.session = [], server.session
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda said: page.complaints.append(said.text) if said.type == "error" else None)
        page.on(
            "request", lambda asked: None if asked.url.startswith(server.url) else page.complaints.append(asked.url)
        )
        page.goto(server.url + name)
        page.wait_for_selector(wait_for)
        return page

    yield open_page
    for context in contexts:
        context.close()
