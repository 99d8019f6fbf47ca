"""The figures of Andreas, Dragan & Klein (2017) for one task; a task defines its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paper:
    """The paper's results for a task."""

    table: str  # where its accuracies are
    belief: Mapping[tuple[str, str, str | None], float]  # (speaker, listener, criterion) -> accuracy
    distractors: str = "play"  # in the authors' code
    behavior_table: str = ""  # where its rewards are, if it has any
    # (pair, criterion) -> reward and completion
    behavior: Mapping[tuple[str, str | None], tuple[float | None, float | None]] = field(default_factory=dict)


Papers = Mapping[str, Paper | None]  # by task
