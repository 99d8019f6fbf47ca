"""Settings of the driving games."""

from dataclasses import dataclass

from neuralese.settings import section, setting
from neuralese.speakers.settings import FitConfig


@dataclass(frozen=True)
class RelayConfig:
    """How relays between two robots are chosen and measured."""

    games: int = setting(
        4000,
        "Number of fresh games on which every condition is measured, the same for all.",
        least=2,
        advice="With 4,000 the mean reward is accurate to about 0.03.",
    )
    dev_games: int = setting(1000, "Number of fresh games on which a pair of members is chosen.", least=2)
    played: int = setting(8, "Number of pairs of each family played on these, after screening all pairs.", least=2)
    screened: int = setting(1000, "Number of dev messages used to screen all pairs.", least=1)
    contexts: int = setting(
        500,
        "Number of contexts in which messages sent in play are compared with phrases.",
        least=1,
        advice="Time grows with it; 300 and 1000 gave the same reward, within its error.",
    )
    vocabulary: int = setting(2000, "Number of messages that translators into neuralese choose from.", least=1)
    silent_agents: bool = setting(
        False,
        "Whether agents are also trained without a channel, to measure the value of language.",
        advice="Takes as long as training the agents that talk; on in `paper.yaml`.",
    )
    places: int = setting(
        2000, "Number of games used to count where the other car may be, for an interpreter that sees one car.", least=1
    )


@dataclass(frozen=True)
class Driving:
    """How the driving games are prepared."""

    test_games: int = setting(
        100, "Number of test games, the last by file name.", least=1, most=150, advice="100 is the paper's."
    )
    dev_games: int = setting(
        56,
        "Number of validation games, spread evenly over the others.",
        least=1,
        most=100,
        advice="See below.",
    )
    distractors: str = setting(
        "play",
        "Where distractors come from: `play`, like the true states, "
        "or `anywhere` on the road, as in the authors' released code.",
        choices=["play", "anywhere"],
        advice="`anywhere` is easier, and listeners can beat chance without hearing a word: "
        "only for comparison with the paper.",
    )
    goal_offset: bool = setting(
        True,
        "Whether players also see where the goal is from the driver's seat.",
        advice="`false` is the paper's.",
    )
    least_sent: int = setting(
        4,
        "Minimum count, outside the test games, of a message of one to three words in the inventory.",
        least=1,
        most=20,  # with any more, hardly a phrase is left
        advice='4 is the paper\'s "more than 3 times", and gives 56 phrases and silence.',
    )
    least_words: int = setting(
        3,
        "Minimum number of messages outside the test games with a word that the model human knows.",
        least=1,
        most=100,
    )
    fading: float = setting(
        0.5,
        "Share of what the model human driver heard that is left a turn later.",
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
    relay: RelayConfig = section(
        RelayConfig, "Two driving robots, with every message translated into English and back."
    )
