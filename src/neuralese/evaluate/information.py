"""How many bits messages convey about states, and whether they convey anything: a permutation test.

Labels are integers from 0: which message it is, which symbol is at a position, which class of a column a state belongs
to. All logarithms are to base 2.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

BASELINES = 20  # permutations over which the information due to chance is averaged
MOST_CHANCE = 0.8  # as a share of the entropy; beyond that, real information cannot be told from chance
CELLS = 2**22  # maximum number of combinations of two labels counted in a table
STRENGTH = 0.1  # inverse regularisation of the classifier: messages are mostly noise
PERMUTATIONS = 499
KEPT = 63  # number of labels a test distinguishes; rarer ones count as one
LEAST = 1e-9  # smaller differences between statistics are rounding


def entropy(labels: np.ndarray) -> float:
    """H(a) in bits, from the frequencies of labels (n,)."""
    share = np.bincount(labels) / len(labels)
    return float(-(share[share > 0] * np.log2(share[share > 0])).sum())


def joint(labels: Sequence[np.ndarray]) -> np.ndarray:
    """One label for each combination of labels (n,)."""
    found = labels[0]
    for each in labels[1:]:
        found = pd.factorize(found * (int(each.max()) + 1) + each)[0]
    return found


def row_labels(rows: np.ndarray) -> np.ndarray:
    """The index of each row of a table of integers (n, T) among its distinct rows: (n,)."""
    return joint([pd.factorize(column)[0] for column in rows.T])


def mutual_information(one: np.ndarray, other: np.ndarray) -> float:
    """I(a; b) = H(a) + H(b) - H(a, b) from the frequencies (plug-in), in bits; biased upwards."""
    return max(0.0, entropy(one) + entropy(other) - _joint_entropy(one, other))


def _joint_entropy(one: np.ndarray, other: np.ndarray) -> float:
    size = int(other.max()) + 1
    codes = one * size + other
    return entropy(codes if (int(one.max()) + 1) * size <= CELLS else pd.factorize(codes)[0])


def information(one: np.ndarray, other: np.ndarray, seed: int = 0) -> float:
    """I(a; b) in bits, adjusted for the information that independent labels appear to share by chance.

    With I the plug-in estimate, E its mean over permutations of one of the two, and h the smaller of the two entropies,
    which is the maximum:

        h (I - E) / (h - E), or 0 if that is less

    which is 0 on average for independent labels and h if one determines the other. NaN if E is more than `MOST_CHANCE`
    of h: there are too few recordings for so many labels.
    """
    random = np.random.default_rng(seed)
    apart = entropy(one), entropy(other)
    most = min(apart)
    if most == 0:
        return 0.0
    told = sum(apart) - _joint_entropy(one, other)
    chance = sum(apart) - np.mean([_joint_entropy(one, random.permutation(other)) for _ in range(BASELINES)])
    if chance > MOST_CHANCE * most:
        return float("nan")
    return max(0.0, float(most * (told - chance) / (most - chance)))


def gap(parts: Sequence[np.ndarray], classes: Sequence[np.ndarray]) -> float:
    """How far each part of a message is about a single attribute of a state, from 0 to 1 (Chaabouni et al. 2020).

    The mean over non-constant parts s of (I(s; a) - I(s; a')) / H(s), where a is the attribute that s conveys most
    about and a' the next; plug-in. With a single attribute, I(s; a') is 0. NaN if all parts are constant.
    """
    gaps = []
    for part in parts:
        spread = entropy(part)
        if spread > 0:
            best = [*sorted((mutual_information(part, each) for each in classes), reverse=True), 0.0]
            gaps.append((best[0] - best[1]) / spread)
    return float(np.mean(gaps)) if gaps else float("nan")


def learned_information(messages: np.ndarray, classes: np.ndarray) -> float:
    """Bits that messages (n, d) convey about classes (n,): a lower bound.

    The entropy, minus the cross-entropy of a logistic regression on held-out messages.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    half = len(classes) // 2
    known = np.unique(classes[:half])
    if len(known) < 2:
        return 0.0
    share = np.bincount(classes[:half], minlength=classes.max() + 1) + 0.5
    inside = np.isin(classes[half:], known)
    target = classes[half:][inside]
    prior = np.log2((share / share.sum())[target])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=300))
    model.fit(messages[:half], classes[:half])
    log_prob = model.predict_log_proba(messages[half:][inside]) / np.log(2)
    return max(0.0, float((log_prob[np.arange(len(target)), np.searchsorted(known, target)] - prior).mean()))


# classes (n,) of columns -> statistics (kinds, columns) that grow with what messages convey about each
Evidence = Callable[[list[np.ndarray]], np.ndarray]


