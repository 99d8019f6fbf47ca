"""The figures of Andreas, Dragan & Klein (2017), and which of our cells each belongs beside."""

# (task, speaker, listener, criterion) -> accuracy in the belief evaluation
BELIEF = {
    ("colors", "R", "R", "none"): 1.00,
    ("colors", "H", "H*", "none"): 0.83,
    ("colors", "R", "H*", "random"): 0.50,
    ("colors", "R", "H*", "direct"): 0.72,
    ("colors", "R", "H*", "belief"): 0.86,
    ("colors", "H", "R", "random"): 0.50,
    ("colors", "H", "R", "direct"): 0.70,
    ("colors", "H", "R", "belief"): 0.73,
    ("birds", "R", "R", "none"): 0.95,
    ("birds", "H", "H*", "none"): 0.77,
    ("birds", "R", "H*", "random"): 0.50,
    ("birds", "R", "H*", "direct"): 0.57,
    ("birds", "R", "H*", "belief"): 0.75,
    ("birds", "H", "R", "random"): 0.50,
    ("birds", "H", "R", "direct"): 0.55,
    ("birds", "H", "R", "belief"): 0.60,
    ("driving", "R", "R", "none"): 0.85,
    ("driving", "H", "H*", "none"): 0.77,
    ("driving", "R", "H*", "random"): 0.50,
    ("driving", "R", "H*", "direct"): 0.45,
    ("driving", "R", "H*", "belief"): 0.57,
    ("driving", "H", "R", "random"): 0.50,
    ("driving", "H", "R", "direct"): 0.45,
    ("driving", "H", "R", "belief"): 0.61,
}
TABLE = {"colors": "1a", "birds": "1b", "driving": "2"}  # where in the paper a task's figures are
DISTRACTORS = {"driving": "anywhere"}  # in the authors' code; elsewhere they are as likely as the true state
# (pair, criterion) -> reward and completion in the behaviour evaluation, Table 3
BEHAVIOR = {
    ("R/R", "none"): (1.93, 0.71),
    ("H/H all", "none"): (None, 0.77),  # 296 of all 382 games
    ("R/H", "random"): (1.35, 0.64),
    ("R/H", "direct"): (1.49, 0.67),
    ("R/H", "belief"): (1.54, 0.67),
}
ROLES = {"printed": "belief", "released": "belief", "ours": "belief", "baseline": "direct", "control": "random"}


def paper_criterion(role: str, criterion: str) -> str | None:
    """What the paper calls a criterion with this role, if it has one."""
    return "none" if criterion == "none" else ROLES.get(role) if criterion != "shuffled" else None


def belief_figure(row: dict) -> float | None:
    """The paper's accuracy for a row of `belief.parquet`, if it was measured in this way."""
    whole = row["unit"] != "phrase" and row["distractors"] == DISTRACTORS.get(row["task"], "play")
    key = (
        row["task"],
        row["speaker"],
        row["listener"].replace("R*", "R"),
        paper_criterion(row["role"], row["criterion"]),
    )
    return BELIEF.get(key) if whole else None


def behavior_figures(row: dict) -> tuple[float | None, float | None]:
    """The paper's reward and completion for a row of `behavior.parquet`, if it has them."""
    return BEHAVIOR.get((row["pair"], paper_criterion(row["role"], row["criterion"])), (None, None))
