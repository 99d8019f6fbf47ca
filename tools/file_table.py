"""The page results/README.md: every file of the results, what it is, which rule makes it, and what its columns mean.

python tools/file_table.py --write

What the files are that every task has, and those of a run, is said here; those of one task are described with it.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pyarrow as pa

from neuralese import tasks
from neuralese.storage.described import Described, table
from neuralese.tasks.corpus.described import DESCRIBED as OF_CORPORA

RULES = Path(__file__).parents[1] / "workflow/rules"
PAGE = Path("results/README.md")
INTRO = """\
# What a run writes

<!-- made by `python tools/file_table.py --write`; edit that file instead -->

Everything in the folder of results is made by the workflow, and only the page that you are reading is kept in git.
Names in braces stand for a task, a seed and so on: `{task}/seed{seed}/dictionary.parquet` is
`results/TASK/seed0/dictionary.parquet`. Open a table with pandas, or look at it with `neuralese show`:

```python
import pandas as pd

pd.read_parquet("results/TASK/seed0/dictionary.parquet")
```

Each Parquet, safetensors and JSON file says what made it, and `neuralese show FILE` prints that. *Made by* names the
rules; `snakemake --cores 8 --forcerun RULE -- all` runs one again, and what follows.
"""
COLUMNS = """
## Columns

