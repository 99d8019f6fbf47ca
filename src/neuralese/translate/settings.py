"""What a config says of new messages and new phrases."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class SynthesisConfig:
    """How new messages and phrases are looked for."""

    scale: float = setting(
        4.0,
        "How much wider than the channel's noise p(z|x) is taken to be while a message is made.",
        least=0.001,
        most=1_000_000,
        advice="Wide: a message for a phrase must lie between many states.",
    )
    restarts: int = setting(1, "Messages of the vocabulary from which to descend.", least=1, most=1000)
    steps: int = setting(120, "Steps of gradient descent.", least=1)
    batch: int = setting(32, "Contexts in each step.", least=1, most=100_000)
    utterances: int = setting(
        100,
        "How many of the most frequent sets of phrases that humans say at once get messages of their own.",
        least=0,
        advice="Half of the stage's time.",
    )
    ask_judge: bool = setting(
        True,
        "Whether messages are also made by asking the robot that judges them, where it can be asked.",
        advice="They stand apart in the tables; without them the stage takes half the time.",
    )
    distractors: int = setting(
        4,
        "Distractors with which each state of a context is compared while a message is made.",
        least=1,
        most=100,
        advice="Few: messages learn contexts by heart.",
    )
    learning_rate: float = setting(0.05, "Step size of Adam.", above=0, most=10)
    beam: int = setting(
        20, "Pairs of phrases that are extended to triples.", least=0, most=10_000, advice="0 for pairs alone."
    )
    contexts: int = setting(
        1000, "Contexts in which bags of phrases are compared, of which there are thousands.", least=1
    )
