"""What a config says of the driving games."""

from dataclasses import dataclass

from neuralese.settings import section, setting
from neuralese.speakers.settings import FitConfig


@dataclass(frozen=True)
class RelayConfig:
    """How relays between two robots are chosen and measured."""

    games: int = setting(
        4000,
        "Fresh games in which every condition is measured, the same for all.",
        least=2,
        advice="With 4,000 the mean reward is known to about 0.03.",
    )
    dev_games: int = setting(1000, "Fresh games on which a pair of members is chosen.", least=2)
    played: int = setting(8, "Pairs of each family that are played on these, after a screening of all pairs.", least=2)
    screened: int = setting(1000, "Dev messages by which all pairs are screened.", least=1)
    contexts: int = setting(
        500,
        "Contexts in which what is said in play is compared with phrases.",
        least=1,
        advice="Time grows with it; 300 and 1000 brought the same reward, within its error.",
    )
    vocabulary: int = setting(2000, "Messages among which translators into neuralese choose.", least=1)
    silent_agents: bool = setting(
        False,
        "Whether agents are also trained without a channel, to see what language is worth.",
        advice="Takes as long as the training of the agents that talk; `paper.yaml` asks for it.",
    )
    places: int = setting(
        2000, "Games in which is counted where the other may be, for an interpreter who sees one player's car.", least=1
    )


@dataclass(frozen=True)
class Driving:
    """How the driving games are prepared."""

    test_games: int = setting(
        100, "So many of the last games by file name are for testing.", least=1, most=150, advice="100 is the paper's."
    )
    dev_games: int = setting(
        56,
        "So many of the games before those, spread evenly, are for validation.",
        least=1,
        most=100,
        advice="See below.",
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
        most=20,  # any more, and hardly a phrase is left
        advice='4 is the paper\'s "more than 3 times", and gives 56 phrases and silence.',
    )
    least_words: int = setting(
        3, "The model human knows a word if it is in so many messages outside the test games.", least=1, most=100
    )
    fading: float = setting(
        0.5,
        "How much of what the model human driver heard is left a turn later.",
        least=0,
        below=1,
        advice="Of 0, 0.5 and 0.8, the one that predicts dev moves best.",
    )
    driver: FitConfig = section(
        FitConfig,
        "How the model human driver is fitted.",
        batch=512,
        learning_rate=0.001,
        check_every=10,
        patience=10,
    )
    relay: RelayConfig = section(RelayConfig, "Two robots that drive with every message translated there and back.")
