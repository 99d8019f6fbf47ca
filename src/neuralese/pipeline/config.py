"""The config: the meaning and default of every key, in one place.

complete({"seeds": [0, 1]})                     # the whole config, with defaults filled in

python -m neuralese.pipeline.config --write     # generates the schema, and the table in config/README.md

The settings of a package are in that package (`agents/settings.py`, ...), and those of a task are with the task, so
that a stage depends only on those it uses. A task from another package has its sections here like ours.
"""

import sys
from collections.abc import Iterable
from dataclasses import Field, field, fields, is_dataclass, make_dataclass
from pathlib import Path
from typing import Any

import yaml

from neuralese import tasks
from neuralese.agents.settings import CellConfig, MessagesConfig
from neuralese.pipeline import sections
from neuralese.pipeline.criteria import CRITERIA, NAME, NAMED, Criterion
from neuralese.pipeline.key_table import key_table
from neuralese.pipeline.schema import schema
from neuralese.pipeline.sections import FOLDER, WRITTEN_OUT
from neuralese.settings import section, setting
from neuralese.tasks.task import Task

Key = tuple[str, Any, Field]  # of a section: its name, its type, its default and meaning


def _given(value: Any, meaning: str) -> Field:
    """A section whose defaults are those of `value`."""
    return field(default_factory=lambda: value, metadata={"meaning": meaning, "advice": "", "limits": {}})


def _for_each(name: str, fact: str, meaning: str, of: Iterable[Task]) -> Key:
    """A section that holds one for each task, with the task's defaults."""
    kinds = [
        (task.name, type(getattr(task, fact)), _given(getattr(task, fact), f"Of {task.title.lower()}.")) for task in of
    ]
    kind = make_dataclass(name.capitalize(), kinds, frozen=True)
    return name, kind, section(kind, meaning)


def config_of(known: tuple[Task, ...]) -> type:
    """The dataclass of a config in which these tasks can be run."""
    own = [
        (task.name, type(task.settings), _given(task.settings, f"How the data of {task.title.lower()} is prepared."))
        for task in known
        if task.settings is not None
    ]
    names = [task.name for task in known]
    default = [name for name in tasks.BUILT_IN if name in names] or names
    keys: list[Key] = [
        ("tasks", list[str], setting(default, "The tasks to run.", choices=names)),
        (
            "seeds",
            list[int],
            setting(
                [0],
                "Random seeds; every stage from training on is run once for each.",
                least=0,
                most=2**31 - 1,
                advice="One for a first look, five for a table.",
            ),
        ),
        (
            "results",
            str,
            setting(
                "results",
                "Folder that everything is written to.",
                pattern=FOLDER,
                form=WRITTEN_OUT,
                advice="A separate one for each experiment you want to keep.",
            ),
        ),
        ("data", sections.Data, section(sections.Data, "Where raw data comes from.")),
        (
            "corpora",
            dict[str, str],
            setting(
                {},
                "Folders with recordings of your own agents, by a name of your choice; each is a task of that name.",
                pattern=FOLDER,
                form=WRITTEN_OUT,
                advice="`neuralese corpus new DIR` writes one that works; add its name to `tasks`.",
            ),
        ),
        *own,
        _for_each("games", "game", "Rules of the games that an experiment may change.", known),
        ("agent", CellConfig, section(CellConfig, "The cell and the channel.")),
        _for_each("training", "training", "The learner's settings.", known),
        _for_each("speakers", "fitting", "How the models of p(z|x) and the model human are fitted.", known),
        ("messages", MessagesConfig, section(MessagesConfig, "How many messages of the agent are recorded.")),
        (
            "criteria",
            dict[str, Criterion],
            setting(
                CRITERIA,
                "Ways of scoring a translation. A list of values makes a family, from which a member is chosen on dev "
                "for each task and direction.",
                fewest=1,
                names=NAME,
                named=NAMED,
                advice="Each gets its own rows in the dictionary and in the tables.",
            ),
        ),
        ("dictionary", sections.Dictionary, section(sections.Dictionary, "Which translations are kept.")),
        (
            "synthesis",
            sections.Synthesis,
            section(
                sections.Synthesis,
                "New messages for human utterances by gradient descent, new phrases for messages by putting phrases "
                "together.",
            ),
        ),
        (
            "ablation",
            sections.Ablation,
            section(
                sections.Ablation,
                "Size of the comparison of all criteria, by which members of families are chosen.",
            ),
        ),
        ("theory", sections.Theory, section(sections.Theory, "Checks of the paper's propositions.")),
        ("examples", sections.Examples, section(sections.Examples, "The page of example translations.")),
        ("evaluation", sections.Evaluation, section(sections.Evaluation, "How results are measured.")),
        (
            "sweep",
            dict[str, list[float | bool | str]],
            setting(
                {},
                "Lists of values by dotted key, such as `agent.noise`; every combination is a point of the sweep.",
                pattern="^[A-Za-z0-9_.+-]+$",
                advice="See below.",
            ),
        ),
    ]
    return make_dataclass("Config", keys, frozen=True)


Config = config_of(tasks.every())

SCHEMA = schema(Config)


def complete(config: dict, default: Any = None) -> dict:
    """`config` with defaults filled in; invalid values are left for `problem` to report.

    Entries under names of the user's choice (criteria, a sweep) are taken as a whole, or left out as a whole.
    """
    default = Config() if default is None else default
    filled = {}
    for key in fields(default):
        value = getattr(default, key.name)
        given = config.get(key.name, {} if is_dataclass(value) else value)
        filled[key.name] = complete(given, value) if is_dataclass(value) and isinstance(given, dict) else given
    return filled | {key: value for key, value in config.items() if key not in filled}


SCHEMA_FILE, PAGE = Path("workflow/schemas/config.schema.yaml"), Path("config/README.md")
MADE = "made by `python -m neuralese.pipeline.config --write` from src/neuralese/pipeline/config.py; edit that instead"
BEGIN, END = f"<!-- keys: {MADE} -->\n", "<!-- end of keys -->\n"


def written(project: Path) -> dict[Path, str]:
    """The intended contents of a project's generated files, by path; they name our own tasks only."""
    ours = config_of(tuple(tasks.get(name) for name in tasks.BUILT_IN))
    title = "What an experiment may set"
    shown = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema(ours)}
    text = yaml.dump(shown, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=10_000, allow_unicode=True)
    before, _, rest = (project / PAGE).read_text().partition(BEGIN.splitlines()[0] + "\n")
    after = rest.partition(END)[2]
    page = f"{before}{BEGIN}\n{key_table(ours)}\n{END}{after}"
    return {project / SCHEMA_FILE: f"# {MADE}\n{text}", project / PAGE: page}


class _Dumper(yaml.SafeDumper):
    """Writes each key on one line, and repeated parts in full."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_dict(self, data: dict) -> yaml.Node:
        on_a_line = "description" in data and "additionalProperties" not in data
        return self.represent_mapping("tag:yaml.org,2002:map", data, flow_style=on_a_line or None)


_Dumper.add_representer(dict, _Dumper.represent_dict)


def main(project: Path, write: bool) -> int:
    """Write the files that are not up to date, or only name them; return their number."""
    stale = {path: text for path, text in written(project).items() if path.read_text() != text}
    for path, text in stale.items():
        print(f"{path} rewritten" if write else f"{path} is out of date: run this with --write")
        if write:
            path.write_text(text)
    return 0 if write else len(stale)


if __name__ == "__main__":
    sys.exit(main(Path(), sys.argv[1:] == ["--write"]))
