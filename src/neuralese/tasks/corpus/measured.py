"""What recorded messages convey, by the standard measures."""

from pathlib import Path

import pandas as pd

from neuralese.agents.messages import Sequences
from neuralese.evaluate.columns import columns_of
from neuralese.evaluate.measures import measure_symbols, measure_vectors
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.corpus.recorded import Recorded
from neuralese.tasks.corpus.tables import STATES


def measure(recorded: Recorded, states: str | Path) -> pd.DataFrame:
    """The standard measures on the test messages: measure, variable, value."""
    types = read_about(states)["columns"]
    table = read_table(states, STATES).select([f"column {name}" for name in types]).to_pandas()
    table.columns = list(types)
    rows = recorded.rows("test")
    said = table.iloc[recorded.state[rows].numpy()].reset_index(drop=True)
    groups = recorded.table["group"].to_numpy()[rows.numpy()]
    if isinstance(recorded.messages, Sequences):
        return measure_symbols(recorded.messages[rows].to_array(), said, columns_of(types), groups=groups)
    return measure_vectors(recorded.messages[rows].numpy(), said, columns_of(types), groups=groups)
