"""The project keeps its own rules: rooms, words, and configs that can be run."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from neuralese.pipeline.check import problem
from neuralese.pipeline.config import SCHEMA
from neuralese.pipeline.given import typed
from neuralese.pipeline.sweep import sweep_problem
from neuralese.translate import families
from neuralese.translate.criteria import make_criterion

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "neuralese"
ROOMS = ["storage", "sources", "games", "agents", "speakers", "translate", "evaluate", "theory", "play", "tasks"]
ROOMS += ["report", "pipeline", "cli"]
TASKS = ("colors", "birds", "driving")


def default_config() -> dict:
    return yaml.safe_load((ROOT / "config/config.yaml").read_text())


def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    return names


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_above_it(room):
    below = ROOMS[ROOMS.index(room) + 1 :]
    for path in (SOURCE / room).rglob("*.py"):
        wrong = [name for name in imports(path) if any(name.startswith(f"neuralese.{other}") for other in below)]
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_the_library_knows_nothing_of_snakemake():
    for path in SOURCE.rglob("*.py"):
        assert not [name for name in imports(path) if name.split(".")[0] == "snakemake"], path


def code(path: Path) -> str:
    """A file without what is said in it to people: comments, docstrings, examples of commands and settings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return re.sub(r"(?m)//.*$|#.*$|<!--.*?-->|\{#.*?#\}|^\s*\"\"\".*?\"\"\"", "", text)
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            body[0] = ast.Pass()  # a docstring
    tree.body = [node for node in tree.body if not ast.unparse(node).startswith("EXAMPLES = ")]
    return re.sub(r"(?:help|advice|epilog)=(?:'[^']*'|\"[^\"]*\")", "", ast.unparse(tree))


def test_nothing_but_the_tasks_themselves_knows_a_task_by_name():
    library = [path for path in SOURCE.rglob("*.py") if "tasks" not in path.relative_to(SOURCE).parts]
    library.remove(SOURCE / "stages/prepare.py")  # which makes what all others read, as its rules do
    scripts = [path for path in (ROOT / "workflow/scripts").glob("*.py") if "stages.prepare" not in path.read_text()]
    rules = [*(ROOT / "workflow/rules").glob("*.smk"), ROOT / "workflow/Snakefile"]
    rules.remove(ROOT / "workflow/rules/data.smk")
    page = [*(SOURCE / "report/page/assets").glob("*.js")]
    for path in (*library, *scripts, *rules, *page):
        found = re.findall(rf"\b(?:{'|'.join(TASKS)})\b", code(path))
        assert not found, f"{path.relative_to(ROOT)} names {found}"


def test_no_function_takes_more_than_seven_parameters_and_no_file_is_long():
    for path in (*SOURCE.rglob("*.py"), *(ROOT / "workflow").rglob("*.py")):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 350, path
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                taken = [name for name in given if name not in ("self", "cls")]
                assert len(taken) <= 7, f"{path.relative_to(ROOT)}: {node.name} takes {len(taken)}"


def overlay(base: dict, over: dict) -> dict:
    merged = dict(base)
    for key, value in over.items():
        merged[key] = overlay(base[key], value) if isinstance(value, dict) and key in base else value
    return merged


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_every_shipped_config_is_valid(path):
    config = overlay(default_config(), yaml.safe_load(path.read_text()))
    assert problem(config, SCHEMA) is None
    assert sweep_problem(config, SCHEMA) is None


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_every_criterion_of_a_shipped_config_can_be_built_and_those_it_names_are_there(path):
    config = overlay(default_config(), yaml.safe_load(path.read_text()))
    for settings in (config["criteria"] | config["ablation"].get("also", {})).values():
        for each in families.members(settings).values():
            make_criterion(each)
    assert config["synthesis"]["criterion"] in config["criteria"]
    assert config["examples"]["criterion"] in config["criteria"]
    roles = {settings.get("role") for settings in config["criteria"].values()}
    assert roles >= {"printed", "released", "ours", "baseline", "control"}


