"""Every key of config.yaml, once: its type, limits, default, meaning, and how to choose it.

`config_model` puts them together for the tasks and the kinds of criteria of a run. A task brings its defaults, and
may bring a section of its own (`TaskSections`); the options of a criterion are in its class.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, create_model, model_serializer

from neuralese.config.section import (
    MOST,
    SEVERAL,
    Batch,
    Count,
    Folder,
    Games,
    Items,
    Name,
    Rate,
    Section,
    Seed,
    Share,
    Units,
    between,
    key,
    parsed,
)


class Data(Section):
    """Where raw data comes from."""

    source: Literal["auto", "real", "embedded"] = key(
        "auto",
        "`auto`: real data, else embedded with a warning; `real`: fail if there is none; `embedded`: never look.",
        "`real` on a cluster, so that a failed download stops the run; `embedded` is a generated stand-in.",
    )
    mirror: Folder | None = key(None, "Folder with the public archives; `NEURALESE_MIRROR` takes precedence.")


class Colors(Section):
    """How the data of colours is prepared."""

    least_names: Annotated[int, between(1, 20)] = key(5, "Minimum number of colour names with a word of the inventory.")


class HeadConfig(Section):
    """The hidden layer whose activations players see, trained to recognise the species."""

    hidden: Units = key(256, "Number of units: the length of a feature vector.", "256 is the paper's.")
    epochs: Count = key(40, "Number of passes over the training images; dev chooses the best.")
    learning_rate: Rate = key(0.0015, "Initial learning rate; it decays to zero along a cosine.")
    dropout: Annotated[float, Field(ge=0, lt=1)] = key(0.7, "Share of pooled features dropped in training.")


class Birds(Section):
    """How the data of birds is prepared."""

    bigrams: Annotated[int, between(1, 1000)] = key(50, "Number of bigrams in the inventory.", "50 is the paper's.")
    backbone: Literal["efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"] = key(
        "efficientnet-lite0", "Pretrained network that processes the images.", "See below."
    )
    pixels: Annotated[int, between(32, 1024)] = key(256, "Side of the square input, in pixels.", "See below.")
    quantised: bool = key(True, "Whether the backbone computes in 8-bit integers, which is faster.", "See below.")
    components: Annotated[int, between(2, 1280)] = key(
        90,
        "Number of principal components of the feature maps whose products are pooled (bilinear pooling).",
        "See below; with 64, the head trains in two thirds of the time and is slightly less accurate.",
    )
    head: HeadConfig = HeadConfig()


class DriverConfig(Section):
    """How the model human driver is fitted."""

    steps: Count = key(3000, "Maximum number of minibatches.")


class RelayConfig(Section):
    """Two driving robots, with every message translated into English and back."""

    games: Games = key(4000, "Number of games in which each condition is played.", "4,000: about ±0.03 of reward.")
    dev_games: Games = key(1000, "Number of fresh games on which a pair of members is chosen.")
    played: Games = key(8, "Number of pairs of each family played on these, after screening all pairs.")
    screened: Count = key(1000, "Number of dev messages used to screen all pairs.")
    contexts: Count = key(500, "Number of contexts in which these messages are compared.", "Time grows with it.")
    vocabulary: Count = key(2000, "Number of messages that translators into neuralese choose from.")
    silent_agents: bool = key(False, "Whether to train agents without a channel as well.", "Doubles the training.")
    places: Count = key(2000, "Number of games that tell the interpreter where the other car may be.")


class Driving(Section):
    """How the data of driving is prepared."""

    test_games: Annotated[int, between(1, 150)] = key(100, "Number of test games, the last.", "100 is the paper's.")
    dev_games: Annotated[int, between(1, 100)] = key(56, "Number of dev games, spread evenly.", "See below.")
    distractors: Literal["play", "anywhere"] = key(
        "play",
        "Where distractors come from: `play`, like the true states, "
        "or `anywhere` on the road, as in the authors' released code.",
        "`anywhere` is easier, and listeners can beat chance without hearing a word: "
        "only for comparison with the paper.",
    )
    least_sent: Annotated[int, between(1, 20)] = key(  # with any more, hardly a phrase is left
        4,
        "Minimum count, outside the test games, of a message of one to three words in the inventory.",
        '4 is the paper\'s "more than 3 times", and gives 56 phrases and silence.',
    )
    least_words: Annotated[int, between(1, 100)] = key(3, "Minimum count of a word that the model human knows.")
    driver: DriverConfig = DriverConfig()
    relay: RelayConfig = RelayConfig()


class GameRules(Section):
    """Rules of a game that an experiment may change."""

    steps: Annotated[int, between(2, 1000)] = key(
        3,
        "Maximum number of steps in a game.",
        "3 for a reference game: the listener may act from the second step on, and wait once. "
        "Nine in ten human driving games took at most 13 moves.",
    )
    candidates: Annotated[int, between(2, 10_000)] = key(2, "Number of states to choose from.", "2 is the paper's.")


class GameConfig(GameRules):
    """Rules of a reference game that an experiment may change."""

    speaker_sees: Literal["all", "target"] = key(
        "all",
        "What the speaker of a reference game sees: all items, or only the target, as the human annotators did.",
        "`all` is the paper's.",
    )


class CellConfig(Section):
    """The cell and the channel."""

    hidden: Units = key(256, "Number of units of the MLP and of the GRU.", "256 is the paper's.")
    message: Units = key(64, "Length of a message vector.", "64 is the paper's.")
    radius: Annotated[float, between(0.001, 1000)] = key(2.0, "Length of a message before noise.", "See below.")
    noise: Annotated[float, between(0.0001, 1000)] = key(0.3, "Standard deviation of the noise.", "0.3 is the paper's.")


class TrainingConfig(Section):
    """The learner's settings."""

    updates: Count = key(2000, "Number of gradient steps.", "Watch `history.parquet`: stop when success is flat.")
    embedded_updates: Count = key(2000, "Maximum number of gradient steps on embedded data: few, for a first look.")
    batch: Batch = key(256, "Number of games replayed in one update.", "An update's cost is proportional to it.")
    new_games: Batch = key(256, "Number of games played before each round of updates.")
    updates_per_round: Count = key(1, "Number of updates between two rounds of play.")
    discount: Share = key(0.9, "Discount factor of Q-learning.", "0.9 is the paper's for reference games.")
    learning_rate: Rate = key(0.003, "Initial learning rate of Adam.", "0.003 is the paper's for reference games.")
    final_rate: Share = key(1.0, "Share of the learning rate left at the last update.", "1, constant, is the paper's.")
    target_every: Count = key(100, "Number of updates between copies to the target network.")
    double: bool = key(False, "Whether to use double Q-learning: the online network chooses the action.")
    explore: Count = key(1000, "Number of updates until random actions fall to about 0.1.", "1000 is the paper's.")
    checkpoint_every: Count = key(250, "Number of updates between checkpoints, the most that a kill loses.")


