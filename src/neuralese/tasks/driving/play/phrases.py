"""What a robot makes of a typed message: the nearest phrase of the inventory by its words.

A word in no phrase is taken for the known word that is spelled most like it, if any is. Of the phrases that
share a word with the message, the nearest shares most of its words, and pairs of words, with it (by the share of
both that is common); ties go to the phrase that humans said more often.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

from neuralese.play.server import RefusedError
from neuralese.tasks.driving.logs import LONGEST, words

MOST_CHARACTERS = 40
SPELLING = 0.8  # similarity (by `difflib`) from which one word is taken for another


@dataclass(frozen=True)
class Heard:
    """A typed message and the phrase that the robot hears for it."""

    typed: str
    phrase_id: int
    phrase: str  # empty for silence
    exact: bool  # the message says exactly this


def hear(message: str, phrases: list[str]) -> Heard:
    """The phrase of `phrases` (the inventory, frequent ones first) that is heard for a typed message."""
    if len(message) > MOST_CHARACTERS:
        raise RefusedError(f"That is {len(message)} characters; please keep to {MOST_CHARACTERS}.")
    said = words(message)
    if len(said) > LONGEST:
        raise RefusedError(f"That is {len(said)} words; please use {LONGEST} or fewer.")
    if " ".join(said) in phrases:
        phrase = " ".join(said)
        return Heard(message, phrases.index(phrase), phrase, exact=True)
    known = sorted({word for phrase in phrases for word in phrase.split()})
    meant = [word for each in said for word in get_close_matches(each, known, n=1, cutoff=SPELLING)]
    if not meant:
        raise RefusedError(
            f"The dictionary has no word like “{message.strip()}”; please use other words, or say nothing."
        )
    nearest = max(range(len(phrases)), key=lambda number: _likeness(meant, phrases[number].split()))
    return Heard(message, nearest, phrases[nearest], exact=False)


def _likeness(one: list[str], other: list[str]) -> float:
    """The share of words, and of pairs of neighbouring words, that both have in common."""
    a, b = ({*each, *pairwise(each)} for each in (one, other))
    return len(a & b) / len(a | b)
