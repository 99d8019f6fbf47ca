"""Tables that compare our results with the paper's: every cell of the paper's tables, and further ones, over seeds.

A row belongs to a section: the main one (empty), or one of `SECTIONS`. Tests ask whether a gain would be found with
other agents on these items: Student's t over seeds, paired by seed. The main claims, that our criterion beats the
baseline, one for each task and direction, are corrected for multiple testing by Holm's method.
"""

import math
from pathlib import Path

import pandas as pd

from neuralese.data.data_sets import ATTRIBUTES
from neuralese.evaluate.paper import Papers, behavior_figures, belief_figure
from neuralese.evaluate.statistics import differing_in_seed, holm, over_seeds_interval, over_seeds_test
from neuralese.translate.families import ASKS_JUDGE, INFORMED

KEYS = ["table", "task", "section", "pair", "unit", "criterion", "title", "role", "measure", "data"]
PHRASE, EASIER, JUDGE, TOLD = "phrase", "easier", "judge", "told"
SECTIONS = {
    PHRASE: "One phrase of a human's utterance instead of the whole",
    EASIER: "Distractors drawn as in the released code: the paper's protocol, which is easier",
    TOLD: "Sees what the listener sees: an upper bound, not to be compared with the others",
    JUDGE: "Made by asking the listener that judges: not to be compared with the others",
}
GAINS = ("gain", "gain_control", "gain_silence")  # over the baseline, the control, and silence
ONE_SEED = "One seed: the interval is over items only, and says nothing about other agents."


def compare(belief: pd.DataFrame, behavior: pd.DataFrame | None = None, papers: Papers | None = None) -> pd.DataFrame:
    """One row for each cell of the paper's tables, and for each further one, with both our result and the paper's.

    `papers` holds the paper's results for each task; the table of a task not in the paper is named after the task.

    Seeds are averaged (see `over_seeds`). Results on embedded data are never compared with the paper.
    """
    papers = papers or {}
    cells = pd.concat([_belief_cells(belief, papers), *([] if behavior is None else _behavior_cells(behavior, papers))])
    rows = [dict(zip(KEYS, key, strict=True)) | over_seeds(cell) for key, cell in cells.groupby(KEYS, sort=False)]
    table = pd.DataFrame(rows).astype({"paper": "Float64"})
    table.loc[table["data"] == "embedded", "paper"] = pd.NA
    table["difference"] = table["ours"] - table["paper"]
    main = (table["measure"] == "accuracy") & (table["section"] == "") & (table["role"] == "ours")
    table["p_holm"] = math.nan
    table.loc[main, "p_holm"] = holm(table.loc[main, "p_value"].to_numpy(dtype=float))
    return table


def read_comparison(path: str | Path) -> pd.DataFrame:
    """The comparison as written to `comparison.csv`."""
    texts = ["table", "section", "unit", "role"]
    table = pd.read_csv(path, dtype=dict.fromkeys(texts, str), keep_default_na=False, na_values=[""])
    return table.fillna(dict.fromkeys(texts, ""))


def over_seeds(cell: pd.DataFrame) -> dict:
    """One cell, a row for each seed, as one row: the mean, its interval, and each gain with its p value over seeds."""
    seeds = len(differing_in_seed(cell))
    ours, low, high = over_seeds_interval(*(cell[name].to_numpy() for name in ("ours", "ci_low", "ci_high")))
    merged = {"ours": ours, "ci_low": low, "ci_high": high}
    merged |= {"seeds": seeds, "n": cell["n"].sum(), "paper": cell["paper"].iloc[0], "chance": cell["chance"].iloc[0]}
    merged |= {"distinct": cell["distinct"].max(), "games": cell["games"].max()}
    for gain in GAINS:
        merged[gain] = cell[gain].mean()
        merged[gain.replace("gain", "p_value")] = over_seeds_test(cell[gain].to_numpy(dtype=float))
    return merged


def _belief_cells(belief: pd.DataFrame, papers: Papers) -> pd.DataFrame:
    paper = [belief_figure(row, papers.get(row["task"])) for row in belief.to_dict("records")]
    tables = {task: papers[task].table if papers.get(task) else task for task in belief["task"].unique()}
    section = _sections(belief)
    one_phrase = (belief["unit"] == "phrase") & (section != PHRASE)
    return belief.rename(columns={"accuracy": "ours"}).assign(
        table=belief["task"].map(tables),
        section=section,
        title=belief["title"].where(~one_phrase, belief["title"] + ", one phrase"),
        pair=_spoken(belief, "speaker") + " → " + _spoken(belief, "listener"),
        measure="accuracy",
        gain_silence=math.nan,
        paper=pd.array(paper, dtype="Float64"),
    )


def _spoken(belief: pd.DataFrame, who: str) -> pd.Series:
    """Who speaks or listens; if phrases were made from the states' attributes, no human does."""
    if "words" not in belief:
        return belief[who]
    return belief[who].where(belief["words"] != ATTRIBUTES, belief[who].str.replace("H", ATTRIBUTES))


def _sections(belief: pd.DataFrame) -> pd.Series:
    """The section of each row; a task with only the easier distractors has them in its main section."""
    harder = set(belief.loc[belief["distractors"] == "play", "task"])
    section = pd.Series("", index=belief.index)
    section[belief["unit"] == "phrase"] = PHRASE
    section[belief["role"] == INFORMED] = TOLD
    section[belief["role"] == ASKS_JUDGE] = JUDGE
    section[(belief["distractors"] != "play") & belief["task"].isin(harder)] = EASIER
    return section


def _behavior_cells(behavior: pd.DataFrame, papers: Papers) -> list[pd.DataFrame]:
    parts = []
    paper = [behavior_figures(row, papers.get(row["task"])) for row in behavior.to_dict("records")]
    tables = {
        task: papers[task].behavior_table if papers.get(task) else f"{task}_behavior"
        for task in behavior["task"].unique()
    }
    for place, measure in enumerate(("reward", "completion")):
        names = {measure: "ours", f"{measure}_ci_low": "ci_low", f"{measure}_ci_high": "ci_high"}
        references = zip(GAINS, ("baseline", "control", "silence"), strict=True)
        names |= {f"{measure}_over_{reference}": gain for gain, reference in references}
        kept = ["task", "pair", "criterion", "title", "role", "seed", "n", "games", "data", *names]
        parts.append(
            behavior[kept]
            .rename(columns=names)
            .assign(
                table=behavior["task"].map(tables),
                section="",
                chance=math.nan,
                unit="",
                measure=measure,
                distinct=behavior["n"],
                paper=pd.array([figures[place] for figures in paper], dtype="Float64"),
            )
        )
    return parts
