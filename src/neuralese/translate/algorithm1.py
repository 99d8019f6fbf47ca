"""Algorithm 1 of the paper as printed, one pair of messages at a time; the fast form of it is in `pairs.py`.

    translate(z, inventory)       # argmin of q(z, z') over the phrases z' of the inventory L

The samples of contexts i = 1..n are drawn beforehand: x_a is the true state and x_a' are its distractors, which are
equally likely given what the listener sees, x_b. A message z is given by its log p(z | x) in each of them: a tensor
(n, s), with the true state first. The paper has one distractor, so s = 2.
"""

from collections.abc import Sequence

from torch import Tensor


def translate(z: Tensor, inventory: Sequence[Tensor]) -> int:
    """The position in the inventory of the phrase that translates z."""
    return min(range(len(inventory)), key=lambda k: q(z, inventory[k]))


def q(z: Tensor, z_other: Tensor) -> float:
    """How far the meaning of z' (`z_other`) is from that of z: Equation 2, estimated from the samples."""
    # compute context weights
    w = z[:, 0].exp() * z_other[:, 0].exp()
    w = w / w.sum()
    # compute divergences
    p, p_other = belief(z), belief(z_other)
    k = (p * (p / p_other).log()).sum(1)
    return float((w * k).sum())


def belief(z: Tensor) -> Tensor:
    """Equation 1: p(x | z, x_b) of each candidate x, which is p(z | x) up to a constant: (n, s)."""
    return z.exp() / z.exp().sum(1, keepdim=True)
