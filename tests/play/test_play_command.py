"""`neuralese play` on the command line."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from neuralese import tasks
from neuralese.cli.main import cli
from neuralese.cli.play import playable, serve
from neuralese.storage.files import write_json


def run(*arguments: str):
    return CliRunner().invoke(cli, ["play", "--no-browser", *arguments])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--task", "chess"], "There is no task 'chess'; choose --task colors or birds or driving"),
        (["--task", "colors"], "colors holds no results; make them with: neuralese run"),
        (["--task", "driving", "--seed", "7"], "seed7/dictionary.parquet does not exist; make it with: neuralese run"),
        (["--criterion", "direct"], "has no translation by 'direct'; choose from printed, mine."),
    ],
)
def test_what_cannot_be_played_is_said_in_one_sentence(results, arguments, says):
    outcome = run("--results", str(results), *arguments)
    assert outcome.exit_code == 1
    assert says in outcome.output
    assert outcome.output.count("\n") == 1


def test_without_a_task_the_first_that_has_a_dictionary_is_played(tmp_path):
    assert playable(None, tmp_path, 0) == "colors"
    (tmp_path / "driving/seed0").mkdir(parents=True)
    (tmp_path / "driving/seed0/dictionary.parquet").touch()
    assert [playable(None, tmp_path, seed) for seed in (0, 7)] == ["driving", "colors"]


def test_a_corpus_is_known_by_the_config_of_its_results(tmp_path):
    write_json(tmp_path / "config.json", {"corpora": {"mine": str(tmp_path / "recordings")}})
    assert playable("mine", tmp_path, 0) == "mine"
    assert tasks.corpora() == {"mine": str(tmp_path / "recordings")}


def test_a_port_in_use_is_said_so(results):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"Port {port} cannot be used" in run("--results", str(results), "--port", port).output


def test_it_serves_a_page_until_interrupted(results):
    environment = {**os.environ, "NEURALESE_RESULTS": str(results), "PYTHONUNBUFFERED": "1"}
    asked = [sys.executable, "-m", "neuralese.cli.main", "play", "--no-browser"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # whatever the shell that runs the tests has set
    with subprocess.Popen(asked, env=environment, preexec_fn=heed, **pipes) as playing:
        url = re.search(r"http://127\.0\.0\.1:\d+/\S+", playing.stdout.readline())[0]
        with urllib.request.urlopen(url) as answer:
            assert b"Driving in fog" in answer.read()
        playing.send_signal(signal.SIGINT)
        said, errors = playing.communicate(timeout=60)
    assert playing.returncode == 0
    assert "No game was played to its end." in said
    assert errors == ""


def test_the_token_is_not_in_what_a_browser_is_started_with(monkeypatch):
    class Closed:
        """A server that is interrupted at once."""

        url, session = "http://127.0.0.1:1/SECRET/", type("Session", (), {"saved": []})
        serve_forever = server_close = lambda self: None

    opened = []

    def browse(address):
        page = Path(urllib.request.url2pathname(address.removeprefix("file://")))
        assert page.parent.stat().st_mode & 0o077 == 0
        opened.append((address, page, page.read_text()))

    monkeypatch.setattr("neuralese.cli.play.webbrowser.open", browse)
    serve(Closed(), browser=True)
    ((address, page, text),) = opened
    assert "SECRET" not in address
    assert 'content="0; url=http://127.0.0.1:1/SECRET/"' in text
    assert not page.exists()
