"""A stand-in for the colour survey, made from the table of XKCD colour names that matplotlib ships.

Each name's published colour is blurred in CIELAB, and short names are given more often than long ones, as by people.
It is packed exactly like the real corpus, so the same parser reads both.
"""

import re
import warnings
from pathlib import Path

import numpy as np
from matplotlib.colors import XKCD_COLORS, to_rgb
from skimage.color import lab2rgb, rgb2hsv, rgb2lab

from neuralese.data.archives import write_tar

ANSWERS = {1: 400, 2: 120, 3: 30}  # training answers per name, by its number of words
HELD_OUT = {"5dev": 0.15, "25test": 0.35}  # as a share of the training answers
BLUR = 7.0  # standard deviation of answers around a name's colour, in CIELAB units


def write(raw: Path) -> None:
    """Write the stand-in corpus as `raw/xkcd`."""
    generator = np.random.default_rng(829)
    files: dict[str, bytes] = {}
    index = []
    for key, value in sorted(XKCD_COLORS.items()):
        name = key.removeprefix("xkcd:").replace("/", "-")
        stem = re.sub(r"[^a-z]", "", name)
        if f"train/{stem}.h_train" in files:
            continue
        index.append(f"{name},{stem}")
        lab = rgb2lab(np.array([[to_rgb(value)]]))[0, 0]
        answers = ANSWERS[min(len(name.split()), 3)]

        def draw(n: int, lab: np.ndarray = lab) -> np.ndarray:
            blurred = lab + BLUR * generator.standard_normal((n, 3))
            with warnings.catch_warnings(action="ignore"):  # colours outside sRGB are clipped, as intended
                return rgb2hsv(np.clip(lab2rgb(blurred[None]), 0, 1))[0]

        for channel, column in zip("hsv", draw(answers).T, strict=True):
            files[f"train/{stem}.{channel}_train"] = "\n".join(f"{x:.6f}" for x in column).encode()
        for folder, share in HELD_OUT.items():
            rows = draw(max(1, round(share * answers)))
            files[f"{folder}/{stem}.test"] = "\n".join(",".join(f"{x:.6f}" for x in row) for row in rows).encode()
    files["corpusindex.txt"] = "\n".join(index).encode()
    write_tar(raw / "xkcd", {f"embedded/munroecorpus/{name}": content for name, content in sorted(files.items())})