class FitConfig(Section):
    """How the models of p(z|x) and the model human are fitted."""

    hidden: Units = key(128, "Number of units of the single hidden layer.")
    steps: Count = key(3000, "Maximum number of minibatches.", "More does no harm: dev chooses the best weights.")
    batch: Batch = key(1024, "Number of messages in a minibatch.")
    learning_rate: Rate = key(0.003, "Initial learning rate of Adam.")
    full_batch: Annotated[int, between(0, 1_000_000)] = key(
        0,
        "Number of distinct observations up to which speakers are fitted to all messages at once, by L-BFGS.",
        "Corpora use 8192. With more, or 0, minibatches are drawn for Adam, to which the keys above and below apply.",
    )
    check_every: Count = key(250, "Number of minibatches between checks on held-out data.")
    patience: Annotated[int, between(0, MOST)] = key(4, "Number of checks without gain before it stops; 0: no stop.")
    decay: bool = key(True, "Whether the learning rate decays to zero along a cosine.", "`false` is the paper's.")
    plain_human: bool = key(
        False,
        "Whether one softmax models all phrases and silence, with nothing shared between them.",
        "`true` is the paper's; matters only to driving, which alone has silence and phrases that share words.",
    )


class MessagesConfig(Section):
    """How many messages of the agent are recorded."""

    fitted: Annotated[int, between(10, 10_000_000)] = key(100000, "Number of messages to which p(z|x) is fitted.")
    vocabulary: Items = key(5000, "Number of messages that phrases are translated into.")
    held_out: Items = key(10000, "Number of messages of dev and of test to translate.", "10,000: about ±0.01.")
    contexts: Items = key(3000, "Number of contexts in which messages are compared (n in Algorithm 1).")


