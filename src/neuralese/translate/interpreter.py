"""A translator who sees what the listener sees: Equation 2 without its expectation over contexts.

A dictionary translates a message the same way for every listener. An interpreter next to the listener knows the
candidates to be told apart, and translates for them alone:

    into English      tr(z, x_b) = argmin_z' KL(beta(z, x_b) || beta(z', x_b)), over the phrases z'
    into neuralese    what the robot itself would most likely say in the candidate that the words point to:
                      argmax_z p(z | x_s), where s = argmax_s beta_s(words, x_b)

Its score is an upper bound on that of a dictionary, and is labelled as such wherever it is shown.
"""

import torch
from torch import Tensor

from neuralese.translate.languages import English, Language, Neuralese
from neuralese.translate.pairs import beliefs

AT_ONCE = 2**23  # likelihoods held at a time


@torch.no_grad()
def interpret_message(log_likelihood: Tensor, english: Language, candidates: Tensor) -> Tensor:
    """The phrase, as its position in `english`, for each of n messages: (n,).

    `log_likelihood` (n, s) is that of each message in the candidates (n, s, ...) of its own listener.
    """
    return cross_entropies(log_likelihood, english, candidates).argmin(1)


@torch.no_grad()
def cross_entropies(log_likelihood: Tensor, english: Language, candidates: Tensor) -> Tensor:
    """-sum_s beta_s(z) log beta_s(z'), (n, K'), of the same: KL up to the entropy of z, common to all phrases."""
    found = []
    for rows in _blocks(len(candidates), len(english) * candidates.shape[1]):
        told = beliefs(log_likelihood[rows].double()).exp()  # (b, s)
        phrases = beliefs(english.log_likelihood(candidates[rows]))  # (K', b, s)
        found.append(-(told * phrases).sum(-1).T)
    return torch.cat(found)


@torch.no_grad()
def interpret_words(log_likelihood: Tensor, vocabulary: Neuralese, candidates: Tensor) -> Tensor:
    """The message, as its position in `vocabulary`, for each of n utterances: (n,).

    `log_likelihood` (n, s) is that of the words in the candidates (n, s, ...) of their own listener.
    """
    meant = candidates[torch.arange(len(candidates)), log_likelihood.argmax(1)][:, None]
    parts = [vocabulary.log_likelihood(meant[rows])[..., 0].argmax(0) for rows in _blocks(len(meant), len(vocabulary))]
    return torch.cat(parts)


@torch.no_grad()
def words_in_context(english: English, bags: Tensor, candidates: Tensor) -> Tensor:
    """log p(phrases said together | x_s), (n, s): bags (n, phrases) of n speakers, each in its own candidates."""
    found = []
    for rows in _blocks(len(candidates), len(english.phrases) * candidates.shape[1]):
        log_prob = english.log_likelihood(candidates[rows]).clamp(min=-1e4)  # an impossible phrase, times zero
        found.append(torch.einsum("nk,kns->ns", bags[rows].double(), log_prob))
    return torch.cat(found)


def _blocks(count: int, each: int) -> list[slice]:
    """Rows to process together, so that not too much is held at a time."""
    step = max(1, AT_ONCE // each)
    return [slice(start, start + step) for start in range(0, count, step)]
