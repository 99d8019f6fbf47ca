"""A task: one study from data to report, as an object.

    class Shapes(ReferenceTask):  # examples/shapes/neuralese_shapes.py
        name, title = "shapes", "Shapes"
        ...

`files` are paths by file name. Methods import what they need, so that listing tasks imports no library, and a stage
depends only on the methods that it calls (`neuralese.workflow`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese.config.models import FitConfig, GameConfig, GameRules, MessagesConfig, TrainingConfig
from neuralese.config.section import Section
from neuralese.data.data_sets import DataSet
from neuralese.errors import NeuraleseError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from torch import Generator, Tensor

    from neuralese.evaluate.listeners import Listener
    from neuralese.speakers.traces import Traces
    from neuralese.stages.run import Run
    from neuralese.tasks.items import Prepared

Files = Mapping[str, Path]  # by file name, such as `items.parquet`

# the files that stages need of a task, by what they are for; <data> and others are path variables of the workflow
FILES: dict[str, tuple[str, ...]] = {
    "game": ("<data>/{task}/items.parquet",),  # what its game is built from
    "human": ("<data>/{task}/traces.parquet", "<data>/{task}/inventory.parquet"),  # what humans said in it
    "robot": ("<agents>/{task}/seed{seed}/agent.safetensors",),  # what says its messages
    "history": ("<agents>/{task}/seed{seed}/history.parquet",),  # of training; none if its messages are recorded
    "judge": (),  # p(z | x) that judge translations, if not the one that translates
    "variables": (),  # what else its variables are computed from
    "pictures": (),  # what else its pictures are made from
    "watched": (),  # the games that the report shows
}


@dataclass(frozen=True)
class Paper:
    """The results of Andreas, Dragan & Klein (2017) for a task."""

    table: str  # where its accuracies are
    belief: Mapping[tuple[str, str, str | None], float]  # (speaker, listener, criterion) -> accuracy
    distractors: str = "play"  # in the authors' code
    behavior_table: str = ""  # where its rewards are, if it has any
    # (pair, criterion) -> reward and completion
    behavior: Mapping[tuple[str, str | None], tuple[float | None, float | None]] = field(default_factory=dict)


def accuracies(
    robots: float, humans: float, into_english: Sequence[float], into_neuralese: Sequence[float]
) -> dict[tuple[str, str, str | None], float]:
    """The accuracies of a table of the paper: without translation, then by random, direct and belief translation."""
    found: dict[tuple[str, str, str | None], float] = {("R", "R", "none"): robots, ("H", "H*", "none"): humans}
    for pair, values in ((("R", "H*"), into_english), (("H", "R"), into_neuralese)):
        found |= {(*pair, name): value for name, value in zip(("random", "direct", "belief"), values, strict=True)}
    return found


class Task:
    """One study. A task gives the facts that differ from those here, and the methods that raise here."""

    name: str  # of its folder below the results, and of its section of the config
    title: str  # in headings
    data_set: DataSet  # where its raw data comes from
    settings: Section | None = None  # its own section of the config, with all defaults
    game: GameRules = GameConfig()  # defaults of the sections that every task has
    training = TrainingConfig()
    fitting = FitConfig()
    files: Mapping[str, tuple[str, ...]] = FILES  # what it has for each role
    stages: tuple[str, ...] = ("prepare", "train_agent", "relay")  # those that it has, of those that not all have
    rules: Mapping[str, Path] = {}  # files of rules for stages of its own, by the layer that they make (`config.sweep`)
    paper: Paper | None = None  # the paper's results for it
    play: str = "neuralese.play.reference:ReferenceSession"  # its game with a person, a `Session`
    script: Path | None = None  # for the report, if the report's own does not show its states
    example_names: tuple[str, str] = ("target ★", "other")  # the true state and another, above example pictures

    @property
    def tables(self) -> tuple[str, ...]:
        """Its tables of the comparison with the paper, as the paper calls them."""
        own = (self.paper.table if self.paper else self.name,)
        behavior = self.paper.behavior_table if self.paper else f"{self.name}_behavior"
        return (*own, behavior) if "behavior" in self.stages else own

    # data

    def embed(self, raw: Path) -> None:
        """Write the raw data, or a stand-in for data that is downloaded, into a folder."""
        raise self._lacks("embed(raw)")

    def prepare(self, raw: Path, settings: Any) -> "Prepared":
        """What is made from the raw data; for a task without rules of its own."""
        raise self._lacks("prepare(raw, settings)")

    # states, and what humans said in them

    def load_games(self, files: Files, rules: GameConfig) -> dict[str, Any]:
        """Its game (`games.states.Game`), or only its states (`games.states.States`), by split."""
        raise self._lacks("load_games(files, rules)")

    def load_traces(self, files: Files, states: Any, split: str, generator: "Generator") -> "Traces":
        """What humans said in the states of one split, with fresh distractors."""
        raise self._lacks("load_traces(files, states, split, generator)")

    def load_heard(self, files: Files) -> "Tensor":
        """The bag of words that the model human hears for each phrase of the inventory: (phrases, words)."""
        from neuralese.speakers.traces import phrases_alone

        return phrases_alone(files["inventory.parquet"])

    def judges(self, run: "Run", split: str) -> "list[Listener]":
        """Those who judge English in one split besides the model human."""
        return []

    # what states look like

    def variables(self, files: Files, columns: "pd.DataFrame") -> "pd.DataFrame":
        """What there is to say about states, given as the columns of a table."""
        raise self._lacks("variables(files, columns)")

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Pictures (h, w, 3) of states, by their numbers: bytes, or shares from 0 to 1."""
        raise self._lacks("pixels(files, codes)")

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """What the report shows of the states `pictured` and `named`."""
        raise self._lacks("described(files, pictured, named)")

    def watched_games(self, files: Files) -> list[dict] | None:
        """Games that the report shows, instead of examples."""
        return None

    # what the robot says

    def fit_robot(self, run: "Run", fit: FitConfig, states: int) -> Any:
        """p(z | x) of the robot, a `Speaker`, fitted to what it says in `states` states."""
        from neuralese.agents.players import utterances
        from neuralese.speakers.fit import fit_robot_speaker

        random, cell = run.generator("robot speaker"), run.cell
        said, held_out = (
            utterances(cell, run.games[split], count, random, independent=False)
            for split, count in (("train", states), ("dev", states // 10))
        )
        return fit_robot_speaker(run.states, said, held_out, cell.config.noise, fit, random)

    def speak(self, run: "Run", counts: MessagesConfig) -> "tuple[pa.Table, Mapping[str, Any], Tensor]":
        """A vocabulary and held-out messages, what there is to know about them, and the states of contexts."""
        from neuralese.agents.messages import on_data
        from neuralese.agents.players import sample_messages, utterances

        counts, random, cell = on_data(counts, run.data), run.generator("messages"), run.cell
        sizes = {"train": counts.vocabulary, "dev": counts.held_out, "test": counts.held_out}
        messages = sample_messages(cell, run.games, sizes, random)
        contexts, _ = utterances(cell, run.states, counts.contexts, random)
        return messages, {}, contexts

    def protocol(self, run: "Run") -> "pd.DataFrame":
        """How much its messages say, and about what."""
        import pandas as pd

        from neuralese.evaluate.protocol import analyse, influence

        heard = run.said["test"]
        spoken = influence(run.cell, run.games["test"], run.robot, heard, run.generator("influence"))
        told = analyse(run.meant("test").numpy(), heard.messages.numpy(), run.variables(heard.states))
        return pd.concat([told, spoken])

    def _lacks(self, method: str) -> NeuraleseError:
        return NeuraleseError(f"the task '{self.name}' has no {method}; add this method to {type(self).__name__}.")


class ReferenceTask(Task):
    """A reference game over items, and what humans said about each."""

    neighbours = 0  # items whose descriptions a judge compares: the nearest to a candidate, or, if 0, only itself

    def load_games(self, files: Files, rules: GameConfig) -> dict[str, Any]:
        """One reference game for each split; all share the same items, from which each draws its own."""
        import numpy as np
        import torch

        from neuralese.games.reference import ReferenceGame
        from neuralese.storage.tables import matrix, read_table

        path = files["items.parquet"]
        table = read_table(path, "items")
        features = torch.from_numpy(matrix(table["feature"]).copy())
        split = table["split"].to_numpy(zero_copy_only=False)
        games = {}
        for name in ("train", "dev", "test"):
            if not len(pool := torch.from_numpy(np.flatnonzero(split == name))):
                raise NeuraleseError(f"{path} has no item in the split '{name}'; rerun the stage that makes it.")
            games[name] = ReferenceGame(features, pool, rules.steps, rules.candidates, rules.speaker_sees)
        return games

    def load_traces(self, files: Files, states: Any, split: str, generator: "Generator") -> "Traces":
        """What humans said about the items of one split, each message with other items as distractors."""
        import numpy as np
        import pyarrow as pa
        import torch

        from neuralese.speakers.traces import Lists, Traces, kept
        from neuralese.storage.tables import read_table

        items, said = read_table(files["items.parquet"], "items"), read_table(files["traces.parquet"], "traces")
        size = read_table(files["inventory.parquet"], "inventory").num_rows
        item = said["item_id"].to_numpy()
        rows = kept(items["split"].to_numpy(zero_copy_only=False)[item] == split, said)
        phrases = Lists.of(said["phrases"].combine_chunks().take(pa.array(rows)), size)
        targets = torch.from_numpy(item[rows].astype(np.int64))
        return Traces(states.with_distractors(targets, generator), phrases, words=phrases, games=targets)

    def judges(self, run: "Run", split: str) -> "list[Listener]":
        """Those who know what people said of the candidates, or near them, and those who hear words as comparisons."""
        from neuralese.evaluate.judges import Comparative, Neighbours

        random, features = run.generator("judges"), run.states.items
        known = run.traces("train", random, "judging")
        # no translator knows what was said of the items of dev and test
        near = known if self.neighbours else run.traces(split, random)
        return [Neighbours(near, features, self.neighbours), Comparative(known, features)]
