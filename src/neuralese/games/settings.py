"""Settings of a game."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class GameConfig:
    """Rules of a game that an experiment may change."""

    steps: int = setting(
        3,
        "Maximum number of steps in a game.",
        least=2,
        most=1000,
        advice="3 for a reference game: the listener may act from the second step on, and wait once. "
        "Nine in ten human driving games took at most 13 moves.",
    )
    candidates: int = setting(
        2,
        "Number of states a listener chooses from: the true one and its distractors.",
        least=2,
        most=10_000,
        advice="2 is the paper's; chance level is one over this number.",
    )
    speaker_sees: str = setting(
        "all",
        "What the speaker of a reference game sees: all items, or only the target, as the human annotators did.",
        choices=["all", "target"],
        advice="`all` is the paper's. Other games ignore it.",
    )
