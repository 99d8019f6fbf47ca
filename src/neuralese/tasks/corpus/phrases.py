"""Phrases: the words and pairs of neighbouring words that people said often enough, or what the states' columns say.

Text is lowercased, and everything but letters, digits and apostrophes inside a word is removed. Words that say
nothing by themselves (articles, auxiliaries, pronouns) are neither phrases nor parts of them, and no pair of words
crosses the end of a sentence. "A small, light-blue bird. It sings." says small, light, blue, bird, sings, small light,
light blue, blue bird. A phrase counts once in an utterance, however often it is repeated there.

Without utterances, each column of the states says something true of every state: "shape 2", "small size",
"angle near 90", "red". A number is small, medium or large by the terciles of the training states, a circular value near
one of eight directions, and a colour has the nearest basic name. Vectors and images yield no phrases.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.columns import hex_to_rgb
from neuralese.tasks.corpus.settings import ColumnSettings
from neuralese.tasks.corpus.states import rgb_to_lab

DIRECTIONS = 8
SIZES = np.array(["small", "medium", "large"])

SENTENCE_END = re.compile(r"[.!?…。！？]+(?=\s|$)|[\r\n]+")  # noqa: RUF001
# fewer than in lists of stop words: "top", "two", "not" and "few" may be all that a message says
ENGLISH = """
a an the this that these those is are was were be been being am has have had having do does did
it its it's he she they i you we me him her them us my your his their our
of and or with to as there here which who that's there's
"""
FUNCTION_WORDS = {"en": frozenset(ENGLISH.split())}
# the eleven basic colour terms of English (Berlin & Kay, 1969), each with colours that people call by that name
BASIC = {
    "black": ["#000000", "#1a1a1a"],
    "white": ["#ffffff", "#f5f5f5"],
    "grey": ["#808080", "#a9a9a9", "#555555", "#c8c8c8"],
    "red": ["#e50000", "#b22222", "#8b0000"],
    "green": ["#15b01a", "#006400", "#7ccd7c", "#00ff00", "#808000"],
    "blue": ["#0343df", "#000080", "#75bbfd", "#1e90ff", "#00ced1"],
    "yellow": ["#ffff14", "#e6d800", "#fffd74"],
    "brown": ["#653700", "#8b5a2b", "#a0522d"],
    "orange": ["#f97306", "#ffa500"],
    "pink": ["#ff81c0", "#ffc0cb", "#ff1493"],
    "purple": ["#7e1e9c", "#4b0082", "#bf77f6", "#9932cc"],
}


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


def count_phrases(said: Iterable[Iterable[str]], least: int) -> dict[str, int]:
    """The inventory: phrases that are in at least `least` of the training utterances, with this number.

    The most frequent are first; ties are in alphabetical order.
    """
    counts = Counter(phrase for phrases in said for phrase in phrases)
    kept = (each for each in counts.items() if each[1] >= least)
    return dict(sorted(kept, key=lambda each: (-each[1], each[0])))


def as_sets(said: Iterable[Sequence[str]], inventory: Iterable[str]) -> list[list[int]]:
    """Each utterance as the set of its phrases, by their positions in the inventory, in order; it may be empty."""
    places = {phrase: place for place, phrase in enumerate(inventory)}
    return [sorted(places[phrase] for phrase in phrases if phrase in places) for phrases in said]


def attributes(
    columns: Mapping[str, np.ndarray], settings: Mapping[str, ColumnSettings], training: np.ndarray
) -> list[list[str]]:
    """What is said about each state: one phrase for each column that yields one.

    `training` are the states of training messages, as often as they occur.
    """
    colors = [name for name in columns if settings[name].type == "color"]
    said = []
    for name, values in columns.items():
        match settings[name].type:
            case "category":
                said.append([f"{name} {label}" for label in values])
            case "number":
                said.append([f"{size} {name}" for size in SIZES[terciles(values, values[training])]])
            case "circular":
                step = (settings[name].period or 1) / DIRECTIONS
                near = np.round(values / step).astype(int) % DIRECTIONS
                said.append([f"{name} near {place * step:.4g}" for place in near])
            case "color":
                said.append([each if len(colors) == 1 else f"{each} {name}" for each in basic_names(values)])
    if not said:
        raise NeuraleseError(
            "corpus.yaml: no phrases can be made from the states, since 'states' names only vectors and images; name a "
            "category, number, circular or color column there, or add utterances.csv."
        )
    return [list(phrases) for phrases in zip(*said, strict=True)]


def terciles(values: np.ndarray, training: np.ndarray) -> np.ndarray:
    """The third of the training values that each value is in: 0, 1 or 2.

    A value counts as the middle of the training values equal to it, so of two equally frequent values one is small
    and the other large, and a value that is always the same is neither.
    """
    ordered = np.sort(training)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    place = (below + up_to) / (2 * len(ordered))
    return (place >= 1 / 3).astype(int) + (place > 2 / 3)


def basic_names(rgb: np.ndarray) -> list[str]:
    """The basic name nearest to each colour (n, 3) in 0..255."""
    names = [name for name, examples in BASIC.items() for _ in examples]
    known, lab = rgb_to_lab(hex_to_rgb([each for examples in BASIC.values() for each in examples])), rgb_to_lab(rgb)
    distances = (lab**2).sum(1)[:, None] - 2 * lab @ known.T + (known**2).sum(1)
    return [names[nearest] for nearest in distances.argmin(1)]
