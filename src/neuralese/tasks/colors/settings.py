"""Settings of the colour survey."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class Colors:
    """How the colour survey is prepared."""

    least_names: int = setting(
        5,
        "Minimum number of colour names that must contain a word of the inventory.",
        least=1,
        most=20,  # with any more, too few words are left
        advice="5 is the paper's, and gives 57 words.",
    )
