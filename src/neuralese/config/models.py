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
    Width,
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
    mirror: Folder | None = key(
        None,
        "Folder that holds the public archives; the variable `NEURALESE_MIRROR` takes precedence.",
        "Set either on a machine without internet access.",
    )


class Colors(Section):
    """How the data of colours is prepared."""

    least_names: Annotated[int, between(1, 20)] = key(  # with any more, too few words are left
        5,
        "Minimum number of colour names that must contain a word of the inventory.",
        "5 is the paper's, and gives 57 words.",
    )


class HeadConfig(Section):
    """The hidden layer whose activations players see, trained to recognise the species."""

    hidden: Units = key(
        256, "Number of units: the length of the feature vector that players see.", "256 is the paper's."
    )
    epochs: Count = key(
        40, "Number of passes over the training images.", "The weights of the epoch that did best on dev are kept."
    )
    learning_rate: Rate = key(0.0015, "Initial learning rate; it decays to zero along a cosine.")
    dropout: Annotated[float, Field(ge=0, lt=1)] = key(0.7, "Share of pooled features dropped in training.")
    folds: Annotated[int, between(1, 100)] = key(
        1,
        "Number of folds of the training images; the features of each come from a head trained on the others.",
        "With 1, all come from the head trained on them. See below.",
    )


class Birds(Section):
    """How the data of birds is prepared."""

    bigrams: Annotated[int, between(1, 1000)] = key(
        50, "Size of the inventory: the most frequent bigrams of the training captions.", "50 is the paper's."
    )
    backbone: Literal["efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"] = key(
        "efficientnet-lite0", "Pretrained network that processes the images.", "See below."
    )
    pixels: Annotated[int, between(32, 1024)] = key(
        256, "Side of the square at which birds are shown to the backbone, in pixels.", "See below."
    )
    quantised: bool = key(
        True,
        "Whether the backbone computes in 8-bit integers, which is faster.",
        "See below; `false` is slower and slightly more accurate.",
    )
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

    games: Games = key(
        4000,
        "Number of fresh games on which every condition is measured, the same for all.",
        "With 4,000 the mean reward is accurate to about 0.03.",
    )
    dev_games: Games = key(1000, "Number of fresh games on which a pair of members is chosen.")
    played: Games = key(8, "Number of pairs of each family played on these, after screening all pairs.")
    screened: Count = key(1000, "Number of dev messages used to screen all pairs.")
    contexts: Count = key(
        500,
        "Number of contexts in which messages sent in play are compared with phrases.",
        "Time grows with it; 300 and 1000 gave the same reward, within its error.",
    )
    vocabulary: Count = key(2000, "Number of messages that translators into neuralese choose from.")
    silent_agents: bool = key(
        False,
        "Whether agents are also trained without a channel, to measure the value of language.",
        "Takes as long as training the agents that talk; on in `paper.yaml`.",
    )
    places: Count = key(
        2000, "Number of games used to count where the other car may be, for an interpreter that sees one car."
    )


class Driving(Section):
    """How the data of driving is prepared."""

    test_games: Annotated[int, between(1, 150)] = key(
        100, "Number of test games, the last by file name.", "100 is the paper's."
    )
    dev_games: Annotated[int, between(1, 100)] = key(
        56, "Number of validation games, spread evenly over the others.", "See below."
    )
    distractors: Literal["play", "anywhere"] = key(
        "play",
        "Where distractors come from: `play`, like the true states, "
        "or `anywhere` on the road, as in the authors' released code.",
        "`anywhere` is easier, and listeners can beat chance without hearing a word: "
        "only for comparison with the paper.",
    )
    goal_offset: bool = key(
        True, "Whether players also see where the goal is from the driver's seat.", "`false` is the paper's."
    )
    least_sent: Annotated[int, between(1, 20)] = key(  # with any more, hardly a phrase is left
        4,
        "Minimum count, outside the test games, of a message of one to three words in the inventory.",
        '4 is the paper\'s "more than 3 times", and gives 56 phrases and silence.',
    )
    least_words: Annotated[int, between(1, 100)] = key(
        3, "Minimum number of messages outside the test games with a word that the model human knows."
    )
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
    candidates: Annotated[int, between(2, 10_000)] = key(
        2,
        "Number of states a listener chooses from: the true one and its distractors.",
        "2 is the paper's; chance level is one over this number.",
    )


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
    radius: Annotated[float, between(0.001, 1000)] = key(
        2.0, "Length to which the channel scales a message, before noise.", "See below."
    )
    noise: Annotated[float, between(0.0001, 1000)] = key(
        0.3, "Standard deviation of the channel's noise in each dimension.", "0.3 is the paper's."
    )


