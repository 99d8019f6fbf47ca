"""How many bits messages convey about states.

Everything here takes labels, integers from 0: which message it is, which symbol is at a position, which class of a
column a state belongs to. All logarithms are to base 2.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from neuralese.evaluate.protocol import entropy

BASELINES = 20  # permutations over which the information due to chance is averaged
MOST_CHANCE = 0.8  # as a share of the entropy; beyond that, real information cannot be told from chance
CELLS = 2**22  # maximum number of combinations of two labels counted in a table


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
    if (int(one.max()) + 1) * size > CELLS:
        codes = pd.factorize(codes)[0]
    return entropy(codes)


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
