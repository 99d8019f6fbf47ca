"""What a config says of fitting p(z|x) and the model human."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class FitConfig:
    """How long and how fast to fit."""

    hidden: int = setting(128, "Units of the single hidden layer.", least=1, most=10_000)
    steps: int = setting(
        3000,
        "Minibatches at most.",
        least=1,
        advice="Fitting keeps the weights that did best on the dev split, so more do no harm.",
    )
    batch: int = setting(1024, "Messages in a minibatch.", least=1, most=1_000_000)
    learning_rate: float = setting(0.003, "First step size of Adam.", above=0, most=10)
    check_every: int = setting(250, "Minibatches between two looks at the held-out data.", least=1)
    patience: int = setting(
        4,
        "Looks without a gain after which fitting stops; 0 never stops early, and keeps the last weights.",
        least=0,
    )
    decay: bool = setting(
        True, "Whether the step size falls to zero as a cosine does.", advice="`false` is the paper's."
    )
    plain_human: bool = setting(
        False,
        "Whether one softmax models all phrases and silence, which share nothing.",
        advice="`true` is the paper's; matters to driving, which alone has silence and phrases that share words.",
    )