class TrainingConfig(Section):
    """The learner's settings."""

    updates: Count = key(2000, "Number of gradient steps.", "Watch `history.parquet`: stop when success is flat.")
    embedded_updates: Count = key(
        2000,
        "Maximum number of gradient steps on the embedded stand-in data.",
        "Few: such agents are for a first look, and their figures are never compared with the paper's.",
    )
    batch: Batch = key(
        256, "Number of games replayed in one update.", "The cost of an update is about proportional to it."
    )
    new_games: Batch = key(256, "Number of games played before each round of updates.")
    updates_per_round: Count = key(1, "Number of updates between two rounds of play.")
    discount: Share = key(0.9, "Discount factor of Q-learning.", "0.9 is the paper's for reference games.")
    learning_rate: Rate = key(0.003, "Initial learning rate of Adam.", "0.003 is the paper's for reference games.")
    final_rate: Share = key(
        1.0,
        "Fraction of the learning rate left at the last update; it decays linearly.",
        "1, a constant rate, is the paper's.",
    )
    target_every: Count = key(100, "Number of updates between copies to the target network.")
    double: bool = key(
        False,
        "Double Q-learning: choose the next action with the online network, value it with the target network.",
        "Off in the paper.",
    )
    explore: Count = key(
        1000,
        "Number of updates over which the probability of a random action falls from 1 to about 0.1.",
        "1000 is the paper's.",
    )
    checkpoint_every: Count = key(
        250, "Number of updates between checkpoints.", "A killed training loses at most this many."
    )


class FitConfig(Section):
    """How the models of p(z|x) and the model human are fitted."""

    hidden: Units = key(128, "Number of units of the single hidden layer.")
    steps: Count = key(
        3000,
        "Maximum number of minibatches.",
        "Fitting keeps the weights that did best on the dev split, so a larger number does no harm.",
    )
    batch: Batch = key(1024, "Number of messages in a minibatch.")
    learning_rate: Rate = key(0.003, "Initial learning rate of Adam.")
    faster: Annotated[float, between(1, 1000)] = key(
        1.0,
        "A second learning rate to try, as a multiple of the first; dev decides between the two. 1 tries none.",
        "Corpora try one: they may hold a hundred utterances or a million.",
    )
    check_every: Count = key(250, "Number of minibatches between checks on held-out data.")
    patience: Annotated[int, between(0, 1_000_000_000)] = key(
        4, "Number of checks without improvement before fitting stops; 0 never stops early and keeps the last weights."
    )
    decay: bool = key(True, "Whether the learning rate decays to zero along a cosine.", "`false` is the paper's.")
    plain_human: bool = key(
        False,
        "Whether one softmax models all phrases and silence, with nothing shared between them.",
        "`true` is the paper's; matters only to driving, which alone has silence and phrases that share words.",
    )


