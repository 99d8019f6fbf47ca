"""What a corpus holds, in numbers and in warnings."""

from collections import Counter
from typing import Any

import numpy as np

from neuralese.tasks.corpus.read import Corpus
from neuralese.tasks.corpus.splits import SPLITS, generator
from neuralese.tasks.corpus.states import StateColumn

SELDOM = 10  # occurrences in training below which little can be learned about a phrase or symbol
WIDE_INTERVAL = 100  # held-out messages below which an accuracy is uncertain by more than ±0.1
NAMED = 8  # entries of a list shown before it is cut short


def describe(corpus: Corpus) -> dict[str, Any]:
    """Counts, splits, columns with types and ranges, the inventory with counts, and warnings."""
    said = corpus.utterances
    return {
        "title": corpus.settings.title,
        "licence": corpus.settings.licence,
        "files": {name: path.name for name, path in corpus.files.items()},
        "states": {"count": len(corpus.states), "columns": [_column(each) for each in corpus.states.columns.values()]},
        "features": corpus.features.shape[1],
        "messages": _messages(corpus),
        "contexts": _contexts(corpus),
        "utterances": {
            "count": len(said),
            "from": "states" if said.texts is None else "people",
            "splits": _splits(said.split),
            "without_phrase": sum(not phrases for phrases in said.phrases),
        },
        "inventory": dict(zip(corpus.inventory.phrases, corpus.inventory.counts.tolist(), strict=True)),
        "warnings": warnings(corpus),
    }


def _splits(split: np.ndarray) -> dict[str, int]:
    return {name: int((split == name).sum()) for name in SPLITS}


def _column(column: StateColumn) -> dict[str, Any]:
    match column.type:
        case "category":
            counts = np.bincount(column.values, minlength=len(column.names))
            found = f"{len(column.names)} values: {_some(np.array(column.names)[np.argsort(-counts, kind='stable')])}"
        case "number" | "circular":
            found = f"{column.values.min():.4g} to {column.values.max():.4g}"
            found += f", period {column.period:.6g}" if column.period else ""
        case "color":
            found = f"{len(np.unique(column.values, axis=0))} colours"
        case "image":
            found = f"{len(set(column.names)):,} pictures"
        case _:
            found = f"{column.values.shape[1]} numbers"
    return {"column": column.name, "type": column.type, "holds": found}


def _messages(corpus: Corpus) -> dict[str, Any]:
    messages = corpus.messages
    about = {"count": len(messages), "kind": corpus.settings.messages.kind, "splits": _splits(messages.split)}
    about["states_spoken_of"] = len(np.unique(messages.state))
    if messages.episode is not None:
        about["episodes"] = int(messages.episode.max()) + 1
    if messages.vectors is not None:
        return about | {"length": messages.vectors.shape[1], "distinct": len(np.unique(messages.vectors, axis=0))}
    symbols = messages.symbols or ()
    lengths = [len(each) for each in symbols]
    return (
        about
        | {
            "distinct": len(set(symbols)),
            "lengths": [min(lengths), max(lengths)],
            "symbols": len({symbol for each in symbols for symbol in each}),
        }
        | ({"names": list(names)} if (names := corpus.settings.messages.names) else {})
    )


def _contexts(corpus: Corpus) -> dict[str, Any]:
    """The candidates: given, or to be drawn."""
    contexts = corpus.contexts
    if contexts is None:
        return {"count": 0, "candidates": [corpus.settings.candidates] * 2, "same": list(corpus.settings.same)}
    known = contexts.pick >= 0
    about = {"count": len(contexts), "candidates": [int(contexts.sizes.min()), int(contexts.sizes.max())]}
    about["picks"] = int(known.sum())
    if known.any():
        about["picked_right"] = float((contexts.pick == contexts.true)[known].mean())
    return about


def warnings(corpus: Corpus) -> list[str]:
    """What makes results on this corpus less certain, one sentence each."""
    found = [*_seldom_phrases(corpus), *_seldom_symbols(corpus), *_constant_columns(corpus), *_doubles(corpus)]
    for split in ("dev", "test"):
        if (count := len(corpus.messages.of(split))) < WIDE_INTERVAL:
            uncertain = f"so its accuracies are uncertain by about {1 / count**0.5:.2f}"
            found.append(f"{split} has only {count} messages, {uncertain}.")
    without = sum(not phrases for phrases in corpus.utterances.phrases)
    if without > len(corpus.utterances) / 5:
        found.append(
            f"{without:,} of {len(corpus.utterances):,} utterances contain no phrase of the inventory; lower "
            "utterances.least to hear more of them."
        )
    return found


def _seldom_phrases(corpus: Corpus) -> list[str]:
    seldom = [
        phrase
        for phrase, count in zip(corpus.inventory.phrases, corpus.inventory.counts, strict=True)
        if count < SELDOM
    ]
    if not seldom:
        return []
    of = f"{len(seldom)} of {len(corpus.inventory)} phrases were said fewer than {SELDOM} times in training"
    return [f"{of}, so what they mean is little more than a guess: {_some(seldom)}."]


def _seldom_symbols(corpus: Corpus) -> list[str]:
    messages = corpus.messages
    if messages.symbols is None:
        return []
    training = Counter(symbol for row in messages.of("train") for symbol in messages.symbols[row])
    everywhere = {symbol for each in messages.symbols for symbol in each}
    unseen = sorted(everywhere - set(training))
    seldom = sorted(symbol for symbol, count in training.items() if count < SELDOM)
    end, names = corpus.settings.messages.end, corpus.settings.messages.names
    called = names.__getitem__ if names else str
    found = []
    if unseen:
        these = _some(map(called, unseen))
        found.append(f"{len(unseen)} symbols are said in dev or test but never in training: {these}.")
    if seldom:
        of = f"{len(seldom)} of {len(training)} symbols were said fewer than {SELDOM} times in training"
        found.append(f"{of}, so what they mean is little more than a guess: {_some(map(called, seldom))}.")
    if end is not None and end not in everywhere:
        found.append(f"messages.end is {end}, but no message holds that symbol; is it a different one?")
    return found


def _constant_columns(corpus: Corpus) -> list[str]:
    constant = [
        column.name
        for column in corpus.states.columns.values()
        if column.type != "image" and (column.values == column.values[0]).all() and len(corpus.states) > 1
    ]
    return [f"the column {name} is the same in all states, so nothing can be said about it." for name in constant]


def _doubles(corpus: Corpus) -> list[str]:
    """Whether listeners have to choose between equal states."""
    rows = corpus.messages.of("test")
    candidates = corpus.candidates(corpus.messages, rows, generator(0, "describe"))
    equal = (candidates[:, 1:] == candidates[:, :1]).any(1)
    if not equal.any():
        return []
    why = "because one state is too frequent, or too few share the columns of `same`"
    return [
        f"in {equal.mean():.0%} of the test messages a distractor equals the true state"
        f"{'' if corpus.contexts is not None else f', {why}'}; nobody can tell these apart."
    ]


def _some(names: Any) -> str:
    """The first few of a list, and the number of others."""
    shown = [str(name) for name in names]
    rest = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + rest
