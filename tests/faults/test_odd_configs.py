"""Whatever stands in a config, it is run or refused before anything runs, in one sentence that names what is wrong."""

import dataclasses
import math
from pathlib import Path

import pytest
import yaml

from neuralese.pipeline.check import problem
from neuralese.pipeline.config import SCHEMA, Config, complete
from neuralese.pipeline.given import MOST_VALUES, shape_problem, typed
from neuralese.pipeline.sweep import sweep_problem
from neuralese.storage.files import unwritable
from neuralese.translate.criteria import kinds

ROOT = Path(__file__).parents[2]
NOT_NUMBERS = [math.nan, math.inf, -math.inf, -1, 10**30, "many", None, [], {}, "nan", "1e999", "0x10"]
NOT_COUNTS = [*NOT_NUMBERS, 2.5, 64.0, True, "2.5"]
NOT_SWITCHES = [0, 1, "yes", "off", None, [], math.nan]
NOT_TEXTS = [3, 2.5, True, [], {}, math.nan]


def refusal(given: object) -> str | None:
    """What the workflow says of a config before it looks at anything else."""
    if wrong := shape_problem(given):
        return wrong
    config = complete(typed(given, SCHEMA))
    return problem(config, SCHEMA) or sweep_problem(config, SCHEMA)


def checked(given: object) -> str:
    """The same, of a config that is wrong: after making sure that it is one sentence which a terminal can show."""
    sentence = refusal(given)
    assert sentence is not None, given
    assert sentence.startswith("config: ")
    assert sentence.isprintable()
    assert sentence.endswith((".", "?"))
    assert len(sentence) < 1000
    return sentence


def settings(section: object, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], object]]:
    """Every key of the config that has a plain value, with its default."""
    found = []
    for field in dataclasses.fields(section):
        value = getattr(section, field.name)
        if dataclasses.is_dataclass(value):
            found += settings(value, (*path, field.name))
        elif not isinstance(value, list | dict):
            found.append(((*path, field.name), value))
    return found


def nested(path: tuple[str, ...], value: object) -> dict:
    for key in reversed(path):
        value = {key: value}
    return value


@pytest.mark.parametrize(("path", "default"), settings(Config()), ids=lambda each: str(each)[:60])
def test_no_key_takes_what_it_cannot_be(path, default):
    match default:
        case bool():
            odd = NOT_SWITCHES
        case int():
            odd = NOT_COUNTS
        case float():
            odd = NOT_NUMBERS
        case _:
            odd = NOT_TEXTS
    for value in odd:
        assert ".".join(path) in checked(nested(path, value)), value


def mine(name: object = "mine", **settings: object) -> dict:
    return {"criteria": {**complete({})["criteria"], name: {"kind": "belief", **settings}}}


def in_place_of(old: str, new: object) -> dict:
    criteria = complete({})["criteria"]
    return {"criteria": {new if name == old else name: each for name, each in criteria.items()}}