class MessagesConfig(Section):
    """How many messages of the agent are recorded."""

    fitted: Annotated[int, between(10, 10_000_000)] = key(
        100000,
        "Number of states in which the agent's messages are recorded to fit p(z|x).",
        "More is better, and cheap.",
    )
    vocabulary: Items = key(
        5000,
        "Number of messages from training states that phrases are translated into.",
        "More gives the criterion more choice.",
    )
    held_out: Items = key(
        10000,
        "Number of dev messages, and of test messages, that are translated and evaluated.",
        "At 10,000, intervals are about ±0.01.",
    )
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
        "weights": ["source", "sum", "product"],
        "divergence": ["reverse", "forward", "symmetric"],
        "scale": [1.0, 2.0, 4.0, 8.0],
    },
    "direct": {"kind": "direct", "role": "baseline", "scale": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]},
    "random": {"kind": "random", "role": "control"},
}
ALSO: dict[str, dict[str, Any]] = {
    "pmi": {"kind": "pmi", "scale": [1.0, 2.0, 4.0, 8.0]},
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
        "Gains, tests and verdicts go by roles, never by names; no two criteria may share one.",
    )

    @model_serializer(mode="wrap")
    def _as_given(self, handler: Any) -> dict[str, Any]:
        """Leave out options that were not set: they are up to the kind, and the order of the others matters."""
        return {name: value for name, value in handler(self).items() if name in self.model_fields_set}


class Dictionary(Section):
    """Which translations are kept."""

    n_best: Annotated[int, between(1, 1000)] = key(5, "Number of translations kept for each message.")


class SynthesisConfig(Section):
    """How new messages and phrases are searched for."""

    scale: Width = key(
        4.0,
        "Width of p(z|x) while a message is being made, as a multiple of the channel's noise.",
        "Wide: a message for a phrase must lie between those of many states.",
    )
    steps: Count = key(120, "Number of gradient descent steps.")
    utterances: Annotated[int, between(0, 1_000_000_000)] = key(
        100,
        "Number of the most frequent sets of phrases said together by humans that get messages of their own.",
        "Takes half of the stage's time.",
    )
    ask_judge: bool = key(
        True,
        "Whether messages are also made by asking the robot that judges them, if the game allows it.",
        "They are listed separately in the tables; without them the stage takes half the time.",
    )
    beam: Annotated[int, between(0, 10_000)] = key(
        20, "Number of pairs of phrases extended to triples.", "0 for pairs only."
    )


class Synthesis(SynthesisConfig):
    """New messages for human utterances by gradient descent, new phrases for messages by putting phrases together."""

    criterion: str = key(
        "belief", "The criterion used to combine phrases, and to translate whatever has no new message."
    )


class Ablation(Section):
    """Size of the comparison of all criteria, by which members of families are chosen."""

    messages: Items = key(
        2000,
        "Number of messages of the vocabulary, of dev and of test.",
        "Fewer than for the tables, so that it takes less time than a training.",
    )
    contexts: Items = key(1000, "Number of contexts in which they are compared.")
    humans: Items = key(4000, "Number of human messages of dev and of test.")
    also: dict[Name, Any] = key(
        ALSO,
        "Further criteria to compare with those of the tables, written in the same way.",
        "None of them is ever chosen for a table.",
    )


class Theory(Section):
    """Checks of the paper's propositions."""

    games: Annotated[int, between(1, 10_000_000)] = key(
        10000, "Number of random games on which Proposition 1 is checked."
    )


class Examples(Section):
    """The page of example translations."""

    count: Annotated[int, between(1, 1000)] = key(16, "Number of test messages to draw.")
    games: Annotated[int, between(1, 100)] = key(
        4, "Number of games to watch, of two robots and of a robot with a human each."
    )
    criterion: str = key("belief", "Criterion used to translate them.")


class Evaluation(Section):
    """How results are measured."""

    phrases_heard: Count = key(
        1,
        "Number of a message's best translations that the model human hears at once.",
        "1 is what a dictionary says; 5 is the released code's.",
    )
    resamples: Annotated[int, between(100, 1_000_000)] = key(
        2000, "Number of bootstrap resamples behind each interval."
    )


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
    seeds: Annotated[list[Seed], *SEVERAL] = key(
        [0],
        "Random seeds; every stage from training on is run once for each.",
        "One for a first look, five for a table.",
    )
    results: Folder = key(
        "results", "Folder that everything is written to.", "A separate one for each experiment you want to keep."
    )
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
    synthesis: Synthesis = Synthesis()
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
