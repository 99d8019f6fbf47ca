"""A stand-in for the birds: drawn birds of invented species, and sentences that describe some of what can be seen.

A species is a combination of body, wing, belly and crown colours, beak length, beak colour and size. Each picture
varies pose, place and shade. Sentences name one to three traits in varying words. Everything is packed like the real
archives, so the same parsers and the same feature extractor run on it.
"""

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from neuralese.data.archives import write_tar

COLORS = {
    "black": (25, 25, 28),
    "white": (240, 240, 236),
    "grey": (135, 138, 142),
    "brown": (112, 72, 40),
    "red": (190, 35, 30),
    "orange": (235, 130, 30),
    "yellow": (240, 215, 50),
    "green": (60, 130, 60),
    "blue": (45, 85, 180),
}
BEAKS = {"short": 0.10, "long": 0.32}  # in bird lengths
SIZES = {"small": 0.42, "large": 0.80}  # of the picture
SPECIES, IMAGES, SENTENCES, PIXELS = 50, 20, 10, 128
SPLITS = {"train": 8, "val": 4, "test": 8}  # images of each species
OPENINGS = ("this bird has", "a bird with", "this is a bird that has", "it has")
PARTS = {"belly": ("belly", "belly", "breast"), "crown": ("crown", "crown", "head"), "wing": ("wings", "wings", "wing")}


@dataclass(frozen=True)
class Species:
    """What all birds of a species share."""

    body: str
    wing: str
    belly: str
    crown: str
    beak: str
    beak_color: str
    size: str


def draw(species: Species, generator: np.random.Generator) -> tuple[bytes, tuple[float, float, float, float]]:
    """A picture of one bird as JPEG, and the box around the bird (left, top, width, height)."""

    def shade(name: str) -> tuple[int, ...]:
        return tuple(int(x) for x in np.clip(np.array(COLORS[name]) + generator.normal(0, 9, 3), 0, 255))

    sky = tuple(int(x) for x in generator.integers((120, 150, 130), (200, 225, 235)))
    image = Image.new("RGB", (PIXELS, PIXELS), sky)
    pen = ImageDraw.Draw(image)
    length = PIXELS * SIZES[species.size] * generator.uniform(0.92, 1.08)
    x, y = PIXELS / 2 + generator.uniform(-7, 7), PIXELS / 2 + generator.uniform(-7, 7)
    facing = generator.choice((-1, 1))
    tilt = generator.uniform(-0.08, 0.08)

    def oval(center_x: float, center_y: float, width: float, height: float, color: str) -> None:
        cx, cy = x + facing * center_x * length, y + (center_y + tilt * center_x) * length
        across, down = width * length, height * length
        pen.ellipse((cx - across, cy - down, cx + across, cy + down), shade(color))

    def triangle(points: tuple[tuple[float, float], ...], color: str) -> None:
        pen.polygon([(x + facing * a * length, y + (b + tilt * a) * length) for a, b in points], shade(color))

    triangle(((-0.25, -0.05), (-0.50, -0.12), (-0.48, 0.06)), species.wing)  # tail
    oval(0.00, 0.00, 0.30, 0.21, species.body)
    oval(0.05, 0.10, 0.20, 0.11, species.belly)
    oval(-0.06, -0.04, 0.19, 0.10, species.wing)
    oval(0.26, -0.19, 0.13, 0.12, species.body)  # head
    oval(0.26, -0.25, 0.11, 0.06, species.crown)
    triangle(((0.37, -0.22), (0.37 + BEAKS[species.beak], -0.18), (0.37, -0.15)), species.beak_color)
    eye = 0.016 / SIZES[species.size]  # about the same for all birds, so that a small one shows in a close-up
    oval(0.30, -0.19, eye, eye, "black")
    left, right = sorted((x - facing * 0.50 * length, x + facing * (0.37 + BEAKS[species.beak]) * length))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return buffer.getvalue(), (left, y - 0.34 * length, right - left, 0.58 * length)


def describe(species: Species, generator: np.random.Generator) -> str:
    """One sentence that names one to three of a bird's traits."""
    traits = [f"{getattr(species, part)} {generator.choice(names)}" for part, names in PARTS.items()]
    traits += [f"{species.beak} beak", f"{species.beak_color} beak", f"{species.body} body"]
    named = generator.choice(traits, size=generator.integers(1, 4), replace=False)
    opening = generator.choice(OPENINGS)
    if generator.random() < 0.35:
        opening = f"this {generator.choice((species.size, species.body))} bird has"
    articles = ("" if trait.endswith("s") else "an " if trait.startswith("o") else "a " for trait in named)
    return f"{opening} {' and '.join(map(''.join, zip(articles, named, strict=True)))}."


def write(raw: Path) -> None:
    """Write the stand-in archives `raw/images`, `raw/captions` and `raw/splits`."""
    generator = np.random.default_rng(200)
    pictures, captions = {}, {}
    images: list[str] = []
    labels, boxes, classes = [], [], []
    splits: dict[str, list[str]] = {name: [] for name in SPLITS}
    order = [name for name, count in SPLITS.items() for _ in range(count)]
    traits = (COLORS, COLORS, COLORS, COLORS, BEAKS, ("black", "orange"), SIZES)
    drawn = [Species(*(str(generator.choice(list(values))) for values in traits)) for _ in range(SPECIES)]
    for number, species in enumerate(drawn, start=1):
        name = f"{number:03d}.Drawn_{species.body}_{species.crown}"
        classes.append(f"{number} {name}")
        for index in range(IMAGES):
            path = f"{name}/drawn_{index:04d}.jpg"
            content, box = draw(species, generator)
            images.append(f"{len(images) + 1} {path}")
            labels.append(f"{len(images)} {number}")
            boxes.append(f"{len(images)} " + " ".join(f"{value:.1f}" for value in box))
            pictures[f"CUB_200_2011/images/{path}"] = content
            splits[order[index]].append(path)
            sentences = "\n".join(describe(species, generator) for _ in range(SENTENCES))
            captions[f"text_c10/{path.removesuffix('.jpg')}.txt"] = sentences.encode()
    lists = {"images": images, "image_class_labels": labels, "classes": classes, "bounding_boxes": boxes}
    listed = {f"CUB_200_2011/{name}.txt": "\n".join(lines).encode() for name, lines in lists.items()}
    write_tar(raw / "images", {**listed, **pictures})
    write_tar(raw / "captions", captions)
    write_tar(raw / "splits", {f"data/birds/{name}.txt": "\n".join(lines).encode() for name, lines in splits.items()})
