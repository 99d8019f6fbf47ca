"""The page results/README.md: every file of the results, what it is, who makes it, and what its columns mean.

python -m neuralese.pipeline.file_table --write
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path

import pyarrow as pa

from neuralese import tasks
from neuralese.pipeline.result_files import FIGURES, FOLDERS, OF_RUNS, OF_TASKS
from neuralese.pipeline.stages import STAGES
from neuralese.storage.described import Described
from neuralese.tasks.corpus.described import DESCRIBED as OF_CORPORA
from neuralese.tasks.stages import FOLDERS as PLACES
from neuralese.tasks.stages import RUN, SEED, TASK

PAGE = Path("results/README.md")
INTRO = """\
# What a run writes

<!-- made by `python -m neuralese.pipeline.file_table --write`; edit src/neuralese/pipeline/result_files.py instead -->

Everything in the folder of results is made by the workflow, and only the page that you are reading is kept in git.
Names in braces stand for a task, a seed and so on: `{task}/seed{seed}/dictionary.parquet` is
`results/TASK/seed0/dictionary.parquet`. Open a table with pandas, or look at it with `neuralese show`:

```python
import pandas as pd

pd.read_parquet("results/TASK/seed0/dictionary.parquet")
```

Each Parquet, safetensors and JSON file says what made it, and `neuralese show FILE` prints that. *Made by* names the
stages; `snakemake --cores 8 --forcerun STAGE -- all` runs one again, and what follows.
"""
COLUMNS = """
## Columns

Of every kind of table, the columns that are always there, checked whenever one is written and whenever it is read. Some
tables have more, such as the parts of a state.
"""
ALONE = "Files of {name} alone"
ELSE = "\n## What else is there\n\n| folder | what is in it |\n| --- | --- |\n"

Files = Mapping[str, Described]


def sections() -> dict[str, tuple[str, Files]]:
    """The parts of the page: of what a stage is run once for (or of figures), and which files it lists."""
    seeded = {file for stage in STAGES if stage.each == SEED for file in stage.files}
    parts: dict[str, tuple[str, Files]] = {}
    for each, title in ((TASK, "of every task"), (SEED, "of every task and seed")):
        parts[f"Files {title}"] = (
            each,
            {file: OF_TASKS[file] for file in OF_TASKS if (file in seeded) == (each == SEED)},
        )
    for name in tasks.BUILT_IN:
        parts |= _own(ALONE.format(name=name), import_module(f"neuralese.tasks.{name}.described").DESCRIBED, seeded)
    parts |= _own("Files of a corpus alone", OF_CORPORA, seeded)
    return parts | {"Files of a run": (RUN, OF_RUNS), "Figures": ("figures", FIGURES)}


def _own(title: str, files: Files, seeded: set[str]) -> dict[str, tuple[str, Files]]:
    """The files of one task: of the task, and of each seed."""
    split = {each: {file: files[file] for file in files if (file in seeded) == (each == SEED)} for each in (TASK, SEED)}
    return {f"{title}{', of every seed' if each == SEED else ''}": (each, of) for each, of in split.items() if of}


def makers(pattern: str) -> list[str]:
    """The stages that make a file or a figure, by its name as stages write it."""
    stages = STAGES
    return list(
        dict.fromkeys(
            stage.name
            for stage in stages
            if any(file == pattern or fnmatch(file, pattern) for file in (*stage.files, *stage.figures))
        )
    )


def page() -> str:
    """The page, in Markdown."""
    made = [INTRO.replace("/TASK/", f"/{tasks.BUILT_IN[0]}/")]
    for title, (each, files) in sections().items():
        place = _place(title, PLACES.get(each, "figures/"))
        made.append(f"\n## {title}\n\nIn `results/{place}`:\n\n")
        made.append("| file | what it is | columns | made by |\n| --- | --- | --- | --- |\n")
        made += _rows(files)
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


def _place(title: str, place: str) -> str:
    """A folder below the results, of one task where only that has it."""
    name = next((name for name in tasks.BUILT_IN if title.startswith(ALONE.format(name=name))), "{task}")
    return place.replace("{task}", name)


def _rows(files: Files) -> Iterator[str]:
    for file, of in files.items():
        kind = f"[{of.contract.name}](#{of.contract.name})" if of.contract else ""
        stages = ", ".join(f"`{stage}`" for stage in makers(file))
        yield _line(f"`{file}`", of.meaning, kind, stages)


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
