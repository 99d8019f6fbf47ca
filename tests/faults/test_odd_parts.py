"""What is inside archives, from strangers: read as it is meant, or refused in one sentence."""

import io
import json
import pickle
import struct
import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from neuralese.data.archives import write_tar
from neuralese.data.pickles import read_plain_pickle
from neuralese.errors import NeuraleseError
from neuralese.tasks.birds import data as cub
from neuralese.tasks.colors import data as xkcd
from neuralese.tasks.driving.logs import BadLogError, parse, parse_log


def one_sentence(error: Exception) -> str:
    sentence = str(error)
    assert sentence.isprintable()
    assert len(sentence) < 600
    return sentence


# ---- pickles


def deep(count: int) -> bytes:
    return b"\x80\x02" + b"]" * count + b"a" * (count - 1) + b"."


PICKLES = {
    "nothing": b"",
    "only a stop": b".",
    "a place of 2 to the 31": b"\x80\x02Nr\xff\xff\xff\x7f0N.",
    "a text of 4 GB": b"\x80\x02X\xff\xff\xff\xff.",
    "a text of 2 to the 63": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 63) + b".",
    "bytes of 2 to the 63": b"\x80\x04\x8e" + struct.pack("<Q", 1 << 63) + b".",
    "a frame and nothing": b"\x80\x04\x95" + b"\xff" * 8,
    "a number of 4 GB": b"\x80\x02\x8b\xff\xff\xff\x7f.",
    "a number of 5,000 digits": b"I" + b"9" * 5000 + b"\n.",
    "a number that is none": b"Iabc\n.",
    "a long that is none": b"Labc\n.",
    "lists in a million lists": deep(1_000_000),
    "marks without end": b"(" * 100_000 + b".",
    "tuples in tuples": b"\x80\x02)" + b"\x85" * 1_000_000 + b".",
    "a tuple as a key": b"\x80\x02}" + b")" + b"\x85" * 1000 + b"Ns.",
    "a list as a key": b"\x80\x02}]Ns.",
    "a list that holds itself": b"\x80\x02]q\x00h\x00a.",
    "a list in ten places, ten deep": pickle.dumps((lambda x: [x] * 10)([[1]] * 10), protocol=2),
    "what was never kept": b"\x80\x02h\x05.",
    "an append to nothing": b"\x80\x02Na.",
    "an append to a text": b"\x80\x02X\x01\x00\x00\x00aNa.",
    "appends without a mark": b"\x80\x02]Ne.",
    "a dict of three": b"\x80\x02(NNNd.",
    "two values": b"\x80\x02NN.",
    "no stop": b"\x80\x02N",
    "a text without quotes": b"Sabc\n.",
    "a text that is cut": b"S'abc",
    "half a character": b"V\\ud800\n.",
    "bytes that are no text": b"\x80\x02X\x02\x00\x00\x00\xff\xfe.",
    "an unknown instruction": b"\x80\x02\xff.",
    "a global": b"cos\nsystem\n.",
    "a global with escapes": b"c\x1b[31m\nsystem\n.",
    "a call": b"cos\nsystem\n(S'true'\ntR.",
    "an instance": b"(S'true'\nios\nsystem\n.",
    "an object": b"(cos\nsystem\no.",
    "a persistent id": b"Pabc\n.",
    "an extension": b"\x82\x01.",
    "a class by stack": b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
    "a reduce of nothing": b"R.",
    "a build of nothing": b"b.",
}


@pytest.mark.parametrize("wrong", PICKLES)
def test_an_odd_pickle_is_refused_in_one_sentence_soon_and_in_little_memory(wrong):
    tracemalloc.start()
    begun = time.process_time()
    with pytest.raises(NeuraleseError) as caught:
        read_plain_pickle(PICKLES[wrong], "captions.pickle")
    assert one_sentence(caught.value).startswith("captions.pickle")
    assert time.process_time() - begun < 5
    assert tracemalloc.get_traced_memory()[1] < 50 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("protocol", range(5))
