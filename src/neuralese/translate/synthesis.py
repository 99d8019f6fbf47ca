"""New messages and new phrases, whereas the paper's dictionary chooses among those that were heard.

**New neuralese.** What the listener of a message believes is a smooth function of the message, so q can be
minimised over the message itself: by gradient descent, from the best message of the vocabulary, on the sphere to which
the channel scales every message. In each step an utterance is compared in contexts drawn by how likely it is there. The
divergence is how often two listeners, one guided by the words and one by the message, would disagree if each picked
a state by its beliefs: 1 - sum_s beta_s(words) beta_s(message). (KL spends a message on the few contexts where the
listener is sure and wrong: config/README.md has the figures.)

It matters whose belief: `synthesis` takes it from p(z | x), as every criterion does. `synthesis-judge` reads it off
the choices of the very robot that later judges the translation, by playing; such a message is tailored to one
listener, so it is listed separately in the tables. Contexts are from the training split. A new message is sent
through the channel like any other, so noise is added to it.

**New English.** Phrases said together are a bag, p(bag | x) = prod_j p(phrase_j | x), so a message may be
translated as *light, green*. All pairs are scored; the `beam` pairs that translate most messages best are extended to
triples.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor, nn

from neuralese.config.models import SynthesisConfig
from neuralese.speakers.vectors import half_squares, log_density_but_for_z
from neuralese.storage.tables import vectors
from neuralese.translate.criteria import BeliefCriterion, Criterion, Reading
from neuralese.translate.languages import Composed, English, Language, Neuralese
from neuralese.translate.pairs import SINGLE, beliefs
from neuralese.translate.pragmatics import Believe

BATCH = 32  # contexts in each step
LEARNING_RATE = 0.05  # of Adam
LOOK = 500  # contexts in which a new message is scored
CONTEXTS = 1000  # in which the thousands of bags of phrases are compared
DISTRACTORS = 4  # of each state of a context in practice; with few, messages overfit to their contexts


def believe_by_likelihood(vocabulary: Neuralese, candidates: Tensor, scale: float) -> Believe:
    """A robot that infers the state in which its own language makes the message likely."""
    with torch.no_grad():
        views = vocabulary.game.speaker_view(candidates.flatten(0, 1))
        means = vocabulary.speaker.mean(views).unflatten(0, candidates.shape[:2])  # (n, s, message)
    halves, width = half_squares(means), Reading(scale).width(vocabulary.speaker.width)

    def believe(messages: Tensor, contexts: Tensor) -> Tensor:
        return beliefs(log_density_but_for_z(messages, means[contexts], halves[contexts], width))

    return believe


@dataclass(frozen=True)
class MessageMaker:
    """Makes messages that mean what phrases mean.

    The messages to descend from are chosen in `candidates`; `practice` has more contexts, since a
    message could overfit to a few.
    """

    vocabulary: Neuralese
    candidates: Tensor
    practice: Tensor
    radius: float
    config: SynthesisConfig
    generator: torch.Generator

    def make(self, english: Language, believe: Believe) -> tuple[Tensor, Tensor]:
        """For each phrase, a message (phrases, message) on the sphere that means the same, and its q (phrases,)."""
        log_likelihood = english.log_likelihood(self.practice).float()
        where_said = torch.softmax(log_likelihood[..., 0], dim=1)
        wanted = beliefs(log_likelihood)

        def disagreement(message: Tensor, count: int) -> Tensor:
            """Disagreement of beta(phrase) and beta(message) in `count` contexts, (phrases, 1)."""
            contexts = torch.multinomial(where_said, count, replacement=True, generator=self.generator)
            goal = wanted.gather(1, contexts[..., None].expand(-1, -1, wanted.shape[2]))[:, None]
            on_shell = self.radius * nn.functional.normalize(message, dim=-1)
            return 1 - (goal + believe(on_shell, contexts)).exp().sum(-1).mean(-1)

        start = BeliefCriterion().scores(english, self.vocabulary, self.candidates)
        best = start.topk(1, largest=False).indices
        message = self.vocabulary.messages[best].clone().requires_grad_()
        optimizer = torch.optim.Adam([message], LEARNING_RATE)
        for _ in range(self.config.steps):
            (message.grad,) = torch.autograd.grad(disagreement(message, BATCH).sum(), message)  # of nothing else
            optimizer.step()
        with torch.no_grad():
            scores = disagreement(message, LOOK)
            return self.radius * nn.functional.normalize(message[:, 0], dim=-1), scores[:, 0]


def new_phrases(
    criterion: Criterion, said: Neuralese, english: English, candidates: Tensor, config: SynthesisConfig
) -> tuple[Composed, Tensor]:
    """Single phrases, all pairs of them, and promising triples, for translating messages like those `said`.

    Also the scores of what was `said` against all of them, (K, bags).
    """
    single = [(number,) for number in english.ids.tolist()]
    pairs = [(one, other) for (one,), (other,) in combinations(single, 2)]
    language = Composed(english, (*single, *pairs))
    scores = criterion.scores(said, language, candidates, dtype=SINGLE)
    best = scores.argmin(1)
    popular = torch.bincount(best, minlength=len(language))[len(single) :].argsort(descending=True, stable=True)
    triples = {
        tuple(sorted({*pairs[pair], *part})) for pair in popular[: config.beam].tolist() for part in single
    } - set(pairs)
    longer = Composed(english, tuple(sorted(triples)))
    if len(longer):
        scores = torch.cat([scores, criterion.scores(said, longer, candidates, dtype=SINGLE)], dim=1)
    return Composed(english, (*single, *pairs, *longer.parts)), scores


def new_messages(
    ids: list[int], texts: list[str], made: Mapping[str, tuple[Tensor, Tensor]]
) -> tuple[pa.Table, pd.DataFrame]:
    """Messages and their scores, by the way in which they were `made` for the utterances `ids` with these `texts`.

    Returns the columns of `new_messages.parquet`, and rows of a dictionary. All ways except `synthesis` ask a judge.
    """
    ways, utterances = np.repeat(list(made), len(ids)), np.tile(np.array(ids, np.int32), len(made))
    numbers = np.arange(len(ways), dtype=np.int32)
    table = {
        "message_id": numbers,
        "split": ["synthesised"] * len(ways),
        "utterance_id": utterances,
        "judge": ways != "synthesis",
        "message": vectors(torch.cat([messages for messages, _ in made.values()]).numpy()),
    }
    entries = {
        "direction": "H->R",
        "criterion": ways,
        "source_id": utterances,
        "source": texts * len(made),
        "rank": 1,
        "target_id": numbers,
        "target": [f"new message {number}" for number in numbers],
        "score": torch.cat([scores for _, scores in made.values()]).double().numpy(),
    }
    return pa.table(table), pd.DataFrame(entries)


def bags_table(bags: Composed) -> pd.DataFrame:
    """Phrases said together: bag_id, text, parts."""
    parts = [list(part) for part in bags.parts]
    return pd.DataFrame({"bag_id": bags.ids.numpy(), "text": bags.texts(), "parts": parts})
