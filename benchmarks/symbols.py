"""Scoring K different sequences of symbols in n states: log p(z_k | x_i) by either model of symbols.

Sequences have 1 to `longest` symbols, drawn with frequencies proportional to 1 / rank, and end with a special symbol.
The naive way takes every sequence by itself, in all states at once, and is timed on a few of them. Prefixes are those
that the autoregressive model extends in every state; the naive way extends K times as many as a sequence has symbols.
"""

import numpy as np
import torch
from measure import peak_megabytes, seconds
from torch import Tensor, nn

from neuralese.agents.sequences import Sequences, prefix_tree
from neuralese.speakers.symbols import AutoregressiveSpeaker, PositionSpeaker

KINDS = {each.kind: each for each in (PositionSpeaker, AutoregressiveSpeaker)}
FEW = 50  # number of sequences on which the naive way is timed
WIDTH = 20  # of an observation
COLUMNS = {
    "model": "kind",
    "symbols": "symbols",
    "longest": "longest",
    "K": "messages",
    "n": "states",
    "prefixes": "prefixes",
    "CPU s": "seconds",
    "naive / ours": "times_naive",
    "peak MB": "megabytes",
    "MB before": "megabytes_before",
    "largest error": "error",
}


def cases(quick: bool) -> list[dict]:
    """Three languages, each with more and more messages."""
    languages = [(10, 5)] if quick else [(10, 5), (10, 10), (50, 6)]
    sizes = [100] if quick else [100, 1000, 5000]
    return [
        {"kind": kind, "symbols": symbols, "longest": longest, "messages": size, "states": 30 if quick else 1000}
        for kind in KINDS
        for symbols, longest in languages
        for size in sizes
    ]


def drawn(symbols: int, longest: int, messages: int) -> Sequences:
    """`count` different sequences."""
    random = np.random.default_rng(0)
    share = 1 / np.arange(1, symbols + 1)
    said = set()
    while len(said) < messages:
        length = random.integers(1, longest + 1)
        said.add(tuple((1 + random.choice(symbols, size=length, p=share / share.sum())).tolist()))
    return Sequences.of(sorted(said), end=0, vocabulary=range(1, symbols + 1), longest=longest)


def measure(kind: str, symbols: int, longest: int, messages: int, states: int) -> dict[str, float]:
    """Score everything, and a few sequences one by one."""
    torch.manual_seed(0)
    sequences, views = drawn(symbols, longest, messages), torch.randn(states, WIDTH)
    speaker = KINDS[kind](lambda width: nn.Linear(WIDTH, width), 128, sequences.vocabulary, longest, True)
    rows, found, before = torch.randperm(messages)[:FEW], [], peak_megabytes()

    def score() -> None:
        found.append(speaker.log_prob(sequences, views)[rows])

    @torch.no_grad()
    def one_by_one() -> Tensor:
        return torch.stack([speaker.log_prob_each(sequences[row.expand(states)], views) for row in rows])

    (ours,) = seconds(score)
    memory = peak_megabytes()
    (naive,) = seconds(one_by_one, repeats=1)
    return {
        "prefixes": sum(len(level.examples) for level in prefix_tree(sequences.places, symbols)),
        "seconds": ours,
        "times_naive": naive / len(rows) * messages / ours,
        "megabytes": memory,
        "megabytes_before": before,
        "error": float((found[0] - one_by_one()).abs().max()),
    }
