"""Typed words: as which phrases they are heard together, and which are refused."""

import pytest

from neuralese.play.server import RefusedError
from neuralese.tasks.reference_play.words import MOST_CHARACTERS, MOST_WORDS, hear

INVENTORY = ["blue", "light", "sky blue", "", "black beak", "long black", "white belly", "don't know"]


@pytest.mark.parametrize(
    ("typed", "phrases", "corrected", "left_out"),
    [
        ("Blue", ("blue",), {}, ()),
        ("light, blue!", ("light", "blue"), {}, ()),
        ("blue blue", ("blue",), {}, ()),
        ("sky blue", ("sky blue", "blue"), {}, ()),
        ("a long black beak", ("long black", "black beak"), {}, ("a",)),  # as in the sentences of which it was made
        ("lihgt bluue", ("light", "blue"), {"lihgt": "light", "bluue": "blue"}, ()),
        ("blue xyzzy", ("blue",), {}, ("xyzzy",)),
        ("belly", ("white belly",), {}, ()),  # no whole phrase: the nearest
        ("I don\u2019t know", ("don't know",), {"don\u2019t": "don't"}, ("i",)),
    ],
)
def test_words_are_heard_as_all_phrases_that_they_hold(typed, phrases, corrected, left_out):
    heard = hear(typed, INVENTORY)
    assert (heard.phrases, heard.corrected, heard.left_out) == (phrases, corrected, left_out)
    assert [INVENTORY[each] for each in heard.parts] == list(phrases)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Please say something first."),
        (" ?! ", "Please say something first."),
        ("xyzzy", "no word like “xyzzy”; please use other words"),
        ("x" * (MOST_CHARACTERS + 1), "please keep to 80"),
        ("a " * (MOST_WORDS + 1), "13 words; please use 12 or fewer"),
    ],
)
def test_what_cannot_be_heard_is_refused_in_one_sentence(typed, says):
    with pytest.raises(RefusedError) as error:
        hear(typed, INVENTORY)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
