"""Do two runs with several seeds agree? Every cell of the main tables, with an equivalence test.

python benchmarks/equivalence.py BEFORE AFTER      # two results folders
"""

import argparse
import math
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

CELL = ["task", "distractors", "speaker", "listener", "unit", "criterion"]
MARGINS = {"accuracy": 0.01, "reward": 0.1, "completion": 0.01}


def cells(results: Path) -> pd.DataFrame:
    """Accuracies, and rewards and completions of pairs with a robot: cell, measure, seed, value."""
    belief, behavior = (pd.read_parquet(results / f"tables/{name}.parquet") for name in ("belief", "behavior"))
    behavior = behavior[behavior["pair"].str.startswith("R/")]
    parts = [
        table.assign(cell=table[keys].astype(str).agg(" ".join, axis=1))[["cell", "measure", "seed", "value"]]
        for table, keys in ((belief, CELL), (behavior, ["pair", "criterion"]))
    ]
    return pd.concat(parts)


def compared(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """One row for each cell that both have: means, their difference, the margin and the test's p value."""
    rows = []
    values = [dict(list(each.groupby(["cell", "measure"], sort=False)["value"])) for each in (before, after)]
    for (cell, measure), old in values[0].items():
        if (new := values[1].get((cell, measure))) is not None:
            margin = MARGINS[measure]
            difference, half, p = equivalence_test(old.to_numpy(), new.to_numpy(), margin)
            shown = verdict(difference, half, margin)
            rows.append((cell, measure, old.mean(), new.mean(), difference, half, margin, p, shown))
    names = ["cell", "measure", "before", "after", "difference", "± (90 %)", "margin", "p", "verdict"]
    return pd.DataFrame(rows, columns=names)


def equivalence_test(before: np.ndarray, after: np.ndarray, margin: float) -> tuple[float, float, float]:
    """The difference of two means over seeds, half its 90 % interval, and p if the true means were `margin` apart.

    Two one-sided Welch t tests, the larger value of which counts: below 0.05 the two are equivalent, and the interval
    lies within the margin.
    """
    difference = float(after.mean() - before.mean())
    if min(len(before), len(after)) < 2:
        return difference, math.nan, math.nan
    squares = np.array([each.var(ddof=1) / len(each) for each in (before, after)])
    error = math.sqrt(squares.sum())
    if error == 0:
        return difference, 0.0, float(abs(difference) >= margin)
    freedom = error**4 / (squares**2 / (np.array([len(before), len(after)]) - 1)).sum()
    return difference, float(error * stdtrit(freedom, 0.95)), float(stdtr(freedom, (abs(difference) - margin) / error))


def verdict(difference: float, half: float, margin: float) -> str:
    """What a difference with half its 90 % interval shows."""
    if abs(difference) + half < margin:
        return "equivalent"
    return "beyond the margin" if abs(difference) - half > margin else "open"


def main() -> None:
    """Read the command line, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    given = parser.parse_args()
    tables = [cells(each) for each in (given.before, given.after)]
    print(compared(*tables).round(4).to_markdown(index=False))


if __name__ == "__main__":
    main()
