"""Games small enough to enumerate (Section 5 of the paper): a speaker says one thing, a listener does one thing.

States x_a, contexts x_b, actions u and messages z are numbers, and everything is a table of exact probabilities. Unlike
in `translate.criteria`, nothing is sampled, so claims about q can be checked to the last digit.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ExactGame:
    """A game of one message and one action."""

    joint: np.ndarray  # (states, contexts) p(x_a, x_b)
    reward: np.ndarray  # (states, contexts, actions) in [0, 1]


def beliefs(game: ExactGame, speaker: np.ndarray) -> np.ndarray:
    """Equation 1, (messages, contexts, states): p(x_a | z, x_b) for a speaker p(z | x_a), (messages, states).

    Where a message cannot be said in a context, the belief is the prior p(x_a | x_b).
    """
    weight = speaker[:, None, :] * game.joint.T[None]
    total = weight.sum(2, keepdims=True)
    prior = game.joint.T / game.joint.sum(0)[:, None]
    return np.where(total > 0, weight / np.where(total > 0, total, 1), prior)


def contexts_of(game: ExactGame, speaker: np.ndarray) -> np.ndarray:
    """p(x_b | z), (messages, contexts)."""
    weight = speaker @ game.joint
    return weight / weight.sum(1, keepdims=True)


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """KL(p || q) over the last axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * np.log(p / q), 0.0).sum(-1)


def quality(game: ExactGame, source: np.ndarray, target: np.ndarray, weights: str = "source") -> np.ndarray:
    """Equation 2, q(z, z') for all pairs, (messages, messages').

    `weights` says in which contexts the two are compared: where both are said (`product`, as in Equation 2), or where
    the source is (`source`, as the proof of Proposition 1 requires).
    """
    apart = divergence(beliefs(game, source)[:, None], beliefs(game, target)[None])
    return averaged(game, source, target, apart, weights)


def averaged(game: ExactGame, source: np.ndarray, target: np.ndarray, apart: np.ndarray, weights: str) -> np.ndarray:
    """The distances `apart` of messages in each context, (messages, messages', contexts), averaged over contexts."""
    if weights == "source":
        weight = np.broadcast_to(contexts_of(game, source)[:, None], apart.shape)
    else:
        weight = np.einsum("za,ya,ab->zyb", source, target, game.joint)
    total = weight.sum(2)
    score = np.where(weight > 0, weight * np.where(weight > 0, apart, 0), 0).sum(2)
    return np.where(total > 0, np.maximum(score, 0) / np.where(total > 0, total, 1), np.inf)  # no -1e-17


def actions(game: ExactGame, belief: np.ndarray) -> np.ndarray:
    """A rational listener's actions, (messages, contexts): the best action in expectation over the speaker's state."""
    return np.einsum("zba,abu->zbu", belief, game.reward).argmax(2)


def rewards(game: ExactGame, speaker: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """E[r | z], (messages,), if the listener answers z in x_b with `chosen` (messages, contexts)."""
    said = speaker[:, :, None] * game.joint[None]  # p(z, x_a, x_b)
    places = np.indices(game.joint.shape)
    earned = game.reward[places[0][None], places[1][None], chosen[:, None, :]]
    return (said * earned).sum((1, 2)) / said.sum((1, 2))


def pragmatic_quality(game: ExactGame, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """How often listeners of z and of z' act differently where z is said, (messages, messages')."""
    ours, theirs = (actions(game, beliefs(game, speaker)) for speaker in (source, target))
    return (contexts_of(game, source)[:, None] * (ours[:, None] != theirs[None])).sum(2)
