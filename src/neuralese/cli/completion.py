"""`neuralese completion`: the script that makes a shell complete commands, options, tasks, seeds and phrases."""

import click
from click.shell_completion import get_completion_class

from neuralese.cli.results import Examples


@click.command(
    cls=Examples,
    epilog="""
    eval "$(neuralese completion bash)"                                       # in ~/.bashrc
    eval "$(neuralese completion zsh)"                                        # in ~/.zshrc
    neuralese completion fish > ~/.config/fish/completions/neuralese.fish
    """,
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, tasks, seeds and phrases."""
    root = ctx.find_root()
    completion = get_completion_class(shell)
    assert completion is not None  # SHELL is one of the known shells
    click.echo(completion(root.command, {}, "neuralese", "_NEURALESE_COMPLETE").source())
