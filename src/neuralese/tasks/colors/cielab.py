"""Colours as CIELAB (D65), in which distance is close to perceived difference."""

import numpy as np
import pandas as pd
from skimage.color import hsv2rgb, lab2rgb, rgb2lab

AT_ONCE = 10_000  # colours, whose dozens of intermediate values fit into a processor's cache


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
