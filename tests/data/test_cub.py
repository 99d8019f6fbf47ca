"""Birds, real or stand-in: lists become a row for each image, captions become phrases, and odd files are refused."""

import pickle
import zipfile

import pandas as pd
import pytest

from neuralese.data.archives import write_tar
from neuralese.errors import NeuraleseError
from neuralese.tasks.birds import data as cub
from neuralese.tasks.birds import embedded

LISTS = {
    "images": "1 001.A/a_1.jpg\n2 001.A/a_2.jpg\n3 002.B/b_1.jpg",
    "image_class_labels": "1 1\n2 1\n3 2",
    "classes": "1 001.A\n2 002.B",
    "bounding_boxes": "1 1.0 2.0 30.0 40.0\n2 0.0 0.0 5.0 5.0\n3 3.0 3.0 9.0 9.0",
}
SPLIT = {"train": "001.A/a_1.jpg", "val": "001.A/a_2.jpg", "test": "002.B/b_1.jpg"}


def archives(folder, lists=LISTS, split=SPLIT):
    write_tar(folder / "images", {f"CUB_200_2011/{name}.txt": text.encode("latin-1") for name, text in lists.items()})
    write_tar(folder / "splits", {f"x/data/birds/{name}.txt": text.encode("latin-1") for name, text in split.items()})
    return folder / "images", folder / "splits"


def test_lists_become_one_row_for_each_image(tmp_path):
    table = cub.parse_images(*archives(tmp_path)).set_index("image_id")
    assert table.loc[1].tolist() == ["001.A/a_1.jpg", 1, "001.A", "train", [1.0, 2.0, 30.0, 40.0]]
    assert table["split"].tolist() == ["train", "dev", "test"]


def captions_zip(path, names=("001.A/a_1", "001.A/a_2"), test_names=("002.B/b_1",)):
    words = {1: "red", 2: "crown", 3: "bird"}
    sentences = [[[1, last] for _ in range(10 * len(of))] for last, of in ((2, names), (3, test_names))]
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("birds/captions.pickle", pickle.dumps([*sentences, words, {}], protocol=2))
        zipped.writestr("birds/train/filenames.pickle", pickle.dumps(list(names), protocol=2))
        zipped.writestr("birds/test/filenames.pickle", pickle.dumps(list(test_names), protocol=2))


def test_both_layouts_of_descriptions_give_the_same_table(tmp_path):
    images = cub.parse_images(*archives(tmp_path))
    captions_zip(tmp_path / "zip")
    texts = {"001.A/a_1": "red crown", "001.A/a_2": "red crown", "002.B/b_1": "red bird"}
    original = {f"cvpr2016/text_c10/{name}.txt": "\n".join([text] * 10).encode() for name, text in texts.items()}
    write_tar(tmp_path / "tar", original)
    packed, plain = cub.parse_captions(tmp_path / "zip", images), cub.parse_captions(tmp_path / "tar", images)
    pd.testing.assert_frame_equal(packed, plain)
    assert packed["caption"].value_counts().to_dict() == {"red crown": 20, "red bird": 10}
    assert packed["caption_id"].tolist() == list(range(30))


# two images, whose lists are made odd one at a time
TWO = {
    "images": "1 a/1.jpg\n2 a/2.jpg",
    "image_class_labels": "1 1\n2 1",
    "classes": "1 a",
    "bounding_boxes": "1 1 2 30 40\n2 0 0 5 5",
}
TWO_SPLIT = {"train": "a/1.jpg", "val": "a/2.jpg", "test": ""}
TWICE = ["1 a/1.jpg\n1 a/2.jpg", "1 a/1.jpg\n2 a/1.jpg"]
ODD = [
    ("images", [*TWICE, "", "1", "1 a b", "x a", "-1 a", "\xff", "1 \x1b[31m", "1_0 a/1.jpg", "99999999999999 a"]),
    ("images", ["1 a/3.jpg", "² a", "1\0a"]),
    ("image_class_labels", ["", "1 1", "1 x\n2 x", "1\n2", "1 9\n2 9", "1 1 1\n2 1 1", "1 nan\n2 nan"]),
    ("classes", ["", "1", "2 a", "1 a\n1 b", "x a"]),
    ("bounding_boxes", ["", "1 1 2 30 40", "1 1 2 3\n2 1 2 3", "1 nan 0 5 5\n2 0 0 5 5", "1 a b c d\n2 a b c d"]),
    ("bounding_boxes", ["1 0 0 -5 5\n2 0 0 5 5", "1 inf 0 5 5\n2 0 0 5 5"]),
    ("test", ["a/1.jpg"]),
    ("train", ["", "a/1.jpg\xff\x1b"]),
    *((name, [None]) for name in TWO),
]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in ODD for text in texts], ids=ascii)
def test_odd_lists_of_birds_are_refused_in_one_sentence(tmp_path, name, text):
    lists, split = ({n: text if n == name else each for n, each in of.items()} for of in (TWO, TWO_SPLIT))
    lists = {name: each for name, each in lists.items() if each is not None}
    with pytest.raises(NeuraleseError, match="download") as caught:
        cub.parse_images(*archives(tmp_path, lists, split))
    assert str(caught.value).isprintable()


