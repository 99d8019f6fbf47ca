"""What a corpus holds, in numbers and in warnings."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from neuralese.tasks.corpus.messages import SPLITS, generator
from neuralese.tasks.corpus.read import Corpus
from neuralese.tasks.corpus.settings import ColumnSettings
from neuralese.tasks.corpus.states import categories

SELDOM = 10  # occurrences in training below which little can be learned about a phrase or symbol
WIDE_INTERVAL = 100  # held-out messages below which an accuracy is uncertain by more than ±0.1
NAMED = 8  # entries of a list shown before it is cut short


def describe(corpus: Corpus) -> dict[str, Any]:
    """Counts, splits, columns with types and ranges, the inventory with counts, and warnings."""
    counts = zip(corpus.inventory["phrase"].to_pylist(), corpus.inventory["count"].to_pylist(), strict=True)
    return {
        "title": corpus.settings.title,
        "licence": corpus.settings.licence,
        "files": {name: path.name for name, path in corpus.files.items()},
        "states": {
            "count": len(corpus.states),
            "columns": [
                {"column": name, "type": each.type, "holds": _held(corpus, name, each)}
                for name, each in corpus.settings.states.items()
            ],
        },
        "features": corpus.features.shape[1],
        "messages": _messages(corpus),
        "contexts": _contexts(corpus),
        "utterances": {
            "count": len(corpus.traces),
            "from": "states" if corpus.texts is None else "people",
            "splits": _splits(corpus.traces["split"].to_pylist()),
            "without_phrase": _without_phrase(corpus),
        },
        "inventory": dict(counts),
        "warnings": warnings(corpus),
    }


def _splits(split: list[str]) -> dict[str, int]:
    return {name: split.count(name) for name in SPLITS}


def _without_phrase(corpus: Corpus) -> int:
    return sum(not phrases for phrases in corpus.traces["phrases"].to_pylist())


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
    about["splits"] = _splits(corpus.recorded["split"].to_pylist())
    about["states_spoken_of"] = len(np.unique(corpus.state))
    about |= {} if corpus.episodes is None else {"episodes": corpus.episodes}
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
    picked = contexts.picked()
    known = picked[picked >= 0]
    about: dict[str, Any] = {"count": len(contexts.ids)}
    about |= {"candidates": [int(contexts.sizes.min()), int(contexts.sizes.max())], "picks": len(known)}
    return about | ({"picked_right": float(known.mean())} if len(known) else {})


def warnings(corpus: Corpus) -> list[str]:
    """What makes results on this corpus less certain, one sentence each."""
    found = [*_seldom_phrases(corpus), *_seldom_symbols(corpus)]
    for name, values in corpus.columns.items():
        if corpus.settings.states[name].type != "image" and (values == values[0]).all():
            found.append(f"the column {name} is the same in all states, so nothing can be said about it.")
    found += _equal_candidates(corpus)
    for split in ("dev", "test"):
        if (count := len(corpus.rows(split))) < WIDE_INTERVAL:
            uncertain = f"so its accuracies are uncertain by about {1 / count**0.5:.2f}"
            found.append(f"{split} has only {count} messages, {uncertain}.")
    if (without := _without_phrase(corpus)) > len(corpus.traces) / 5:
        found.append(
            f"{without:,} of {len(corpus.traces):,} utterances contain no phrase of the inventory; lower "
            "utterances.least to hear more of them."
        )
    return found


def _seldom_phrases(corpus: Corpus) -> list[str]:
    phrases, counts = (corpus.inventory[name].to_pylist() for name in ("phrase", "count"))
    seldom = [phrase for phrase, count in zip(phrases, counts, strict=True) if count < SELDOM]
    if not seldom:
        return []
    of = f"{len(seldom)} of {len(phrases)} phrases were said fewer than {SELDOM} times in training"
    return [f"{of}, so what they mean is little more than a guess: {_some(seldom)}."]


def _seldom_symbols(corpus: Corpus) -> list[str]:
    settings = corpus.settings.messages
    if settings.kind == "vector":
        return []
    messages = corpus.recorded["message"].to_pylist()
    training = Counter(symbol for row in corpus.rows("train") for symbol in messages[row])
    everywhere = {symbol for each in messages for symbol in each}
    unseen = sorted(everywhere - set(training))
    seldom = sorted(symbol for symbol, count in training.items() if count < SELDOM)
    called = settings.names.__getitem__ if settings.names else str
    found = []
    if unseen:
        these = _some(map(called, unseen))
        found.append(f"{len(unseen)} symbols are said in dev or test but never in training: {these}.")
    if seldom:
        of = f"{len(seldom)} of {len(training)} symbols were said fewer than {SELDOM} times in training"
        found.append(f"{of}, so what they mean is little more than a guess: {_some(map(called, seldom))}.")
    if settings.end is not None and settings.end not in everywhere:
        found.append(f"messages.end is {settings.end}, but no message holds that symbol; is it a different one?")
    return found


def _equal_candidates(corpus: Corpus) -> list[str]:
    """Whether listeners have to choose between equal states."""
    candidates = corpus.candidates(corpus.rows("test"), generator(0, "describe"))
    equal = (candidates[:, 1:] == candidates[:, :1]).any(1)
    if not equal.any():
        return []
    why = ", because one state is too frequent, or too few share the columns of `same`"
    what = f"in {equal.mean():.0%} of the test messages a distractor equals the true state"
    return [f"{what}{'' if corpus.contexts else why}; nobody can tell these apart."]


def _some(names: Iterable[Any]) -> str:
    """The first few of a list, and the number of others."""
    shown = [str(name) for name in names]
    rest = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + rest