Of every kind of table, the columns that are always there, checked whenever one is written and whenever it is read. Some
tables have more, such as the parts of a state.
"""
ELSE = "\n## What else is there\n\n| folder | what is in it |\n| --- | --- |\n"

Files = Mapping[str, Described]
SEED = "{task}/seed{seed}/"

# of a task and of each of its seeds, of which rules say which is which
OF_TASKS = {
    "raw": Described("The raw data, as it was fetched, with `source.json`: from where, and a digest of each file."),
    "provenance.json": Described("Where the data came from: which set, source, digest, rows, licence, time."),
    "inventory.parquet": table("inventory", "The phrases there are."),
    "items.parquet": table("items", "What can be spoken of."),
    "traces.parquet": table("traces", "What humans said of it, a row for each time that one spoke."),
    "utterances.parquet": table("utterances", "The sets of phrases that humans said at once."),
    "criteria.parquet": table("criteria", "Which member of each family dev chose, and why."),
    "history.parquet": table("history", "Learning curves."),
    "agent.safetensors": Described("The agent."),
    "robot_speaker.safetensors": Described("p(z|x) of the robot."),
    "human_speaker.safetensors": Described("p(z|x) of humans."),
    "human_listener.safetensors": Described("The model human, H*."),
    "messages.parquet": table("messages", "What the agent says, and in which states: a column for each part of those."),
    "contexts.parquet": table("contexts", "The contexts in which messages are compared, with the columns of a state."),
    "meanings.parquet": table("meanings", "What both languages say in each candidate of each context."),
    "dictionary.parquet": table(
        "dictionary",
        "The best translations, both directions, every criterion. Its metadata hold the criteria's settings.",
    ),
    "synthesis.parquet": table(
        "dictionary", "Translations nobody said: bags of phrases for messages, and new messages for what humans say."
    ),
    "bags.parquet": table("bags", "These bags of phrases."),
    "new_messages.parquet": table("messages", "These new messages, made by gradient descent."),
    "ablation.parquet": table("ablation", "Every member of every criterion, on dev and test."),
    "belief_test.parquet": table("belief", "How often listeners guess the speaker's state, on test."),
    "relay.parquet": table("relay", "Two robots, with every message put into English and back."),
    "bound.parquet": table("bound", "What Proposition 1 says of this task, beside what was lost."),
    "protocol.parquet": table("protocol", "How much the messages say, and about what: see docs/measures.md."),
    "protocol.png": Described("The same as a picture."),
    "examples.parquet": table("examples", "States with the robot's message in English, as in `figures/examples_*`."),
    "report.json": Described("What the report shows of this task and seed."),
}

# of a run
OF_RUNS = {
    "tables/belief.parquet": table("belief", "`belief_test.parquet` of all tasks and seeds."),
    "tables/behavior.parquet": table(
        "behavior", "How robots play with humans whose messages are translated, all seeds."
    ),
    "tables/relay.parquet": table("relay", "`relay.parquet` of all tasks and seeds."),
    "tables/listening.parquet": table(
        "listening", "A robot with a model human who listens, through a translator, all seeds."
    ),
    "tables/ablation.parquet": table("ablation", "`ablation.parquet` of all tasks and seeds."),
    "tables/criteria.parquet": table("criteria", "`criteria.parquet` of all tasks."),
    "tables/bound.parquet": table("bound", "`bound.parquet` of all tasks and seeds."),
    "tables/comparison.csv": Described("Every figure beside the paper's."),
    "tables/comparison.md": Described("The same in Markdown."),
    "tables/comparison.tex": Described("The same for LaTeX."),
    "tables/comparison.html": Described("The same as a page."),
    "theory/proposition_1.parquet": table("proposition_1", "Proposition 1 on random games, a row for each message."),
    "theory/proposition_2.parquet": table("proposition_2", "Proposition 2 on random games."),
    "report/index.html": Described("The report: one file that opens from disk."),
    "sweep/{table}.parquet": Described(
        "`belief`, `behavior`, `protocol` and `ablation` of all points of a sweep, with a column for each swept value."
    ),
    "sweep/sweep.png": Described("A figure of the sweep."),
}

# of a run, as SVG and PNG below `figures`; a star stands for the number of a table of the paper, or for a task
FIGURES = {
    "examples_{task}_seed{seed}": Described("Example translations, drawn."),
    "ablation": Described("Every criterion on every task."),
    "theory": Described("The propositions on random games."),
    "table_*": Described("The paper's tables beside ours, drawn."),
}

# what else is there
FOLDERS = {
    "config.json": "The config of the last run that wrote here, with all defaults.",
    "logs/": "What each job said.",
    "benchmarks/": "What each job cost.",
    "play/": "Games that were played with `neuralese play`.",
    "sweep/<key>=<value>/": "The files of one point of a sweep, laid out as here.",
    ".checkpoints/": "Where trainings go on that were cut off.",
}


def sections() -> dict[str, tuple[str, Files]]:
    """The parts of the page: the folder and the files in it."""
    parts = _split("Files of every task", OF_TASKS)
    for name in tasks.BUILT_IN:
        own = import_module(f"neuralese.tasks.{name}.described").DESCRIBED
        parts |= _split(f"Files of {name} alone", own, name)
    parts |= _split("Files of a corpus alone", OF_CORPORA)
    return parts | {"Files of a run": ("", OF_RUNS), "Figures": ("figures/", FIGURES)}


def _split(title: str, files: Files, name: str = "{task}") -> dict[str, tuple[str, Files]]:
    """The files of a task, and those of each of its seeds."""
    seeded = {file: of for file, of in files.items() if SEED + file in outputs()}
    parts = {title: ("{task}/", {file: of for file, of in files.items() if file not in seeded})}
    parts[f"{title} and seed" if title.endswith("every task") else f"{title}, of every seed"] = (SEED, seeded)
    return {title: (place.replace("{task}", name), of) for title, (place, of) in parts.items() if of}


@cache
def outputs() -> dict[str, list[str]]:
    """What rules write, as they say it, below the results, and which rules those are."""
    found: dict[str, list[str]] = {}
    for path in sorted(RULES.rglob("*.smk")):
        for rule, written in re.findall(r"^rule (\w+):\n.*?^    output:\n(.*?)^    \w", path.read_text(), re.M | re.S):
            for name in re.findall(r'"<\w+>/([^"]+)"', written):
                found.setdefault(_any_task(name), []).append(rule)
    return found


def makers(path: str) -> list[str]:
    """The rules that make a file or a figure, by its path below the results."""
    for alike in (re.escape, lambda written: re.sub(r"\\\{(?!task|seed)\w+\\\}", "[^/]+", re.escape(written))):
        if found := [each for name, each in outputs().items() if re.fullmatch(alike(name) + r"(\.\w+)?", path)]:
            return list(dict.fromkeys(rule for each in found for rule in each))
    return []


def page() -> str:
    """The page, in Markdown."""
    made = [INTRO.replace("/TASK/", f"/{tasks.BUILT_IN[0]}/")]
    for title, (place, files) in sections().items():
        made.append(f"\n## {title}\n\nIn `results/{place}`:\n\n")
        made.append("| file | what it is | columns | made by |\n| --- | --- | --- | --- |\n")
        made += _rows(place, files)
    made.append(ELSE)
    made += [f"| `{folder}` | {meaning} |\n" for folder, meaning in FOLDERS.items()]
    made.append(COLUMNS)
    for kind, of in sorted(kinds().items()):
        made.append(f"\n### {kind}\n\n| column | type | meaning |\n| --- | --- | --- |\n")
        made += _columns(of)
    return "".join(made)


def kinds() -> dict[str, Described]:
    """A table of every kind, by the name of its contract."""
    found: dict[str, Described] = {}
    for _, files in sections().values():
        for of in files.values():
            if of.contract is not None:
                found.setdefault(of.contract.name, of)
    return found


def _rows(place: str, files: Files) -> Iterator[str]:
    for file, of in files.items():
        kind = f"[{of.contract.name}](#{of.contract.name})" if of.contract else ""
        rules = ", ".join(f"`{rule}`" for rule in makers(path_of(place, file)))
        yield _line(f"`{file}`", of.meaning, kind, rules)


def path_of(place: str, file: str) -> str:
    """A file or a figure below the results, as rules call it."""
    return _any_task(f"{place}{file}.png" if place == "figures/" else place + file)


def _any_task(path: str) -> str:
    """A path with the wildcard in place of the name of a task."""
    return re.sub(rf"^({'|'.join(tasks.BUILT_IN)})/", "{task}/", path)


def _columns(of: Described) -> Iterator[str]:
    for name, kind in of.contract.columns.items() if of.contract else ():
        yield _line(f"`{name}`", _type(kind), of.column(name))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n".replace("|  |", "| |")


def _type(kind: pa.DataType | str) -> str:
    """The type of a column, in words."""
    if isinstance(kind, str):
        return kind
    return f"list of {kind.value_type}" if pa.types.is_list(kind) else str(kind)


def main(arguments: Iterable[str]) -> int:
    """Write the page if it is not what it is to be, or only say so."""
    current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page()
    if not current and "--write" in arguments:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE} is {'up to date' if current else 'written anew' if '--write' in arguments else 'out of date'}")
    return 0 if current or "--write" in arguments else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
