"""Caltech-UCSD Birds 200-2011 with the descriptions of Reed et al. (2016): archives become tables.

Images and lists come as published (`images.txt`, `image_class_labels.txt`, `classes.txt`, `bounding_boxes.txt`), the
paper's split as three lists of image files. Descriptions come in one of two layouts: `birds.zip`, in which sentences
are lists of word ids in a pickle, or the original `text_c10/<class>/<image>.txt`, ten lines each.
"""

import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from PIL import Image

from neuralese.data.archives import members, read_plain_pickle
from neuralese.errors import NeuraleseError
from neuralese.storage.schema import SPLIT, Column, contract, int32, text, vector
from neuralese.storage.tables import matrix
from neuralese.tasks.birds import CUB
from neuralese.tasks.items import items_table

IMAGE = int32("The image.")
IMAGES = contract(
    "images",
    "image_id",
    "path",
    image_id=IMAGE,
    path=text("Its path in the data set."),
    class_id=int32("The species, from 0.", low=0),
    class_name=text("What it is called."),
    split=SPLIT,
    box=Column(pa.list_(pa.float64()), "Where the bird is: left, top, width and height in pixels."),
)
CAPTIONS = contract(
    "captions",
    "caption_id",
    image_id=IMAGE,
    caption_id=int32("The sentence."),
    caption=text("What it says."),
)
POOLED = contract(
    "pooled",
    "image_id",
    image_id=IMAGE,
    pooled=vector("Products of principal components of the feature maps."),
    average=vector("Their average."),
)
FEATURES = contract(
    "features",
    "image_id",
    image_id=IMAGE,
    feature=vector("What players see of it."),
)

LISTS = r"CUB_200_2011/((?:images|image_class_labels|classes|bounding_boxes)\.txt)$"
PICTURES = r"CUB_200_2011/images/(.+\.jpg)$"
PICKLED, SPLIT_LISTS = CUB.archives[1].used, CUB.archives[2].used
TEXTS = r"(?:^|/)(text_c10/[^/]+/[^/]+\.txt)$"
MOST_DESCRIBED = 1 << 28  # bytes of all descriptions; the real ones have 7 MB
SPLITS = {"train": "train", "val": "dev", "test": "test"}  # the lists' names -> ours
SENTENCES = 10  # of each image
MARGIN = 0.03  # around a bird's box, as a share of its sides

Box = tuple[float, float, float, float]  # left, top, width, height in pixels


def _lines(content: bytes, name: str) -> list[str]:
    """The non-empty lines of a list."""
    try:
        lines = [line.strip() for line in content.decode().split("\n") if line.strip()]
    except ValueError:
        lines = ["\0"]
    if not all(line.isprintable() for line in lines):
        raise NeuraleseError(f"{name} of the birds archive is damaged (it is not text); download it again.")
    return lines


def _columns(files: dict[str, bytes], name: str, width: int) -> dict[int, list[str]]:
    """A published list, with a number and several values per line, by number."""
    if name not in files:
        raise NeuraleseError(f"the birds archive has no {name}; download it again.")
    listed: dict[int, list[str]] = {}
    for row in map(str.split, _lines(files[name], name)):
        if len(row) != width + 1 or not re.fullmatch("[0-9]{1,9}", row[0]):
            raise NeuraleseError(f"{name} of the birds archive is damaged ('{' '.join(row)[:60]}'); download it again.")
        if int(row[0]) in listed:
            raise NeuraleseError(f"{name} of the birds archive has a number twice; download it again.")
        listed[int(row[0])] = row[1:]
    return listed


def _splits(archive: str | Path) -> dict[str, str]:
    """The split of each image."""
    listed = [
        (line, SPLITS[file.removesuffix(".txt")])
        for file, content in members(archive, SPLIT_LISTS)
        for line in _lines(content, file)
    ]
    if len(dict(listed)) < len(listed):
        raise NeuraleseError(f"{archive} lists an image twice; download it again.")
    return dict(listed)


def parse_images(images: str | Path, splits: str | Path) -> pd.DataFrame:
    """Every image: image_id, path, class_id, class_name, split, box (left, top, width, height)."""
    files = dict(members(images, LISTS))
    path, label = _columns(files, "images.txt", 1), _columns(files, "image_class_labels.txt", 1)
    name, box = _columns(files, "classes.txt", 1), _columns(files, "bounding_boxes.txt", 4)
    split, rows = _splits(splits), []
    for number, (file,) in path.items():
        try:
            species, place = int(label[number][0]), [float(value) for value in box[number]]
            if not all(map(math.isfinite, place)) or min(place[2:]) < 0:
                raise ValueError
            rows.append((number, file, species, name[species][0], split[file], place))
        except KeyError as error:
            raise NeuraleseError(
                f"the lists of the birds archives do not match: {error} is missing; download them again."
            ) from None
        except ValueError:
            raise NeuraleseError(f"the class or the box of {file} is not a number; download it again.") from None
    if not rows or len({row[1] for row in rows}) < len(rows):
        raise NeuraleseError("images.txt of the birds archive lists no image, or one twice; download it again.")
    return pd.DataFrame(rows, columns=["image_id", "path", "class_id", "class_name", "split", "box"])


