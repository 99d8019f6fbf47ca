"""New messages and new phrases, where the paper's dictionary chooses among those that were heard.

**New neuralese.** For a phrase z and Gaussian robot speakers, q(z, z') is a smooth function of the message z' itself:
it is minimised by gradient descent from the best messages of the vocabulary, on the sphere to which the channel scales
every message. Contexts are weighted by the phrase.

**New English.** Phrases said together are a bag, p(bag | x) = prod_j p(phrase_j | x), so that a message may be
translated as *light, green*. All pairs are scored; the `beam` pairs that translate most messages best are extended to
triples.
"""

from dataclasses import dataclass
from itertools import combinations

import torch
from torch import Tensor

from neuralese.translate.criteria import BeliefCriterion, Criterion, beliefs
from neuralese.translate.languages import Composed, English, Neuralese


@dataclass(frozen=True)
class SynthesisConfig:
    """How new messages and phrases are looked for."""

    scale: float = 4.0  # by how much wider than the channel's noise p(z | x) is taken to be
    restarts: int = 4  # messages of the vocabulary from which to descend
    steps: int = 150  # of gradient descent
    learning_rate: float = 0.05
    beam: int = 20  # pairs that are extended to triples
    contexts: int = 1000  # in which bags are compared, of which there are thousands


def new_messages(
    english: English, vocabulary: Neuralese, candidates: Tensor, radius: float, config: SynthesisConfig
) -> tuple[Tensor, Tensor]:
    """For each phrase a message (phrases, message) of length `radius` that means the same, and its q (phrases,)."""
    log_likelihood = english.log_likelihood(candidates).float()
    weight = torch.softmax(log_likelihood[..., 0], dim=1)[:, None]  # (phrases, 1, n)
    wanted = beliefs(log_likelihood)[:, None]  # (phrases, 1, n, s)
    with torch.no_grad():
        flat = vocabulary.game.speaker_view(candidates.flatten(0, 1))
        means = vocabulary.speaker.mean(flat).unflatten(0, candidates.shape[:2])  # (n, s, message)
    variance = (config.scale * vocabulary.speaker.scale) ** 2
    offset = means.square().sum(-1) / 2

    def shell(message: Tensor) -> Tensor:
        return radius * torch.nn.functional.normalize(message, dim=-1)

    def divergence(message: Tensor) -> Tensor:
        """KL(beta(message) || beta(phrase)), (phrases, restarts)."""
        logits = (torch.einsum("prm,nsm->prns", shell(message), means) - offset) / variance
        belief = beliefs(logits)
        return (weight * (belief.exp() * (belief - wanted)).sum(-1)).sum(-1)

    start = BeliefCriterion("source", "reverse").scores(english, vocabulary, candidates)
    best = start.topk(min(config.restarts, len(vocabulary)), largest=False).indices
    message = vocabulary.messages[best].clone().requires_grad_()
    optimizer = torch.optim.Adam([message], lr=config.learning_rate)
    for _ in range(config.steps):
        optimizer.zero_grad()
        divergence(message).sum().backward()
        optimizer.step()
    with torch.no_grad():
        scores = divergence(message)
        chosen = scores.argmin(1)
        row = torch.arange(len(chosen))
        return shell(message)[row, chosen], scores[row, chosen]


def new_phrases(
    criterion: Criterion, said: Neuralese, english: English, candidates: Tensor, config: SynthesisConfig
) -> Composed:
    """Single phrases, all pairs of them, and promising triples, in which to translate messages like those `said`."""
    single = [(number,) for number in english.ids.tolist()]
    pairs = [(one, other) for (one,), (other,) in combinations(single, 2)]
    language = Composed(english, (*single, *pairs))
    best = criterion.scores(said, language, candidates).argmin(1)
    popular = torch.bincount(best, minlength=len(language))[len(single) :].argsort(descending=True, stable=True)
    triples = {
        tuple(sorted({*pairs[pair], *part})) for pair in popular[: config.beam].tolist() for part in single
    } - set(pairs)
    return Composed(english, (*single, *pairs, *sorted(triples)))
