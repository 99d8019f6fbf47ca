"""Settings of fitting p(z|x) and the model human."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class FitConfig:
    """How long and how fast to fit."""

    hidden: int = setting(128, "Number of units of the single hidden layer.", least=1, most=10_000)
    steps: int = setting(
        3000,
        "Maximum number of minibatches.",
        least=1,
        advice="Fitting keeps the weights that did best on the dev split, so a larger number does no harm.",
    )
    batch: int = setting(1024, "Number of messages in a minibatch.", least=1, most=1_000_000)
    learning_rate: float = setting(0.003, "Initial learning rate of Adam.", above=0, most=10)
    faster: float = setting(
        1.0,
        "A second learning rate to try, as a multiple of the first; dev decides between the two. 1 tries none.",
        least=1,
        most=1000,
        advice="Corpora try one: they may hold a hundred utterances or a million.",
    )
    check_every: int = setting(250, "Number of minibatches between checks on held-out data.", least=1)
    patience: int = setting(
        4,
        "Number of checks without improvement before fitting stops; 0 never stops early and keeps the last weights.",
        least=0,
    )
    decay: bool = setting(
        True, "Whether the learning rate decays to zero along a cosine.", advice="`false` is the paper's."
    )
    plain_human: bool = setting(
        False,
        "Whether one softmax models all phrases and silence, with nothing shared between them.",
        advice="`true` is the paper's; matters only to driving, which alone has silence and phrases that share words.",
    )
