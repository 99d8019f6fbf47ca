"""Made-up results of all tasks, as `belief.parquet` and `behavior.parquet` have them."""

from itertools import product

import numpy as np
import pandas as pd

from neuralese import tasks as known

NAMES = {  # of a criterion with each role, and its title
    "printed": ("algorithm-1", "Algorithm 1 (as printed)"),
    "released": ("released", "released code"),
    "ours": ("belief", "belief (ours, chosen on dev)"),
    "baseline": ("direct", "direct (baseline, chosen on dev)"),
    "control": ("random", "random (control)"),
}
GAINS = {"printed": 0.02, "released": 0.03, "ours": 0.1, "baseline": 0.0, "control": -0.15}
TASKS = known.BUILT_IN
PAPERS = {name: known.get(name).paper for name in TASKS}
BASE = 0.65


def belief_rows(data: str = "mirror", seeds: int = 2, tasks: tuple[str, ...] = TASKS, spread: float = 0.01):
    """Every cell there is: accuracy BASE plus the role's gain, a little otherwise in each seed."""
    rows = []
    for task, seed in product(tasks, range(seeds)):
        robot, protocols = ("R*", ("play", "anywhere")) if task == "driving" else ("R", ("play",))
        for distractors in protocols:
            shared = {"task": task, "seed": seed, "distractors": distractors}
            native = {"criterion": "none", "title": "same language", "role": "", "kind": ""}
            rows.append(shared | native | {"speaker": "R", "listener": robot, "unit": "message", "accuracy": 0.9})
            rows.append(shared | native | {"speaker": "H", "listener": "H*", "unit": "utterance", "accuracy": 0.8})
            shuffled = {"criterion": "shuffled", "title": "words of another message (control)", "role": "control"}
            rows.append(rows[-1] | shuffled | {"accuracy": 0.5})
            for role, (name, title) in NAMES.items():
                for speaker, listener, unit in (
                    ("R", "H*", "message"),
                    ("H", robot, "utterance"),
                    ("H", robot, "phrase"),
                ):
                    more = spread * (seed - (seeds - 1) / 2)
                    gain = GAINS[role] + (more if role != "baseline" else 0)
                    row = {"speaker": speaker, "listener": listener, "unit": unit, "criterion": name, "title": title}
                    row |= {"role": role, "kind": "belief", "accuracy": BASE + gain, "gain": gain}
                    row |= {"gain_error": 0.01, "p_value": 0.001, "gain_control": gain - GAINS["control"]}
                    if role == "baseline":
                        row |= dict.fromkeys(("gain", "gain_error", "p_value"), np.nan)
                    if role == "control":
                        row |= {"gain_control": np.nan, "accuracy": 0.5}
                    rows.append(shared | row)
            asked = {"criterion": "synthesis-judge", "title": "asks the judge", "role": "asks-judge", "accuracy": 0.95}
            told = {"criterion": "interpreter", "title": "knows the context", "role": "informed", "accuracy": 0.94}
            shared |= {"speaker": "H", "listener": robot, "unit": "utterance", "kind": "synthesis"}
            rows += [
                shared | each | {"gain": 0.3, "gain_error": 0.01, "p_value": 0.0, "gain_control": 0.45}
                for each in ((told,) if task == "driving" else (asked, told))
            ]
    table = pd.DataFrame(rows).assign(n=100, distinct=80, games=60, data=data, candidates=2, chance=0.5)
    table["gain_control_error"] = table["gain_control"] * 0 + 0.01
    return table.assign(ci_low=table["accuracy"] - 0.05, ci_high=table["accuracy"] + 0.05)


def behavior_rows(data: str = "mirror", seeds: int = 2, spread: float = 0.02) -> pd.DataFrame:
    """Every cell of the behaviour evaluation."""
    rows = []
    for seed in range(seeds):
        for pair, reward, completion in (("R/R", 1.9, 0.7), ("H/H", 1.4, 0.75), ("H/H all", 1.5, 0.77)):
            native = {"pair": pair, "criterion": "none", "title": "same language", "role": "", "seed": seed}
            rows.append(native | {"reward": reward, "completion": completion})
        unlearned = [("silence", "silence", "silence", -0.1), ("neuralese", "a robot's own words", "", 0.3)]
        learned = [(*NAMES[role], role, GAINS[role]) for role in NAMES]
        for name, title, role, gain in [*unlearned, *learned]:
            gain += spread * (seed - (seeds - 1) / 2)
            row = {"pair": "R/H", "criterion": name, "title": title, "role": role, "seed": seed}
            row |= {"reward": 1.5 + gain, "completion": 0.6 + gain / 2}
            for measure, share in (("reward", 1), ("completion", 0.5)):
                for reference, level in (("baseline", 0.0), ("control", -0.15), ("silence", -0.1)):
                    over = np.nan if role == reference else share * (gain - level)
                    row |= {f"{measure}_over_{reference}": over, f"{measure}_over_{reference}_error": 0.01}
            rows.append(row)
    table = pd.DataFrame(rows).assign(task="driving", n=200, games=100, possible=0.9, data=data)
    for measure in ("reward", "completion"):
        table[f"{measure}_ci_low"], table[f"{measure}_ci_high"] = table[measure] - 0.05, table[measure] + 0.05
    return table
