"""`neuralese play`: a game with a trained robot in a web page on this machine."""

import html
import logging
import secrets
import webbrowser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from neuralese import tasks
from neuralese.cli.results import Examples, results_option, seed_option
from neuralese.errors import NeuraleseError
from neuralese.stages.run import read_config

if TYPE_CHECKING:
    from neuralese.play.server import PlayServer

EXAMPLES = """
neuralese play --task colors                   talk with a robot about colours
neuralese play --task driving                  drive in fog, alongside a robot
neuralese play --seed 3 --criterion direct     a different robot, a different translator
neuralese play --no-browser --port 8080        on a machine reached with ssh -L 8080:127.0.0.1:8080
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@click.option("--task", metavar="TASK", help="Task to play.  [default: the first in the results]")
@seed_option
@results_option
@click.option("--criterion", help="Translation criterion: one of the dictionary's.  [default: ours]")
@click.option("--steps", type=click.IntRange(1, 1000), help="Maximum number of steps or rounds.  [default: 10 or 30]")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port on 127.0.0.1; by default any free one.")
@click.option(
    "--logs", type=click.Path(path_type=Path), help="Folder for logs of finished games; by default RESULTS/play."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def play(task: str | None, results: Path, port: int, logs: Path | None, no_browser: bool, **game: Any) -> None:
    """Play a game with a trained robot: type short messages, and read what it says in English.

    Opens a web page that only this machine can reach. Your words are translated into the robot's neuralese, and what
    it says into English. Finished games are saved as logs.
    """
    import torch

    from neuralese.play.server import PlayServer
    from neuralese.play.session import PlayOptions, open_session

    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    generator = torch.Generator().manual_seed(secrets.randbits(63))
    task = playable(task, results, game["seed"])
    session = open_session(PlayOptions(task, results, logs or results / "play", generator, **game))
    try:
        server = PlayServer(session, port)
    except OSError as error:
        raise NeuraleseError(f"Port {port} cannot be used ({error.strerror}); choose another with --port.") from None
    serve(server, browser=not no_browser)


def playable(task: str | None, results: Path, seed: int) -> str:
    """A task that can be played: the given one, or the first with a dictionary."""
    known = tasks.names()
    if task is None:
        made = (name for name in known if (results / name / f"seed{seed}/dictionary.parquet").exists())
        return next(made, known[0])
    if task not in known:
        tasks.use_corpora(read_config(results).get("corpora", {}))
    if task not in tasks.names():
        raise NeuraleseError(f"There is no task '{task}'; choose --task {' or '.join(known)}.")
    return task


def serve(server: "PlayServer", browser: bool) -> None:
    """Answer requests until Ctrl-C."""
    click.echo(f"Play at {server.url}\nPress Ctrl-C to stop.")
    with TemporaryDirectory(prefix="neuralese-") as private:  # unreadable to others
        try:
            if browser:  # with a page that leads to the address: anyone can read a browser's command line
                page = Path(private, "play.html")
                page.write_text(
                    f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(server.url)}">'
                )
                webbrowser.open(page.as_uri())
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo()
        finally:
            server.server_close()
    session = server.session
    click.echo(
        f"Games saved in {session.logs}: {len(session.saved)}." if session.saved else "No game was played to its end."
    )
