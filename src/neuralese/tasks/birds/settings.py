"""Settings of the birds and of their features."""

from dataclasses import dataclass

from neuralese.settings import section, setting


@dataclass(frozen=True)
class HeadConfig:
    """How the head is trained."""

    hidden: int = setting(
        256,
        "Number of units: the length of the feature vector that players see.",
        least=1,
        most=10_000,
        advice="256 is the paper's.",
    )
    epochs: int = setting(
        40,
        "Number of passes over the training images.",
        least=1,
        advice="The weights of the epoch that did best on dev are kept.",
    )
    batch: int = setting(256, "Number of images in a minibatch.", least=1)
    learning_rate: float = setting(0.0015, "Initial learning rate; it decays to zero along a cosine.", above=0, most=10)
    weight_decay: float = setting(1e-4, "Weight decay of AdamW.", least=0, most=10)
    dropout: float = setting(0.7, "Share of pooled features dropped in training.", least=0, below=1)
    hidden_dropout: float = setting(0.5, "Share of hidden units dropped in training.", least=0, below=1)
    folds: int = setting(
        1,
        "Number of folds of the training images; the features of each come from a head trained on the others.",
        least=1,
        most=100,
        advice="With 1, all come from the head trained on them. See below.",
    )


@dataclass(frozen=True)
class Birds:
    """How the birds are prepared, and what players see of them."""

    bigrams: int = setting(
        50,
        "Size of the inventory: the most frequent bigrams of the training captions.",
        least=1,
        most=1000,
        advice="50 is the paper's.",
    )
    backbone: str = setting(
        "efficientnet-lite0",
        "Pretrained network that processes the images.",
        choices=["efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"],
        advice="See below.",
    )
    pixels: int = setting(
        256,
        "Side of the square at which birds are shown to the backbone, in pixels.",
        least=32,
        most=1024,
        advice="See below.",
    )
    quantised: bool = setting(
        True,
        "Whether the backbone computes in 8-bit integers, which is faster.",
        advice="See below; `false` is slower and slightly more accurate.",
    )
    components: int = setting(
        90,
        "Number of principal components of the feature maps whose products are pooled (bilinear pooling).",
        least=2,
        most=1280,
        advice="See below; with 64, the head trains in two thirds of the time and is slightly less accurate.",
    )
    head: HeadConfig = section(
        HeadConfig, "The hidden layer whose activations players see, trained to recognise the species."
    )
