"""Pickles from strangers: plain data is read as it was, and anything else is refused in one sentence."""

import io
import pickle
import struct

import numpy as np
import pandas as pd
import pytest
from odd_archives import bounded

from neuralese.data.archives import read_plain_pickle
from neuralese.errors import NeuraleseError

PICKLES = {
    "nothing": b"",
    "a place of 2 to the 31": b"\x80\x02Nr\xff\xff\xff\x7f0N.",
    "a text of 4 GB": b"\x80\x02X\xff\xff\xff\xff.",
    "a text of 2 to the 63": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 63) + b".",
    "a number of 4 GB": b"\x80\x02\x8b\xff\xff\xff\x7f.",
    "a number of 5,000 digits": b"I" + b"9" * 5000 + b"\n.",
    "a number that is none": b"Iabc\n.",
    "tuples in tuples": b"\x80\x02)" + b"\x85" * 200_000 + b".",
    "a list as a key": b"\x80\x02}]Ns.",
    "a list that holds itself": b"\x80\x02]q\x00h\x00a.",
    "a list in ten places, ten deep": pickle.dumps((lambda x: [x] * 10)([[1]] * 10), protocol=2),
    "an append to nothing": b"\x80\x02Na.",
    "no stop": b"\x80\x02N",
    "a text without quotes": b"Sabc\n.",
    "half a character": b"V\\ud800\n.",
    "bytes that are no text": b"\x80\x02X\x02\x00\x00\x00\xff\xfe.",
    "an unknown instruction": b"\x80\x02\xff.",
    "a global": b"cos\nsystem\n.",
    "a persistent id": b"Pabc\n.",
    "an extension": b"\x82\x01.",
    "a class by stack": b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
}


@pytest.mark.parametrize("wrong", PICKLES)
def test_an_odd_pickle_is_refused_in_one_sentence_soon_and_in_little_memory(wrong):
    with bounded(megabytes=50), pytest.raises(NeuraleseError) as caught:
        read_plain_pickle(PICKLES[wrong], "captions.pickle")
    sentence = str(caught.value)
    assert sentence.startswith("captions.pickle")
    assert sentence.isprintable()
    assert len(sentence) < 600


@pytest.mark.parametrize("stranger", [io.BytesIO, print, pd.DataFrame, np.array([{}], dtype=object)], ids=repr)
def test_a_pickle_that_names_code_is_refused(stranger):
    with pytest.raises(NeuraleseError, match="only plain data is read"):
        read_plain_pickle(pickle.dumps([stranger]), "captions.pickle")


@pytest.mark.parametrize("protocol", range(5))
def test_plain_data_is_read_as_it_was(protocol):
    value = [[1, 2, 300, 70_000, -5], {"a": 1, 2: "é€\n'\"\\"}, [], {}, None, True, False, 0.5, "", "x" * 300, 2**40]
    assert read_plain_pickle(pickle.dumps(value, protocol), "x") == value


def test_texts_of_python_2_are_read_as_latin_1():
    content = b"(lp0\nS'cafe'\np1\naU\x04caf\xe9aT\x04\x00\x00\x00caf\xe9aI01\na."
    assert read_plain_pickle(content, "x") == ["cafe", "café", "café", True]