def test_profiles_name_only_rules_that_there_are_and_one_of_them_alone_sets_default_resources():
    rules = set(
        re.findall(
            r"^rule (\w+):", "".join(path.read_text() for path in (ROOT / "workflow/rules").rglob("*.smk")), re.M
        )
    )
    profiles = [yaml.safe_load(path.read_text()) for path in (ROOT / "profiles").glob("*/config.yaml")]
    for profile in profiles:
        assert set(profile.get("groups", {})) <= rules
    assert sum("default-resources" in profile for profile in profiles) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sedes": [1]}, "'sedes' is not a known key; did you mean 'seeds'?"),
        ({"agent": {"hiden": 3}}, "'agent.hiden' is not a known key; did you mean 'hidden'?"),
        ({"seeds": []}, "'seeds' is wrong"),
        ({"data": {"source": "magic"}}, "'data.source' is wrong: 'magic' is not one of"),
        ({"tasks": ["chess"]}, "'tasks.0' is wrong"),
        ({"criteria": {"belief": {"kind": "belief", "weight": "sum"}}}, "'criteria.belief.weight' is not a known key"),
        # a value may be a list, and what is wrong with it is said of whichever was meant
        (
            {"criteria": {"belief": {"weights": "sideways"}}},
            "'criteria.belief.weights' is wrong: 'sideways' is not one of",
        ),
        (
            {"criteria": {"belief": {"weights": ["sum", "up"]}}},
            "'criteria.belief.weights.1' is wrong: 'up' is not one of",
        ),
        ({"criteria": {"direct": {"scale": [1.0, -2.0]}}}, "'criteria.direct.scale.1' is wrong: -2.0 is less than"),
        ({"criteria": {"direct": {"scale": []}}}, "'criteria.direct.scale' is wrong: []"),
        ({"criteria": {"direct": {"role": "hero"}}}, "'criteria.direct.role' is wrong: 'hero' is not one of"),
        (
            {"ablation": {"also": {"x": {"kind": "pmi", "variance": 0}}}},
            "'ablation.also.x.variance' is wrong: 0 is less",
        ),
        ({"criteria": {"mine": {"role": "ours"}}}, "criteria.mine lacks a key: 'kind' is a required property"),
        ({"criteria": {"mine": {"kind": "belief", "role": "ours"}}}, "two criteria have the role 'ours'"),
        ({"criteria": {"shuffled": {"kind": "pmi"}}}, "'shuffled' has another meaning in the tables"),
        ({"ablation": {"also": {"direct": {"kind": "pmi"}}}}, "'direct' is both in criteria and in ablation.also"),
        ({"examples": {"criterion": "beleif"}}, "examples.criterion is 'beleif', which is not a criterion"),
        ({"evaluation": {"phrases_heard": 9}}, "raise dictionary.n_best"),
        ({"criteria": {"direct": {"scale": [1.0, 0]}}}, "'criteria.direct.scale.1' is wrong"),
    ],
)
def test_a_wrong_config_is_refused_in_one_sentence_that_names_the_key(change, says):
    sentence = problem(overlay(default_config(), change), SCHEMA)
    assert says in sentence
    assert "\n" not in sentence


def test_numbers_from_the_command_line_are_numbers_and_names_stay_names():
    given = {"seeds": ["0", "1"], "data": {"mirror": "null", "source": "auto"}, "agent": {"noise": "0.1"}}
    wanted = {"seeds": [0, 1], "data": {"mirror": None, "source": "auto"}, "agent": {"noise": 0.1}}
    assert typed(given, SCHEMA) == wanted
    names = {"results": "2024", "sweep": {"agent.noise": ["0.1", "true", "x"]}, "criteria": {"7": {"scale": ["1"]}}}
    wanted = {"results": "2024", "sweep": {"agent.noise": [0.1, True, "x"]}, "criteria": {"7": {"scale": [1]}}}
    assert typed(names, SCHEMA) == wanted