TASKS = ("colors", "birds", "driving")  # that are run by default
CRITERIA: dict[str, dict[str, Any]] = {
    "algorithm-1": {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward", "scale": 1.0},
    "released": {
        "kind": "belief",
        "role": "released",
        "weights": "likelihood",
        "divergence": "reverse",
        "variance": 0.5,
        "join": "mean",
    },
    "belief": {
        "kind": "belief",
        "role": "ours",
        "weights": ["source", "sum"],
        "divergence": ["reverse", "forward"],
        "scale": [1.0, 2.0],
        "truth": [0.0, 0.03, 0.1],
    },
    "direct": {"kind": "direct", "role": "baseline", "scale": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]},
    "pmi": {"kind": "pmi", "role": "baseline", "exponent": [0.25, 0.5, 0.75, 1.0], "scale": [1.0, 2.0, 4.0, 8.0]},
    "random": {"kind": "random", "role": "control"},
}
ALSO: dict[str, dict[str, Any]] = {
    "jensen-shannon": {"kind": "belief", "weights": "source", "divergence": "jensen-shannon"},
    "frequent": {"kind": "belief", "weights": "source", "divergence": "reverse", "scale": 1.0, "prior": [0.01, 0.1]},
}
Role = Literal["printed", "released", "ours", "baseline", "control"]


class Family(Section):
    """A criterion: a list of values makes a family, from which dev chooses a member."""

    kind: str
    role: Role | None = key(
        None,
        "Its role in the tables: `printed` (Algorithm 1), `released` (the authors' code), "
        "`ours`, `baseline`, `control`.",
        "Gains, tests and verdicts go by roles, never by names; only `baseline` may be given to several.",
    )

    @model_serializer(mode="wrap")
    def _as_given(self, handler: Any) -> dict[str, Any]:
        """Leave out options that were not set: they are up to the kind, and the order of the others matters."""
        return {name: value for name, value in handler(self).items() if name in self.model_fields_set}


class Dictionary(Section):
    """Which translations are kept."""

    n_best: Annotated[int, between(1, 1000)] = key(5, "Number of translations kept for each message.")


class DescriptionConfig(Section):
    """How phrases are put together to describe a message."""

    phrases: Annotated[int, between(1, 20)] = key(4, "Maximum number of phrases of a description.")
    price: Annotated[float, between(0, 100)] = key(
        0.02, "What a phrase must gain, in nats, to be added.", "Higher: shorter descriptions."
    )
    truth: Annotated[float, between(0, 100)] = key(
        0.01,
        "Penalty, in nats, per nat by which log p(phrase|z) is below that of the likeliest phrase.",
        "Above 0, phrases that nobody would say are avoided.",
    )
    temper: Annotated[float, between(0.01, 1)] = key(
        0.5, "Weight of each phrase's likelihood: phrases said together overlap.", "1: they are independent."
    )


class Ablation(Section):
    """Size of the comparison of all criteria, by which members of families are chosen."""

    messages: Items = key(2000, "Number of messages of the vocabulary, of dev and of test: fewer than for tables.")
    contexts: Items = key(1000, "Number of contexts in which they are compared.")
    humans: Items = key(4000, "Number of human messages of dev and of test.")
    also: dict[Name, Any] = key(ALSO, "Further criteria to compare; none is ever chosen for a table.")


class Theory(Section):
    """Checks of the paper's propositions."""

    games: Annotated[int, between(1, 10_000_000)] = key(10000, "Number of random games to check Proposition 1.")


class Examples(Section):
    """The page of example translations."""

    count: Annotated[int, between(1, 1000)] = key(16, "Number of test messages to draw.")
    games: Annotated[int, between(1, 100)] = key(4, "Number of games to watch, of each kind of pair.")
    criterion: str = key("belief", "Criterion used to translate them.")


class Evaluation(Section):
    """How results are measured."""

    phrases_heard: Count = key(1, "Number of best translations that the model human hears.", "5 in the released code.")
    resamples: Annotated[int, between(100, 1_000_000)] = key(2000, "Number of bootstrap resamples of an interval.")


def _swept(value: Any) -> Any:
    if not isinstance(value, bool | int | float | str) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError("should be a number, true, false, or text")
    if not re.fullmatch(r"[A-Za-z0-9_.+-]+", str(value)):  # it is in the name of a folder
        raise ValueError("should have only letters, digits and _ . + -")
    return value


Swept = Annotated[Any, BeforeValidator(lambda value: parsed(value, {int, float, bool})), AfterValidator(_swept)]


