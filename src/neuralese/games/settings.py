"""What a config says of a game."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class GameConfig:
    """Rules of a game that an experiment may change."""

    steps: int = setting(
        3,
        "Steps after which a game is over in any case.",
        least=2,
        most=1000,
        advice="In a reference game 3: the listener may act from the second step on, and wait once. "
        "Nine in ten human driving games took at most 13 moves.",
    )
    candidates: int = setting(
        2,
        "States between which a listener has to tell: the true one and its distractors.",
        least=2,
        most=10_000,
        advice="2 is the paper's; chance is one in so many.",
    )
    speaker_sees: str = setting(
        "all",
        "What the speaker of a reference game sees: all items, or the target alone, as those who described them did.",
        choices=["all", "target"],
        advice="`all` is the paper's. Other games take no notice of it.",
    )
