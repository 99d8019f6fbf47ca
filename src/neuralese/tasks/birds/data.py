"""Caltech-UCSD Birds 200-2011 with the descriptions of Reed et al. (2016): archives become tables.

Images and lists come as published (`images.txt`, `image_class_labels.txt`, `classes.txt`, `bounding_boxes.txt`), the
paper's split as three lists of image files. Descriptions come in one of two layouts: `birds.zip`, in which sentences
are lists of word ids in a pickle, or, in the stand-in, the original `text_c10/<class>/<image>.txt`, ten lines each.
"""

import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from PIL import Image

from neuralese.data.archives import members, read_plain_pickle
from neuralese.errors import NeuraleseError, reason
from neuralese.storage.schema import SPLIT, Column, contract, int32, text, vector
from neuralese.storage.tables import matrix
from neuralese.tasks.birds.task import CUB
from neuralese.tasks.items import items_table

IMAGE = int32("The image.")
IMAGES = contract("images", "image_id").of(
    image_id=IMAGE,
    path=text("Its path in the data set."),
    class_id=int32("The species, from 0.", low=0),
    class_name=text("What it is called."),
    split=SPLIT,
    box=Column(pa.list_(pa.float64()), "Where the bird is: left, top, width and height in pixels."),
)
CAPTIONS = contract("captions", "caption_id").of(
    image_id=IMAGE,
    caption_id=int32("The sentence."),
    caption=text("What it says."),
)
POOLED = contract("pooled", "image_id").of(
    image_id=IMAGE,
    pooled=vector("Products of principal components of the feature maps."),
    average=vector("Their average."),
)
FEATURES = contract("features", "image_id").of(
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


def _lines(content: bytes) -> list[str]:
    """The non-empty lines of a list."""
    lines = [line.strip() for line in content.decode().split("\n") if line.strip()]
    if not all(line.isprintable() for line in lines):
        raise ValueError("a line is not text")
    return lines


def _listed(content: bytes) -> dict[int, list[str]]:
    """The values in a list, by the number at the start of their line."""
    rows = [line.split() for line in _lines(content)]
    listed = {int(number): values for number, *values in rows}
    if len(listed) < len(rows):
        raise ValueError("a number is there twice")
    return listed


def parse_images(images: str | Path, splits: str | Path) -> pd.DataFrame:
    """Every image: image_id, path, class_id, class_name, split, box (left, top, width, height)."""
    files, rows = dict(members(images, LISTS)), []
    split: dict[str, str] = {}
    lists = ("images.txt", "image_class_labels.txt", "classes.txt", "bounding_boxes.txt")
    try:
        path, label, name, box = (_listed(files[each]) for each in lists)
        for file, content in members(splits, SPLIT_LISTS):
            for each in _lines(content):
                if split.setdefault(each, SPLITS[file.removesuffix(".txt")]) != SPLITS[file.removesuffix(".txt")]:
                    raise ValueError(f"{each} is in two splits")
        for number, (file,) in path.items():
            (species,), (left, top, width, height) = map(int, label[number]), map(float, box[number])
            if not (width >= 0 and height >= 0 and math.isfinite(left + top + width + height)):
                raise ValueError(f"the box of {file} is none")
            (species_name,) = name[species]
            rows.append((number, file, species, species_name, split[file], [left, top, width, height]))
    except (KeyError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else reason(error)
        raise NeuraleseError(f"the lists in {images} and {splits} do not match ({why}); download them again.") from None
    if not rows or len({row[1] for row in rows}) < len(rows):
        raise NeuraleseError(f"images.txt in {images} lists no image, or one twice; download it again.")
    return pd.DataFrame(rows, columns=["image_id", "path", "class_id", "class_name", "split", "box"])


def _from_pickles(files: dict[str, bytes]) -> Iterator[tuple[str, list[str]]]:
    """The sentences of each image, whose words are given by their ids."""
    lists = {file: read_plain_pickle(content, file.removeprefix("birds/")) for file, content in files.items()}
    *parts, words, _ = lists["birds/captions.pickle"]
    for captions, folder in zip(parts, ("train", "test"), strict=True):
        names = lists[f"birds/{folder}/filenames.pickle"]
        if len(captions) != SENTENCES * len(names):
            raise ValueError(f"{len(captions)} sentences for {len(names)} images")
        for position, name in enumerate(names):
            sentences = captions[SENTENCES * position : SENTENCES * (position + 1)]
            yield name, [" ".join([words[word] for word in sentence]) for sentence in sentences]


def _from_texts(files: dict[str, bytes]) -> Iterator[tuple[str, list[str]]]:
    """The sentences of each image, one per line."""
    for name, content in files.items():
        lines = [line.strip() for line in content.decode("utf-8", errors="replace").splitlines()]
        yield name.removeprefix("text_c10/").removesuffix(".txt"), [line for line in lines if line]


def parse_captions(archive: str | Path, images: pd.DataFrame) -> pd.DataFrame:
    """Every sentence of the images in the table `images`: image_id, caption_id, caption."""
    pickled = dict(members(archive, PICKLED, MOST_DESCRIBED))
    read = _from_pickles(pickled) if pickled else _from_texts(dict(members(archive, TEXTS, MOST_DESCRIBED)))
    rows: list[tuple[int, str]] = []
    try:
        described = dict(read)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        why = f"{type(error).__name__}: {reason(error)}"
        raise NeuraleseError(f"the pickles in {archive} do not match ({why}); download it again.") from None
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


def bigrams(caption: str) -> list[str]:
    """Pairs of neighbouring words, neither of them a stop word."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # here, since importing it takes seconds

    return [" ".join(pair) for pair in pairwise(words(caption)) if ENGLISH_STOP_WORDS.isdisjoint(pair)]


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
