"""`neuralese play`: drive with a trained robot in a web page on this machine."""

import html
import logging
import secrets
import webbrowser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import torch

from neuralese import tasks
from neuralese.cli.results import Examples, results_option, seed_option
from neuralese.play.server import PlayServer, Sitting
from neuralese.storage.errors import NeuraleseError

EXAMPLES = """
  neuralese play                                 the robot of results/driving/seed0
  neuralese play --seed 3 --criterion direct     another robot, another translator
  neuralese play --no-browser --port 8080        on a machine that you reach by ssh -L 8080:127.0.0.1:8080
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@click.option("--task", metavar="TASK", help="What to play.  [default: the first task that can be played]")
@seed_option
@results_option
@click.option("--criterion", help="How to translate: one of the dictionary's criteria.  [default: ours]")
@click.option("--steps", type=click.IntRange(1, 1000), help="Longest game.  [default: as long as people play]")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port of 127.0.0.1; by default any free one.")
@click.option(
    "--logs", type=click.Path(path_type=Path), help="Folder for logs of finished games; by default RESULTS/play."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(task: str | None, results: Path, port: int, logs: Path | None, no_browser: bool, **game: Any) -> None:
    """Play a game with a trained robot: type short messages, and read what it says in English.

    Opens a web page that only this machine can reach. Your words are translated into the robot's neuralese, and what
    it says into English. Finished games are saved as logs like those that the pipeline reads.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        generator = torch.Generator().manual_seed(secrets.randbits(63))
        part = tasks.part(playable(task), "play")
        server = open_server(
            part.open_sitting(results, logs=logs or results / "play", generator=generator, **game), port
        )
    except NeuraleseError as error:
        raise click.ClickException(str(error)) from None
    serve(server, browser=not no_browser)


def playable(task: str | None) -> str:
    """A task that can be played: this one, or else the first."""
    known = [name for name in tasks.names() if tasks.has(name, "play", "open_sitting")]
    if task is not None and task not in known:
        raise NeuraleseError(f"Nobody can play '{task}' here; choose --task {' or '.join(known)}.")
    return task or known[0]


def open_server(sitting: Sitting, port: int) -> PlayServer:
    """Listen on a port."""
    try:
        return PlayServer(sitting, port)
    except OSError as error:
        raise NeuraleseError(f"Port {port} cannot be used ({error.strerror}); choose another with --port.") from None


def door(url: str, private: Path) -> Path:
    """A page in a private folder that leads on to `url`, since everybody can read what a browser is started with."""
    page = private / "play.html"
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(url)}">')
    return page


def serve(server: PlayServer, browser: bool) -> None:
    """Answer requests until Ctrl-C."""
    click.echo(f"Play at {server.url}\nCtrl-C ends it.")
    with TemporaryDirectory(prefix="neuralese-") as private:  # that nobody else can look into
        try:
            if browser:
                webbrowser.open(door(server.url, Path(private)).as_uri())
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo()
        finally:
            server.server_close()
    saved = server.sitting.saved
    click.echo(f"Games saved in {server.sitting.logs}: {len(saved)}." if saved else "No game was played to its end.")


if __name__ == "__main__":
    command(prog_name="neuralese play")
