"""What a config says of a criterion, and the criteria of the default experiment."""

from dataclasses import MISSING, dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class Criterion:
    """A way of scoring a translation. What is left out is up to its kind, so no default is filled in."""

    kind: str = setting(
        MISSING,
        "What is matched: beliefs (`belief`), co-occurrence (`direct`; `pmi`, which is direct, divided by how frequent "
        "the translation is), or nothing (`random`).",
        choices=["belief", "direct", "pmi", "random"],
    )
    role: str | None = setting(
        None,
        "What it is there for in the tables: `printed` (Algorithm 1), `released` (the authors' code), `ours`, "
        "`baseline`, `control`.",
        choices=["printed", "released", "ours", "baseline", "control"],
        advice="Gains, tests and verdicts go by roles, never by names; no two criteria have the same.",
    )
    weights: str | list[str] = setting(
        "source",
        "What weights a context under a belief criterion; `product` is Algorithm 1's.",
        choices=["product", "sum", "source", "target"],
        advice="See below.",
    )
    divergence: str | list[str] = setting(
        "reverse",
        "Which divergence of beliefs a belief criterion takes: `forward` KL(z to z'), `reverse`, `symmetric`, "
        "`jensen-shannon`.",
        choices=["forward", "reverse", "symmetric", "jensen-shannon"],
        advice="See below; `jensen-shannon` is slower: not a matrix product.",
    )
    prior: float | list[float] = setting(
        0.0,
        "By how many nats a nat of -log p(z'), the density of messages under the speaker's model, counts against a "
        "translation z'.",
        least=0,
        advice="Above 0, rare translations are avoided.",
    )
    scale: float | list[float] = setting(
        1.0, "How much wider than the channel's noise p(z|x) of the robot is taken to be.", above=0, advice="See below."
    )
    variance: float | list[float] | None = setting(
        None,
        "The variance of p(z|x) of the robot, whatever the channel's noise; takes precedence over `scale`.",
        above=0,
        advice="0.5 is the released code's.",
    )
    join: str | list[str] = setting(
        "product",
        "Whether phrases said together have the `product` or the geometric `mean` of their likelihoods.",
        choices=["product", "mean"],
        advice="`mean` is the released code's.",
    )
    seed: int = setting(0, "Seed of a random criterion.", least=0)


CRITERIA = {
    "algorithm-1": {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward", "scale": 1.0},
    "released": {
        "kind": "belief",
        "role": "released",
        "weights": "product",
        "divergence": "reverse",
        "variance": 0.5,
        "join": "mean",
    },
    "belief": {
        "kind": "belief",
        "role": "ours",
        "weights": ["source", "sum", "product"],
        "divergence": ["reverse", "forward", "symmetric"],
        "scale": [1.0, 2.0, 4.0, 8.0],
    },
    "direct": {"kind": "direct", "role": "baseline", "scale": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]},
    "random": {"kind": "random", "role": "control"},
}
ALSO = {
    "pmi": {"kind": "pmi", "scale": [1.0, 2.0, 4.0, 8.0]},
    "jensen-shannon": {"kind": "belief", "weights": "source", "divergence": "jensen-shannon"},
    "frequent": {"kind": "belief", "weights": "source", "divergence": "reverse", "scale": 1.0, "prior": [0.01, 0.1]},
}
