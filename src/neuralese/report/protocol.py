"""The protocol as a picture: the cloud of messages, and the information in them."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from neuralese.figures import save


def draw_measures(path: str | Path, protocol: pd.DataFrame, title: str) -> None:
    """Draw the mutual information between recorded messages and each variable, and whether it exceeds chance."""
    told = protocol.pivot(index="variable", columns="measure", values="value")
    told = told[told.index != ""][["information", "entropy", "p_value"]].sort_values("information")
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.5 * len(told)), layout="constrained")
    figure.suptitle(title, fontsize=10)
    names = [f"{name} (p {'< 0.001' if p < 0.001 else f'= {p:.3f}'})" for name, p in told["p_value"].items()]
    axes.barh(names, told["entropy"], color="#dddddd", label="entropy")
    axes.barh(names, told["information"], color="#1d5fd1", label="mutual information with the message")
    axes.set(xlabel="bits", title="information in a message")
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)


def draw_protocol(
    path: str | Path, messages: np.ndarray, variables: pd.DataFrame, protocol: pd.DataFrame, title: str
) -> None:
    """Draw the two main directions of `messages` (n, d), coloured by their main variable, and bits by variable."""
    told = protocol.pivot(index="variable", columns="measure", values="value")[["information", "entropy"]].dropna()
    told = told.sort_values("information")
    most = told.index[-1]
    centred = messages - messages.mean(0)
    cloud = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=(1, 1.1))
    figure.suptitle(title, fontsize=10)
    points = left.scatter(cloud[:, 0], cloud[:, 1], c=variables[most], s=5, cmap="viridis", linewidths=0)
    figure.colorbar(points, ax=left, label=most)
    left.set(xlabel="first direction", ylabel="second direction", title="messages before noise")
    right.barh(told.index, told["entropy"], color="#dddddd", label="entropy")
    right.barh(told.index, told["information"], color="#1d5fd1", label="mutual information (lower bound)")
    right.set(xlabel="bits", title="information in a message")
    right.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)
