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
from neuralese.errors import NeuraleseError
from neuralese.storage.schema import SPLIT, contract, float32, text
from neuralese.tasks.colors import XKCD

COLORS = contract(
    "colors",
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


def _index(content: bytes) -> list[tuple[str, str]]:
    """The (name, file stem) pairs of the corpus's index, or none if it is damaged."""
    lines = [line.rsplit(b",", 1) for line in content.splitlines() if line.strip()]
    try:
        pairs = [(name.decode(), stem.decode().strip()) for name, stem in lines]
    except ValueError:
        return []
    whole = all(name.strip() and name.isprintable() and stem for name, stem in pairs)
    distinct = all(len(set(column)) == len(pairs) for column in zip(*pairs, strict=True))
    return pairs if whole and distinct else []


def _answers(files: dict[str, bytes], split: str, stem: str) -> np.ndarray:
    """The answers (n, 3) as hue, saturation and value that one name got in one split."""
    paths = [f"train/{stem}.{c}_train" for c in "hsv"] if split == "train" else [f"{SPLITS[split]}/{stem}.test"]
    if missing := [path for path in paths if path not in files]:
        raise NeuraleseError(f"the colour corpus lists '{stem}' but has no {missing[0]}; download the archive again.")
    columns = [_numbers(files[path], path) for path in paths]
    if split == "train":
        complete = len({len(column) for column in columns}) == 1
    else:
        rows = files[paths[0]].split()
        complete = len(columns[0]) == 3 * len(rows) and all(row.count(b",") == 2 for row in rows)
    if not complete:
        raise NeuraleseError(f"{paths[0]} lacks a hue, saturation or value of an answer; download the archive again.")
    return np.stack(columns, axis=1) if split == "train" else columns[0].reshape(-1, 3)


def _numbers(content: bytes, path: str) -> np.ndarray:
    """The numbers in a file, separated by spaces, commas or line ends."""
    try:
        numbers = np.array(content.replace(b",", b" ").split(), dtype=np.float64)
    except ValueError:
        numbers = np.array([np.nan])
    if not ((numbers >= 0) & (numbers <= 1)).all():  # also false for NaN
        raise NeuraleseError(f"{path} holds something other than numbers from 0 to 1; download the archive again.")
    return numbers


def parse(archive: str | Path) -> pd.DataFrame:
    """Read every answer of the corpus: columns split, name, h, s, v."""
    files = dict(members(archive, XKCD.archives[0].used))
    if "corpusindex.txt" not in files:
        raise NeuraleseError(f"{archive} holds no munroecorpus/corpusindex.txt; download the colour corpus again.")
    index = _index(files["corpusindex.txt"])
    if not index:
        raise NeuraleseError(
            f"{archive}: corpusindex.txt is not a list of unique 'name,stem' lines; download it again."
        )
    names = [name for name, _ in index]
    parts = {(split, label): _answers(files, split, stem) for split in SPLITS for label, (_, stem) in enumerate(index)}
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
