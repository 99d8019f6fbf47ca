"""What a corpus holds, in numbers and in warnings."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from neuralese.tasks.corpus.messages import SPLITS
from neuralese.tasks.corpus.read import Corpus
from neuralese.tasks.corpus.settings import ColumnSettings
from neuralese.tasks.corpus.states import categories

SELDOM = 10  # occurrences in training below which little can be learned about a phrase or symbol
WIDE_INTERVAL = 100  # held-out messages below which an accuracy is uncertain by more than ±0.1
NAMED = 8  # entries of a list shown before it is cut short


def describe(corpus: Corpus) -> dict[str, Any]:
    """Counts, splits, columns with types and ranges, the inventory with counts, and warnings."""
    settings = corpus.settings
    return {
        "title": settings.title,
        "licence": settings.licence,
        "states": {
            "count": len(corpus.states),
            "columns": [
                {"column": name, "type": each.type, "holds": _held(corpus, name, each)}
                for name, each in settings.states.items()
            ],
        },
        "messages": _messages(corpus),
        "contexts": _contexts(corpus),
        "utterances": {
            "count": len(corpus.traces),
            "from": "states" if corpus.texts is None else "people",
            "splits": _splits(corpus.traces),
        },
        "inventory": _inventory(corpus),
        "warnings": warnings(corpus),
    }


def _splits(table: pa.Table) -> dict[str, int]:
    split = table["split"].to_pylist()
    return {name: split.count(name) for name in SPLITS}


def _inventory(corpus: Corpus) -> dict[str, int]:
    """The phrases, with the number of training utterances that contain each."""
    return dict(zip(*(corpus.inventory[name].to_pylist() for name in ("phrase", "count")), strict=True))


def _held(corpus: Corpus, name: str, settings: ColumnSettings) -> str:
    """What a column of the states holds."""
    values = corpus.columns[name]
    match settings.type:
        case "category":
            names, places = categories(values)
            frequent = np.argsort(-np.bincount(places), kind="stable")
            return f"{len(names)} values: {_some(names[place] for place in frequent)}"
        case "number" | "circular":
            period = f", period {settings.period:.6g}" if settings.period else ""
            return f"{values.min():.4g} to {values.max():.4g}{period}"
        case "color":
            return f"{len(np.unique(values, axis=0))} colours"
        case "image":
            return f"{len(set(corpus.pictures[name])):,} pictures"
    return f"{values.shape[1]} numbers"


def _messages(corpus: Corpus) -> dict[str, Any]:
    messages, settings = corpus.recorded["message"].to_pylist(), corpus.settings.messages
    about: dict[str, Any] = {"count": len(messages), "kind": settings.kind}
    about["splits"] = _splits(corpus.recorded)
    about["states_spoken_of"] = len(np.unique(corpus.state))
    distinct = len(set(map(tuple, messages)))
    if settings.kind == "vector":
        return about | {"length": len(messages[0]), "distinct": distinct}
    lengths = [len(each) for each in messages]
    about |= {"distinct": distinct, "lengths": [min(lengths), max(lengths)]}
    about["symbols"] = len({symbol for each in messages for symbol in each})
    return about | ({"names": settings.names} if settings.names else {})


def _contexts(corpus: Corpus) -> dict[str, Any]:
    """The candidates: given, or to be drawn."""
    contexts = corpus.contexts
    if contexts is None:
        return {"count": 0, "candidates": [corpus.settings.candidates] * 2, "same": corpus.settings.same}
    known, sizes = contexts.picked[contexts.picked >= 0], contexts.sizes
    about = {"count": len(sizes), "candidates": [int(sizes.min()), int(sizes.max())], "picks": len(known)}
    return about | ({"picked_right": float(known.mean())} if len(known) else {})


def warnings(corpus: Corpus) -> list[str]:
    """What makes results on this corpus less certain, one sentence each."""
    counts = _inventory(corpus)
    found = _seldom("phrases", counts) + _seldom_symbols(corpus)
    for name, values in corpus.columns.items():
        if corpus.settings.states[name].type != "image" and (values == values[0]).all():
            found.append(f"the column {name} is the same in all states, so nothing can be said about it.")
    for split in ("dev", "test"):
        if (count := len(corpus.rows(split))) < WIDE_INTERVAL:
            uncertain = f"so its accuracies are uncertain by about {1 / count**0.5:.2f}"
            found.append(f"{split} has only {count} messages, {uncertain}.")
    return found


def _seldom(what: str, counts: dict[str, int]) -> list[str]:
    """A warning about phrases or symbols that were said too seldom in training."""
    seldom = [name for name, count in counts.items() if count < SELDOM]
    of = f"{len(seldom)} of {len(counts)} {what} were said fewer than {SELDOM} times in training"
    return [f"{of}, so what they mean is little more than a guess: {_some(seldom)}."] if seldom else []


def _seldom_symbols(corpus: Corpus) -> list[str]:
    settings = corpus.settings.messages
    if settings.kind == "vector":
        return []
    messages = corpus.recorded["message"].to_pylist()
    training = Counter(symbol for row in corpus.rows("train") for symbol in messages[row])
    called = settings.names.__getitem__ if settings.names else str
    everywhere = sorted({symbol for each in messages for symbol in each})
    return _seldom("symbols", {called(symbol): training[symbol] for symbol in everywhere})


def _some(names: Iterable[Any]) -> str:
    """The first few of a list, and the number of others."""
    shown = [str(name) for name in names]
    rest = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + rest
