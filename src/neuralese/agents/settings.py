"""Settings of the agents."""

from dataclasses import dataclass, replace

from neuralese.settings import setting


@dataclass(frozen=True)
class CellConfig:
    """Sizes of the cell and of the channel."""

    hidden: int = setting(
        256, "Number of units of the MLP and of the GRU.", least=1, most=10_000, advice="256 is the paper's."
    )
    message: int = setting(64, "Length of a message vector.", least=1, most=10_000, advice="64 is the paper's.")
    radius: float = setting(
        2.0, "Length to which the channel scales a message, before noise.", least=0.001, most=1000, advice="See below."
    )
    noise: float = setting(
        0.3,
        "Standard deviation of the channel's noise in each dimension.",
        least=0.0001,
        most=1000,
        advice="0.3 is the paper's.",
    )

    def without_channel(self) -> "CellConfig":
        """The same cell with nothing to say or to hear."""
        return replace(self, radius=0.0, noise=0.0)


@dataclass(frozen=True)
class TrainingConfig:
    """Hyper-parameters of the learner."""

    updates: int = setting(
        2000, "Number of gradient steps.", least=1, advice="Watch `history.parquet`: stop when success is flat."
    )
    embedded_updates: int = setting(
        2000,
        "Maximum number of gradient steps on the embedded stand-in data.",
        least=1,
        most=1_000_000_000,
        advice="Few: such agents are for a first look, and their figures are never compared with the paper's.",
    )
    batch: int = setting(
        256,
        "Number of games replayed in one update.",
        least=1,
        most=1_000_000,
        advice="The cost of an update is about proportional to it.",
    )
    new_games: int = setting(256, "Number of games played before each round of updates.", least=1, most=1_000_000)
    updates_per_round: int = setting(1, "Number of updates between two rounds of play.", least=1)
    replay: int = setting(8192, "Number of games in the replay memory.", least=1, most=10_000_000)
    discount: float = setting(
        0.9, "Discount factor of Q-learning.", least=0, most=1, advice="0.9 is the paper's for reference games."
    )
    learning_rate: float = setting(
        0.003, "Initial learning rate of Adam.", above=0, most=10, advice="0.003 is the paper's for reference games."
    )
    final_rate: float = setting(
        1.0,
        "Fraction of the learning rate left at the last update; it decays linearly.",
        least=0,
        most=1,
        advice="1, a constant rate, is the paper's.",
    )
    target_every: int = setting(100, "Number of updates between copies to the target network.", least=1)
    clip: float = setting(10.0, "Maximum gradient norm.", above=0)
    double: bool = setting(
        False,
        "Double Q-learning: choose the next action with the online network, value it with the target network.",
        advice="Off in the paper.",
    )
    explore: int = setting(
        1000,
        "Number of updates over which the probability of a random action falls from 1 to about 0.1.",
        least=1,
        advice="1000 is the paper's.",
    )
    epsilon_floor: float = setting(
        0.0, "Minimum probability of a random action.", least=0, most=1, advice="0 is the paper's."
    )
    report_every: int = setting(50, "Number of updates between rows of the history.", least=1)
    checkpoint_every: int = setting(
        250, "Number of updates between checkpoints.", least=1, advice="A killed training loses at most this many."
    )

    def on(self, data: str) -> "TrainingConfig":
        """The same settings for one kind of data."""
        return replace(self, updates=min(self.updates, self.embedded_updates)) if data == "embedded" else self


@dataclass(frozen=True)
class MessagesConfig:
    """How many messages of the agent are recorded."""

    fitted: int = setting(
        100000,
        "Number of states in which the agent's messages are recorded to fit p(z|x).",
        least=10,
        most=10_000_000,
        advice="More is better, and cheap.",
    )
    vocabulary: int = setting(
        5000,
        "Number of messages from training states that phrases are translated into.",
        least=10,
        most=1_000_000,
        advice="More gives the criterion more choice.",
    )
    held_out: int = setting(
        10000,
        "Number of dev messages, and of test messages, that are translated and evaluated.",
        least=10,
        most=1_000_000,
        advice="At 10,000, intervals are about ±0.01.",
    )
    contexts: int = setting(
        3000, "Number of contexts in which messages are compared (n in Algorithm 1).", least=10, most=1_000_000
    )
    embedded: int = setting(
        1000,
        "Maximum of `vocabulary`, `held_out` and `contexts` on the embedded stand-in data.",
        least=10,
        most=1_000_000,
        advice="Few, for a first look: the work grows with their products.",
    )

    def on(self, data: str) -> "MessagesConfig":
        """The same settings for one kind of data."""
        if data != "embedded":
            return self
        counts = {name: getattr(self, name) for name in ("vocabulary", "held_out", "contexts")}
        return replace(self, **{name: min(count, self.embedded) for name, count in counts.items()})