NAMES = [
    *(
        "a $x^{ b$",
        "a b",
        "",
        " ",
        "\x1b[31mred",
        "a\nb",
        "$",
        "é",
        "a|b",
        "a&b",
        "<b>",
        "{x}",
        "../x",
        "a/b",
        "-a",
        "1a",
    ),
    *("x" * 41, "\u202eabc", "a\\b", "a,b", "a=b", "%"),
]
FOLDERS = ["~/x", "~", "", "a{b}", "{task}", "a/", "/", "a\nb", "a\0b", "\x1b[2J", "x\n"]
ODD = [
    # whole sections
    *({"agent": each} for each in (None, [], "x", 3, True, math.nan)),
    *({"training": {"colors": each}} for each in (None, [], "x", 3)),
    *({"criteria": each} for each in (None, [], {}, "belief", {"belief": None}, {"belief": []}, {"belief": {}})),
    *(
        {"seeds": each}
        for each in ([], [1.0], [-1], [2**60], [2**31], ["a"], [True], [None], [[0]], [0, 0], 0, "0", {})
    ),
    *({"seeds": each} for each in ([math.nan], [math.inf], ["1.5"], ["nan"])),
    *({"tasks": each} for each in ([], ["chess"], "colors", None, [1], ["colors", "colors"], [""], ["*"])),
    *({"sweep": each} for each in ({"agent.noise": []}, {"agent.noise": 1}, {"agent.noise": [math.nan]}, {"": [1]})),
    *(
        {"sweep": each}
        for each in ({"agent": [1]}, {"a..b": [1]}, {"seeds": [1]}, {"agent.noise": [0.1, 0.1]}, {"x": [1]})
    ),
    {"sweep": {"agent.noise": [0.1 + n / 1000 for n in range(200)], "agent.radius": [1 + n / 100 for n in range(200)]}},
    {"sweep": {"agent.noise": ["a/b"]}},
    # folders
    *({"results": each} for each in FOLDERS),
    *({"data": {"mirror": each}} for each in FOLDERS),
    *({"corpora": {"mine": each}} for each in FOLDERS),
    # names
    *(mine(name) for name in NAMES),
    *(mine(name) for name in (7, True, None, 2.5, math.nan)),
    *({"ablation": {"also": {name: {"kind": "pmi"}}}} for name in (*NAMES[:4], 7, True)),
    *(mine(name) for name in ("synthesis", "Synthesis", "utterance", "silence", "none", "interpreter", "message")),
    *(mine(name) for name in kinds() if name != "belief" and name not in complete({})["criteria"]),
    *(in_place_of("belief", name) for name in ("control", "baseline", "pmi", "printed")),
    {"criteria": {**complete({})["criteria"], "random": {"kind": "belief", "role": "control"}}},
    {"criteria": {**complete({})["criteria"], "direct": {"kind": "pmi", "role": "baseline"}}},
    in_place_of("belief", "beleif"),
    {"synthesis": {"criterion": "nope"}},
    {"synthesis": {"criterion": "random"}},
    {"synthesis": {"criterion": ""}},
    {"examples": {"criterion": "nope"}},
    {"examples": {"criterion": None}},
    # criteria
    mine(kind="random", weights="sum"),
    mine(kind="direct", divergence="forward"),
    mine(scale=[1.0, 1.0]),
    mine(scale=[n / 10 + 1 for n in range(40)], variance=[n / 10 + 1 for n in range(40)]),
    mine(scale=1e-300),
    mine(scale=math.nan),
    mine(scale=[1.0, math.inf]),
    mine(variance=0),
    mine(prior=-1),
    mine(seed=2**63),
    mine(role="ours"),
    mine(weight="sum"),
    mine(kind=None),
    mine(kind=["belief", "direct"]),
    # keys
    {"agent.noise": 3},
    {"training.colors.updates": 10},
    {"sedes": [1]},
    {7: 1},
    {None: 1},
    {"agent": {True: 1}},
    {"agent": {"\x1b[31m": 1}},
    {"x" * 10_000: 1},
    {"evaluation": {"phrases_heard": 9}},
    {"data": {"source": "x" * 10_000}},
]


@pytest.mark.parametrize("given", ODD, ids=lambda given: ascii(given)[:70])
def test_an_odd_config_is_refused_in_one_sentence(given):
    checked(given)


def test_a_dotted_key_is_told_how_to_write_it():
    assert checked({"agent.noise": 3}).endswith("write --config 'agent={noise: 3}'.")
    assert "write --config 'training={colors: {updates: 10}}'." in checked({"training.colors.updates": 10})


def test_a_whole_number_with_a_point_is_told_how_to_write_it():
    assert checked({"agent": {"hidden": 64.0}}).endswith("write 64.0 without a decimal point: 64.")


def test_a_config_that_holds_itself_is_refused():
    given = yaml.safe_load("agent: &a {noise: 0.3, again: *a}")
    assert "contains itself" in checked(given)
    assert "contains itself" in checked(yaml.safe_load("seeds: &a [1, *a]"))


def test_a_config_that_unfolds_without_end_is_refused_at_once():
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]  # 10 to the 12 values
    assert "more than any experiment needs" in checked(yaml.safe_load("\n".join(lines)))
    assert "more than any experiment needs" in checked({"seeds": list(range(MOST_VALUES))})


@pytest.mark.parametrize(
    "text", ["@runs", "*runs", "2024-13-45", "2024-01-01", "1:30", "yes", "null", "1e3", "- a", "[", "a: b"]
)
def test_a_name_is_never_read_as_anything_else(text):
    assert typed({"results": text, "data": {"mirror": "@x"}}, SCHEMA) == {"results": text, "data": {"mirror": "@x"}}
    assert refusal({"results": text}) is None


@pytest.mark.parametrize("below", ["", "/a/b"])
def test_results_in_a_file_are_refused_before_the_run(tmp_path, below):
    (tmp_path / "file").touch()
    assert f"{tmp_path / 'file'} is not a folder; choose another" in unwritable(f"{tmp_path / 'file'}{below}")
    assert unwritable(tmp_path / "new" / "folder") is None


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_what_is_shipped_is_accepted(path):
    assert refusal(yaml.safe_load(path.read_text())) is None


def test_the_least_and_the_most_of_every_limit_are_accepted():
    for path, default in settings(Config()):
        section = SCHEMA
        for key in path:
            section = section["properties"][key]
        for limit in ("minimum", "maximum"):
            if limit in section and path[-1] != "phrases_heard" and path[-1] != "n_best":
                value = type(default)(section[limit])
                assert refusal(nested(path, value)) is None, (path, value)
