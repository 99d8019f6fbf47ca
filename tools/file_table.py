"""The page results/README.md: every file of the results, what it is, which rule makes it, and what its columns mean.

python tools/file_table.py

What the columns mean is said in their contracts, and what each file is, here.
"""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

from neuralese.storage.schema import CONTRACTS, Contract
from neuralese.tasks import BUILT_IN

ROOT = Path(__file__).parents[1]
RULES, PAGE = ROOT / "workflow/rules", ROOT / "results/README.md"
INTRO = """\
# What a run writes

<!-- made by `python tools/file_table.py`; edit that file instead -->

Everything in the folder of results is made by the workflow, and only the page that you are reading is kept in git.
Names in braces stand for a task, a seed and so on: `{task}/seed{seed}/dictionary.parquet` is
`results/colors/seed0/dictionary.parquet`. Open a table with pandas, or look at it with `neuralese show`:

```python
import pandas as pd

pd.read_parquet("results/colors/seed0/dictionary.parquet")
```

Each Parquet, safetensors and JSON file says what made it, and `neuralese show FILE` prints that; for a table,
`neuralese show FILE --schema` also prints what its columns mean. *Made by* names the rules;
`snakemake --cores 8 --forcerun RULE -- all` runs one again, and what follows.
"""
COLUMNS = """
## Columns

These columns are always there; they are checked whenever a table is written or read. Some tables have more, such as
the parts of a state.
"""

# title -> folder, and the files in it
FILES: dict[str, tuple[str, dict[str, str]]] = {
    "Files of every task": (
        "{task}/",
        {
            "raw": "The raw data, as it was fetched, with `source.json`: from where, and a digest of each file.",
            "provenance.json": "Where the data came from: which set, source, digest, rows, licence, time.",
            "inventory.parquet": "The phrases there are.",
            "items.parquet": "What can be spoken of.",
            "traces.parquet": "What humans said of it, a row for each time that one spoke.",
            "utterances.parquet": "The sets of phrases that humans said at once.",
            "criteria.parquet": "Which member of each family dev chose, and why.",
        },
    ),
    "Files of every task and seed": (
        "{task}/seed{seed}/",
        {
            "history.parquet": "Learning curves.",
            "agent.safetensors": "The agent.",
            "robot_speaker.safetensors": "p(z|x) of the robot.",
            "human_speaker.safetensors": "p(z|x) of humans, by the half of their speech that translates.",
            "judging_speaker.safetensors": "The same by the half that judges.",
            "human_listener.safetensors": "The model human, H*, by the half that judges.",
            "messages.parquet": "What the agent says, and in which states: a column for each part of those.",
            "contexts.parquet": "The contexts in which messages are compared, with the columns of a state.",
            "dictionary.parquet": "The best translations, both directions, every criterion. Its metadata hold the "
            "criteria's settings.",
            "descriptions.parquet": "Dev and test messages in as many phrases as it takes.",
            "ablation.parquet": "Every member of every criterion, on dev and test.",
            "belief_test.parquet": "How often listeners guess the speaker's state, on test.",
            "relay.parquet": "Two robots, with every message put into English and back.",
            "bound.parquet": "What Proposition 1 says of this task, beside what was lost.",
            "protocol.parquet": "How much the messages say, and about what: see docs/measures.md.",
            "examples.parquet": "States with the robot's message in English, as in `figures/examples_*`.",
            "report.json": "What the report shows of this task and seed.",
        },
    ),
    "Files of colors alone": ("colors/", {"colors.parquet": "Every answer of the survey."}),
    "Files of birds alone": (
        "birds/",
        {
            "images.parquet": "The birds.",
            "captions.parquet": "What was said of them.",
            "backbone.onnx": "The network that looks at the images.",
            "pooled.parquet": "What it sees in them.",
            "failed_images.json": "Images that could not be read, and why.",
            "features.parquet": "What the players see of each image.",
            "head_accuracy.json": "How well these features tell the species.",
        },
    ),
    "Files of driving alone": (
        "driving/",
        {
            "maps.parquet": "The road layouts.",
            "games.parquet": "The games of human drivers.",
            "turns.parquet": "Who was where in them, did and said what.",
            "words.parquet": "The words that the model human knows.",
        },
    ),
    "Files of driving alone, of every seed": (
        "driving/seed{seed}/",
        {
            "behavior_test.parquet": "How robots drive with recorded humans whose messages are translated.",
            "silent_agent.safetensors": "An agent that was trained without a channel, if `silent_agents` is set.",
            "silent_history.parquet": "Its learning curves.",
            "relay_choice.parquet": "The pairs of members that were played on dev; the first of each criterion was "
            "chosen.",
            "driver.safetensors": "The model human who drives.",
            "driver.json": "What words are worth to it on held-out moves of people.",
            "listening.parquet": "How a robot drives with a model human who listens.",
            "watched.parquet": "Driving games turn by turn, with what is said in English.",
        },
    ),
    "Files of a corpus alone": (
        "{task}/",
        {
            "states.parquet": "The states of the corpus.",
            "recorded.parquet": "What was recorded in them.",
            "pictures.parquet": "Small copies of its pictures.",
        },
    ),
    "Files of a corpus alone, of every seed": (
        "{task}/seed{seed}/",
        {
            "judge_dev.safetensors": "p(z|x) of a robot that judges translations on dev, from other messages.",
            "judge_test.safetensors": "The same for test.",
        },
    ),
    "Files of a run": (
        "",
        {
            "tables/belief.parquet": "`belief_test.parquet` of all tasks and seeds.",
            "tables/behavior.parquet": "How robots play with humans whose messages are translated, all seeds.",
            "tables/relay.parquet": "`relay.parquet` of all tasks and seeds.",
            "tables/listening.parquet": "A robot with a model human who listens, through a translator, all seeds.",
            "tables/ablation.parquet": "`ablation.parquet` of all tasks and seeds.",
            "tables/criteria.parquet": "`criteria.parquet` of all tasks.",
            "tables/bound.parquet": "`bound.parquet` of all tasks and seeds.",
            "tables/comparison.csv": "Every figure beside the paper's.",
            "tables/comparison.md": "The same in Markdown.",
            "tables/comparison.tex": "The same for LaTeX.",
            "tables/comparison.html": "The same as a page.",
            "theory/proposition_1.parquet": "Proposition 1 on random games, a row for each message.",
            "theory/proposition_2.parquet": "Proposition 2 on random games.",
            "report/index.html": "The report: one file that opens from disk.",
            "sweep/{table}.parquet": "`belief`, `behavior`, `protocol` and `ablation` of all points of a sweep, with a "
            "column for each swept value.",
            "sweep/sweep.png": "A figure of the sweep.",
        },
    ),
    "Figures": (  # as SVG and PNG; a star stands for the number of a table of the paper, or for a task
        "figures/",
        {
            "examples_{task}_seed{seed}": "Example translations, drawn.",
            "ablation": "Every criterion on every task.",
            "theory": "The propositions on random games.",
            "table_*": "The paper's tables beside ours, drawn.",
        },
    ),
}
FOLDERS = {
    "config.json": "The config of the last run that wrote here, with all defaults.",
    "logs/": "What each job said.",
    "benchmarks/": "What each job cost.",
    "play/": "Games that were played with `neuralese play`.",
    "sweep/<key>=<value>/": "The files of one point of a sweep, laid out as here.",
    ".checkpoints/": "Where trainings go on that were cut off.",
}