class Config(Section):
    """Every section; `config_model` completes those that depend on the tasks and the kinds of criteria."""

    kinds: ClassVar[Mapping[str, Any]] = {}  # classes of criteria

    tasks: Any
    seeds: Annotated[list[Seed], *SEVERAL] = key([0], "Seeds; everything from training on runs once for each.")
    results: Folder = key("results", "Folder that everything is written to.", "A separate one for each experiment.")
    data: Data = Data()
    corpora: dict[str, Folder] = key(
        {},
        "Folders with recordings of your own agents, by a name of your choice; each is a task of that name.",
        "`neuralese corpus new DIR` writes one that works; add its name to `tasks`.",
    )
    games: Any
    agent: CellConfig = CellConfig()
    training: Any
    speakers: Any
    messages: MessagesConfig = MessagesConfig()
    criteria: dict[Name, Any] = key(
        CRITERIA,
        "Ways of scoring a translation. A list of values makes a family, from which a member is chosen on dev for each "
        "task and direction.",
        "Each gets its own rows in the dictionary and in the tables.",
        min_length=1,
    )
    dictionary: Dictionary = Dictionary()
    descriptions: DescriptionConfig = DescriptionConfig()
    ablation: Ablation
    theory: Theory = Theory()
    examples: Examples = Examples()
    evaluation: Evaluation = Evaluation()
    sweep: dict[str, Annotated[list[Swept], *SEVERAL]] = key(
        {},
        "Lists of values by dotted key, such as `agent.noise`; every combination is a point of the sweep.",
        "See below.",
    )


@dataclass(frozen=True)
class TaskSections:
    """What a task adds to the config: its own section, and its defaults in those that every task has."""

    own: Section | None = None
    games: GameRules = field(default_factory=GameConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    speakers: FitConfig = field(default_factory=FitConfig)


EACH = {  # sections that have one for each task
    "games": "Rules of the games that an experiment may change.",
    "training": "The learner's settings.",
    "speakers": "How the models of p(z|x) and the model human are fitted.",
}


def config_model(tasks: Mapping[str, TaskSections], kinds: Mapping[str, Any]) -> type[Config]:
    """The model of a config for these tasks and for criteria of these kinds, given by their classes."""
    default = [name for name in TASKS if name in tasks] or list(tasks)
    one: Any = Literal[tuple(tasks)]
    families: Any = [Annotated[_family(kind, kinds), Tag(kind)] for kind in kinds]
    criteria: Any = dict[Name, Annotated[reduce(or_, families), Discriminator(_kind)]]  # type: ignore[misc]
    ablation = create_model(
        "Ablation", __base__=Ablation, __doc__=Ablation.__doc__, also=(criteria, Ablation.model_fields["also"])
    )
    fields: dict[str, Any] = {
        "tasks": (Annotated[list[one], *SEVERAL], key(default, "The tasks to run.")),
        "criteria": (criteria, Config.model_fields["criteria"]),
        "ablation": (ablation, ablation()),
    }
    for part, meaning in EACH.items():
        defaults = {name: getattr(task, part) for name, task in tasks.items()}
        of_tasks: dict[str, Any] = {name: (type(default), default) for name, default in defaults.items()}
        each = create_model(part, __base__=Section, __doc__=meaning, **of_tasks)
        fields[part] = (each, each())
    fields |= {name: (type(task.own), task.own) for name, task in tasks.items() if task.own}
    made = create_model("Config", __base__=Config, **fields)
    made.kinds = kinds
    return made


def _kind(criterion: Any) -> str | None:
    """The kind of a criterion, as written or as read; a field with a validator cannot have a plain discriminator."""
    kind = criterion.get("kind") if isinstance(criterion, dict) else getattr(criterion, "kind", None)
    return kind if isinstance(kind, str) else None


def _family(kind: str, kinds: Mapping[str, Any]) -> type[Family]:
    """The settings of criteria of one kind: its own options, then those of every kind, each a value or several."""
    options = kinds[kind].__pydantic_fields__
    shared = set.intersection(*(set(each.__pydantic_fields__) for each in kinds.values()))
    of_kind: Any = Literal[kind]
    fields: dict[str, Any] = {"kind": (of_kind, Field(description="What is matched."))}
    for name in sorted(options, key=shared.__contains__):
        option = options[name]
        one: Any = Annotated[(option.annotation, *option.metadata, Tag("one"))]
        several: Any = Annotated[(list[one], *SEVERAL, Tag("several"))]
        hint = Annotated[one | several, Discriminator(lambda given: "several" if isinstance(given, list) else "one")]
        fields[name] = (hint, Field(option.default, description=option.description))
    return create_model(f"{kind}-family", __base__=Family, **fields)
