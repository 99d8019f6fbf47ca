"""Caltech-UCSD Birds 200-2011 with the descriptions of Reed et al. (2016): archives become tables.

Images and lists come as published (`images.txt`, `image_class_labels.txt`, `classes.txt`, `bounding_boxes.txt`), the
paper's split as three lists of image files. Descriptions come in one of two layouts: `birds.zip`, in which sentences
are lists of word ids in a pickle, or the original `text_c10/<class>/<image>.txt`, ten lines each.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pyarrow as pa

from neuralese.sources.archives import members
from neuralese.sources.pickles import read_plain_pickle
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.tables import matrix
from neuralese.tasks.items import items_table

LISTS = r"CUB_200_2011/((?:images|image_class_labels|classes|bounding_boxes)\.txt)$"
PICTURES = r"CUB_200_2011/images/(.+\.jpg)$"
SPLIT_LISTS = r"data/birds/((?:train|val|test)\.txt)$"
CAPTIONS = r"(?:^|/)((?:birds/(?:captions|(?:train|test)/filenames)\.pickle)|text_c10/[^/]+/[^/]+\.txt)$"
SPLITS = {"train": "train", "val": "dev", "test": "test"}  # the lists' names -> ours
SENTENCES = 10  # of each image


def _columns(files: dict[str, bytes], name: str) -> dict[int, list[str]]:
    """A published list, `number value ...` a line, by its number."""
    if name not in files:
        raise NeuraleseError(f"the birds archive has no {name}; fetch it again.")
    try:
        rows = (line.split() for line in files[name].decode().splitlines() if line.strip())
        return {int(row[0]): row[1:] for row in rows}
    except ValueError as error:
        raise NeuraleseError(f"{name} of the birds archive is damaged ({error}); fetch it again.") from None


def parse_images(images: str | Path, splits: str | Path) -> pd.DataFrame:
    """Every image: image_id, path, class_id, class_name, split, box (left, top, width, height)."""
    files = dict(members(images, LISTS))
    path, label = _columns(files, "images.txt"), _columns(files, "image_class_labels.txt")
    name, box = _columns(files, "classes.txt"), _columns(files, "bounding_boxes.txt")
    split = {
        line.strip(): SPLITS[file.removesuffix(".txt")]
        for file, content in members(splits, SPLIT_LISTS)
        for line in content.decode().splitlines()
    }
    try:
        rows = [
            (
                number,
                file,
                int(label[number][0]),
                name[int(label[number][0])][0],
                split[file],
                [float(x) for x in box[number]],
            )
            for number, (file,) in path.items()
        ]
    except (KeyError, ValueError) as error:
        raise NeuraleseError(f"the lists of the birds archives do not fit together: {error} is missing.") from None
    return pd.DataFrame(rows, columns=["image_id", "path", "class_id", "class_name", "split", "box"])


def _from_pickles(files: dict[str, bytes]) -> Iterable[tuple[str, list[str]]]:
    captions = read_plain_pickle(files["birds/captions.pickle"], "captions.pickle")
    words = captions[2]
    for part, folder in enumerate(("train", "test")):
        names = read_plain_pickle(files[f"birds/{folder}/filenames.pickle"], f"{folder}/filenames.pickle")
        if len(captions[part]) != SENTENCES * len(names):
            raise NeuraleseError(f"captions.pickle has {len(captions[part])} sentences for {len(names)} images.")
        for position, name in enumerate(names):
            sentences = captions[part][SENTENCES * position : SENTENCES * (position + 1)]
            yield name, [" ".join(words[word] for word in sentence) for sentence in sentences]


def _from_texts(files: dict[str, bytes]) -> Iterable[tuple[str, list[str]]]:
    for name, content in files.items():
        lines = [line.strip() for line in content.decode("utf-8", errors="replace").splitlines()]
        yield name.removeprefix("text_c10/").removesuffix(".txt"), [line for line in lines if line]


def parse_captions(archive: str | Path, images: pd.DataFrame) -> pd.DataFrame:
    """Every sentence of the images in the table `images`: image_id, caption_id, caption."""
    files = dict(members(archive, CAPTIONS))
    described = dict((_from_pickles if "birds/captions.pickle" in files else _from_texts)(files))
    rows = []
    for number, path in zip(images["image_id"], images["path"], strict=True):
        name = path.removesuffix(".jpg")
        if name not in described:
            raise NeuraleseError(f"{archive} has no description of {path}; fetch the archive again.")
        rows += [(number, caption) for caption in described[name]]
    table = pd.DataFrame(rows, columns=["image_id", "caption"])
    table.insert(1, "caption_id", range(len(table)))
    return table


def words(caption: str) -> list[str]:
    """The words of a sentence, in lower case."""
    return re.findall(r"[a-z]+", caption.lower())


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing by themselves."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # here, since its import takes seconds

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
    """What each caption says, as the ids of the inventory's bigrams in it."""
    ids = {phrase: position for position, phrase in enumerate(phrases)}
    return [[ids[bigram] for bigram in bigrams(caption) if bigram in ids] for caption in captions]


def bird_items(images: pd.DataFrame, features: pa.Table) -> pa.Table:
    """The images that have features as items, in the features' order, with their image_id."""
    split = images.set_index("image_id")["split"].loc[features["image_id"].to_numpy()].reset_index(drop=True)
    return items_table(split, matrix(features["feature"])).append_column("image_id", features["image_id"])
