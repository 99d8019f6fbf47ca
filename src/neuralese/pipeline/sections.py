"""Sections of the config: those that no room has for itself, and what the default experiment makes of those it has."""

from dataclasses import dataclass

from neuralese.pipeline.criteria import ALSO, NAME, NAMED, Criterion
from neuralese.settings import setting
from neuralese.translate.settings import SynthesisConfig

# of a folder: braces are wildcards to Snakemake, and nobody expands a ~
FOLDER = r"^(?!~)(?![\s\S]*[\x00-\x1f\x7f{}])[\s\S]*[^/]$"
WRITTEN_OUT = "a folder, written out without ~, without braces, and without / at its end"


@dataclass(frozen=True)
class Data:
    """Where raw data comes from."""

    source: str = setting(
        "auto",
        "`auto`: real data, or else embedded with a warning; `real`: stop if there is none; `embedded`: never look.",
        choices=["auto", "real", "embedded"],
        advice="`real` on a cluster, so that a failed download stops the run; `embedded` is a generated stand-in.",
    )
    mirror: str | None = setting(
        None,
        "A folder that holds the public archives; the variable `NEURALESE_MIRROR` goes before it.",
        pattern=FOLDER,
        form=WRITTEN_OUT,
        advice="Set either where there is no internet.",
    )


@dataclass(frozen=True)
class Messages:
    """How much the agent is let to say."""

    fitted: int = setting(
        100000,
        "States in which the robot speaker model watches the agent, to fit p(z|x).",
        least=10,
        most=10_000_000,
        advice="More is better and cheap.",
    )
    vocabulary: int = setting(
        5000,
        "Messages from training states into which phrases are translated.",
        least=10,
        most=1_000_000,
        advice="More gives the criterion more choice.",
    )
    held_out: int = setting(
        10000,
        "Messages of dev and of test each that are translated and evaluated.",
        least=10,
        most=1_000_000,
        advice="An interval at 10,000 is about 0.01 to either side.",
    )
    contexts: int = setting(
        3000, "Contexts in which two messages are compared (n of Algorithm 1).", least=10, most=1_000_000
    )


@dataclass(frozen=True)
class Dictionary:
    """What is kept of the scores."""

    n_best: int = setting(5, "Translations kept for each message.", least=1, most=1000)


@dataclass(frozen=True)
class Synthesis(SynthesisConfig):
    """New messages and phrases, and by which criterion."""

    criterion: str = setting(
        "belief",
        "One of the criteria, by which phrases are put together, and what has no new message is translated.",
    )


@dataclass(frozen=True)
class Ablation:
    """How many items the comparison of all criteria looks at."""

    messages: int = setting(
        2000,
        "Messages of the vocabulary, of dev and of test.",
        least=10,
        most=1_000_000,
        advice="Fewer than for the tables, so that it is done sooner than a training.",
    )
    contexts: int = setting(1000, "Contexts in which they are compared.", least=10, most=1_000_000)
    humans: int = setting(4000, "Human messages of dev and of test.", least=10, most=1_000_000)
    also: dict[str, Criterion] = setting(
        ALSO,
        "Criteria that are compared beside those of the tables, written like them.",
        names=NAME,
        named=NAMED,
        advice="None of them is chosen for a table.",
    )


@dataclass(frozen=True)
class Theory:
    """Checks of the paper's propositions."""

    games: int = setting(10000, "Random games on which Proposition 1 is checked.", least=1, most=10_000_000)


@dataclass(frozen=True)
class Examples:
    """The page of example translations."""

    count: int = setting(16, "Test messages to draw.", least=1, most=1000)
    games: int = setting(
        4, "Driving games to watch, of two robots and of a robot with a human each.", least=1, most=100
    )
    criterion: str = setting("belief", "The criterion by which they are translated.")


@dataclass(frozen=True)
class Evaluation:
    """How results are measured."""

    phrases_heard: int = setting(
        1,
        "How many of a message's best translations the model human hears at once.",
        least=1,
        advice="1: it is what a dictionary says; 5 is the released code's.",
    )
    resamples: int = setting(2000, "Resamples of the bootstrap behind each interval.", least=100, most=1_000_000)
