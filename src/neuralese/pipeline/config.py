"""The config: what every key means and is by default, in one place.

complete({"seeds": [0, 1]})                     # the whole config, with the defaults of all that is left out

python -m neuralese.pipeline.config --write     # what is made of it: the schema, and the table in config/README.md

The settings of a room are in that room (`agents/settings.py`, ...), so that a stage depends on those it uses alone.
"""

import sys
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml

from neuralese.agents.settings import CellConfig
from neuralese.pipeline import sections
from neuralese.pipeline.criteria import CRITERIA, Criterion
from neuralese.pipeline.key_table import key_table
from neuralese.pipeline.schema import schema
from neuralese.settings import section, setting

TASKS = ["colors", "birds", "driving"]


@dataclass(frozen=True)
class Config:
    """The default experiment: one seed, results of the paper's quality."""

    tasks: list[str] = setting(TASKS, "The games to run.", choices=TASKS)
    seeds: list[int] = setting(
        [0],
        "Every stage from training on is run once for each seed.",
        least=0,
        advice="One for a look, five for a table.",
    )
    results: str = setting(
        "results",
        "The folder that everything is written to.",
        shortest=1,
        advice="Another one for each experiment you want to keep.",
    )
    data: sections.Data = section(sections.Data, "Where raw data comes from.")
    colors: sections.Colors = section(sections.Colors, "How the colour survey is prepared.")
    birds: sections.Birds = section(sections.Birds, "How captions and images of birds are prepared.")
    driving: sections.Driving = section(sections.Driving, "How the driving games are prepared.")
    games: sections.Games = section(sections.Games, "Rules of the games that an experiment may change.")
    agent: CellConfig = section(CellConfig, "The cell and the channel.")
    training: sections.Training = section(sections.Training, "The learner's settings.")
    speakers: sections.Speakers = section(sections.Speakers, "How the models of p(z|x) and the model human are fitted.")
    messages: sections.Messages = section(sections.Messages, "How much the agent is let to say.")
    criteria: dict[str, Criterion] = setting(
        CRITERIA,
        "Ways of scoring a translation. A value that is a list makes a family, of which dev chooses a member for each "
        "task and direction.",
        fewest=1,
        advice="Each gets its own rows in the dictionary and in the tables.",
    )
    dictionary: sections.Dictionary = section(sections.Dictionary, "What is kept of the scores.")
    synthesis: sections.Synthesis = section(
        sections.Synthesis,
        "New messages for what humans say by gradient descent, new phrases for messages by putting phrases together.",
    )
    ablation: sections.Ablation = section(
        sections.Ablation,
        "How many items the comparison of all criteria looks at; by it members of families are chosen.",
    )
    theory: sections.Theory = section(sections.Theory, "Checks of the paper's propositions.")
    examples: sections.Examples = section(sections.Examples, "The page of example translations.")
    evaluation: sections.Evaluation = section(sections.Evaluation, "How results are measured.")
    sweep: dict[str, list[float | bool | str]] = setting(
        {},
        "Lists of values by dotted key, such as `agent.noise`; every combination is a point of the sweep.",
        pattern="^[A-Za-z0-9_.+-]+$",
        advice="See below.",
    )


SCHEMA = schema(Config)


def complete(config: dict, default: Any = None) -> dict:
    """`config` with the defaults of all that it leaves out; what cannot be right is left for `problem` to name.

    What stands under names of the user's choice (criteria, a sweep) is taken as a whole, or left out as a whole.
    """
    default = Config() if default is None else default
    filled = {}
    for field in fields(default):
        value = getattr(default, field.name)
        given = config.get(field.name, {} if is_dataclass(value) else value)
        filled[field.name] = complete(given, value) if is_dataclass(value) and isinstance(given, dict) else given
    return filled | {key: value for key, value in config.items() if key not in filled}


SCHEMA_FILE, PAGE = Path("workflow/schemas/config.schema.yaml"), Path("config/README.md")
MADE = "made by `python -m neuralese.pipeline.config --write` from src/neuralese/pipeline/config.py; edit that instead"
BEGIN, END = f"<!-- keys: {MADE} -->\n", "<!-- end of keys -->\n"


def written(project: Path) -> dict[Path, str]:
    """What the files of a project are to be that are made of the config, by path."""
    shown = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "What an experiment may set", **SCHEMA}
    text = yaml.dump(shown, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=10_000, allow_unicode=True)
    before, _, rest = (project / PAGE).read_text().partition(BEGIN.splitlines()[0] + "\n")
    after = rest.partition(END)[2]
    page = f"{before}{BEGIN}\n{key_table(Config)}\n{END}{after}"
    return {project / SCHEMA_FILE: f"# {MADE}\n{text}", project / PAGE: page}


class _Dumper(yaml.SafeDumper):
    """Writes a key on a line, and out what occurs twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_dict(self, data: dict) -> yaml.Node:
        on_a_line = "description" in data and "additionalProperties" not in data
        return self.represent_mapping("tag:yaml.org,2002:map", data, flow_style=on_a_line or None)


_Dumper.add_representer(dict, _Dumper.represent_dict)


def main(project: Path, write: bool) -> int:
    """Write the files that are not what they are to be, or only name them; how many that are."""
    stale = {path: text for path, text in written(project).items() if path.read_text() != text}
    for path, text in stale.items():
        print(f"{path} is written anew" if write else f"{path} is out of date: run this with --write")
        if write:
            path.write_text(text)
    return 0 if write else len(stale)


if __name__ == "__main__":
    sys.exit(main(Path(), sys.argv[1:] == ["--write"]))
