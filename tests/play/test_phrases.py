"""Typed messages: what they are heard as, and which are refused."""

import pytest

from neuralese.play.server import RefusedError
from neuralese.tasks.driving.play.phrases import MOST_CHARACTERS, hear

PHRASES = ["", "north", "left", "at goal", "going left", "going north", "right to left", "left to right", "ill wait"]


@pytest.mark.parametrize(
    ("message", "phrase", "exact"),
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
def test_a_message_is_heard_as_the_phrase_nearest_by_its_words(message, phrase, exact):
    heard = hear(message, PHRASES)
    assert (heard.phrase, heard.exact, heard.typed) == (phrase, exact, message)
    assert PHRASES[heard.phrase_id] == phrase


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("I am going left", "That is 4 words; please use 3 or fewer."),
        ("banana", "no word like “banana”; please use other words"),
        ("left" * MOST_CHARACTERS, "please keep to 40"),
    ],
)
def test_a_message_that_cannot_be_heard_is_refused_in_one_sentence(message, says):
    with pytest.raises(RefusedError) as error:
        hear(message, PHRASES)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