def test_plain_data_is_read_as_it_was(protocol):
    value = [[1, 2, 300, 70_000, -5], {"a": 1, 2: "é€\n'\"\\"}, [], {}, None, True, False, 0.5, "", "x" * 300, 2**40]
    assert read_plain_pickle(pickle.dumps(value, protocol), "x") == value


def test_texts_of_python_2_are_read_as_latin_1():
    assert read_plain_pickle(b"(lp0\nS'caf\\xe9'\np1\naU\x04caf\xe9aT\x04\x00\x00\x00caf\xe9aI01\na.", "x") == [
        *["café"] * 3,
        True,
    ]


# ---- birds

LISTS = {
    "images": "1 a/1.jpg\n2 a/2.jpg",
    "image_class_labels": "1 1\n2 1",
    "classes": "1 a",
    "bounding_boxes": "1 1 2 30 40\n2 0 0 5 5",
}
SPLIT = {"train": "a/1.jpg", "val": "a/2.jpg", "test": ""}
ODD_LISTS = [
    *(
        {"images": text}
        for text in ("", "1", "1 a b", "x a", "-1 a", "1 a/1.jpg\n1 a/2.jpg", "1 a/1.jpg\n2 a/1.jpg", "\xff")
    ),
    *({"images": text} for text in ("1 \x1b[31m", "1_0 a/1.jpg", "99999999999999 a", "1 a/3.jpg", "² a", "1\0a")),
    *(
        {"image_class_labels": text}
        for text in ("", "1 1", "1 x\n2 x", "1\n2", "1 9\n2 9", "1 1 1\n2 1 1", "1 nan\n2 nan")
    ),
    *({"classes": text} for text in ("", "1", "2 a", "1 a\n1 b", "x a")),
    *({"bounding_boxes": text} for text in ("", "1 1 2 30 40", "1 1 2 3\n2 1 2 3", "1 nan 0 5 5\n2 0 0 5 5")),
    *({"bounding_boxes": text} for text in ("1 a b c d\n2 a b c d", "1 0 0 -5 5\n2 0 0 5 5", "1 inf 0 5 5\n2 0 0 5 5")),
]
ODD_SPLITS = [
    {"test": "a/1.jpg"},
    {"train": ""},
    {"train": "a/1.jpg\na/1.jpg"},
    {"train": "a/1.jpg\xff\x1b"},
]


def bird_archives(folder, lists=None, split=None):
    packed = {
        f"CUB_200_2011/{name}.txt": text.encode("latin-1", "ignore") for name, text in (LISTS | (lists or {})).items()
    }
    write_tar(folder / "images", packed)
    listed = {f"data/birds/{name}.txt": text.encode("latin-1") for name, text in (SPLIT | (split or {})).items()}
    write_tar(folder / "splits", listed)
    return folder / "images", folder / "splits"


@pytest.mark.parametrize(
    ("lists", "split"), [*((each, {}) for each in ODD_LISTS), *(({}, each) for each in ODD_SPLITS)], ids=ascii
)
def test_odd_lists_of_birds_are_refused_in_one_sentence(tmp_path, lists, split):
    with pytest.raises(NeuraleseError) as caught:
        cub.parse_images(*bird_archives(tmp_path, lists, split))
    assert "download" in one_sentence(caught.value)


def sentences(count: int) -> list[list[int]]:
    return [[1, 2] for _ in range(count)]


WORDS = {1: "red", 2: "crown"}
ODD_CAPTIONS = {
    "no list": 5,
    "nothing": [],
    "three parts": [sentences(20), sentences(0), WORDS],
    "five parts": [sentences(20), sentences(0), WORDS, {}, {}],
    "too few sentences": [sentences(19), sentences(0), WORDS, {}],
    "numbers for sentences": [list(range(20)), [], WORDS, {}],
    "texts for sentences": [["ab"] * 20, [], WORDS, {}],
    "unknown words": [[[7, 8] for _ in range(20)], [], WORDS, {}],
    "words that are numbers": [sentences(20), [], {1: 5, 2: 6}, {}],
    "words that are none": [sentences(20), [], None, {}],
    "words in a list that is too short": [sentences(20), [], ["a"], {}],
    "words that are lists": [sentences(20), [], {1: [], 2: {}}, {}],
    "a dict for a part": [{}, [], WORDS, {}],
    "nothing for a part": [None, [], WORDS, {}],
    "words that are words": [[["x"] for _ in range(20)], [], WORDS, {}],
}
ODD_NAMES = {
    "numbers": [1, 2],
    "one name twice": ["a/1", "a/1"],
    "none": None,
    "other names": ["b/1", "b/2"],
    "a text": "ab",
}


