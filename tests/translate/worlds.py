"""A small game with speakers of both languages, and languages whose likelihoods are written down."""

import torch

from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.criteria import Reading
from neuralese.translate.languages import Composed, English, Language, Neuralese

NOISE = 0.3


class Tabled(Language):
    """A language whose log-likelihoods (K, n, s) are written down: candidates are the numbers of their cells."""

    def __init__(self, log_likelihood: torch.Tensor) -> None:
        self.table = log_likelihood

    def __len__(self) -> int:
        return len(self.table)

    def read(self, reading: Reading) -> "Tabled":
        return self

    def log_likelihood(self, candidates: torch.Tensor) -> torch.Tensor:
        return self.table.flatten(1)[:, candidates.flatten()].unflatten(1, candidates.shape)


def cells(n: int, s: int) -> torch.Tensor:
    return torch.arange(n * s).view(n, s)


class World:
    """A reference game with untrained speakers in double precision; words are `sharp`, so that they mean something."""

    def __init__(
        self, phrases: list[str], contexts: int = 50, seed: int = 0, candidates: int = 2, sharp: float = 8.0
    ) -> None:
        torch.manual_seed(seed)
        self.generator = torch.Generator().manual_seed(seed)
        items = torch.randn(40, 3, generator=self.generator).double()
        self.game = ReferenceGame(items, n_candidates=candidates)
        self.robot = RobotSpeaker(self.game, hidden=8, message=4, scale=NOISE).double()
        silence = phrases.index("") if "" in phrases else None
        human = HumanSpeaker(self.game, hidden=8, phrases=len(phrases), silence=silence).double()
        with torch.no_grad():
            human.logits.phrases.weight.mul_(sharp)
        self.english = English(self.game, human, phrases)
        self.states = self.game.draw_states(contexts, self.generator)
        self.candidates = self.game.candidates(self.states)

    def say(self, n: int, first: int = 0) -> Neuralese:
        """Messages as the channel brings them, numbered from `first`."""
        with torch.no_grad():
            means = self.robot.mean(self.game.speaker_view(self.game.draw_states(n, self.generator)))
        messages = means + NOISE * torch.randn(means.shape, generator=self.generator)
        return Neuralese(self.game, self.robot, messages, torch.arange(first, first + n))

    def told(self, *parts: tuple[int, ...]) -> Composed:
        return Composed(self.english, parts)
