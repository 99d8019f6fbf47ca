"""A run with what its states look like."""

import numpy as np
import pandas as pd

from neuralese import tasks
from neuralese.agents.messages import read_messages
from neuralese.tasks.run import Run


class PictureRun(Run):
    """See `Run`."""

    def coded_messages(self) -> pd.DataFrame:
        """The test messages: message_id, and a number for each candidate: `target`, the true one, `other`, ..."""
        said = read_messages(self.files["messages.parquet"], self.states)["test"]
        codes = self.states.codes(said.states)
        others = ["other", *(f"other_{number}" for number in range(2, codes.shape[1]))]
        columns = zip(["target", *others], codes.T.numpy(), strict=True)
        return pd.DataFrame({"message_id": said.ids.numpy(), **dict(columns)})

    def pixels(self, codes: set[int]) -> dict[int, np.ndarray]:
        """Pictures (h, w, 3) of states, by their numbers."""
        return tasks.part(self.task, "pictures").pixels(self.files, codes)