def captions_archive(path, captions, names):
    content = {
        "birds/captions.pickle": captions,
        "birds/train/filenames.pickle": names,
        "birds/test/filenames.pickle": [],
    }
    write_tar(path, {name: pickle.dumps(value, protocol=2) for name, value in content.items()})
    return path


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
    with pytest.raises(NeuraleseError) as caught:
        cub.parse_captions(captions_archive(tmp_path / "captions", captions, names), IMAGES)
    assert "download" in one_sentence(caught.value)


def test_only_what_was_verified_is_read_of_captions(tmp_path):
    write_tar(tmp_path / "other", {"x/birds/captions.pickle": pickle.dumps([]), "text_c10/a/1.txt": b"red crown"})
    with pytest.raises(NeuraleseError, match=r"no description of a/2\.jpg"):
        cub.parse_captions(tmp_path / "other", IMAGES)
    assert cub.parse_captions(tmp_path / "other", IMAGES[:1])["caption"].tolist() == ["red crown"]


@pytest.mark.parametrize("text", [b"", b"\n\n", b"\x00\x00"])
def test_an_empty_description_is_none(tmp_path, text):
    write_tar(tmp_path / "texts", {"text_c10/a/1.txt": text.replace(b"\0", b" "), "text_c10/a/2.txt": b"red"})
    with pytest.raises(NeuraleseError, match=r"no description of a/1\.jpg"):
        cub.parse_captions(tmp_path / "texts", IMAGES)


# ---- colours

COLORS = {
    "corpusindex.txt": "red,red\nlight blue,blue",
    **{f"train/{stem}.{channel}_train": "0.1\n0.2" for stem in ("red", "blue") for channel in "hsv"},
    **{f"{folder}/{stem}.test": "0.1,0.2,0.3" for folder in ("5dev", "25test") for stem in ("red", "blue")},
}
ODD_COLORS = [
    *(
        {"corpusindex.txt": text}
        for text in ("", "red", "red,red\nred,blue", "a,red\nb,red", ",red", "red,", "\xff,red")
    ),
    *({"corpusindex.txt": text} for text in ("\x1b[31m,red", "red,nothing", "red,../red", "re\0d,red")),
    *(
        {"train/red.h_train": text}
        for text in ("nan", "0.1\nnan", "inf\n0.1", "-0.1\n0.2", "1.1\n0.2", "0.1", "0.1\n0.2\n0.3")
    ),
    *({"train/red.h_train": text} for text in ("a\nb", "0.1\n0x1", "1e999\n0.1", "\xff\n1", "0.1 0.2 0.3", "1,2,3")),
    *(
        {"5dev/red.test": text}
        for text in ("0.1,0.2", "0.1,0.2,0.3,0.4", "0.1 0.2 0.3", "a,b,c", "nan,0,0", "2,0,0", ",,")
    ),
    *({f"{folder}/{stem}.test": "" for stem in ("red", "blue")} for folder in ("5dev", "25test")),
    {name: "" for name in COLORS if name.startswith("train")},
]


@pytest.mark.parametrize("change", ODD_COLORS, ids=ascii)
def test_odd_colours_are_refused_in_one_sentence(tmp_path, change):
    files = {f"munroecorpus/{name}": text.encode("latin-1") for name, text in (COLORS | change).items()}
    write_tar(tmp_path / "xkcd", files)
    with pytest.raises(NeuraleseError) as caught:
        xkcd.parse(tmp_path / "xkcd")
    one_sentence(caught.value)


