"""`neuralese play`: drive with a trained robot in a web page on this machine."""

import logging
import secrets
import webbrowser
from pathlib import Path

import click
import torch

from neuralese.cli.results import Examples, results_option, seed_option
from neuralese.play.robot import STEPS, load_robot
from neuralese.play.server import PlayServer
from neuralese.play.sitting import Sitting
from neuralese.storage.errors import NeuraleseError

EXAMPLES = """
  neuralese play                                 the robot of results/driving/seed0
  neuralese play --seed 3 --criterion direct     another robot, another translator
  neuralese play --no-browser --port 8080        on a machine that you reach by ssh -L 8080:127.0.0.1:8080
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@click.option("--task", default="driving", show_default=True, help="The game; only driving can be played.")
@seed_option
@results_option
@click.option("--criterion", help="How to translate: one of the dictionary's criteria.  [default: ours]")
@click.option("--steps", default=STEPS, show_default=True, type=click.IntRange(1, 1000), help="Longest game.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port of 127.0.0.1; by default any free one.")
@click.option(
    "--logs", type=click.Path(path_type=Path), help="Folder for logs of finished games; by default RESULTS/play."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(
    task: str,
    seed: int,
    results: Path,
    criterion: str | None,
    steps: int,
    port: int,
    logs: Path | None,
    no_browser: bool,
) -> None:
    """Drive one of two cars in fog: type short messages to the robot that drives the other.

    Opens a web page that only this machine can reach. Your words are translated into the robot's neuralese, and what
    it says into English. Finished games are saved as logs like those that the pipeline reads.
    """
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        if task != "driving":
            raise NeuraleseError(f"Nobody can play '{task}' here; choose --task driving.")
        robot = load_robot(results, seed, criterion, steps)
        sitting = Sitting(robot, logs or results / "play", torch.Generator().manual_seed(secrets.randbits(63)))
        server = open_server(sitting, port)
    except NeuraleseError as error:
        raise click.ClickException(str(error)) from None
    serve(server, browser=not no_browser)


def open_server(sitting: Sitting, port: int) -> PlayServer:
    """Listen on a port."""
    try:
        return PlayServer(sitting, port)
    except OSError as error:
        raise NeuraleseError(f"Port {port} cannot be used ({error.strerror}); choose another with --port.") from None


def serve(server: PlayServer, browser: bool) -> None:
    """Answer requests until Ctrl-C."""
    click.echo(f"Play at {server.url}\nCtrl-C ends it.")
    if browser:
        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        click.echo()
    finally:
        server.server_close()
    saved = server.sitting.saved
    click.echo(f"Games saved in {server.sitting.logs}: {len(saved)}." if saved else "No game was played to its end.")


if __name__ == "__main__":
    command(prog_name="neuralese play")
