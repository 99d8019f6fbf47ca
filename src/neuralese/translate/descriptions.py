"""Descriptions: what a message means in as many phrases as it takes, such as "shape e, size m".

A description is a set of phrases, p(set | x) = prod_j p(phrase_j | x)^temper: what people say together overlaps, so a
phrase of several counts for less than one alone. (Phrases made from the columns of states do not overlap: their temper
is 1, their price is half, and there may be any number of them.)
Phrases are added one by one, each time the one that brings the listener's belief closest to that of the message by
forward KL, in contexts drawn by how likely the message is there,

    E_w(z) KL(beta(z) || beta(set)) + sum_j (price + truth * log max_p p(p | z) / p(phrase_j | z))

until no phrase gains more than its price. Where states differ in one attribute alone, half of the contexts are such
pairs: most other states differ in so many that one phrase would be enough to tell them apart. A message of which no
phrase is worth its price is left without words: it says nothing that the inventory can express, like those of a speaker
who talks at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Messages, Sequences
from neuralese.config.models import DescriptionConfig
from neuralese.data.data_sets import PEOPLE
from neuralese.storage.tables import read_about
from neuralese.translate.languages import IMPOSSIBLE, Composed, Neuralese

if TYPE_CHECKING:
    from neuralese.stages.run import Run

WORDLESS = "(no phrase says this)"
LEAST = 0.02  # gain over silence, in nats, below which a description says nothing: chance alone reaches .01
DRAWN = 300  # contexts of each message
HELD = 2**22  # log odds held at a time
RAREST = 1e-12
CLIP = 30.0  # log odds of a candidate against the true one, so that an impossible one has a finite cost


Curve = Sequence[Sequence[float]]  # expected accuracies and, for each, that which was measured


@dataclass(frozen=True)
class Descriptions:
    """What K messages are called."""

    language: Composed  # a description for each message, which is empty if no phrase says what it means
    score: Tensor  # (K,) how far a listener of the description is from what the message says, in nats, with its price
    gain: Tensor  # (K,) by how much that is better than silence
    expected: Tensor  # (K,) how often a listener should guess right, if all models are right

    def texts(self) -> list[str]:
        """Phrases, separated by commas."""
        named = zip(self.language.texts(), self.language.parts, strict=True)
        return [text if parts else WORDLESS for text, parts in named]


def worded(text: str, run: "Run") -> str:
    """How a description reads: as a comparison where the speaker saw all candidates, such as "the more yellow one"."""
    if text == WORDLESS or getattr(run.states, "speaker_sees", "target") != "all":
        return text
    return f"the one that is more: {text}" if " " in text else f"the more {text} one"


class Describer:
    """Describes the messages of one run; with a `curve`, it also says how often listeners guess right.

    Describer.of(run).table(messages)
    """

    @classmethod
    def of(cls, run: "Run", most: int | None = None) -> "Describer":
        """As in `descriptions.parquet`, or with at most `most` phrases."""
        about = read_about(run.files["descriptions.parquet"])
        return cls(run, DescriptionConfig(**about["settings"]), about["sure"], most)

    def __init__(
        self,
        run: "Run",
        config: DescriptionConfig,
        curve: Curve = ((0.0, 1.0), (0.0, 1.0)),
        most: int | None = None,
    ) -> None:
        self.run, self.curve, self.english = run, curve, run.english.spoken()
        if run.words != PEOPLE:  # attributes do not overlap, and each is worth a phrase
            config = config.model_copy(update={"temper": 1.0, "price": config.price / 2, "phrases": len(self.english)})
        self.config = config if most is None else config.model_copy(update={"phrases": most})
        states = run.context_states
        alike = run.states.alike(states, run.generator("descriptions"))
        # half of what is drawn is alike, however many of them there are
        self.log_weights = torch.zeros(len(states) + len(alike), dtype=torch.double)
        self.log_weights[len(states) :] = np.log(len(states) / max(1, len(alike)))
        self.candidates = run.states.candidates(torch.cat([states, alike]))

    def describe(self, messages: Messages) -> Descriptions:
        """Describe K messages: vectors, or sequences of symbols."""
        place = torch.arange(len(messages))
        if isinstance(messages, Sequences):
            messages, place, _ = messages.distinct()
        found = self._described(Neuralese(self.run.states, self.run.robot, messages, torch.arange(len(messages))))
        parts = tuple(found.language.parts[row] for row in place.tolist())
        return Descriptions(
            Composed(self.english, parts), *(each[place] for each in (found.score, found.gain, found.expected))
        )

    def table(self, messages: Messages) -> pd.DataFrame:
        """What K messages are called: the columns of `descriptions.parquet`, but for the messages' numbers."""
        said = self.describe(messages)
        return pd.DataFrame(
            {
                "text": said.texts(),
                "parts": [list(parts) for parts in said.language.parts],
                "score": said.score.double().numpy(),
                "gain": said.gain.double().numpy(),
                "sure": np.interp(said.expected.numpy(), self.curve[0], self.curve[1]),
            }
        )

    @torch.no_grad()
    def _described(self, said: Neuralese) -> Descriptions:
        likely = self.english.log_likelihood(self.candidates)  # (phrases, n, s)
        spoken = likely[..., 0].exp().float()
        likely = likely.clamp(min=IMPOSSIBLE) * self.config.temper
        odds = (likely[..., 1:] - likely[..., :1]).clamp(-CLIP, CLIP).float().movedim(2, 0)  # (s - 1, phrases, n)
        parts: list[tuple[int, ...]] = []
        found: list[tuple[Tensor, ...]] = []
        for rows in torch.arange(len(said)).split(max(1, HELD // (odds[..., 0].numel() * DRAWN))):
            meant = replace(said, messages=said.messages[rows], ids=rows).log_likelihood(self.candidates)  # (k, n, s)
            w = (meant[..., 0] + self.log_weights).softmax(1)
            drawn = draw(w, DRAWN)
            belief = meant.gather(1, drawn[..., None].expand(-1, -1, meant.shape[2])).softmax(2).float()
            heard = odds[:, :, drawn].transpose(1, 2)  # (s - 1, k, phrases, drawn)
            agreed = (heard * belief[..., 1:].movedim(2, 0)[:, :, None]).sum(0).mean(2)  # (k, phrases)
            common = (w.float() @ spoken.T).clamp(min=RAREST).log()  # log p(phrase | z)
            cost = self.config.price + self.config.truth * (common.amax(1, keepdim=True) - common) - agreed
            chosen, told, score, gain = _greedy(heard, cost, self.config.phrases)
            parts += [tuple(self.english.ids[each].tolist()) for each in chosen]
            entropy = -(belief * belief.clamp(min=RAREST).log()).sum(2).mean(1)
            believed = torch.cat([torch.zeros_like(told[:1]), told]).movedim(0, 2)
            picked = (believed == believed.amax(2, keepdim=True)).float()
            picked /= picked.sum(2, keepdim=True)
            found.append((score - entropy, gain, (belief * picked).sum(2).mean(1)))
        return Descriptions(Composed(self.english, tuple(parts)), *map(torch.cat, zip(*found, strict=True)))


def _greedy(heard: Tensor, cost: Tensor, most: int) -> tuple[list[list[int]], Tensor, Tensor, Tensor]:
    """Sets of phrases, by position; their log odds (s - 1, k, drawn); their scores and gains over silence (k,)."""
    told, every = torch.zeros_like(heard[:, :, 0]), torch.arange(len(cost))
    silence = score = surprise(told)
    spent = torch.zeros(len(cost))
    chosen: list[list[int]] = [[] for _ in every]
    for number in range(min(most, cost.shape[1])):
        best, phrase = (surprise(told[:, :, None] + heard) + spent[:, None] + cost).min(1)
        better = best < (score if number else silence - LEAST)
        for row in torch.nonzero(better).flatten().tolist():
            chosen[row].append(int(phrase[row]))
        told = torch.where(better[:, None], told + heard[:, every, phrase], told)
        spent = torch.where(better, spent + cost[every, phrase], spent)
        score = torch.where(better, best, score)
        cost = cost.scatter(1, phrase[:, None], torch.inf)  # nobody says a phrase twice
        cost[~better] = torch.inf  # what gains nothing now gains nothing later
    return chosen, told, score, silence - score


def surprise(odds: Tensor) -> Tensor:
    """The mean over contexts of -log beta_0, (...), from the log odds (s - 1, ..., contexts) of the others."""
    total = odds[0] if len(odds) == 1 else odds.logsumexp(0)
    return torch.nn.functional.softplus(total).mean(-1)


def draw(w: Tensor, count: int) -> Tensor:
    """Contexts (K, count) drawn by their weights w (K, n), at equal distances, so that little is left to chance."""
    places = (torch.arange(count, dtype=torch.double) + 0.5) / count
    return torch.searchsorted(w.double().cumsum(1), places.expand(len(w), -1).contiguous()).clamp(max=w.shape[1] - 1)


def calibrated(expected: np.ndarray, credit: np.ndarray) -> list[list[float]]:
    """How often a listener guesses right, by what was expected: a curve that never falls (isotonic regression)."""
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0, y_max=1).fit(expected, credit)
    return [fitted.X_thresholds_.tolist(), fitted.y_thresholds_.tolist()]
