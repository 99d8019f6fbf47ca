"""Candidates: the true state of a message and its distractors, drawn like true states.

A listener that hears nothing must not be able to win. So n messages are dealt into blocks of as many messages as
there are candidates, and the candidates of a message are the states of its block: whatever a listener sees, each
candidate is the true one for exactly one message of the block. (Drawing distractors from all states but the true one
would not do: a frequent state would then be the true one more often than a distractor, and a deaf listener that picks
the more frequent of two states would be right more than half of the time.)

Within a block states differ, as far as possible. It is impossible if a state is in more than one message out of as
many as there are candidates, or if too few states share the columns `same`: then a distractor may equal the true
state, and nobody can tell the two apart.
"""

import numpy as np

PASSES = 20  # approximate number of swaps of each message with one of another block
MOST_PASSES = 200  # maximum, for any number of candidates


def draw_candidates(
    states: np.ndarray, candidates: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray:
    """The candidates (n, candidates) of messages said in `states` (n,), the true state first.

    All messages are from one split, and distractors from the same of the `groups` (n,).
    """
    groups = np.zeros(len(states), dtype=np.int64) if groups is None else np.unique(groups, return_inverse=True)[1]
    blocks, group = _deal(states, groups, candidates, rng)
    for _ in range(min(PASSES * candidates, MOST_PASSES) if len(blocks) > 1 else 0):
        _swap(blocks, group, states, rng)
    drawn = np.empty((len(states), candidates), dtype=np.int64)
    filled = states[_fill(blocks, group, states, groups, rng)]
    for slot in range(candidates):
        there = blocks[:, slot] >= 0
        drawn[blocks[there, slot]] = np.roll(filled, -slot, axis=1)[there]
    return drawn


def _deal(states: np.ndarray, groups: np.ndarray, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Messages (by row; -1: none) in blocks (b, size), and the group of each block (b,).

    In each group messages are sorted by state and dealt out one by one: no block gets a state twice, unless the
    state has more messages than there are blocks.
    """
    shuffled = rng.permutation(int(states.max()) + 1)[states]  # states come in random order
    order = np.lexsort([rng.random(len(states)), shuffled, groups])
    counts = np.bincount(groups)
    n_blocks = -(-counts // size)
    first_block = np.cumsum(n_blocks) - n_blocks
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    per_message = np.repeat(n_blocks, counts)
    blocks = np.full((n_blocks.sum(), size), -1)
    blocks[np.repeat(first_block, counts) + place % per_message, place // per_message] = order
    return blocks, np.repeat(np.arange(len(counts)), n_blocks)


def _swap(blocks: np.ndarray, group: np.ndarray, states: np.ndarray, rng: np.random.Generator) -> None:
    """Let random pairs of blocks of a group swap a random message each, unless that adds duplicate states."""
    order = np.lexsort([rng.random(len(blocks)), group])
    start = rng.integers(2)
    one, two = order[start:-1:2], order[start + 1 :: 2]
    same = group[one] == group[two]
    one, two = one[same], two[same]
    at_one, at_two = (rng.integers(blocks.shape[1], size=len(one)) for _ in range(2))
    moved_one, moved_two = blocks[one, at_one], blocks[two, at_two]
    doubles = [
        _others(blocks[block], at, states, moved)
        for block, at, moved in (
            (one, at_one, moved_two),
            (two, at_two, moved_one),
            (one, at_one, moved_one),
            (two, at_two, moved_two),
        )
    ]
    good = (moved_one >= 0) & (moved_two >= 0) & (doubles[0] + doubles[1] <= doubles[2] + doubles[3])
    blocks[one[good], at_one[good]] = moved_two[good]
    blocks[two[good], at_two[good]] = moved_one[good]


def _others(members: np.ndarray, at: np.ndarray, states: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """How many of the `members` (n, size), except the one at `at`, share the state of the message `moved` (n,)."""
    equal = (states[members] == states[moved][:, None]) & (members >= 0)
    equal[np.arange(len(at)), at] = False
    return equal.sum(1)


def _fill(
    blocks: np.ndarray, group: np.ndarray, states: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The blocks, with gaps filled by messages of other blocks: fewer than `size` in each group."""
    filled = blocks.copy()
    members = np.argsort(groups, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    for block, slot in np.argwhere(blocks < 0):
        own = members[starts[group[block]] : starts[group[block] + 1]]
        there = filled[block][filled[block] >= 0]
        others = own[~np.isin(states[own], states[there])]
        filled[block, slot] = rng.choice(others if len(others) else own)
    return filled
