"""Colours: sRGB as CIELAB (D65), in which distance is close to perceived difference, and their basic English names."""

import numpy as np

# the eleven basic colour terms of English (Berlin & Kay, 1969), each with colours that people call by that name
BASIC = {
    "black": ["#000000", "#1a1a1a"],
    "white": ["#ffffff", "#f5f5f5"],
    "grey": ["#808080", "#a9a9a9", "#555555", "#c8c8c8"],
    "red": ["#e50000", "#b22222", "#8b0000"],
    "green": ["#15b01a", "#006400", "#7ccd7c", "#00ff00", "#808000"],
    "blue": ["#0343df", "#000080", "#75bbfd", "#1e90ff", "#00ced1"],
    "yellow": ["#ffff14", "#e6d800", "#fffd74"],
    "brown": ["#653700", "#8b5a2b", "#a0522d"],
    "orange": ["#f97306", "#ffa500"],
    "pink": ["#ff81c0", "#ffc0cb", "#ff1493"],
    "purple": ["#7e1e9c", "#4b0082", "#bf77f6", "#9932cc"],
}
TO_XYZ = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
WHITE = np.array([0.95047, 1.0, 1.08883])


def rgb_to_lab(rgb: np.ndarray) -> np.ndarray:
    """Turn sRGB in 0..255, (n, 3), into L (0..100), a and b, (n, 3)."""
    encoded = np.asarray(rgb, dtype=np.float64) / 255
    linear = np.where(encoded > 0.04045, ((encoded + 0.055) / 1.055) ** 2.4, encoded / 12.92)
    xyz = linear @ TO_XYZ.T / WHITE
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def hex_to_rgb(text: str) -> tuple[int, int, int]:
    """The three numbers of "#rrggbb"."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def basic_names(rgb: np.ndarray) -> list[str]:
    """The basic name nearest to each colour (n, 3) in 0..255."""
    names = [name for name, examples in BASIC.items() for _ in examples]
    known = rgb_to_lab(np.array([hex_to_rgb(each) for examples in BASIC.values() for each in examples]))
    lab = rgb_to_lab(rgb)
    distances = (lab**2).sum(1)[:, None] - 2 * lab @ known.T + (known**2).sum(1)
    return [names[nearest] for nearest in distances.argmin(1)]
