"""What a robot's translator makes of typed words: phrases of the inventory, said together.

All phrases whose words are adjacent in the typed text are heard, as in the sentences from which the inventory was
made. A word that is in no phrase is taken for the known word that is spelled most like it, if any is. If no whole
phrase was typed, the one that shares most words with the typed text is heard; ties go to the most frequent.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from neuralese.play.server import RefusedError

MOST_CHARACTERS = 80
MOST_WORDS = 12
SPELLING = 0.8  # similarity (by `difflib`) from which one word is taken for another
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


@dataclass(frozen=True)
class Heard:
    """Typed words and the phrases heard for them."""

    typed: str
    parts: tuple[int, ...]  # ids of the phrases, each once, in the order of the words
    phrases: tuple[str, ...]
    corrected: dict[str, str]  # words that were taken for others
    left_out: tuple[str, ...]  # words in no phrase

    def view(self) -> dict:
        """For the page."""
        return {"phrases": list(self.phrases), "corrected": self.corrected, "left_out": list(self.left_out)}


def hear(typed: str, inventory: Sequence[str]) -> Heard:
    """The phrases of the `inventory` heard for typed words; words that say nothing at all are refused."""
    if len(typed) > MOST_CHARACTERS:
        raise RefusedError(f"That is {len(typed)} characters; please keep to {MOST_CHARACTERS}.")
    said = [word.casefold() for word in WORD.findall(typed)]
    if len(said) > MOST_WORDS:
        raise RefusedError(f"That is {len(said)} words; please use {MOST_WORDS} or fewer.")
    if not said:
        raise RefusedError("Please say something first.")
    phrases = {tuple(word.casefold() for word in WORD.findall(phrase)): each for each, phrase in enumerate(inventory)}
    phrases.pop((), None)  # silence
    known = sorted({word for phrase in phrases for word in phrase})
    corrected = {word: close[0] for word in said if word not in known and (close := _alike(word, known))}
    meant = [corrected.get(word, word) for word in said]
    parts = _occurring(meant, phrases) or _nearest(meant, phrases)
    if not parts:
        raise RefusedError(f"The dictionary has no word like “{typed.strip()}”; please use other words.")
    covered = {word for phrase, number in phrases.items() if number in parts for word in phrase}
    left_out = tuple(word for word in said if corrected.get(word, word) not in covered)
    used = {word: meant for word, meant in corrected.items() if meant in covered}
    return Heard(typed, tuple(parts), tuple(inventory[each] for each in parts), used, left_out)


def _alike(word: str, known: list[str]) -> list[str]:
    return get_close_matches(word, known, n=1, cutoff=SPELLING)


def _occurring(words: list[str], phrases: dict[tuple[str, ...], int]) -> list[int]:
    """The ids of the phrases that occur among the words, each once, in order of appearance."""
    spans = [tuple(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    return list(dict.fromkeys(phrases[span] for span in spans if span in phrases))


def _nearest(words: list[str], phrases: dict[tuple[str, ...], int]) -> list[int]:
    """The id of the phrase with the largest share of words in common with these, if any."""

    def likeness(phrase: tuple[str, ...]) -> float:
        return len(set(phrase) & set(words)) / len(set(phrase) | set(words))

    best = max(phrases, key=likeness)
    return [phrases[best]] if likeness(best) > 0 else []
