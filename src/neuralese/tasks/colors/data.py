"""The XKCD colour survey: an archive of answers becomes a table, its names an inventory of words, its answers traces.

In the archive, `corpusindex.txt` lists the colour names with the stem of their files. A training answer is spread over
three files (`train/<stem>.{h,s,v}_train`, one number per line), a held-out answer is a line `h,s,v` of
`5dev/<stem>.test` or `25test/<stem>.test`.

Colours are also given in CIELAB (D65), in which distance is close to perceived difference.
"""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from skimage.color import hsv2rgb, lab2rgb, rgb2lab

from neuralese.data.archives import members
from neuralese.errors import NeuraleseError, reason
from neuralese.storage.schema import SPLIT, contract, float32, text
from neuralese.tasks.colors.task import XKCD

COLORS = contract("colors").of(
    split=SPLIT,
    name=text("What the colour was called."),
    h=float32("Hue.", low=0, high=1),
    s=float32("Saturation.", low=0, high=1),
    v=float32("Value.", low=0, high=1),
    L=float32("CIELAB: lightness, 0 to 100.", low=-0.01, high=100.01),
    a=float32("CIELAB: green to red.", low=-128, high=128),
    b=float32("CIELAB: blue to yellow.", low=-128, high=128),
)

AT_ONCE = 10_000  # colours, whose dozens of intermediate values fit into a processor's cache
SPLITS = {"train": "train", "dev": "5dev", "test": "25test"}  # ours -> the corpus's folder
LEFT_OUT = {"very", "shit", "piss", "crap", "fuck"}  # an intensifier that names nothing, and profanity


def hsv_to_lab(hsv: np.ndarray) -> np.ndarray:
    """Turn hue, saturation and value in 0..1, (n, 3), into L (0..100), a and b, (n, 3)."""
    parts = np.split(hsv.astype(np.float64), range(AT_ONCE, len(hsv), AT_ONCE))
    return np.concatenate([rgb2lab(hsv2rgb(part[None]))[0] for part in parts])


def lab_to_rgb(lab: np.ndarray) -> np.ndarray:
    """Turn L, a and b, (n, 3), into sRGB in 0..1; colours outside sRGB are clipped."""
    return np.clip(lab2rgb(lab[None]), 0, 1)[0]


def add_lab(colors: pd.DataFrame) -> pd.DataFrame:
    """Add the columns L, a, b to a table that has h, s, v."""
    lab = hsv_to_lab(colors[["h", "s", "v"]].to_numpy()).astype(np.float32)
    return colors.assign(L=lab[:, 0], a=lab[:, 1], b=lab[:, 2])


def _index(content: bytes) -> dict[str, str]:
    """The file stem of each name in the corpus's index."""
    lines = [line.rsplit(",", 1) for line in content.decode().splitlines() if line.strip()]
    stems = {name: stem.strip() for name, stem in lines}
    whole = all(name.strip() and name.isprintable() and stem for name, stem in stems.items())
    if not stems or not whole or len(lines) > len(set(stems.values())):
        raise ValueError("corpusindex.txt is not a list of unique 'name,stem' lines")
    return stems


def _answers(files: dict[str, bytes], split: str, stem: str) -> np.ndarray:
    """The answers (n, 3) as hue, saturation and value that one name got in one split."""
    if split == "train":
        rows = list(zip(*(files[f"train/{stem}.{channel}_train"].split() for channel in "hsv"), strict=True))
    else:
        rows = [tuple(row.split(b",")) for row in files[f"{SPLITS[split]}/{stem}.test"].split()]
    answers = np.array(rows, dtype=np.float64).reshape(-1, 3)
    if len(answers) != len(rows) or not ((answers >= 0) & (answers <= 1)).all():  # also false for NaN
        raise ValueError(f"'{stem}' has answers in {split} that are not three numbers from 0 to 1")
    return answers


def parse(archive: str | Path) -> pd.DataFrame:
    """Read every answer of the corpus: columns split, name, h, s, v."""
    files = dict(members(archive, XKCD.archives[0].used))
    try:
        names, stems = zip(*_index(files["corpusindex.txt"]).items(), strict=True)
        parts = {(split, label): _answers(files, split, stem) for split in SPLITS for label, stem in enumerate(stems)}
    except (KeyError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else reason(error)
        raise NeuraleseError(f"the colour corpus in {archive} is damaged ({why}); download it again.") from None
    counts = [len(part) for part in parts.values()]
    table = pd.DataFrame(np.concatenate([*parts.values()]).astype(np.float32), columns=["h", "s", "v"])
    splits, labels = (np.repeat(codes, counts) for codes in zip(*parts, strict=True))
    table.insert(0, "split", pd.Categorical(splits, list(SPLITS)))
    table.insert(1, "name", pd.Categorical.from_codes(labels, names))
    for split in SPLITS:
        if not (table["split"] == split).any():
            raise NeuraleseError(f"{archive} has no answers for {split}; download it again.")
    return table


def words(name: str) -> list[str]:
    """The words of a colour name: "robin's egg blue-green" has robin's, egg, blue and green."""
    return re.findall(r"[a-z']+", name.lower())


def inventory(colors: pd.DataFrame, least_names: int = 5) -> pd.DataFrame:
    """All unigrams that occur in at least `least_names` names: columns phrase_id, phrase, count (training answers)."""
    answers = colors.loc[colors["split"] == "train", "name"].value_counts()
    names: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for name in colors["name"].unique():
        for word in set(words(name)) - LEFT_OUT:
            names[word] += 1
            counts[word] += int(answers.get(name, 0))
    kept = sorted((word for word in names if names[word] >= least_names), key=lambda word: (-counts[word], word))
    return pd.DataFrame({"phrase_id": range(len(kept)), "phrase": kept, "count": [counts[w] for w in kept]}).assign(
        names=[names[word] for word in kept]
    )


def traces(colors: pd.DataFrame, phrases: list[str]) -> pd.Series:
    """What each answer says, as the ids of the inventory words in its name (none for names outside the inventory)."""
    ids = {phrase: position for position, phrase in enumerate(phrases)}
    said = {name: [ids[word] for word in words(name) if word in ids] for name in colors["name"].unique()}
    return colors["name"].astype(object).map(said)
