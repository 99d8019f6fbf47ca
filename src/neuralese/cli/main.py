"""`neuralese`: look at results, translate with them, and play, without writing Python.

A command is imported only when it is run, so that the program starts quickly. In a shell,
`_NEURALESE_COMPLETE=bash_source neuralese` prints the script that completes commands and options (see click's
documentation).
"""

import os
import sys
from importlib import import_module

import click

from neuralese.cli.output import plain
from neuralese.errors import NeuraleseError, extras

COMMANDS = {
    "init": "Write configs as a starting point for your own experiment.",
    "run": "Run the workflow and show its progress.",
    "translate": "Translate English into neuralese, or neuralese into English.",
    "show": "Show a file of the results: a table, weights, or JSON.",
    "status": "Show what has been made, and what is out of date.",
    "corpus": "Bring your own agents: make, import, check and export a corpus.",
    "play": "Play a game with a trained robot.",
}


class Commands(click.Group):
    """Finds commands by name, and reports in one sentence what a user can fix."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command, which has its name; `init` is in that of `run`."""
        module = "run" if cmd_name == "init" else cmd_name
        return getattr(import_module(f"neuralese.cli.{module}"), cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; an error that a user can fix ends it with exit code 1 and one sentence."""
        try:
            with extras():
                done = super().invoke(ctx)
            sys.stdout.flush()
            return done
        except BrokenPipeError:  # the reader has read enough, as in `| head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            click.echo("\nStopped. What is finished is kept; the same command goes on from where it was.", err=True)
            ctx.exit(130)
        except NeuraleseError as error:
            raise click.ClickException(plain(str(error))) from None
        except OSError as error:
            if error.filename is None:
                raise
            why = error.strerror or type(error).__name__
            raise click.ClickException(plain(f"{str(error.filename)[:200]} cannot be used ({why}).")) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="neuralese", prog_name="neuralese")
def cli() -> None:
    """Translate what learned agents say to each other into English, and back.

    The commands read the folder that the workflow writes. Every command has its own --help, with examples.
    """


def main() -> None:
    """Run the command line."""
    cli.main(prog_name="neuralese")


if __name__ == "__main__":
    main()
