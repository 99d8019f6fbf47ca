"""The figures of Andreas, Dragan & Klein (2017), and the cells of ours that each compares with.

Each task holds the paper's results for it (`Paper`); a task not in the paper has no figures, but the same tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ROLES = {"printed": "belief", "released": "belief", "ours": "belief", "baseline": "direct", "control": "random"}


@dataclass(frozen=True)
class Paper:
    """The paper's results for a task."""

    table: str  # where its accuracies are
    belief: Mapping[tuple[str, str, str | None], float]  # (speaker, listener, criterion) -> accuracy
    distractors: str = "play"  # in the authors' code
    behavior_table: str = ""  # where its rewards are, if it has any
    # (pair, criterion) -> reward and completion
    behavior: Mapping[tuple[str, str | None], tuple[float | None, float | None]] = field(default_factory=dict)


Papers = Mapping[str, Paper]  # by task; only those in the paper


def paper_criterion(role: str, criterion: str) -> str | None:
    """The paper's name for a criterion with this role, if it has one."""
    return "none" if criterion == "none" else ROLES.get(role) if criterion != "shuffled" else None


def belief_figure(row: Mapping, paper: Paper | None) -> float | None:
    """The paper's accuracy for a row of `belief.parquet`, if the paper measured it this way."""
    if paper is None or row["unit"] == "phrase" or row["distractors"] != paper.distractors:
        return None
    if row["candidates"] != 2:
        return None
    listener = row["listener"].replace("R*", "R")
    return paper.belief.get((row["speaker"], listener, paper_criterion(row["role"], row["criterion"])))


def behavior_figures(row: Mapping, paper: Paper | None) -> tuple[float | None, float | None]:
    """The paper's reward and completion for a row of `behavior.parquet`, if it has them."""
    if paper is None:
        return None, None
    return paper.behavior.get((row["pair"], paper_criterion(row["role"], row["criterion"])), (None, None))
