"""A run with what humans said."""

from functools import cached_property

import torch
from torch import Tensor

from neuralese import tasks
from neuralese.speakers.traces import Traces, load_phrases
from neuralese.tasks.run import Run


class HumanRun(Run):
    """See `Run`."""

    @cached_property
    def phrases(self) -> list[str]:
        """The inventory."""
        return load_phrases(self.files["inventory.parquet"])

    @property
    def silence(self) -> int | None:
        """The phrase that stands for saying nothing, if there is one."""
        return self.phrases.index("") if "" in self.phrases else None

    @cached_property
    def heard(self) -> Tensor:
        """The bag of words that the model human hears for each phrase of the inventory: (phrases, words)."""
        return tasks.part(self.task, "human").load_heard(self.files)

    def traces(self, split: str, generator: torch.Generator) -> Traces:
        """What humans said in the states of one split, with fresh distractors."""
        return tasks.part(self.task, "human").load_traces(self.files, self.games[split], split, generator)