def sentences(count: int) -> list[list[int]]:
    return [[1, 2] for _ in range(count)]


WORDS = {1: "red", 2: "crown"}
ODD_CAPTIONS = {
    "no list": 5,
    "nothing": [],
    "five parts": [sentences(20), sentences(0), WORDS, {}, {}],
    "too few sentences": [sentences(19), sentences(0), WORDS, {}],
    "texts for sentences": [["ab"] * 20, [], WORDS, {}],
    "unknown words": [[[7, 8] for _ in range(20)], [], WORDS, {}],
    "words that are numbers": [sentences(20), [], {1: 5, 2: 6}, {}],
    "words that are lists": [sentences(20), [], {1: [], 2: {}}, {}],
    "a dict for a part": [{}, [], WORDS, {}],
    "words that are words": [[["x"] for _ in range(20)], [], WORDS, {}],
}
ODD_NAMES = {
    "numbers": [1, 2],
    "one name twice": ["a/1", "a/1"],
    "none": None,
    "other names": ["b/1", "b/2"],
    "a text": "ab",
}


IMAGES = pd.DataFrame({"image_id": [1, 2], "path": ["a/1.jpg", "a/2.jpg"]})


@pytest.mark.parametrize(
    ("captions", "names"),
    [
        *((each, ["a/1", "a/2"]) for each in ODD_CAPTIONS.values()),
        *(([sentences(20), [], WORDS, {}], each) for each in ODD_NAMES.values()),
    ],
    ids=[*ODD_CAPTIONS, *ODD_NAMES],
)
def test_odd_captions_are_refused_in_one_sentence(tmp_path, captions, names):
    content = {"captions": captions, "train/filenames": names, "test/filenames": []}
    pickles = {f"birds/{name}.pickle": pickle.dumps(value, protocol=2) for name, value in content.items()}
    write_tar(tmp_path / "captions", pickles)
    with pytest.raises(NeuraleseError, match="download") as caught:
        cub.parse_captions(tmp_path / "captions", IMAGES)
    assert str(caught.value).isprintable()


def test_only_what_was_verified_is_read_of_captions(tmp_path):
    texts = {"text_c10/a/1.txt": b"red crown", "text_c10/a/2.txt": b" \n"}
    write_tar(tmp_path / "other", {"x/birds/captions.pickle": pickle.dumps([]), **texts})
    with pytest.raises(NeuraleseError, match=r"no description of a/2\.jpg"):
        cub.parse_captions(tmp_path / "other", IMAGES)
    assert cub.parse_captions(tmp_path / "other", IMAGES[:1])["caption"].tolist() == ["red crown"]


def test_the_inventory_is_the_most_frequent_bigrams_without_stop_words():
    captions = ["This bird has a red crown.", "a Red crown and white belly", "the white belly, of a bird"]
    table = cub.inventory(captions, 2)
    assert table.to_dict("list") == {"phrase_id": [0, 1], "phrase": ["red crown", "white belly"], "count": [2, 2]}
    said = cub.traces(pd.Series(captions), ["red crown", "white belly"])
    assert said == [[0], [0, 1], [1]]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("embedded")
    embedded.write(folder)
    return folder


def test_embedded_birds_go_through_the_real_parsers(drawn):
    images = cub.parse_images(drawn / "images", drawn / "splits")
    captions = cub.parse_captions(drawn / "captions", images)
    assert len(images) == 1000
    assert set(images["split"]) == {"train", "dev", "test"}
    assert len(captions) == 10_000
    phrases = set(cub.inventory(captions["caption"], 50)["phrase"])
    assert {"black beak", "yellow belly", "small bird"} <= phrases


def test_embedded_birds_are_the_same_bytes_every_time(drawn, tmp_path):
    embedded.write(tmp_path)
    for name in ("images", "captions", "splits"):
        assert (tmp_path / name).read_bytes() == (drawn / name).read_bytes()


@pytest.mark.slow
def test_the_real_birds_have_the_published_numbers(mirror):
    images = cub.parse_images(mirror / "CUB_200_2011_224px.tar", mirror / "neuralese-fa55efc.tar.gz")
    assert images["split"].value_counts().to_dict() == {"train": 4000, "dev": 1994, "test": 5794}
    assert images["class_id"].nunique() == 200
    assert len(cub.parse_captions(mirror / "birds.zip", images)) == 117_880
