"""Any English is heard as phrases of the inventory; what was corrected and what was left out is said."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

from neuralese.errors import NeuraleseError

SIMILAR = 0.75  # similarity (`difflib`) from which words are alike: bleu and blue are, coming and going are not
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
NEGATIONS = {"not", "no", "without", "never", "neither", "nor", "isnt", "arent", "doesnt", "hasnt", "dont"}


@dataclass(frozen=True)
class Heard:
    """Typed words and the phrases of the inventory that they are heard as."""

    typed: str
    parts: tuple[int, ...]  # ids of the phrases, each once, in the order of the words
    phrases: tuple[str, ...]
    exact: bool  # the words are a phrase
    corrected: dict[str, str]  # words that were taken for others
    left_out: tuple[str, ...]  # words in none of the phrases

    def notes(self) -> str:
        """What was corrected and what was left out, if anything."""
        notes = [f"{word} is taken for {instead}" for word, instead in self.corrected.items()]
        notes += [f"unknown: {', '.join(self.left_out)}"] if self.left_out else []
        return "; ".join(notes)

    def view(self) -> dict:
        """As plain values."""
        return {name: getattr(self, name) for name in ("phrases", "exact", "corrected", "left_out")}


def hear(typed: str, inventory: Sequence[str], single: bool = False) -> Heard:
    """The phrases of the `inventory` that are heard for typed words: all they contain, or a `single` one.

    A word in no phrase is taken for the known word with the most similar spelling, if any is similar. Words that
    contain no phrase are heard as the nearest one, which shares the largest part of words, and of pairs of neighbouring
    words, with them; ties go to the more frequent phrase. A `single` phrase is the typed one or else the nearest, and
    nothing typed is heard as silence. Negations are refused, unless a phrase has them: phrases say what is so.
    """
    said = words_of(typed)
    phrases = {words_of(phrase): number for number, phrase in enumerate(inventory)}
    if not single:
        phrases.pop((), None)  # silence
    if not said and () not in phrases:
        raise NeuraleseError("Please say something first.")
    known = sorted({word for phrase in phrases for word in phrase})
    if denied := [word for word in said if word in NEGATIONS and word not in known]:
        raise NeuraleseError(
            f"“{typed.strip()}” says what is not so (“{denied[0]}”), which phrases cannot; please say what is so."
        )
    close = {word: get_close_matches(word, known, n=1, cutoff=SIMILAR) for word in said if word not in known}
    corrected = {word: found[0] for word, found in close.items() if found}
    meant = tuple(corrected.get(word, word) for word in said)
    spans = [meant[start:end] for start in range(len(meant)) for end in range(start + 1, len(meant) + 1)]
    contained = [said] if single else spans
    parts = list(dict.fromkeys(phrases[span] for span in contained if span in phrases))
    if not parts:
        understood = [word for word in meant if word in known]
        if not understood:
            some = ", ".join([phrase for phrase in inventory if phrase][:6])
            raise NeuraleseError(
                f"The dictionary has no word like “{typed.strip()}”; please use other words, such as {some}."
            )
        parts = [phrases[max(phrases, key=lambda phrase: _likeness(phrase, understood))]]
    covered = {word for phrase, number in phrases.items() if number in parts for word in phrase}
    return Heard(
        typed,
        tuple(parts),
        tuple(inventory[each] for each in parts),
        said in phrases,
        {word: instead for word, instead in corrected.items() if instead in covered},
        tuple(word for word in said if corrected.get(word, word) not in covered),
    )


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, without apostrophes: "I'll wait!" has ill and wait."""
    return tuple(re.sub("['\u2019]", "", word.casefold()) for word in WORD.findall(text))


def _likeness(phrase: Sequence[str], words: Sequence[str]) -> float:
    """The share of words, and of pairs of neighbouring words, that two texts have in common."""
    one, other = ({*each, *pairwise(each)} for each in (words, phrase))
    return len(one & other) / len(one | other)
