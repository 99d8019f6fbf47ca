"""Whatever stands in a config, it is run or refused before anything runs, in one sentence that names what is wrong."""

import math
from pathlib import Path

import pytest
import yaml

from neuralese import tasks
from neuralese.config.load import ConfigError, load
from neuralese.config.models import config_model
from neuralese.config.section import Section
from neuralese.storage.files import unwritable
from neuralese.translate.criteria import kinds

ROOT = Path(__file__).parents[2]
NOT_NUMBERS = [math.nan, math.inf, -math.inf, -1, 10**30, "many", None, [], {}, "nan", "1e999", "0x10"]
NOT_COUNTS = [*NOT_NUMBERS, 2.5, 64.0, True, "2.5"]
NOT_SWITCHES = [0, 1, "yes", "off", None, [], math.nan]
NOT_TEXTS = [3, 2.5, True, [], {}, math.nan]
MODEL = config_model(tasks.sections(), kinds())
DEFAULT = load({}, MODEL)


def read(given: object) -> dict:
    return load(given, MODEL).model_dump()


def checked(given: object) -> str:
    """What is said of a wrong config: for each fault one sentence which a terminal can show."""
    with pytest.raises(ConfigError) as error:
        read(given)
    for sentence in str(error.value).split("\n"):
        assert sentence.startswith("config: ")
        assert sentence.isprintable()
        assert sentence.endswith((".", "?"))
        assert len(sentence) < 1000
    return str(error.value)


def settings(section: object, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], object]]:
    """Every key of the config that has a plain value, with its default."""
    found = []
    for name, value in section:
        if isinstance(value, Section):
            found += settings(value, (*path, name))
        elif not isinstance(value, list | dict):
            found.append(((*path, name), value))
    return found


def nested(path: tuple[str, ...], value: object) -> dict:
    for key in reversed(path):
        value = {key: value}
    return value


@pytest.mark.parametrize(("path", "default"), settings(DEFAULT), ids=lambda each: str(each)[:60])
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
    return {"criteria": {**DEFAULT.model_dump()["criteria"], name: {"kind": "belief", **settings}}}


def in_place_of(old: str, new: object) -> dict:
    criteria = DEFAULT.model_dump()["criteria"]
    return {"criteria": {new if name == old else name: each for name, each in criteria.items()}}


NAMES = ["a $x^{ b$", "a b", "", " ", "\x1b[31mred", "a\nb", "$", "é", "a|b", "a&b", "<b>", "{x}", "../x", "a/b", "-a"]
NAMES += ["1a", "x" * 41, "\u202eabc", "a\\b", "a,b", "a=b", "%"]
TAKEN = [
    "description",
    "Description",
    "utterance",
    "silence",
    "none",
    "interpreter",
    "message",
]  # with a meaning in tables
TAKEN += [name for name in kinds() if name != "belief" and name not in DEFAULT.model_dump()["criteria"]]
FOLDERS = ["~/x", "~", "", "a{b}", "{task}", "a/", "/", "a\nb", "a\0b", "\x1b[2J", "x\n"]
MANY = [n / 1000 for n in range(1, 201)]
VALUES: list[tuple[str, list]] = [  # of a dotted key
    ("agent", [None, [], "x", 3, True, math.nan, {True: 1}, {"\x1b[31m": 1}]),
    ("training.colors", [None, [], "x", 3]),
    ("criteria", [None, [], {}, "belief", {"belief": None}, {"belief": []}, {"belief": {}}]),
    ("seeds", [[], [1.0], [-1], [2**60], [2**31], ["a"], [True], [None], [[0]], [0, 0], 0, "0", {}]),
    ("seeds", [[math.nan], [math.inf], ["1.5"], ["nan"]]),
    ("tasks", [[], ["chess"], "colors", None, [1], ["colors", "colors"], [""], ["*"]]),
    ("sweep", [{"agent.noise": []}, {"agent.noise": 1}, {"agent.noise": [math.nan]}, {"": [1]}, {"agent": [1]}]),
    ("sweep", [{"a..b": [1]}, {"seeds": [1]}, {"agent.noise": [0.1, 0.1]}, {"x": [1]}, {"agent.noise": ["a/b"]}]),
    ("sweep", [{"agent.noise": MANY, "agent.radius": MANY}]),
    ("results", FOLDERS),
    ("data.mirror", FOLDERS),
    ("corpora.mine", FOLDERS),
    ("data.source", ["x" * 10_000]),
    ("ablation.also", [{name: {"kind": "pmi"}} for name in (*NAMES[:4], 7, True)]),
    ("examples.criterion", ["nope", ""]),
    ("examples.criterion", ["nope", None]),
    ("evaluation.phrases_heard", [9]),
]
KEYS = [{"agent.noise": 3}, {"training.colors.updates": 10}, {"sedes": [1]}, {7: 1}, {None: 1}, {"x" * 10_000: 1}]
SCALES = [n / 10 + 1 for n in range(40)]
ODD = [
    *(nested(tuple(path.split(".")), value) for path, values in VALUES for value in values),
    *KEYS,
    *(mine(name) for name in (*NAMES, *TAKEN, 7, True, None, 2.5, math.nan)),
    *(in_place_of("belief", name) for name in ("control", "baseline", "pmi", "printed", "beleif")),
    mine("random", role="control"),
    mine("direct", kind="pmi", role="baseline"),
    mine(kind="random", weights="sum"),
    mine(kind="direct", divergence="forward"),
    mine(scale=SCALES, variance=SCALES),
    *(mine(scale=scale) for scale in ([1.0, 1.0], 1e-300, math.nan, [1.0, math.inf])),
    *(mine(kind=kind) for kind in (None, ["belief", "direct"])),
    *(mine(**{option: value}) for option, value in {"variance": 0, "prior": -1, "seed": 2**63, "role": "ours"}.items()),
    mine(weight="sum"),
]


