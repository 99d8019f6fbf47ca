"""`neuralese corpus`: make, import and check a corpus, a user's own folder of recordings."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from neuralese.cli.output import print_json, print_table
from neuralese.cli.results import Examples, json_option

if TYPE_CHECKING:
    from neuralese.tasks.corpus.imports import Imported

PHRASES = 20  # number of phrases of the inventory shown
EXAMPLES = """
neuralese corpus new mine
neuralese corpus check mine
neuralese corpus import csv log.csv mine --message sent --states shape,color,size
neuralese corpus import jsonl log.jsonl mine --utterance description --episode game
neuralese corpus import egg interactions/validation/epoch_50/interaction_gpu0 mine
neuralese corpus export csv results/mine tables
"""


class ExamplesGroup(click.Group):
    """A group whose help ends with examples, printed line by line as written."""

    format_epilog = Examples.format_epilog


@click.group(cls=ExamplesGroup, epilog=EXAMPLES)
def corpus() -> None:
    """Bring your own agents: make, import, check and export a corpus.

    A corpus is a folder with the states that your agents saw, the messages they sent and, if there are any, what people
    say about such states. `neuralese corpus new` writes a small one with a README on how to fill in your own.
    """


folder_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
file_argument = click.argument("file", metavar="FILE", type=click.Path(path_type=Path))


@corpus.command(cls=Examples, epilog="neuralese corpus new mine")
@folder_argument
def new(folder: Path) -> None:
    """Write a small working corpus into DIR, to be replaced by your own data."""
    from neuralese.tasks.corpus.write import new_corpus

    new_corpus(folder)
    click.echo(f"{folder} is a corpus of a toy game; {folder}/README.md says how to fill in your own.")
    click.echo(f"See what it holds: neuralese corpus check {folder}")


@corpus.command(cls=Examples, epilog="neuralese corpus check mine\nneuralese corpus check mine --json")
@folder_argument
@json_option
@click.pass_context
def check(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Show what the corpus in DIR holds or, in one sentence each, what is wrong with it."""
    from neuralese.tasks.corpus.describe import describe
    from neuralese.tasks.corpus.files import CorpusError
    from neuralese.tasks.corpus.read import read_corpus
    from neuralese.tasks.corpus.states import checked

    try:
        found = describe(read_corpus(folder, image_features=checked))
    except CorpusError as error:
        for sentence in error.sentences:
            click.echo(f"Error: {sentence}", err=True)
        ctx.exit(1)
    if as_json:
        print_json(found)
    else:
        _print(folder, found)


@corpus.group("import", cls=ExamplesGroup, epilog="\n".join(EXAMPLES.strip().splitlines()[2:5]))
def import_command() -> None:
    """Make a corpus from a file in another format."""


def flat_command(kind: str, rows: str, example: str) -> None:
    """Add the command that imports one kind of flat file."""
    text = f"""Make a corpus in DIR from {rows}.

    Column types are guessed; correct them in DIR/corpus.yaml. Messages are numbers, letters (abca) or words (a b c a);
    letters and words are numbered in alphabetical order, which DIR/corpus.yaml lists under messages.names.
    """

    @import_command.command(kind, cls=Examples, help=text, epilog=example)
    @file_argument
    @folder_argument
    @click.option("--message", metavar="COLUMN", default="message", show_default=True, help="The message.")
    @click.option("--states", metavar="A,B,...", help="What the speaker saw; by default, all other columns.")
    @click.option("--utterance", metavar="COLUMN", help="What a person said about the state.")
    @click.option("--episode", metavar="COLUMN", help="Groups rows that belong together.")
    @click.option("--split", metavar="COLUMN", help="Holds train, dev or test.")
    def import_command_of_kind(file: Path, folder: Path, states: str | None, **options: Any) -> None:
        from neuralese.tasks.corpus.imports import import_flat

        seen = [name for each in (states or "").split(",") if (name := each.strip())]
        _say_imported(folder, import_flat(kind, file, folder, states=seen, **options))


