"""`neuralese translate`: English into neuralese, and neuralese into English."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from neuralese.cli.output import brief, print_json, print_table
from neuralese.cli.results import (
    Examples,
    Results,
    completer,
    criteria,
    json_option,
    phrases,
    results_option,
    seed_option,
    task_option,
)
from neuralese.errors import NeuraleseError

if TYPE_CHECKING:
    import numpy as np

    from neuralese.cli.lookup import Answer

EXAMPLES = """
neuralese translate --task colors blue
neuralese translate --task colors light blue -n 3 --save light_blue.npy
neuralese translate --task colors --message light_blue.npy
neuralese translate --task driving --message-id 17 --criterion direct
neuralese translate --task colors --new blue --json
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@results_option
@task_option
@seed_option
@click.option(
    "--message",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.npy",
    help="NumPy file of messages to translate: an array (64,) or (n, 64).",
)
@click.option("--message-id", type=click.IntRange(min=0), help="Number of a message in messages.parquet.")
@click.option("-n", "count", type=click.IntRange(min=1), help="How many.  [default: all in the dictionary, or 5]")
@click.option("--criterion", shell_complete=completer(criteria), help="Criterion of the dictionary.  [default: ours]")
@click.option("--new", is_flag=True, help="Use new messages for phrases, and combined phrases for messages.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.npy",
    help="Write the messages found, best first, to a file in an existing folder.",
)
@json_option
@click.argument("phrase", nargs=-1, shell_complete=completer(phrases))
def command(results: Path, task: str, seed: int, as_json: bool, phrase: tuple[str, ...], **given: Any) -> None:
    """Translate PHRASE into neuralese, or messages into English. Lower scores are better.

    A phrase of the inventory, an utterance humans made, and a message of the dev or test split are looked up in the
    dictionary. Other messages, and other phrases said together, are scored by the same criterion in the same contexts.
    """
    asked = Asked(phrase, **given)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products are small here: threads would wait for each other
    from neuralese.cli.lookup import Lookup, load_messages, save_messages

    lookup = Lookup(Results(results), task, seed, asked.criterion, synthesis=asked.new)
    if phrase:
        answers = [lookup.phrase(" ".join(phrase), asked.count)]
        vectors = lookup.vectors([each.id for each in answers[0].best], asked.new)
        if asked.save and vectors is None:
            raise NeuraleseError("this agent speaks in symbols, so there are no vectors to --save.")
        if asked.save and vectors is not None:
            save_messages(asked.save, vectors)
    elif asked.message_id is not None:
        answers, vectors = [lookup.message(asked.message_id, asked.count)], None
    else:
        assert asked.message is not None  # one of the three is given
        answers, vectors = lookup.messages(load_messages(asked.message), asked.count), None
    about = {"task": task, "seed": seed, "data": Results(results).data(task), "criterion": lookup.criterion}
    if as_json:
        saved = {"saved": str(asked.save)} if asked.save else {}
        print_json(about | {"translations": [asdict(answer) for answer in answers]} | _listed(vectors) | saved)
    else:
        for answer in answers:
            _print(answer, about, vectors)
        if asked.save and vectors is not None:
            click.echo(f"Wrote {asked.save}: an array {vectors.shape}, the best message first.")


@dataclass(frozen=True)
class Asked:
    """What to translate, and how; conflicting options are refused."""

    phrase: tuple[str, ...]
    message: Path | None
    message_id: int | None
    count: int | None
    criterion: str | None
    new: bool
    save: Path | None

    def __post_init__(self) -> None:
        if (bool(self.phrase) + (self.message is not None) + (self.message_id is not None)) != 1:
            raise click.UsageError("give one of: a PHRASE, --message or --message-id.")
        if self.new and self.criterion:
            raise click.UsageError("--new has its own criterion; leave out --criterion.")
        if self.save and not self.phrase:
            raise click.UsageError("--save writes messages, so it needs a PHRASE to translate.")


def _listed(vectors: "np.ndarray | None") -> dict:
    return {} if vectors is None else {"vectors": vectors.tolist()}


def _print(answer: "Answer", about: dict, vectors: "np.ndarray | None") -> None:
    """One answer as a table; messages, which have no words, are shown by the beginning of their vectors."""
    how = "from the dictionary" if answer.how == "dictionary" else "scored now"
    title = (
        f"{answer.source} ({about['task']}, seed {about['seed']}, data {about['data']}; {about['criterion']}, {how})"
    )
    head, rows = ["rank", "translation", "score"], [[each.rank, each.text, each.score] for each in answer.best]
    if vectors is not None:
        head.append("vector")
        rows = [[*row, brief(vector)] for row, vector in zip(rows, vectors.tolist(), strict=True)]
    print_table(head, rows, title)