@pytest.mark.parametrize("given", ODD, ids=lambda given: ascii(given)[:70])
def test_an_odd_config_is_refused_in_one_sentence(given):
    checked(given)


def test_a_dotted_key_is_told_how_to_write_it():
    assert checked({"agent.noise": 3}).endswith("write --config 'agent={noise: 3}'.")
    assert "write --config 'training={colors: {updates: 10}}'." in checked({"training.colors.updates": 10})


def test_a_config_that_holds_itself_is_refused():
    given = yaml.safe_load("agent: &a {noise: 0.3, again: *a}")
    assert "'agent.again' is not a known key" in checked(given)
    assert "'seeds.1' is wrong" in checked(yaml.safe_load("seeds: &a [1, *a]"))
    assert "'criteria.x.scale' is wrong" in checked(yaml.safe_load("criteria: {x: &a {kind: belief, scale: *a}}"))


def test_a_config_that_unfolds_without_end_is_refused_at_once():
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]  # 10 to the 12 values
    assert "'a0' is not a known key" in checked(yaml.safe_load("\n".join(lines)))
    assert "'seeds.0' is wrong" in checked({"seeds": yaml.safe_load("\n".join(lines))["a11"]})
    assert "at most 1000 items" in checked({"seeds": list(range(10_000))})


@pytest.mark.parametrize(
    "text", ["@runs", "*runs", "2024-13-45", "2024-01-01", "1:30", "yes", "null", "1e3", "- a", "[", "a: b"]
)
def test_a_name_is_never_read_as_anything_else(text):
    given = read({"results": text, "data": {"mirror": "@x"}})
    assert (given["results"], given["data"]["mirror"]) == (text, "@x")


@pytest.mark.parametrize("below", ["", "/a/b"])
def test_results_in_a_file_are_refused_before_the_run(tmp_path, below):
    (tmp_path / "file").touch()
    assert f"{tmp_path / 'file'} is not a folder; choose another" in unwritable(f"{tmp_path / 'file'}{below}")
    assert unwritable(tmp_path / "new" / "folder") is None


def test_the_least_and_the_most_of_every_limit_are_accepted():
    for path, default in settings(DEFAULT):
        section = DEFAULT
        for key in path[:-1]:
            section = getattr(section, key)
        limits = type(section).model_fields[path[-1]].metadata
        for value in (getattr(each, limit) for each in limits for limit in ("ge", "le") if hasattr(each, limit)):
            if path[-1] not in ("phrases_heard", "n_best"):
                read(nested(path, type(default)(value)))


def test_every_fault_is_told_at_once():
    given = {"sedes": [1], "agent": {"noize": 0.1, "radius": -1}, "tasks": ["chess"], "seeds": [0, 0]}
    assert [sentence.split("'")[1] for sentence in checked(given).splitlines()] == [
        "tasks.0",
        "seeds",
        "agent.radius",
        "agent.noize",
        "sedes",
    ]
