"""One task and seed: its files, and everything that is read or computed from them, each when it is first asked for.

run = Run.open("results", "colors", seed=0)
run.english, run.said["test"], run.listeners("test")

Methods import what they need: a stage depends only on the methods that it calls (`neuralese.workflow`).
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from neuralese import tasks
from neuralese.config.models import GameConfig
from neuralese.errors import NeuraleseError
from neuralese.tasks.task import Task

if TYPE_CHECKING:
    import pandas as pd
    from torch import Generator, Tensor

    from neuralese.agents.messages import Speech
    from neuralese.evaluate.listeners import Listeners
    from neuralese.speakers.models import HumanListener
    from neuralese.speakers.traces import Traces
    from neuralese.translate.languages import Composed, English, Neuralese, Parts


Half = Literal["translating", "judging"]  # of what humans said: for the models that translate, and for those that judge
CONFIG = "config.json"  # in a folder of results: the config of the last run that wrote there


def read_config(results: str | Path) -> dict[str, Any]:
    """The config of the run that made a folder of results, with all defaults; nothing if it is not known."""
    from neuralese.storage.files import read_json

    path = Path(results) / CONFIG
    try:
        return read_json(path) if path.is_file() else {}
    except (ValueError, RecursionError, OSError):
        raise NeuraleseError(f"{path} is not the config of a run; delete it and run snakemake again.") from None


class Files(dict[str, Path]):
    """Paths by their names."""

    def __missing__(self, name: str) -> Path:
        folders = " or ".join(sorted({str(path.parent) for path in self.values()}))
        raise NeuraleseError(f"{name} is not in {folders}; make it with: neuralese run")


class Run:
    """What a stage is given; nothing is read before it is needed."""

    def __init__(
        self,
        task: str | Task,
        files: Iterable[str | Path] | Mapping[str, Path],
        seed: int | str = 0,
        game: Mapping[str, Any] | None = None,
    ) -> None:
        """`files` are paths, known by their names; `game` is the task's section of the config's `games`."""
        self.task, self.seed = tasks.get(task) if isinstance(task, str) else task, int(seed)
        self.rules = GameConfig(**(self.task.game.model_dump() if game is None else game))
        named = files.items() if isinstance(files, Mapping) else ((Path(file).name, file) for file in files)
        self.files = Files((name, Path(file)) for name, file in named)

    @classmethod
    def open(cls, results: str | Path, task: str, seed: int = 0, **rules: Any) -> "Run":
        """What a folder of results holds for a task and seed, by its config but for `rules` of the game."""
        folder, config = Path(results) / task, read_config(results)
        files = [*folder.glob("*"), *(folder / f"seed{seed}").glob("*")]
        if not files:
            raise NeuraleseError(f"{folder} holds no results; make them with: neuralese run")
        if task not in tasks.names():
            tasks.use_corpora(config.get("corpora", {}))
        game = config.get("games", {}).get(task) or tasks.get(task).game.model_dump()
        return cls(task, files, seed, {**game, **rules})

    # the game

    @cached_property
    def games(self) -> dict[str, Any]:
        """The task's game (`games.states.Game`), or only its states (`States`), by split, depending on the task."""
        return self.task.load_games(self.files, self.rules)

    @property
    def states(self) -> Any:
        """What models see (`games.states.States`): the same in every split."""
        return self.games["train"]

    def generator(self, label: str) -> "Generator":
        """The random numbers of a stage."""
        from neuralese.randomness import generator

        return generator(self.seed, label)

    # where it comes from

    @property
    def data(self) -> str:
        """The kind of data it is made from."""
        from neuralese.data.data_sets import read_provenance

        return read_provenance(self.files["provenance.json"])["source"]

    @property
    def words(self) -> str:
        """Who says the phrases: people, or the attributes of the states if nobody said anything."""
        from neuralese.data.data_sets import PEOPLE, read_provenance

        return read_provenance(self.files["provenance.json"]).get("speaker", PEOPLE)

    def label(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """A table of results with its task, seed and data."""
        return table.assign(task=self.task.name, seed=self.seed, data=self.data)

    def table(self, name: str, kind: Any = None) -> "pd.DataFrame":
        """The table in a file, such as `dictionary.parquet`, of the kind that its name says unless one is given."""
        from neuralese.storage.tables import read_table

        return read_table(self.files[name], kind or name.removesuffix(".parquet")).to_pandas()

    # what humans said

    @cached_property
    def phrases(self) -> list[str]:
        """The inventory."""
        from neuralese.speakers.traces import load_phrases

        return load_phrases(self.files["inventory.parquet"])

    @property
    def silence(self) -> int | None:
        """The phrase that stands for saying nothing, if there is one."""
        return self.phrases.index("") if "" in self.phrases else None

    @cached_property
    def heard(self) -> "Tensor":
        """The bag of words that the model human hears for each phrase of the inventory: (phrases, words)."""
        return self.task.load_heard(self.files)

    def traces(self, split: str, generator: "Generator", half: Half | None = None) -> "Traces":
        """What humans said in the states of one split, with fresh distractors: all, or the half that is for something.

        Which half translates and which judges alternates with the seed.
        """
        traces = self.task.load_traces(self.files, self.games[split], split, generator)
        return traces if half is None else traces.half((half == "translating") == (self.seed % 2 == 0))

    # what the robot said

    @cached_property
    def cell(self) -> Any:
        """The agent, a `Cell`; none if there are only its recordings, and so no game."""
        from neuralese.agents.cell import load_cell

        path = self.files.get("agent.safetensors")
        return None if path is None else load_cell(path, self.states)

    @cached_property
    def said(self) -> "dict[str, Speech]":
        """What the robot said, by split."""
        from neuralese.agents.messages import read_messages

        return read_messages(self.files["messages.parquet"], self.states)

    @cached_property
    def context_states(self) -> "Tensor":
        """The speaker states (n, s, ...) of the contexts."""
        from neuralese.agents.messages import read_contexts

        return read_contexts(self.files["contexts.parquet"], self.states)

    def contexts(self, first: int | None = None) -> "Tensor":
        """The candidates (n, s, s, ...) of the contexts, or of the first of them."""
        return self.states.candidates(self.context_states[:first])

    # both languages

    @cached_property
    def robot(self) -> Any:
        """p(z | x) of the robot, a `Speaker` of vectors or of symbols."""
        from neuralese.speakers.models import load_robot

        return load_robot(self.files["robot_speaker.safetensors"], self.states)

    def meant(self, split: str) -> "Tensor":
        """The mean messages (n, message), before noise, of the robot's p(z | x) in the states of one split."""
        import torch

        with torch.no_grad():
            return self.robot.mean(self.states.speaker_view(self.said[split].states))

    def neuralese(self, split: str, first: int | None = None) -> "Neuralese":
        """What the robot said in one split, or the first of it; the training split is what one translates into."""
        return self.language(self.said[split].first(first))

    def language(self, said: "Speech") -> "Neuralese":
        """Some messages as a language."""
        from neuralese.translate.languages import Neuralese

        return Neuralese(self.states, self.robot, said.messages, said.ids)

    @cached_property
    def english(self) -> "English":
        """What humans say: the inventory, by p(z | x) of humans."""
        from neuralese.speakers.models import HumanSpeaker, load_model
        from neuralese.translate.languages import English

        speaker = load_model(self.files["human_speaker.safetensors"], HumanSpeaker, self.states)
        return English(self.states, speaker, self.phrases)

    @cached_property
    def parts(self) -> "Parts":
        """The phrases of every utterance."""
        from neuralese.translate.languages import load_parts

        return load_parts(self.files["utterances.parquet"])

    @property
    def utterances(self) -> "Composed":
        """Everything that humans said in one go."""
        from neuralese.translate.languages import Composed

        return Composed(self.english, self.parts)

    @cached_property
    def criteria(self) -> dict[str, dict[str, dict]]:
        """The settings of the chosen criteria, by direction and name."""
        from neuralese.translate.families import chosen_criteria

        return chosen_criteria(self.files["criteria.parquet"], self.seed)

    # who guesses

    @cached_property
    def listener(self) -> "HumanListener":
        """The model human."""
        from neuralese.speakers.models import HumanListener, load_model

        return load_model(self.files["human_listener.safetensors"], HumanListener, self.states)

    def listeners(self, split: str, judges: bool = False) -> "Listeners":
        """Those who guess in one split; with all judges of English, or the model human alone."""
        from neuralese.evaluate.listeners import Listeners

        others = self.task.judges(self, split) if judges else []
        english = {"others": others, "words": self.heard, "people": self.people}
        return Listeners.of(self.games[split], self.cell, self.robot, self.listener, self.judge(split), **english)

    @cached_property
    def people(self) -> Any:
        """p(z | x) by the half of people's speech that judges, a `HumanSpeaker`, if it was fitted."""
        from neuralese.speakers.models import HumanSpeaker, load_model

        path = self.files.get("judging_speaker.safetensors")
        return None if path is None else load_model(path, HumanSpeaker, self.states)

    def judge(self, split: str) -> Any:
        """p(z | x) of the robot that hears translations in one split, if it has one of its own."""
        from neuralese.speakers.models import load_robot

        path = self.files.get(f"judge_{split}.safetensors")
        return None if path is None else load_robot(path, self.states)

    # what states look like

    def variables(self, states: "Tensor") -> "pd.DataFrame":
        """What there is to say about `states` (n, s, ...), a column each."""
        import pandas as pd

        columns = pd.DataFrame({name: column.numpy() for name, column in self.states.to_columns(states).items()})
        return self.task.variables(self.files, columns)

    def coded_messages(self) -> "pd.DataFrame":
        """The test messages: message_id, and a number for each candidate: `target`, the true one, `other`, ..."""
        import pandas as pd

        said = self.said["test"]
        codes = self.states.codes(said.states)
        others = ["other", *(f"other_{number}" for number in range(2, codes.shape[1]))]
        columns = zip(["target", *others], codes.T.numpy(), strict=True)
        return pd.DataFrame({"message_id": said.ids.numpy(), **dict(columns)})


open_run = Run.open
