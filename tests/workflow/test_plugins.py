"""Tasks and criteria of other packages run like those of the project."""

import os
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from copies import QUICK, ROOT, Project, restored

EXAMPLE = ROOT / "examples/shapes/neuralese_shapes.py"
ENGLISH = re.compile(r"^WORDS = .*$", re.MULTILINE)
CHINESE = ("圆形", "方形", "三角形", "红色", "绿色", "蓝色", "小的", "大的")
CRITERION = re.search(r"```python\n(.*?)```", (ROOT / "docs/tutorial-criterion.md").read_text(), re.S)[1]
CONFIG = ["--config", "tasks=[colors,shapes]", "criteria={overlap: {kind: overlap, power: [0.5, 1.0]}}"]
RESULTS = ["--results", "results/quick"]


class Extended(Project):
    """A copy of a project after a run, in an environment with further packages."""

    def __init__(self, folder: Path, project: Project, packages: Path) -> None:
        shutil.copytree(project.folder, folder, dirs_exist_ok=True)
        self.folder, self.packages = folder, packages
        self.quick, self.watched = folder / "results" / "quick", folder / "watched"

    def environment(self) -> dict[str, str]:
        given = super().environment()
        return {**given, "PYTHONPATH": os.pathsep.join((given["PYTHONPATH"], str(self.packages)))}


def install(packages: Path, module: str, text: str, group: str, name: str, kind: str = "") -> None:
    """Write the files that an installer writes for a package with one module and one entry point."""
    packages.mkdir(exist_ok=True)
    (packages / f"{module}.py").write_text(text, encoding="utf-8")
    about = packages / f"{module}-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 0.1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}{kind}\n")


@pytest.fixture(scope="module")
def extended(project, tmp_path_factory) -> Extended:
    """A run of colours and of a task with Chinese phrases, also by a criterion of another package."""
    packages = tmp_path_factory.mktemp("elsewhere") / "packages"
    spoken = ENGLISH.sub(f"WORDS = {CHINESE!r}", EXAMPLE.read_text(encoding="utf-8"))
    install(packages, "neuralese_shapes", spoken, "neuralese.tasks", "shapes", ":Shapes")
    install(packages, "overlap_criterion", CRITERION, "neuralese.criteria", "overlap")
    made = Extended(tmp_path_factory.mktemp("extended"), project, packages)
    code, output = made.snakemake("all", *QUICK, *CONFIG)
    assert code == 0, output
    return made


def test_a_task_from_elsewhere_is_in_every_table_with_its_own_chance(extended):
    names = ("belief", "ablation", "bound")
    tables = {name: pd.read_parquet(extended.quick / f"tables/{name}.parquet") for name in names}
    for table in tables.values():
        assert set(table["task"]) == {"colors", "shapes"}
    belief = tables["belief"].query("task == 'shapes'")
    assert set(belief["candidates"]) == {3}
    assert set(belief["chance"].round(6)) == {round(1 / 3, 6)}
    assert set(tables["belief"].query("task == 'colors'")["chance"]) == {0.5}
    random = belief[belief["criterion"] == "random"]
    assert (random["ci_low"] - 0.02 < 1 / 3).all()
    assert (random["ci_high"] + 0.02 > 1 / 3).all()
    native = belief.query("speaker == 'R' and listener == 'R' and criterion == 'none'")["value"]
    assert (native > 0.5).all()
    assert "shapes" in (extended.quick / "tables/comparison.md").read_text()


def test_it_is_in_the_report_with_its_pictures_and_variables(extended):
    page = (extended.quick / "report/index.html").read_text(encoding="utf-8")
    assert 'data-part="examples" data-task="shapes"' in page
    assert "data:image/png;base64" in page
    assert "small red circle" in page
    for name in ("examples_shapes_seed0.png", "table_shapes.png"):
        assert (extended.quick / "figures" / name).stat().st_size > 0
    protocol = pd.read_parquet(extended.quick / "shapes/seed0/protocol.parquet")
    assert set(protocol.loc[protocol["measure"] == "information", "variable"]) == {"shape", "color", "size"}


def test_phrases_and_commands_may_be_in_any_language(extended):
    inventory = pd.read_parquet(extended.quick / "shapes/inventory.parquet")
    assert tuple(inventory["phrase"]) == CHINESE
    dictionary = pd.read_parquet(extended.quick / "shapes/seed0/dictionary.parquet")
    assert set(dictionary.loc[dictionary["direction"] == "R->H", "target"]) <= set(CHINESE)
    assert "圆形" in (extended.quick / "report/index.html").read_text(encoding="utf-8")
    assert "shapes" in extended.neuralese("status", *QUICK, *CONFIG)
    assert "小的 + 圆形" in extended.neuralese("translate", *RESULTS, "--task", "shapes", "小的", "圆形")


def test_a_criterion_from_elsewhere_is_chosen_on_dev_and_translates(extended):
    criteria = pd.read_parquet(extended.quick / "tables/criteria.parquet").query("criterion == 'overlap'")
    assert set(criteria["task"]) == {"colors", "shapes"}
    assert set(criteria["members"]) == {2}
    assert set(criteria["member"]) <= {"overlap x1 power 0.5", "overlap x1 power 1.0"}
    for task in ("colors", "shapes"):
        dictionary = pd.read_parquet(extended.quick / task / "seed0/dictionary.parquet")
        assert set(dictionary.loc[dictionary["criterion"] == "overlap", "direction"]) == {"R->H", "H->R"}
    asked = ["--task", "colors", "--criterion", "overlap", "-n", "9", "blue"]
    assert "scored now" in extended.neuralese("translate", *RESULTS, *asked)


def test_an_edit_of_a_task_of_another_package_reruns_only_its_stages(extended):
    module = extended.packages / "neuralese_shapes.py"
    line = "        super().__init__(items, pool, config.steps, config.candidates)\n"
    with restored(module):
        text = module.read_text(encoding="utf-8")
        assert line in text
        module.write_text(text.replace(line, f"{line}        self.edited = True\n"), encoding="utf-8")
        code, output = extended.snakemake("--dry-run", "all", *QUICK, *CONFIG)
    assert code == 0, output
    assert "results/quick/shapes/seed0/agent.safetensors" in output
    assert not re.findall(r"output: \S*colors/seed0", output)
