"""Settings of new messages and new phrases."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class SynthesisConfig:
    """How new messages and phrases are searched for."""

    scale: float = setting(
        4.0,
        "Width of p(z|x) while a message is being made, as a multiple of the channel's noise.",
        least=0.001,
        most=1_000_000,
        advice="Wide: a message for a phrase must lie between those of many states.",
    )
    restarts: int = setting(1, "Number of messages of the vocabulary from which to descend.", least=1, most=1000)
    steps: int = setting(120, "Number of gradient descent steps.", least=1)
    batch: int = setting(32, "Number of contexts in each step.", least=1, most=100_000)
    utterances: int = setting(
        100,
        "Number of the most frequent sets of phrases said together by humans that get messages of their own.",
        least=0,
        advice="Takes half of the stage's time.",
    )
    ask_judge: bool = setting(
        True,
        "Whether messages are also made by asking the robot that judges them, if the game allows it.",
        advice="They are listed separately in the tables; without them the stage takes half the time.",
    )
    distractors: int = setting(
        4,
        "Number of distractors each state of a context is compared with while a message is being made.",
        least=1,
        most=100,
        advice="With few, messages overfit to their contexts.",
    )
    learning_rate: float = setting(0.05, "Learning rate of Adam.", above=0, most=10)
    beam: int = setting(
        20, "Number of pairs of phrases extended to triples.", least=0, most=10_000, advice="0 for pairs only."
    )
    contexts: int = setting(1000, "Number of contexts in which the thousands of bags of phrases are compared.", least=1)