def p_values(evidence: Evidence, classes: pd.DataFrame, seed: int = 0, permutations: int = PERMUTATIONS) -> pd.Series:
    """p-values that messages say nothing about each column of `classes`, and (under "") nothing about states at all.

    States are shuffled over messages, whole, `permutations` times. Each statistic of `evidence` for a column is
    standardised by its mean and deviation over all shuffles and the truth; a column is scored by the largest of them,
    states by the largest over all columns and their combination. p is the share of shuffles, including the truth,
    that score at least as high as the truth: uniform if messages are independent of states and of each other.
    """
    random = np.random.default_rng(seed)
    table = [pooled(classes[name].to_numpy()) for name in classes]
    table.append(pooled(joint([classes[name].to_numpy() for name in classes])))
    orders = [np.arange(len(classes)), *(random.permutation(len(classes)) for _ in range(permutations))]
    found = np.stack([evidence([each[order] for each in table]) for order in orders])
    spread = found.std(0)
    found = (found - found.mean(0)) / np.where(spread > LEAST, spread, np.inf)
    by_column = found.max(1)  # (shuffles, columns and their combination)
    counts = np.column_stack([by_column.max(1), by_column[:, :-1]])
    return pd.Series((counts >= counts[0] - LEAST).mean(0), index=["", *classes.columns])


def pooled(labels: np.ndarray) -> np.ndarray:
    """Labels with the rarest merged into one, so that at most `KEPT` + 1 are left; numbered from 0."""
    codes = pd.factorize(labels)[0]
    counts = np.bincount(codes)
    if len(counts) <= KEPT + 1:
        return codes
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return np.minimum(rank[codes], KEPT)


class SymbolEvidence:
    """Information in the message as a whole, in the symbol at each position, and summed over all positions.

    If nearly every message is unique, whole messages seem to convey as much about shuffled states as about the true
    ones; then the positions show whether there is a relation.
    """

    def __init__(self, symbols: np.ndarray) -> None:
        rows = [row_labels(symbols), *(symbols.T if symbols.shape[1] > 1 else [])]
        self.parts = [pooled(row) for row in rows]
        count = np.arange(len(symbols) + 1)
        self.terms = count * np.log2(np.maximum(count, 1))

    def __call__(self, classes: list[np.ndarray]) -> np.ndarray:
        """Marginal entropies do not change under shuffling, so joint frequencies are enough."""
        found = np.empty((len(self.parts) + 1, len(classes)))
        for column, labels in enumerate(classes):
            size = int(labels.max()) + 1
            for row, part in enumerate(self.parts):
                found[row, column] = self.terms[np.bincount(part * size + labels)].sum()
        found[-1] = found[1:-1].sum(0)
        return found


class VectorEvidence:
    """How far apart the means of classes are, of whitened messages and of random Fourier features of them.

    The second approximates the Hilbert-Schmidt independence criterion (Gretton et al. 2005) with a Gaussian
    kernel as wide as the median distance, which is greater than chance under any kind of dependence.
    """

    MOST, PROJECTED = 64, 256  # number of directions used, and of those they are chosen from
    FEATURES, SAMPLE = 64, 1000  # number of random frequencies, and of messages for the median distance

    def __init__(self, vectors: np.ndarray, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        spread = vectors.std(0)
        scaled = (vectors - vectors.mean(0)) / np.where(spread > 0, spread, 1)
        if scaled.shape[1] > self.PROJECTED:  # lengths and angles are nearly preserved, and the next line takes seconds
            scaled = scaled @ random.standard_normal((scaled.shape[1], self.PROJECTED))
        left, size, _ = np.linalg.svd(scaled, full_matrices=False)
        solid = size > 1e-6 * np.sqrt(scaled.size)
        kept = min(self.MOST, max(1, len(vectors) // 10), max(1, int(solid.sum())))
        white = left[:, :kept] * solid[:kept] * np.sqrt(len(left))
        points = left[:, :kept] * size[:kept]
        some = points[random.permutation(len(points))[: self.SAMPLE]]
        distances = np.linalg.norm(some - some[random.permutation(len(some))], axis=1)
        waves = points @ random.standard_normal((kept, self.FEATURES)) / (np.median(distances) or 1)
        fourier = np.concatenate([np.cos(waves), np.sin(waves)], axis=1)
        self.features = np.concatenate([white, fourier - fourier.mean(0)], axis=1).astype(np.float32)
        self.starts = [0, kept]

    def __call__(self, classes: list[np.ndarray]) -> np.ndarray:
        """The sum over classes of their sizes times the squared length of their mean."""
        sizes = [int(labels.max()) + 1 for labels in classes]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        said = np.zeros((starts[-1], len(self.features)), dtype=np.float32)  # of all columns, for a single product
        for start, labels in zip(starts, classes, strict=False):
            said[start + labels, np.arange(len(labels))] = 1
        sums = (said @ self.features).astype(np.float64) ** 2 / np.maximum(said.sum(1), 1)[:, None]
        return np.add.reduceat(np.add.reduceat(sums, starts[:-1], axis=0), self.starts, axis=1).T
