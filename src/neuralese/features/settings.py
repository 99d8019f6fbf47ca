"""What a config says of the birds' features."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class HeadConfig:
    """How the head is trained."""

    hidden: int = setting(
        256, "Units, which is the length of the feature that players see.", least=1, advice="256 is the paper's."
    )
    epochs: int = setting(
        40,
        "Passes over the training images.",
        least=1,
        advice="The weights of the epoch that did best on dev are kept.",
    )
    batch: int = setting(256, "Images in a minibatch.", least=1)
    learning_rate: float = setting(0.0015, "First step size; it falls to zero as a cosine.", above=0)
    weight_decay: float = setting(1e-4, "Weight decay of AdamW.", least=0)
    dropout: float = setting(0.7, "Share of pooled features hidden in training.", least=0, below=1)
    hidden_dropout: float = setting(0.5, "Share of hidden units hidden in training.", least=0, below=1)
