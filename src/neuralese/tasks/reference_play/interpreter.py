"""An interpreter: a translator who is told the listener's candidates, which no dictionary is.

From the robot it says the phrase that makes a listener believe about these candidates what the message does (Equation 2
in this one context). To the robot it says what the robot itself would say in the candidate that the words point at.
"""

from torch import Tensor

from neuralese.translate.pairs import beliefs


def divergences(english: Tensor, message: Tensor) -> Tensor:
    """KL(beta(z) || beta(z')), (K',), of a message from K' phrases in one context.

    Both are given by their log-likelihoods in the candidates: (K', s) and (s,).
    """
    of_message, of_phrases = beliefs(message.double()), beliefs(english.double())
    return (of_message.exp() * (of_message - of_phrases)).sum(-1)


def pointed_at(words: Tensor) -> int:
    """The candidate in which words, given by their log-likelihoods (s,), are likeliest."""
    return int(words.argmax())
