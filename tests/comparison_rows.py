"""Small outcome tables with every cell of the comparison, for tests."""

from itertools import product

import numpy as np
import pandas as pd

from neuralese import tasks as known
from neuralese.evaluate.comparison import JUDGES

NAMES = {  # by role
    "printed": ("algorithm-1", "Algorithm 1 (as printed)"),
    "released": ("released", "released code"),
    "ours": ("belief", "belief (ours, chosen on dev)"),
    "baseline": ("direct", "direct (baseline, chosen on dev)"),
    "control": ("random", "random (control)"),
}
GAINS = {"printed": 0.02, "released": 0.03, "ours": 0.1, "baseline": 0.0, "control": -0.15, "silence": -0.1}
TASKS = known.BUILT_IN
PAPERS = {name: known.get(name).paper for name in TASKS}
BASE = 0.65


def outcome_row(value: float, role: str, name: str, title: str, over: tuple[str, ...] = (), base: float = BASE) -> dict:
    """A row with its gains `over` other roles, whose value is `base` plus their own; none is compared with itself."""
    row = {"criterion": name, "title": title, "role": role, "value": value}
    row |= {"ci_low": value - 0.05, "ci_high": value + 0.05}
    for other in ("baseline", "control", "silence"):
        known = other in over and role != other
        row[f"over_{other}"] = value - base - GAINS[other] if known else np.nan
        row |= {f"over_{other}_error": 0.01 if known else np.nan, f"over_{other}_p": 0.001 if known else np.nan}
    return row


def belief_rows(data: str = "mirror", seeds: int = 2, tasks: tuple[str, ...] = TASKS, spread: float = 0.01):
    """Every cell there is: accuracy BASE plus the role's gain, slightly different in each seed."""
    rows = []
    over = ("baseline", "control")
    for task, seed in product(tasks, range(seeds)):
        robot, protocols = ("R*", ("play", "anywhere")) if task == "driving" else ("R", ("play",))
        more = spread * (seed - (seeds - 1) / 2)
        for distractors in protocols:
            cells = [
                ("R", robot, "message", outcome_row(0.9, "native", "none", "same language")),
                ("H", "H*", "utterance", outcome_row(0.8, "native", "none", "same language")),
                ("H", "H*", "utterance", outcome_row(0.5, "control", "shuffled", "words of another message (control)")),
                ("H", robot, "utterance", outcome_row(0.94, "upper bound", "interpreter", "knows the context", over)),
            ]
            if task != "driving":
                judged = outcome_row(0.95, "asks the judge", "pragmatic", "asks the judge", over)
                cells.append(("H", robot, "utterance", judged))
            for role, (name, title) in NAMES.items():
                value = BASE + GAINS[role] + (0 if role in over else more)
                row = outcome_row(value, role, name, title, over)
                cells += [
                    (*pair, row) for pair in (("R", "H*", "message"), ("H", robot, "utterance"), ("H", robot, "phrase"))
                ]
            shared = {"task": task, "seed": seed, "distractors": distractors}
            rows += [shared | {"speaker": one, "listener": two, "unit": unit} | row for one, two, unit, row in cells]
    table = pd.DataFrame(rows).drop(columns=["over_silence", "over_silence_error", "over_silence_p"])
    table = table.assign(english="", judge=table["listener"], dev=np.nan, ties=0.0, truth=np.nan, said=np.nan)
    english = table[(table["listener"] == "H*") & (table["task"] != "driving")]
    table = pd.concat([table, *(english.assign(judge=judge) for judge in JUDGES)], ignore_index=True)
    return table.assign(measure="accuracy", n=100, distinct=80, groups=60, data=data, candidates=2, chance=0.5)


def behavior_rows(data: str = "mirror", seeds: int = 2, spread: float = 0.02) -> pd.DataFrame:
    """Every cell of the behaviour evaluation."""
    over = ("baseline", "control", "silence")
    heard = [(role, name, title, GAINS[role]) for role, (name, title) in NAMES.items()]
    heard += [("silence", "silence", "silence", GAINS["silence"]), ("native", "neuralese", "a robot's own words", 0.3)]
    rows = []
    for seed, (measure, base) in product(range(seeds), (("reward", 1.5), ("completion", 0.7))):
        shared = {"seed": seed, "measure": measure}
        for pair, more in (("R/R", 0.2), ("H/H", 0.0), ("H/H all", 0.1)):
            rows.append(shared | {"pair": pair} | outcome_row(base + more, "native", "none", "same language"))
        for role, name, title, gain in heard:
            value = base + gain + (0 if role in over else spread * (seed - (seeds - 1) / 2))
            rows.append(shared | {"pair": "R/H"} | outcome_row(value, role, name, title, over, base))
    return pd.DataFrame(rows).assign(task="driving", n=200, groups=100, possible=0.9, data=data)
