"""A run with what there is to talk about in its states."""

import pandas as pd
from torch import Tensor

from neuralese import tasks
from neuralese.tasks.run import Run


class VariableRun(Run):
    """See `Run`."""

    def variables(self, states: Tensor) -> pd.DataFrame:
        """The variables of `states` (n, s, ...), a column each."""
        columns = pd.DataFrame({name: column.numpy() for name, column in self.states.to_columns(states).items()})
        return tasks.part(self.task, "variables").variables(self.files, columns)
