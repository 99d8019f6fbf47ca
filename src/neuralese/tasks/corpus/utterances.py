"""What was said about states in words: by people or, without any, by the states' own columns."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.attributes import attributes
from neuralese.tasks.corpus.inventory import Inventory, as_sets, make_inventory, phrases_of
from neuralese.tasks.corpus.messages import Messages
from neuralese.tasks.corpus.settings import UtteranceSettings
from neuralese.tasks.corpus.states import States

FEWEST_PHRASES = 2  # with one there is nothing to choose


@dataclass(frozen=True)
class Utterances:
    """n utterances: utterance i was said in a state, and is a set of phrases of the inventory."""

    state: np.ndarray  # (n,) rows of the states
    split: np.ndarray  # (n,) train, dev or test
    context: np.ndarray  # (n,) rows of the contexts, or -1
    phrases: tuple[tuple[int, ...], ...]  # places in the inventory; none if it contains no phrase of the inventory
    texts: tuple[str, ...] | None  # as people said it; none if it was made from the states

    def __len__(self) -> int:
        return len(self.state)

    def of(self, split: str) -> np.ndarray:
        """The rows of one split."""
        return np.flatnonzero(self.split == split)


def from_people(
    path: Path, texts: list[str], where: tuple[np.ndarray, np.ndarray, np.ndarray], settings: UtteranceSettings
) -> tuple[Utterances, Inventory]:
    """What people said, `where` (its state, context and split), and the phrases said often enough in training."""
    state, context, split = where
    said = [phrases_of(text, settings.language) for text in texts]
    inventory = make_inventory((said[row] for row in np.flatnonzero(split == "train")), settings.least)
    if len(inventory) < FEWEST_PHRASES:
        raise NeuraleseError(
            f"{path} has too few utterances: {len(inventory)} of their words occur in {settings.least} of the "
            f"{(split == 'train').sum():,} training utterances; add more, or lower utterances.least in corpus.yaml."
        )
    return Utterances(state, split, context, as_sets(said, inventory), tuple(texts)), inventory


def from_states(states: States, messages: Messages, least: int) -> tuple[Utterances, Inventory]:
    """What the states' columns say about the state of each message."""
    said = attributes(states.columns.values(), messages.state[messages.split == "train"])
    inventory = make_inventory((said[row] for row in messages.state[messages.split == "train"]), least)
    if len(inventory) < FEWEST_PHRASES:
        raise NeuraleseError(
            f"corpus.yaml: only {len(inventory)} phrases can be made from the states of training messages; name more "
            "columns under 'states', or lower utterances.least."
        )
    sets = as_sets(said, inventory)
    phrases = tuple(sets[row] for row in messages.state)
    return Utterances(messages.state, messages.split, messages.context, phrases, None), inventory