def test_the_colours_that_are_made_odd_are_right_otherwise(tmp_path):
    write_tar(tmp_path / "xkcd", {f"munroecorpus/{name}": text.encode() for name, text in COLORS.items()})
    table = xkcd.parse(tmp_path / "xkcd")
    assert len(table) == 8
    assert np.isfinite(table[["h", "s", "v"]].to_numpy()).all()


# ---- driving

ROAD = [[1.0] * 8 for _ in range(8)]
CAR = {"done": False, "pos": [1, 2], "dir": 0, "goal": [3, 4]}
STATE = {"cars": [CAR, CAR], "road": ROAD}
MOVE = {"action": 1, "message": "going"}
GAME = [STATE, [MOVE, MOVE], STATE]


def with_car(**change):
    return [{**STATE, "cars": [{**CAR, **change}, CAR]}, [MOVE, MOVE], STATE]


def with_move(**change):
    return [STATE, [{**MOVE, **change}, MOVE], STATE]


ODD_LOGS = [
    *(json.dumps(value).encode() for value in (None, 5, "x", {}, [], [STATE], [STATE, [MOVE, MOVE]], [1, 2, 3])),
    *(
        b"",
        b"[",
        b"\xff\xfe",
        b"\x00",
        b"[" * 100_000,
        b"[" * 900 + b"]" * 900,
        b'{"a":' * 5000,
        b"9" * 5000,
        b"NaN",
        b"[1,]",
    ),
    *(
        json.dumps(with_car(pos=each)).encode()
        for each in ([8, 0], [-1, -1], [1], [1, 2, 3], ["1", 2], [1.5, 2], None, {})
    ),
    *(json.dumps(with_car(dir=each)).encode() for each in (4, -1, 1.0, "0", None, True, [0], 10**30)),
    *(json.dumps(with_car(goal=each)).encode() for each in ([9, 9], None, "34")),
    *(json.dumps(with_car(done=each)).encode() for each in (0, "no", None)),
    *(json.dumps(with_move(action=each)).encode() for each in (4, -1, "1", None, True, 1.0, [1])),
    *(json.dumps(with_move(message=each)).encode() for each in (None, 5, ["a"], "x" * 10_000, "\ud800")),
    *(
        json.dumps([{**STATE, "road": each}, [MOVE, MOVE], STATE]).encode()
        for each in (None, [], ROAD[:7], [[2] * 8] * 8)
    ),
    *(json.dumps([{**STATE, "road": [[each] * 8] * 8}, [MOVE, MOVE], STATE]).encode() for each in ("1", None, [], 0.5)),
    json.dumps([{**STATE, "cars": [CAR]}, [MOVE, MOVE], STATE]).encode(),
    json.dumps([STATE, [MOVE], STATE]).encode(),
    json.dumps([STATE, [MOVE, MOVE], {**STATE, "road": [[0] * 8] * 8}]).encode(),
    json.dumps(with_car(pos=[[[[]]]] * 50)).encode(),
    json.dumps(GAME).encode().replace(b'"dir": 0', b'"dir": ' + b"1" * 5000),
]


@pytest.mark.parametrize("content", ODD_LOGS, ids=lambda content: ascii(content[:60]))
def test_an_odd_log_is_named_by_the_field_at_fault(content):
    with pytest.raises(BadLogError) as caught:
        parse_log(content)
    one_sentence(caught.value)


def test_the_log_that_is_made_odd_is_right_otherwise():
    road, rows = parse_log(json.dumps(GAME).encode())
    assert road == "\n".join(["########"] * 8)
    assert len(rows) == 4


def test_an_archive_of_odd_logs_stops_in_one_sentence(tmp_path):
    logs = {f"data/drive/server_logs/{number}.json": content for number, content in enumerate(ODD_LOGS)}
    write_tar(tmp_path / "logs", logs)
    with pytest.raises(NeuraleseError, match="driving logs are malformed") as caught:
        parse(tmp_path / "logs")
    one_sentence(caught.value)


def test_an_array_from_elsewhere_is_no_pickle():
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(NeuraleseError):
        read_plain_pickle(buffer.getvalue(), "array")