def _from_pickles(files: dict[str, bytes]) -> Iterator[tuple[str, list[str]]]:
    """The sentences of each image, whose words are given by their ids."""
    lists = {file: read_plain_pickle(content, file.removeprefix("birds/")) for file, content in files.items()}
    try:
        *parts, words, _ = lists["birds/captions.pickle"]
        for captions, folder in zip(parts, ("train", "test"), strict=True):
            names = lists[f"birds/{folder}/filenames.pickle"]
            if len(captions) != SENTENCES * len(names) or not all(isinstance(name, str) for name in names):
                raise ValueError(f"{len(captions)} sentences for {len(names)} images")
            for position, name in enumerate(names):
                sentences = captions[SENTENCES * position : SENTENCES * (position + 1)]
                yield name, [" ".join([words[word] for word in sentence]) for sentence in sentences]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise NeuraleseError(
            f"the pickles of the descriptions do not match ({type(error).__name__}: {error}); download them again."
        ) from None


def _from_texts(files: dict[str, bytes]) -> Iterator[tuple[str, list[str]]]:
    for name, content in files.items():
        lines = [line.strip() for line in content.decode("utf-8", errors="replace").splitlines()]
        yield name.removeprefix("text_c10/").removesuffix(".txt"), [line for line in lines if line]


def parse_captions(archive: str | Path, images: pd.DataFrame) -> pd.DataFrame:
    """Every sentence of the images in the table `images`: image_id, caption_id, caption."""
    pickled = dict(members(archive, PICKLED, MOST_DESCRIBED))
    found = list(_from_pickles(pickled) if pickled else _from_texts(dict(members(archive, TEXTS, MOST_DESCRIBED))))
    described, rows = dict(found), []
    if len(described) < len(found):
        raise NeuraleseError(f"{archive} describes an image twice; download it again.")
    for number, path in zip(images["image_id"], images["path"], strict=True):
        if not (captions := described.get(path.removesuffix(".jpg"))):
            raise NeuraleseError(f"{archive} has no description of {path}; download it again.")
        rows += [(number, caption) for caption in captions]
    table = pd.DataFrame(rows, columns=["image_id", "caption"])
    table.insert(1, "caption_id", range(len(table)))
    return table


def words(caption: str) -> list[str]:
    """The words of a sentence, in lower case."""
    return re.findall(r"[a-z]+", caption.lower())


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing by themselves."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # here, since importing it takes seconds

    return ENGLISH_STOP_WORDS


def bigrams(caption: str) -> list[str]:
    """Pairs of neighbouring words, neither of them a stop word."""
    pairs = pairwise(words(caption))
    return [f"{first} {second}" for first, second in pairs if not stop_words() & {first, second}]


def inventory(captions: Iterable[str], size: int) -> pd.DataFrame:
    """The `size` most frequent bigrams of the captions: phrase_id, phrase, count."""
    counts = Counter(bigram for caption in captions for bigram in bigrams(caption))
    kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:size]
    return pd.DataFrame(kept, columns=["phrase", "count"]).rename_axis("phrase_id").reset_index()


def traces(captions: pd.Series, phrases: list[str]) -> list[list[int]]:
    """What each caption says, as the ids of its bigrams in the inventory."""
    ids = {phrase: position for position, phrase in enumerate(phrases)}
    return [[ids[bigram] for bigram in bigrams(caption) if bigram in ids] for caption in captions]


def bird_items(images: pd.DataFrame, features: pa.Table) -> pa.Table:
    """The images with features as items, in the order of the features, with their image_id."""
    split = images.set_index("image_id")["split"].loc[features["image_id"].to_numpy()].reset_index(drop=True)
    return items_table(split, matrix(features["feature"])).append_column("image_id", features["image_id"])


def crop(content: bytes, box: Box, size: int | None = None) -> np.ndarray:
    """Decode a picture and crop it to `box`, stretched to size x size pixels if given: (h, w, 3) bytes."""
    image: Image.Image = Image.open(io.BytesIO(content))
    image = image if image.mode == "RGB" else image.convert("RGB")  # a conversion copies, even from RGB
    left, top, width, height = box
    inside = (
        max(0.0, left - MARGIN * width),
        max(0.0, top - MARGIN * height),
        min(image.width, left + (1 + MARGIN) * width),
        min(image.height, top + (1 + MARGIN) * height),
    )
    shape = (size, size) if size else (max(1, round(inside[2] - inside[0])), max(1, round(inside[3] - inside[1])))
    return np.asarray(image.resize(shape, Image.Resampling.BICUBIC, box=inside))
