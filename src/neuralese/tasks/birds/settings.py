"""What a config says of the birds and of their features."""

from dataclasses import dataclass

from neuralese.settings import section, setting


@dataclass(frozen=True)
class HeadConfig:
    """How the head is trained."""

    hidden: int = setting(
        256,
        "Units, which is the length of the feature that players see.",
        least=1,
        most=10_000,
        advice="256 is the paper's.",
    )
    epochs: int = setting(
        40,
        "Passes over the training images.",
        least=1,
        advice="The weights of the epoch that did best on dev are kept.",
    )
    batch: int = setting(256, "Images in a minibatch.", least=1)
    learning_rate: float = setting(0.0015, "First step size; it falls to zero as a cosine.", above=0, most=10)
    weight_decay: float = setting(1e-4, "Weight decay of AdamW.", least=0, most=10)
    dropout: float = setting(0.7, "Share of pooled features hidden in training.", least=0, below=1)
    hidden_dropout: float = setting(0.5, "Share of hidden units hidden in training.", least=0, below=1)
    folds: int = setting(
        1,
        "Parts of the training images; each is seen by a head that was trained on the others.",
        least=1,
        most=100,
        advice="1: all are seen by the head that was trained on them. See below.",
    )


@dataclass(frozen=True)
class Birds:
    """How the birds are prepared, and what players see of them."""

    bigrams: int = setting(
        50,
        "So many of the most frequent bigrams of the training captions are the inventory.",
        least=1,
        most=1000,
        advice="50 is the paper's.",
    )
    backbone: str = setting(
        "efficientnet-lite0",
        "The pretrained network that looks at the images.",
        choices=["efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"],
        advice="See below.",
    )
    pixels: int = setting(
        256, "Birds are shown to the backbone at so many pixels a side.", least=32, most=1024, advice="See below."
    )
    quantised: bool = setting(
        True,
        "Whether the backbone reckons in whole numbers of 8 bits, which is faster.",
        advice="See below; `false` is slower, and a little more accurate.",
    )
    shards: int = setting(
        8,
        "The images are cut into so many parts, which are looked at beside each other.",
        least=1,
        most=1000,
        advice="As many as you have cores, up to eight or so: each takes some seconds to start. "
        "The results are the same bytes whatever it is.",
    )
    components: int = setting(
        90,
        "Principal components of feature maps whose products are pooled (bilinear pooling).",
        least=2,
        most=1280,
        advice="See below; 64 make the head train in two thirds of the time, and are a little less accurate.",
    )
    head: HeadConfig = section(
        HeadConfig, "The hidden layer whose activations players see, trained to tell the species."
    )
