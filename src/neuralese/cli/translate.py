"""`neuralese translate`: English into neuralese, and neuralese into English."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from neuralese.cli.output import brief, print_json, print_table
from neuralese.cli.results import Examples, Results, json_option, results_option, seed_option
from neuralese.errors import NeuraleseError
from neuralese.storage.files import atomic

if TYPE_CHECKING:
    from torch import Tensor

    from neuralese.translate.dictionary import Answer, Lookup

EXAMPLES = """
neuralese translate --task colors blue
neuralese translate --task colors light blue -n 3 --save light_blue.npy
neuralese translate --task colors --message light_blue.npy
neuralese translate --task driving --message-id 17 --criterion direct
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@results_option
@click.option("--task", metavar="TASK", required=True, help="A task that has results, such as colors.")
@seed_option
@click.option(
    "--message",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.npy",
    help="NumPy file of messages to translate: an array (64,) or (n, 64).",
)
@click.option("--message-id", type=click.IntRange(0, 2**31 - 1), help="Number of a message in messages.parquet.")
@click.option("-n", "count", type=click.IntRange(min=1), help="How many.  [default: all in the dictionary, or 5]")
@click.option("--criterion", help="Criterion that translates, into single phrases.  [default: ours]")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.npy",
    help="Write the messages found, best first, to a file.",
)
@json_option
@click.argument("phrase", nargs=-1)
def translate(
    results: Path, task: str, seed: int, as_json: bool, phrase: tuple[str, ...], save: Path | None, **options: Any
) -> None:
    """Translate PHRASE into neuralese, or messages into English. Lower scores are better.

    A message is described in as many phrases as it takes; with -n or --criterion, the best single phrases are listed.
    `sure` is how often a listener guesses right from descriptions like it: an average, not a ranking of messages.

    PHRASE is any English: words that no phrase has are listed and left out, and a misspelt word is taken for the
    nearest. A phrase of the inventory, an utterance humans made, and a message of the dev or test split are looked up.
    Other messages, and other phrases said together, are scored by the same criterion in the same contexts.
    """
    message, message_id = options["message"], options["message_id"]
    criterion, count, folder = options["criterion"], options["count"], Results(results)
    if (bool(phrase) + (message is not None) + (message_id is not None)) != 1:
        raise click.UsageError("give one of: a PHRASE, --message or --message-id.")
    if save and not phrase:
        raise click.UsageError("--save writes messages, so it needs a PHRASE to translate.")
    folder.of_seed(task, seed, "dictionary.parquet")  # which must exist
    from neuralese.stages.run import Run
    from neuralese.translate.dictionary import Lookup

    lookup, vectors = Lookup(Run.open(results, task, seed)), None
    describes = not phrase and criterion is None and count is None
    heard = lookup.heard(" ".join(phrase)) if phrase else None
    if heard:
        answers = [lookup.phrases(heard.parts, criterion, count)]
        vectors = lookup.vectors(answers[0])
    elif message_id is not None:
        answers = [lookup.described(message_id) if describes else lookup.message(message_id, criterion, count)]
    else:
        said = load_messages(message, lookup)
        answers = lookup.descriptions(said) if describes else lookup.messages(said, criterion, count)
    if save:
        if vectors is None:
            raise NeuraleseError("this agent speaks in symbols, so there are no vectors to --save.")
        save_messages(save, vectors)
    about = {
        "task": task,
        "seed": seed,
        "data": folder.data(task),
        "criterion": "description" if describes else criterion or lookup.default,
    }
    if as_json:
        found: dict[str, Any] = about | {"translations": [asdict(answer) for answer in answers]}
        found |= {} if vectors is None else {"vectors": vectors.tolist()}
        found |= heard.view() if heard else {}
        print_json(found | ({"saved": str(save)} if save else {}))
        return
    if heard and heard.notes():
        click.echo(heard.notes())
    for answer in answers:
        _print(answer, about, vectors)
    if save and vectors is not None:
        click.echo(f"Wrote {save}: an array {vectors.shape}, the best message first.")


def _print(answer: "Answer", about: dict, vectors: np.ndarray | None) -> None:
    """One answer as a table; messages, which have no words, are shown by the beginning of their vectors."""
    how = {"dictionary": ", from the dictionary", "scored": ", scored now"}.get(answer.how, "")
    title = f"{answer.source} ({about['task']}, seed {about['seed']}, data {about['data']}; {about['criterion']}{how})"
    head, rows = ["rank", "translation", "score"], [[each.rank, each.text, each.score] for each in answer.best]
    if answer.how == "described":
        head, rows = ["translation", "score", "sure"], [[each.text, each.score, each.sure] for each in answer.best]
    if vectors is not None:
        head.append("vector")
        rows = [[*row, brief(vector)] for row, vector in zip(rows, vectors.tolist(), strict=True)]
    print_table(head, rows, title)


def load_messages(path: Path, lookup: "Lookup") -> "Tensor":
    """Messages (K, message) from a NumPy file, which may hold a single one."""
    import torch

    learned = lookup.run.said["train"].messages
    if not isinstance(learned, torch.Tensor):
        raise NeuraleseError("this agent speaks in symbols, not in vectors; name a message by --message-id.")
    written = "--message takes a file written by numpy.save, with one message or one per row"
    try:
        messages = np.atleast_2d(np.load(path, allow_pickle=False)).astype(np.float32)
    except FileNotFoundError:
        raise NeuraleseError(f"{path} does not exist; {written}.") from None
    except (ValueError, OSError, EOFError, TypeError, AttributeError):
        raise NeuraleseError(f"{path} is not an array of numbers; {written}.") from None
    if messages.ndim != 2 or not len(messages) or not np.isfinite(messages).all():
        raise NeuraleseError(f"{path} holds an array {messages.shape}, but finite numbers (n, message) are needed.")
    if messages.shape[1] != learned.shape[1]:
        raise NeuraleseError(
            f"this agent's messages have {learned.shape[1]} numbers; the file's have {messages.shape[1]}."
        )
    return torch.from_numpy(messages)


def save_messages(path: Path, messages: np.ndarray) -> None:
    """Write messages (K, message) as `load_messages` reads them; a device, pipe or folder is never replaced."""
    if os.path.lexists(path) and not path.is_file():
        raise NeuraleseError(f"{path} is not a regular file and is not replaced; choose another name for --save.")
    with atomic(path) as temporary, temporary.open("wb") as file:
        np.save(file, messages)
