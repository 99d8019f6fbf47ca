"""Propositions 1 and 2 of the paper (Section 5), checked on random games, and the shapes example of its Section 3.

A game is small enough to enumerate: a speaker says one thing, a listener does one thing. States x_a, contexts x_b,
actions u and messages z are numbers, and everything is a table of exact probabilities. Unlike in `translate.criteria`,
nothing is sampled, so claims about q can be checked to the last digit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

RARITIES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)  # shares of humans with the right strategy
SHAPES = ("triangle", "hexagon", "octagon")  # few sides and large; many sides and large; many sides and small
WORDS = ("few", "many")


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


def random_game(generator: np.random.Generator, states: int, contexts: int, choices: int) -> ExactGame:
    """Any prior, any reward in [0, 1]; peaked ones as likely as flat ones."""
    joint = generator.dirichlet(np.full(states * contexts, 10 ** generator.uniform(-1, 1)))
    reward = generator.random((states, contexts, choices)) ** generator.choice([0.2, 1, 5])
    return ExactGame(joint.reshape(states, contexts) + 1e-9, reward)


def random_speaker(generator: np.random.Generator, messages: int, states: int) -> np.ndarray:
    """Any p(z | x_a), (messages, states), from nearly random talk to nearly a code."""
    return generator.dirichlet(np.full(messages, 10 ** generator.uniform(-1.5, 1)), size=states).T + 1e-12


def proposition_1(game: ExactGame, robot: np.ndarray, human: np.ndarray) -> dict[str, np.ndarray]:
    """For each of the robot's messages (messages,), translated by belief: the reward lost and the bound sqrt(2 D).

    D is q with contexts weighted by the source: the proof's inequality takes expectations over p(x_b | z).
    `bound_product` is the same with the weights of Equation 2, for which the inequality need not hold.
    """
    scores, products = (quality(game, robot, human, weights) for weights in ("source", "product"))
    best, rows = scores.argmin(1), np.arange(len(scores))
    native, translated = actions(game, beliefs(game, robot)), actions(game, beliefs(game, human))[best]
    return {
        "lost": rewards(game, robot, native) - rewards(game, robot, translated),
        "bound": np.sqrt(2 * scores[rows, best]),
        "bound_product": np.sqrt(2 * products[rows, best]),
    }


def check_proposition_1(games: int, seed: int) -> pd.DataFrame:
    """`proposition_1` on random games of random size; one row per message, with the number of its game."""
    generator = np.random.default_rng(seed)
    parts = []
    for number in range(games):
        states, contexts, choices, robot, human = generator.integers(2, 6, size=5)
        game = random_game(generator, states, contexts, choices)
        speakers = (random_speaker(generator, size, states) for size in (robot, human))
        parts.append(proposition_1(game, *speakers) | {"game": np.full(robot, number)})
    return pd.DataFrame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def hidden_strategy(states: int, rarity: float, strategies: int, generator: np.random.Generator) -> tuple:
    """A robot with its own code, and humans of whom only the share `rarity` use the same code with other words.

    The others follow their own strategies, each with its own words, merging states at random.
    Returns the game, robot and human speakers, and for each human word whether it belongs to the right strategy.
    """
    game = ExactGame(np.full((states, 1), 1 / states), np.eye(states)[:, None, :])
    robot = np.eye(states)
    shares = np.concatenate([[rarity], generator.dirichlet(np.ones(strategies - 1)) * (1 - rarity)])
    words = [np.eye(states) * shares[0]]
    for share in shares[1:]:
        merged = generator.integers(max(1, states // 2), size=states)  # several states share a word
        words.append(np.eye(states)[merged].T[: merged.max() + 1] * share)
    return game, robot, np.concatenate(words), np.arange(sum(map(len, words))) < states


def recovery(rarities: Sequence[float], games: int, seed: int) -> pd.DataFrame:
    """Proposition 2: how often a message is translated into the right strategy, by belief and directly."""
    generator = np.random.default_rng(seed)
    rows = []
    for rarity in rarities:
        found: dict[str, list[float]] = {"belief": [], "direct": []}
        for _ in range(games):
            game, robot, human, right = hidden_strategy(6, rarity, 4, generator)
            said = human.sum(1) > 0
            human, right = human[said], right[said]
            found["belief"].append(right[quality(game, robot, human).argmin(1)].mean())
            joint = np.einsum("za,ya,ab->zy", robot, human, game.joint)  # p(z, z'), so the best z' given z
            found["direct"].append(right[joint.argmax(1)].mean())
        rows += [{"rarity": rarity, "criterion": name, "recovered": np.mean(each)} for name, each in found.items()]
    return pd.DataFrame(rows)


def shapes() -> tuple[ExactGame, np.ndarray, np.ndarray]:
    """Name a shape so that the listener pulls the lever of its size: the game, a name for each shape, few or many."""
    large = np.array([1.0, 1.0, 0.0])
    game = ExactGame(np.full((3, 1), 1 / 3), np.stack([large, 1 - large], axis=1)[:, None])
    return game, np.eye(3), np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])


def translate_shape(shape: str, by: str) -> str:
    """Few or many? By `belief` or by `pragmatics`."""
    score = {"belief": quality, "pragmatics": pragmatic_quality}[by](*shapes())
    return WORDS[int(score[SHAPES.index(shape)].argmin())]
