"""Sections of the config that belong to no other package, and the default experiment's values of those that do."""

from dataclasses import dataclass

from neuralese.pipeline.criteria import ALSO, NAME, NAMED, Criterion
from neuralese.settings import setting
from neuralese.translate.settings import SynthesisConfig

# of a folder: braces are wildcards to Snakemake, and ~ is not expanded
FOLDER = r"^(?!~)(?![\s\S]*[\x00-\x1f\x7f{}])[\s\S]*[^/]$"
WRITTEN_OUT = "a folder written out in full, without ~, braces or a trailing /"


@dataclass(frozen=True)
class Data:
    """Where raw data comes from."""

    source: str = setting(
        "auto",
        "`auto`: real data, else embedded with a warning; `real`: fail if there is none; `embedded`: never look.",
        choices=["auto", "real", "embedded"],
        advice="`real` on a cluster, so that a failed download stops the run; `embedded` is a generated stand-in.",
    )
    mirror: str | None = setting(
        None,
        "Folder that holds the public archives; the variable `NEURALESE_MIRROR` takes precedence.",
        pattern=FOLDER,
        form=WRITTEN_OUT,
        advice="Set either on a machine without internet access.",
    )


@dataclass(frozen=True)
class Dictionary:
    """Which translations are kept."""

    n_best: int = setting(5, "Number of translations kept for each message.", least=1, most=1000)


@dataclass(frozen=True)
class Synthesis(SynthesisConfig):
    """New messages and phrases, and the criterion behind them."""

    criterion: str = setting(
        "belief",
        "The criterion used to combine phrases, and to translate whatever has no new message.",
    )


@dataclass(frozen=True)
class Ablation:
    """Size of the comparison of all criteria."""

    messages: int = setting(
        2000,
        "Number of messages of the vocabulary, of dev and of test.",
        least=10,
        most=1_000_000,
        advice="Fewer than for the tables, so that it takes less time than a training.",
    )
    contexts: int = setting(1000, "Number of contexts in which they are compared.", least=10, most=1_000_000)
    humans: int = setting(4000, "Number of human messages of dev and of test.", least=10, most=1_000_000)
    also: dict[str, Criterion] = setting(
        ALSO,
        "Further criteria to compare with those of the tables, written in the same way.",
        names=NAME,
        named=NAMED,
        advice="None of them is ever chosen for a table.",
    )


@dataclass(frozen=True)
class Theory:
    """Checks of the paper's propositions."""

    games: int = setting(10000, "Number of random games on which Proposition 1 is checked.", least=1, most=10_000_000)


@dataclass(frozen=True)
class Examples:
    """The page of example translations."""

    count: int = setting(16, "Number of test messages to draw.", least=1, most=1000)
    games: int = setting(
        4, "Number of games to watch, of two robots and of a robot with a human each.", least=1, most=100
    )
    criterion: str = setting("belief", "Criterion used to translate them.")


@dataclass(frozen=True)
class Evaluation:
    """How results are measured."""

    phrases_heard: int = setting(
        1,
        "Number of a message's best translations that the model human hears at once.",
        least=1,
        advice="1 is what a dictionary says; 5 is the released code's.",
    )
    resamples: int = setting(2000, "Number of bootstrap resamples behind each interval.", least=100, most=1_000_000)
