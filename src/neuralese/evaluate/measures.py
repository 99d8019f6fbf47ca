"""The standard measures of emergent communication, for messages that are symbols and for messages that are vectors.

    table = measure_symbols(symbols, states, columns_of({"shape": {"type": "category"}}))
    table = measure_vectors(vectors, states, columns)

One row each (`measure`, `variable`, `value`), as in `protocol`; `variable` is a column of the states, or empty for all
of them. Symbols are integers from 0, (n, T), with -1 after the end of a message; states are the n rows of a table.
What each measure is, and how it differs from other implementations, is in docs/measures.md.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from neuralese.evaluate import protocol
from neuralese.evaluate.columns import Column, state_classes, state_distances, state_points
from neuralese.evaluate.evidence import Evidence, SymbolEvidence, VectorEvidence, p_values
from neuralese.evaluate.information import gap, information, joint, mutual_information, row_labels
from neuralese.evaluate.protocol import entropy
from neuralese.evaluate.topography import edit_distances, pairs, topographic_similarity, vector_distances

TESTED = 10_000  # maximum number of messages in the test of whether they say anything
LEARNED = 10_000  # maximum number of messages a classifier of vectors learns from, and is tested on


def message_entropy(symbols: np.ndarray) -> float:
    """H(z) in bits of whole messages (n, T), from their frequencies (plug-in); at most log2 n."""
    return entropy(row_labels(symbols))


def distinct_messages(symbols: np.ndarray) -> int:
    """The number of different messages."""
    return int(row_labels(symbols).max()) + 1


def effective_vocabulary(symbols: np.ndarray) -> float:
    """2^H of the symbols of all messages, counted one by one: the number of symbols if all are equally frequent."""
    said = symbols[symbols >= 0]
    return float(2 ** entropy(pd.factorize(said)[0])) if len(said) else 0.0


def mean_length(symbols: np.ndarray) -> float:
    """Number of symbols in a message, without the end."""
    return float((symbols >= 0).sum(1).mean())


def effective_length(symbols: np.ndarray) -> float:
    """2^H of how the entropy of messages is spread over positions: the number of varying ones, if all vary equally.

    A position's share is the entropy of its symbols, "nothing" included, divided by the sum over positions. 0 if all
    messages are the same.
    """
    spread = np.array([entropy(pd.factorize(position)[0]) for position in symbols.T])
    if spread.sum() == 0:
        return 0.0
    share = spread[spread > 0] / spread.sum()
    return float(2 ** -(share * np.log2(share)).sum())


def positional_disentanglement(symbols: np.ndarray, classes: pd.DataFrame) -> float:
    """Posdis (Chaabouni et al. 2020): `gap` of the symbols at each position, counting "nothing" as one."""
    return gap([pd.factorize(position)[0] for position in symbols.T], _columns(classes))


def bag_of_symbols_disentanglement(symbols: np.ndarray, classes: pd.DataFrame) -> float:
    """Bosdis (Chaabouni et al. 2020): `gap` of the counts of each symbol in a message, for all symbols but the end."""
    counts = ((symbols == symbol).sum(1) for symbol in np.unique(symbols[symbols >= 0]))
    return gap([pd.factorize(each)[0] for each in counts], _columns(classes))


def measure_symbols(
    symbols: np.ndarray,
    states: pd.DataFrame,
    columns: Mapping[str, Column],
    seed: int = 0,
    groups: np.ndarray | None = None,
) -> pd.DataFrame:
    """All measures of symbols (n, T) said in `states`; `groups` (n,) of messages that are not independent."""
    points = state_points(states, columns)
    classes = state_classes(points, seed)
    left, right = pairs(len(symbols), seed)
    apart = state_distances(points, left, right)
    message = row_labels(symbols)
    rows = [
        ("messages", "", len(symbols)),
        ("distinct_messages", "", distinct_messages(symbols)),
        ("message_entropy", "", message_entropy(symbols)),
        ("effective_vocabulary", "", effective_vocabulary(symbols)),
        ("mean_length", "", mean_length(symbols)),
        ("effective_length", "", effective_length(symbols)),
        ("topographic_similarity", "", topographic_similarity(apart, edit_distances(symbols, left, right))),
        ("posdis", "", positional_disentanglement(symbols, classes)),
        ("bosdis", "", bag_of_symbols_disentanglement(symbols, classes)),
    ]
    for name, labels in {"": joint(_columns(classes)), **classes}.items():
        labels = np.asarray(labels)
        rows.append(("entropy", name, entropy(labels)))
        rows.append(("information", name, information(message, labels, seed)))
        rows.append(("information_plug_in", name, mutual_information(message, labels)))
    return _table(rows, _tested(SymbolEvidence, symbols, classes, seed, groups))


def measure_vectors(
    vectors: np.ndarray,
    states: pd.DataFrame,
    columns: Mapping[str, Column],
    seed: int = 0,
    groups: np.ndarray | None = None,
) -> pd.DataFrame:
    """All measures of vectors (n, d) said in `states`; `groups` (n,) of messages that are not independent."""
    vectors = np.asarray(vectors, dtype=np.float64)
    points = state_points(states, columns)
    classes = state_classes(points, seed)
    left, right = pairs(len(vectors), seed)
    apart = state_distances(points, left, right)
    euclidean, cosine = (vector_distances(vectors, left, right, metric) for metric in ("euclidean", "cosine"))
    rows = [
        ("messages", "", len(vectors)),
        ("dimensions", "", vectors.shape[1]),
        ("effective_dimension", "", _of_covariance(vectors, protocol.effective_dimension)),
        ("first_component", "", _of_covariance(vectors, protocol.first_component)),
        ("topographic_similarity", "", topographic_similarity(apart, euclidean)),
        ("topographic_similarity_cosine", "", topographic_similarity(apart, cosine)),
    ]
    some = np.random.default_rng(seed).permutation(len(vectors))[: 2 * LEARNED]
    for name in classes:
        labels = classes[name].to_numpy()
        rows.append(("entropy", name, entropy(labels)))
        rows.append(("information", name, protocol.information(vectors[some], labels[some])))
    return _table(rows, _tested(VectorEvidence, vectors, classes, seed, groups))


def _of_covariance(vectors: np.ndarray, measure: Callable[[np.ndarray], float]) -> float:
    """Both measures are 1 on a line, and undefined for a point."""
    if np.ptp(vectors, axis=0).max(initial=0) == 0:
        return float("nan")
    return measure(vectors) if vectors.shape[1] > 1 else 1.0


def _columns(classes: pd.DataFrame) -> list[np.ndarray]:
    return [classes[name].to_numpy() for name in classes]


def _tested(
    kind: Callable[[np.ndarray], Evidence],
    messages: np.ndarray,
    classes: pd.DataFrame,
    seed: int,
    groups: np.ndarray | None,
) -> pd.Series:
    """p-values from at most `TESTED` messages, at most one per group, since those of a group may be alike."""
    some = np.random.default_rng(seed).permutation(len(messages))
    if groups is not None:
        some = some[np.sort(np.unique(np.asarray(groups)[some], return_index=True)[1])]
    some = some[:TESTED]
    return p_values(kind(messages[some]), classes.iloc[some].reset_index(drop=True), seed)


def _table(rows: list[tuple], tested: pd.Series) -> pd.DataFrame:
    rows += [("p_value", name, value) for name, value in tested.items()]
    table = pd.DataFrame(rows, columns=["measure", "variable", "value"])
    return table.assign(value=table["value"].astype(float) + 0.0)  # turns a negative zero into zero
