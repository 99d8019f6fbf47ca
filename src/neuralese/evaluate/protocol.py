"""How a robot's language works: how much its messages convey, and about what.

Measures, one row each (`measure`, `variable`, `value`):

    effective_dimension     participation ratio of the messages' covariance: 1 if they lie on a line
    first_component         share of their variance in one direction
    clusters, silhouette    the best number of k-means clusters from 2 to 12, and how well separated they are (0 to 1)
    topographic_similarity  Spearman correlation of distances between states and between messages (-1 to 1)
    information             bits that a message as heard, with noise, conveys about a variable of the state: a lower
                            bound, from a logistic regression on held-out messages
    entropy                 entropy of that variable in bits
"""

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import silhouette_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

BINS = 8  # for a continuous variable
STRENGTH = 0.1  # inverse regularisation of the classifier: messages are mostly noise
PAIRS = 600  # messages whose pairwise distances are compared


def analyse(said: np.ndarray, heard: np.ndarray, variables: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Measure messages before noise, `said` (n, d), and after, `heard` (n, d), said in states of given `variables`."""
    rows = [("effective_dimension", "", effective_dimension(said)), ("first_component", "", first_component(said))]
    rows += [(name, "", value) for name, value in zip(("clusters", "silhouette"), clusters(said, seed), strict=True)]
    rows.append(("topographic_similarity", "", topographic_similarity(said, variables)))
    for name in variables:
        binned = bins(variables[name])
        rows.append(("information", name, information(heard, binned)))
        rows.append(("entropy", name, entropy(binned)))
    return pd.DataFrame(rows, columns=["measure", "variable", "value"])


def effective_dimension(messages: np.ndarray) -> float:
    """(sum of eigenvalues)^2 / sum of squares, of the covariance."""
    values = np.linalg.eigvalsh(np.cov(messages.T))
    return float(values.sum() ** 2 / (values**2).sum())


def first_component(messages: np.ndarray) -> float:
    """Share of variance in the direction of largest variance."""
    values = np.linalg.eigvalsh(np.cov(messages.T))
    return float(values[-1] / values.sum())


def clusters(messages: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """The number of clusters with the best separation, and that separation."""
    some = messages[:1000]
    scored = []
    for count in range(2, 13):
        label = KMeans(count, n_init=3, random_state=seed).fit_predict(some)
        scored.append((silhouette_score(some, label), count))
    best = max(scored)
    return float(best[1]), float(best[0])


def topographic_similarity(messages: np.ndarray, variables: pd.DataFrame) -> float:
    """Do similar states have similar messages?"""
    numbers = variables.iloc[:PAIRS].astype(float)
    states = ((numbers - numbers.mean()) / numbers.std().replace(0, 1)).to_numpy()
    return float(spearmanr(pdist(states), pdist(messages[:PAIRS])).statistic)


def bins(values: pd.Series) -> np.ndarray:
    """Numbers as few classes: as they are if few, otherwise cut into equally frequent bins."""
    if values.nunique() <= BINS:
        return values.astype("category").cat.codes.to_numpy()
    return pd.qcut(values, BINS, labels=False, duplicates="drop").to_numpy()


def entropy(classes: np.ndarray) -> float:
    """In bits."""
    share = np.bincount(classes) / len(classes)
    return float(-(share[share > 0] * np.log2(share[share > 0])).sum())


def information(messages: np.ndarray, classes: np.ndarray) -> float:
    """Bits a message conveys about a class: the entropy, minus a classifier's cross-entropy on held-out messages."""
    half = len(classes) // 2
    share = np.bincount(classes[:half], minlength=classes.max() + 1) + 0.5
    known = np.unique(classes[:half])
    inside = np.isin(classes[half:], known)
    target = classes[half:][inside]
    prior = np.log2((share / share.sum())[target])
    if len(known) < 2:
        return 0.0
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=300))
    model.fit(messages[:half], classes[:half])
    log_prob = model.predict_log_proba(messages[half:][inside]) / np.log(2)
    return max(0.0, float((log_prob[np.arange(len(target)), np.searchsorted(known, target)] - prior).mean()))
