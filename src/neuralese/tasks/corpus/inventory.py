"""The inventory of phrases: the words and pairs of neighbouring words that people said often enough.

Text is lowercased, and everything but letters, digits and apostrophes inside a word is removed. Words that say
nothing by themselves (articles, auxiliaries, pronouns) are neither phrases nor parts of them, and no pair of words
crosses the end of a sentence. "A small, light-blue bird. It sings." says small, light, blue, bird, sings, small light,
light blue, blue bird.

A phrase counts once in an utterance, however often it is repeated there.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SENTENCE_END = re.compile(r"[.!?…。！？]+(?=\s|$)|[\r\n]+")  # noqa: RUF001
# fewer than in lists of stop words: "top", "two", "not" and "few" may be all that a message says
ENGLISH = """
a an the this that these those is are was were be been being am has have had having do does did
it its it's he she they i you we me him her them us my your his their our
of and or with to as there here which who that's there's
"""
FUNCTION_WORDS = {"en": frozenset(ENGLISH.split())}


@dataclass(frozen=True)
class Inventory:
    """The phrases, most frequent first, and the number of training utterances that contain each."""

    phrases: tuple[str, ...]
    counts: np.ndarray

    def __len__(self) -> int:
        return len(self.phrases)


class _Letters(dict):
    """Keeps letters, marks and digits, and turns everything else into spaces; filled as characters are met."""

    def __missing__(self, code: int) -> int | str:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else " "
        return self[code]


_LETTERS = _Letters({ord("'"): "'", ord("’"): "'"})  # noqa: RUF001


def words(sentence: str) -> list[str]:
    """The words of a sentence, in lower case: "Robin's egg, blue-green" has robin's, egg, blue and green."""
    plain = unicodedata.normalize("NFC", sentence).lower().translate(_LETTERS)
    return [word for word in (each.strip("'") for each in plain.split()) if word]


def phrases_of(text: str, language: str = "en") -> list[str]:
    """The words and pairs of words that an utterance says, each once, in order."""
    dull = FUNCTION_WORDS.get(language, frozenset())
    found: dict[str, None] = {}
    for sentence in SENTENCE_END.split(text):
        said = words(sentence)
        found.update(dict.fromkeys(word for word in said if word not in dull))
        found.update(
            dict.fromkeys(f"{one} {two}" for one, two in pairwise(said) if one not in dull and two not in dull)
        )
    return list(found)


def make_inventory(said: Iterable[Iterable[str]], least: int) -> Inventory:
    """The phrases that are in at least `least` of the training utterances; ties are in alphabetical order."""
    counts = Counter(phrase for phrases in said for phrase in phrases)
    kept = sorted((each for each in counts.items() if each[1] >= least), key=lambda each: (-each[1], each[0]))
    return Inventory(tuple(phrase for phrase, _ in kept), np.array([count for _, count in kept], dtype=np.int64))


def as_sets(said: Iterable[Sequence[str]], inventory: Inventory) -> tuple[tuple[int, ...], ...]:
    """Each utterance as the set of its phrases, by their positions in the inventory, in order; it may be empty."""
    places = {phrase: place for place, phrase in enumerate(inventory.phrases)}
    return tuple(tuple(sorted(places[phrase] for phrase in phrases if phrase in places)) for phrases in said)