flat_command("csv", "a CSV file with a message and its state in each row", EXAMPLES.strip().splitlines()[2])
flat_command("jsonl", "a JSON Lines file with a message and its state in each line", EXAMPLES.strip().splitlines()[3])


@import_command.command("egg", cls=Examples, epilog=EXAMPLES.strip().splitlines()[4])
@file_argument
@folder_argument
def import_egg(file: Path, folder: Path) -> None:
    """Make a corpus in DIR from FILE, an Interaction that EGG saved."""
    from neuralese.tasks.corpus.imports import import_egg

    _say_imported(folder, import_egg(file, folder))


@corpus.command("export", cls=Examples, epilog="\n".join(EXAMPLES.strip().splitlines()[5:]))
@click.argument("kind", metavar="FORMAT", type=click.Choice(["csv"]))
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path))
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
def export_command(kind: str, source: Path, out: Path) -> None:
    """Write a corpus, and its dictionary if there is one, as CSV files (FORMAT is csv) in a new folder OUT.

    FROM is a corpus, or its folder in the results, such as results/mine.
    """
    from neuralese.tasks.corpus.export import export_csv, load

    click.echo(export_csv(load(source), out))


def _say_imported(folder: Path, made: "Imported") -> None:
    click.echo(f"{folder}: {made.messages:,} messages ({made.kind}) in {made.states:,} states.")
    print_table(["column", "type"], [(name, settings["type"]) for name, settings in made.columns.items()])
    for name, why in made.left_out.items():
        click.echo(f"{name}: {why}")
    click.echo(f"Correct what was guessed in {folder}/corpus.yaml, then: neuralese corpus check {folder}")


def _print(folder: Path, found: dict[str, Any]) -> None:
    """A summary of a corpus, for people."""
    states, messages, contexts, utterances = (found[name] for name in ("states", "messages", "contexts", "utterances"))
    click.echo(f"{folder}: {found['title']} (licence: {found['licence']})")
    rows = [
        ("messages", messages["count"], *messages["splits"].values(), _about_messages(messages)),
        ("utterances", utterances["count"], *utterances["splits"].values(), f"from {utterances['from']}"),
    ]
    print_table(["", "rows", "train", "dev", "test", ""], rows)
    click.echo(f"\n{states['count']:,} states, {messages['states_spoken_of']:,} of them with messages:")
    print_table(["column", "type", "holds"], [tuple(column.values()) for column in states["columns"]])
    click.echo(f"\n{_about_contexts(contexts)}")
    phrases = list(found["inventory"].items())
    more = f"; the first {PHRASES} are" if len(phrases) > PHRASES else ""
    click.echo(f"\n{len(phrases)} phrases, with the number of training utterances that contain them{more}:")
    click.echo(", ".join(f"{phrase} ({count:,})" for phrase, count in phrases[:PHRASES]))
    for sentence in found["warnings"]:
        click.echo(f"Warning: {sentence}")
    config = shlex.quote(f"corpora={{mine: {json.dumps(str(folder.resolve()), ensure_ascii=False)}}}")
    click.echo(f"\nMake its dictionary and report:\n  neuralese run --cores 2 all --config {config} 'tasks=[mine]'")


def _about_messages(messages: dict[str, Any]) -> str:
    if messages["kind"] == "vector":
        return f"vectors of {messages['length']} numbers"
    shortest, longest = messages["lengths"]
    lengths = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
    return f"{messages['distinct']:,} distinct, of length {lengths}, from {messages['symbols']} symbols"


def _about_contexts(contexts: dict[str, Any]) -> str:
    fewest, most = contexts["candidates"]
    candidates = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    if not contexts["count"]:
        same = f" that share {', '.join(contexts['same'])}" if contexts["same"] else ""
        return f"No contexts: {candidates} candidates{same} are drawn for each message."
    right = f", {contexts['picked_right']:.1%} of them right" if contexts["picks"] else ""
    return f"{contexts['count']:,} contexts of {candidates} candidates; {contexts['picks']:,} picks are known{right}."
