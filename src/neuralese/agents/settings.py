"""What a config says of the agents."""

from dataclasses import dataclass, replace

from neuralese.settings import setting


@dataclass(frozen=True)
class CellConfig:
    """Sizes of the cell and of the channel."""

    hidden: int = setting(256, "Units of the MLP and of the GRU.", least=1, most=10_000, advice="256 is the paper's.")
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
        """The same cell with nothing to say and nothing to hear."""
        return replace(self, radius=0.0, noise=0.0)


@dataclass(frozen=True)
class TrainingConfig:
    """Hyper-parameters of the learner."""

    updates: int = setting(
        2000, "Gradient steps.", least=1, advice="Watch `history.parquet`: stop when success is flat."
    )
    embedded_updates: int = setting(
        2000,
        "Gradient steps at most where the data is the embedded stand-in.",
        least=1,
        most=1_000_000_000,
        advice="Few: such agents are for a first look, and none of their figures is set beside the paper's.",
    )
    batch: int = setting(
        256,
        "Games replayed in one update.",
        least=1,
        most=1_000_000,
        advice="An update costs about as much as its batch.",
    )
    new_games: int = setting(256, "Games played before each round of updates.", least=1, most=1_000_000)
    updates_per_round: int = setting(1, "Updates between two rounds of play.", least=1)
    replay: int = setting(8192, "Games remembered.", least=1, most=10_000_000)
    discount: float = setting(
        0.9, "Discount factor of Q-learning.", least=0, most=1, advice="0.9 is the paper's for reference games."
    )
    learning_rate: float = setting(
        0.003, "First step size of Adam.", above=0, most=10, advice="0.003 is the paper's for reference games."
    )
    final_rate: float = setting(
        1.0,
        "Share of the learning rate that is left at the last update; it falls evenly.",
        least=0,
        most=1,
        advice="1, a constant step, is the paper's.",
    )
    target_every: int = setting(100, "Updates between two copies to the target network.", least=1)
    clip: float = setting(10.0, "Largest gradient norm.", above=0)
    double: bool = setting(
        False,
        "Double Q-learning: choose the next action with the online network, value it with the target network.",
        advice="Off in the paper.",
    )
    explore: int = setting(
        1000,
        "Updates in which the chance of a random action falls from one to about a tenth.",
        least=1,
        advice="1000 is the paper's.",
    )
    epsilon_floor: float = setting(0.0, "Least chance of a random action.", least=0, most=1, advice="0 is the paper's.")
    report_every: int = setting(50, "Updates between two rows of the history.", least=1)
    checkpoint_every: int = setting(
        250, "Updates between two checkpoints.", least=1, advice="A killed training loses at most so many."
    )

    def on(self, data: str) -> "TrainingConfig":
        """The same for data of one kind."""
        return replace(self, updates=min(self.updates, self.embedded_updates)) if data == "embedded" else self
