"""What goes beyond the paper's tables, as plain values for the page: ablation, bound and propositions."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from neuralese.evaluate.comparison import with_gain_texts
from neuralese.evaluate.outcomes import over_seeds
from neuralese.report.ablation import panel, panels
from neuralese.storage.tables import read_table

DOTS = 1500  # number of messages of random games that are drawn
# what was chosen on dev, which may differ between seeds
CHOSEN = ("there", "back", "voice", "runner_up", "dev_reward", "runner_up_reward", "while_silent", "phrases")


def load_beyond(tables: Mapping[str, str | Path]) -> dict:
    """Everything, from tables by file name: `ablation.parquet`, `criteria`, `bound`, `proposition_1` and `_2`."""
    names = ("ablation", "criteria", "bound", "proposition_1", "proposition_2")
    ablation, criteria, bound, lost, recovered = (
        read_table(tables[f"{name}.parquet"], name).to_pandas() for name in names
    )
    relays, heard = (tables.get(f"{name}.parquet") for name in ("relay", "listening"))  # for games that can be played
    return {
        "relay": [] if relays is None else relay_values(read_table(relays, "relay").to_pandas()),
        "listening": [] if heard is None else listening_values(read_table(heard, "listening").to_pandas()),
        "ablation": ablation_values(ablation),
        "criteria": criteria_values(criteria),
        "bound": bound_values(bound),
        "theory": theory_values(lost, recovered),
    }


def ablation_values(ablation: pd.DataFrame) -> list[dict]:
    """One panel for each task and direction: criteria with dev, test, interval, and which were chosen."""
    found = []
    for task, pair, cells in panels(ablation):
        rows = panel(cells).iloc[::-1].round(4).rename(columns={"title": "label"})
        found.append({"task": task, "pair": pair, "rows": rows.drop(columns=["criterion", "role"]).to_dict("records")})
    return found


def criteria_values(criteria: pd.DataFrame) -> list[dict]:
    """What was chosen on dev in each family of several members, and the runner-up."""
    several = criteria[criteria["members"] > 1]
    columns = ["task", "direction", "criterion", "member", "members", "accuracy", "second", "second_accuracy", "seeds"]
    return several[columns].round(4).to_dict("records")


def relay_values(relays: pd.DataFrame) -> list[dict]:
    """For each task and measure, what players achieve through English, over seeds, in figures and in a sentence."""
    joined = with_gain_texts(over_seeds(relays, averaged=["understood"], dropped=CHOSEN))
    found = []
    for (task, measure), rows in joined.groupby(["task", "measure"], sort=False):
        known = {"task": task, "measure": measure, "data": rows["data"].iloc[0], "seeds": int(rows["seeds"].iloc[0])}
        found.append(known | {"rows": rows.to_dict("records"), "sentence": relay_sentence(rows)})
    return found


def relay_sentence(rows: pd.DataFrame) -> str:
    """How much of the value of communication survives ours and the baseline, and who understands the English."""
    known = {row.role: row for row in rows.itertuples()}
    if not {"ours", "baseline"} <= set(known):
        return ""
    told = [
        f"{row.criterion} preserves {row.share:.0%} of that, in words from which the model human guesses the state "
        f"{row.understood:.0%} of the time"
        for row in (known["ours"], known["baseline"])
        if row.share == row.share
    ]
    worth = known["native"].value - known["silence"].value
    measure = rows["measure"].iloc[0]
    first = f"Hearing each other is worth {worth:.3f} in {measure} to these robots"
    return f"{first}; {'; '.join(told)}." if told else f"{first}: too little to compute a share of it."


def listening_values(listening: pd.DataFrame) -> list[dict]:
    """For each task, what a robot achieves with a model human who listens, over seeds."""
    joined = with_gain_texts(over_seeds(listening, dropped=CHOSEN))
    found = []
    for task, table in joined.groupby("task", sort=False):
        rows, completed = (table[table["measure"] == measure] for measure in ("reward", "completion"))
        rows = rows.assign(completion=completed["value"].to_numpy())
        known = {"task": task, "data": rows["data"].iloc[0], "seeds": int(rows["seeds"].iloc[0])}
        found.append(known | {"rows": rows.to_dict("records")})
    return found


def bound_values(bound: pd.DataFrame) -> list[dict]:
    """For each task, the mean over seeds of what translation loses and of its bound."""
    means = bound.groupby("task", sort=False)[["native", "translated", "lost", "divergence", "bound"]].mean()
    return [{"task": task} | row.round(4).to_dict() for task, row in means.iterrows()]


def bound_sentence(values: list[dict]) -> str:
    """On how many tasks the loss is within its bound, as a sentence."""
    within = sum(row["lost"] <= row["bound"] for row in values)
    idle = sum(row["bound"] >= 1 for row in values)
    told = f"The accuracy lost is within √(2D) on {within} of {len(values)} tasks"
    return f"{told}; on {idle} of them the bound is 1 or more, so it is vacuous." if idle else f"{told}."


def theory_values(lost: pd.DataFrame, recovered: pd.DataFrame) -> dict:
    """Both propositions: some of the messages with loss and bound, and the share recovered by rarity."""
    some = lost.sample(min(DOTS, len(lost)), random_state=0)[["bound", "lost"]].round(4)
    broken = int((lost["lost"] > lost["bound"] + 1e-9).sum())
    return {
        "messages": len(lost),
        "games": int(lost["game"].nunique()),
        "broken": broken,
        "dots": some.to_dict("records"),
        "recovered": recovered[["criterion", "rarity", "recovered"]].round(4).to_dict("records"),
    }


def theory_sentence(values: dict) -> str:
    """Whether any message lost more than its bound, as a sentence."""
    told = f"{values['messages']:,} messages of {values['games']:,} random games"
    if values["broken"]:
        return f"Proposition 1 does not hold: {values['broken']:,} of {told} lose more than their bound."
    return f"Proposition 1 holds: none of {told} loses more than its bound."
