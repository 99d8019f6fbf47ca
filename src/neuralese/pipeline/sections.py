"""Sections of the config: those that no room has for itself, and what the default experiment makes of those it has."""

from dataclasses import dataclass

from neuralese.agents.settings import TrainingConfig
from neuralese.features.settings import HeadConfig
from neuralese.pipeline.criteria import ALSO, Criterion
from neuralese.settings import section, setting
from neuralese.speakers.settings import FitConfig
from neuralese.translate.settings import SynthesisConfig


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
        advice="Set either where there is no internet.",
    )


@dataclass(frozen=True)
class Colors:
    """How the colour survey is prepared."""

    least_names: int = setting(
        5,
        "A word is in the inventory if it is in at least so many of the colour names.",
        least=1,
        advice="5 is the paper's, and gives 57 words.",
    )


@dataclass(frozen=True)
class Birds:
    """How the birds are prepared, and what players see of them."""

    bigrams: int = setting(
        50,
        "So many of the most frequent bigrams of the training captions are the inventory.",
        least=1,
        advice="50 is the paper's.",
    )
    backbone: str = setting(
        "efficientnet-lite0",
        "The pretrained network that looks at the images.",
        choices=["efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"],
        advice="See below.",
    )
    pixels: int = setting(
        256, "Birds are shown to the backbone at so many pixels a side.", least=32, advice="See below."
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
        advice="As many as you have cores, up to eight or so: each takes some seconds to start. "
        "The results are the same bytes whatever it is.",
    )
    pooled: int = setting(
        4096,
        "Length of a compact bilinear feature.",
        least=2,
        advice="Longer is slower and was not better: 8192 and 4096 reached the same accuracy.",
    )
    head: HeadConfig = section(
        HeadConfig, "The hidden layer whose activations players see, trained to tell the species."
    )


@dataclass(frozen=True)
class Driving:
    """How the driving games are prepared."""

    test_games: int = setting(
        100, "So many of the last games by file name are for testing.", least=1, advice="100 is the paper's."
    )
    dev_games: int = setting(
        56, "So many of the games before those, spread evenly, are for validation.", least=1, advice="See below."
    )
    distractors: str = setting(
        "play",
        "Where the state that a listener might mix up with the true one comes from: `play`, as true states do, "
        "or `anywhere` on the road, as in the authors' released code.",
        choices=["play", "anywhere"],
        advice="`anywhere` is easier, and listeners can win without hearing a word of it: "
        "only for comparison with the paper.",
    )
    goal_offset: bool = setting(
        True,
        "Whether players also see where the goal lies from the driver's seat.",
        advice="`false` is the paper's.",
    )
    least_sent: int = setting(
        4,
        "A message of one to three words is in the inventory if it was sent so often outside the test games.",
        least=1,
        advice='4 is the paper\'s "more than 3 times", and gives 56 phrases and silence.',
    )
    least_words: int = setting(
        3, "The model human knows a word if it is in so many messages outside the test games.", least=1
    )


@dataclass(frozen=True)
class Games:
    """Rules of the games that an experiment may change."""

    reference_steps: int = setting(
        3,
        "Steps of a reference game; the listener may act from the second on.",
        least=2,
        advice="3: the listener may wait once; more steps make training slower.",
    )
    driving_steps: int = setting(
        16,
        "Steps after which a driving game is over in any case.",
        least=2,
        advice="Nine in ten human games took at most 13 moves.",
    )


_REFERENCE = {"updates": 800, "batch": 128, "new_games": 128, "updates_per_round": 4, "explore": 500}


@dataclass(frozen=True)
class Training:
    """An agent as good as with the paper's steps, in a third of the time."""

    colors: TrainingConfig = section(TrainingConfig, "Of colours.", **_REFERENCE)
    birds: TrainingConfig = section(TrainingConfig, "Of birds.", **_REFERENCE, learning_rate=0.001)
    driving: TrainingConfig = section(
        TrainingConfig,
        "Of driving.",
        updates=1400,
        batch=64,
        new_games=64,
        updates_per_round=4,
        learning_rate=0.001,
        final_rate=0.05,
        explore=300,
        double=True,
        target_every=50,
    )


_SMALL_DATA = {"learning_rate": 0.001, "check_every": 50, "patience": 8}  # soon known by heart


@dataclass(frozen=True)
class Speakers:
    """Models of p(z|x) and the model human."""

    colors: FitConfig = section(FitConfig, "Of colours.")
    birds: FitConfig = section(FitConfig, "Of birds.", **_SMALL_DATA)
    driving: FitConfig = section(FitConfig, "Of driving.", batch=512, **_SMALL_DATA)


@dataclass(frozen=True)
class Messages:
    """How much the agent is let to say."""

    fitted: int = setting(
        100000,
        "States in which the robot speaker model watches the agent, to fit p(z|x).",
        least=10,
        advice="More is better and cheap.",
    )
    vocabulary: int = setting(
        5000,
        "Messages from training states into which phrases are translated.",
        least=1,
        advice="More gives the criterion more choice.",
    )
    held_out: int = setting(
        10000,
        "Messages of dev and of test each that are translated and evaluated.",
        least=1,
        advice="An interval at 10,000 is about 0.01 to either side.",
    )
    contexts: int = setting(3000, "Contexts in which two messages are compared (n of Algorithm 1).", least=1)


@dataclass(frozen=True)
class Dictionary:
    """What is kept of the scores."""

    n_best: int = setting(5, "Translations kept for each message.", least=1)


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
        least=1,
        advice="Fewer than for the tables, so that it is done sooner than a training.",
    )
    contexts: int = setting(1000, "Contexts in which they are compared.", least=1)
    humans: int = setting(4000, "Human messages of dev and of test.", least=1)
    also: dict[str, Criterion] = setting(
        ALSO,
        "Criteria that are compared beside those of the tables, written like them.",
        advice="None of them is chosen for a table.",
    )


@dataclass(frozen=True)
class Theory:
    """Checks of the paper's propositions."""

    games: int = setting(10000, "Random games on which Proposition 1 is checked.", least=1)


@dataclass(frozen=True)
class Examples:
    """The page of example translations."""

    count: int = setting(16, "Test messages to draw.", least=1)
    games: int = setting(4, "Driving games to watch, of two robots and of a robot with a human each.", least=1)
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
    resamples: int = setting(2000, "Resamples of the bootstrap behind each interval.", least=100)
