"""What there is to say about a bird."""

import pandas as pd

from neuralese.storage.tables import read_table
from neuralese.tasks.task import Files

ATTRIBUTES = 6  # number of most frequent phrases


def variables(files: Files, columns: pd.DataFrame) -> pd.DataFrame:
    """The variables of states, given as the columns of a table."""
    inventory = read_table(files["inventory.parquet"], "inventory")["phrase"].to_pylist()
    return bird_variables(read_table(files["traces.parquet"], "traces").to_pandas(), inventory, columns)


def bird_variables(traces: pd.DataFrame, inventory: list[str], states: pd.DataFrame) -> pd.DataFrame:
    """For the most frequent attributes: does anybody mention it for the target?"""
    said = traces.explode("phrases").dropna().drop_duplicates()
    has = {number: set(rows["item_id"]) for number, rows in said.groupby("phrases")}
    return pd.DataFrame(
        {inventory[number]: states["target"].isin(has.get(number, set())).astype(int) for number in range(ATTRIBUTES)}
    )