# files that are not called after the contract that they keep
KEPT = {
    "belief_test": "belief",
    "behavior_test": "behavior",
    "silent_history": "history",
}
OF_TASKS = ("colors.data", "birds.data", "driving.tables", "corpus.task")  # the modules with their own contracts


@cache
def contracts() -> dict[str, Contract]:
    """Every contract of the project, by its name."""
    own = [each for name in OF_TASKS for each in vars(import_module(f"neuralese.tasks.{name}")).values()]
    return CONTRACTS | {each.name: each for each in own if isinstance(each, Contract)}


def contract_of(file: str) -> Contract | None:
    """The contract that a file keeps; none if it is no table, or any table."""
    path = Path(file)
    return contracts().get(KEPT.get(path.stem, path.stem)) if path.suffix == ".parquet" else None


@cache
def outputs() -> dict[str, list[str]]:
    """What rules write, as they say it, below the results, and which rules those are."""
    found: dict[str, list[str]] = {}
    for path in sorted(RULES.rglob("*.smk")):
        for rule, written in re.findall(r"^rule (\w+):\n.*?^    output:\n(.*?)^    \w", path.read_text(), re.M | re.S):
            for name in re.findall(r'"<\w+>/([^"]+)"', written):
                found.setdefault(_any_task(name), []).append(rule)
    return found


def makers(folder: str, file: str) -> list[str]:
    """The rules that make a file or a figure."""
    path = _any_task(f"{folder}{file}.png" if folder == "figures/" else folder + file)
    for alike in (re.escape, lambda written: re.sub(r"\\\{(?!task|seed)\w+\\\}", "[^/]+", re.escape(written))):
        if found := [each for name, each in outputs().items() if re.fullmatch(alike(name) + r"(\.\w+)?", path)]:
            return list(dict.fromkeys(rule for each in found for rule in each))
    return []


def _any_task(path: str) -> str:
    """A path with the wildcard in place of the name of a task."""
    return re.sub(rf"^({'|'.join(BUILT_IN)})/", "{task}/", path)


def page() -> str:
    """The page, in Markdown."""
    made = [INTRO]
    for title, (folder, files) in FILES.items():
        made.append(f"\n## {title}\n\nIn `results/{folder}`:\n\n")
        made.append("| file | what it is | columns | made by |\n| --- | --- | --- | --- |\n")
        for file, meaning in files.items():
            link = f"[{kept.name}](#{kept.name})" if (kept := contract_of(file)) else ""
            made.append(_line(f"`{file}`", meaning, link, ", ".join(f"`{rule}`" for rule in makers(folder, file))))
    made.append("\n## What else is there\n\n| folder | what is in it |\n| --- | --- |\n")
    made += [_line(f"`{folder}`", meaning) for folder, meaning in FOLDERS.items()]
    made.append(COLUMNS)
    for name, contract in sorted(contracts().items()):
        made.append(f"\n### {name}\n\n| column | type | values | meaning |\n| --- | --- | --- | --- |\n")
        for each, column in contract.columns.items():
            kind = re.sub(r"^list<\w+: (\w+)>$", r"list of \1", str(column.type))
            made.append(_line(f"`{each}`", kind, column.metadata["values"], column.meaning))
    return "".join(made)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n".replace("|  |", "| |")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {page().count(chr(10))} lines")
