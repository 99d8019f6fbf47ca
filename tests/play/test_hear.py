"""Typed words: as which phrases they are heard, and which are refused."""

import pytest

from neuralese.errors import NeuraleseError
from neuralese.translate.hearing import hear

INVENTORY = ["blue", "light", "sky blue", "", "black beak", "long black", "white belly", "don't know"]
DRIVING = ["", "north", "left", "at goal", "going left", "going north", "right to left", "left to right", "ill wait"]


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
        ("I don\u2019t know", ("don't know",), {}, ("i",)),
    ],
)
def test_words_are_heard_as_all_phrases_that_they_contain(typed, phrases, corrected, left_out):
    heard = hear(typed, INVENTORY)
    assert (heard.phrases, heard.corrected, heard.left_out) == (phrases, corrected, left_out)
    assert [INVENTORY[each] for each in heard.parts] == list(phrases)
    assert all(word in heard.notes() for word in (*corrected, *left_out))
    assert bool(heard.notes()) == bool(corrected or left_out)


@pytest.mark.parametrize(
    ("typed", "phrase", "exact"),
    [
        ("", "", True),
        ("  ?! ", "", True),
        ("Going LEFT!", "going left", True),
        ("I'll wait", "ill wait", True),
        ("left", "left", True),
        ("moving north", "north", False),
        ("goiung lefft", "going left", False),
        ("at my goal", "at goal", False),
        ("left to rihgt", "left to right", False),
        ("north, going", "going north", False),
    ],
)
def test_words_are_heard_as_the_single_phrase_that_is_nearest(typed, phrase, exact):
    heard = hear(typed, DRIVING, single=True)
    assert (heard.phrases, heard.exact, heard.typed) == ((phrase,), exact, typed)
    assert DRIVING[heard.parts[0]] == phrase


@pytest.mark.parametrize(
    ("typed", "single", "says"),
    [
        ("", False, "Please say something first."),
        (" ?! ", False, "Please say something first."),
        ("xyzzy", False, "no word like “xyzzy”; please use other words"),
        ("banana", True, "no word like “banana”; please use other words"),
        ("sky blue without light", False, "says what is not so (“without”)"),
        ("not left", True, "says what is not so (“not”)"),
    ],
)
def test_what_cannot_be_heard_is_refused_in_one_sentence(typed, single, says):
    with pytest.raises(NeuraleseError) as error:
        hear(typed, DRIVING if single else INVENTORY, single)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
