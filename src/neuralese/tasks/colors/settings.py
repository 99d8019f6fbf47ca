"""What a config says of the colour survey."""

from dataclasses import dataclass

from neuralese.settings import setting


@dataclass(frozen=True)
class Colors:
    """How the colour survey is prepared."""

    least_names: int = setting(
        5,
        "A word is in the inventory if it is in at least so many of the colour names.",
        least=1,
        most=20,  # any more, and too few words are left
        advice="5 is the paper's, and gives 57 words.",
    )
