"""What the files are that the colour task alone has."""

from neuralese.storage.described import Described
from neuralese.tasks.colors.data import COLORS

DESCRIBED = {
    "colors.parquet": Described(
        "Every answer of the survey.",
        COLORS,
        {
            "name": "What the colour was called.",
            **dict(zip("hsv", ("Hue, from 0 to 1.", "Saturation.", "Value."), strict=True)),
            **dict(zip("Lab", ("CIELAB: lightness, 0 to 100.", "Green to red.", "Blue to yellow."), strict=True)),
        },
    )
}
