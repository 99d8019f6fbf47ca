"""Commands that pages show can be given: their options, targets, rules and config files are there."""

import re
import shlex
from functools import cache

import click
import pytest
from pages import PAGES, ROOT, Page, load
from snakemake.cli import get_argument_parser

from neuralese import tasks
from neuralese.cli.main import cli
from neuralese.cli.run import find_config
from neuralese.config.models import config_model
from neuralese.translate.criteria import kinds

CONFIG = config_model(tasks.sections(), kinds())
OWN = ("my.yaml",)  # configs that a reader is to write
ENDS = ("|", ">", "&&", ";")


def shown(page: Page, program: str) -> list[list[str]]:
    """The arguments with which a page shows a program, in blocks and inside sentences."""
    blocks = [text for language, text in page.fenced if language in ("", "sh", "bash")] + page.indented
    lines = [line.strip().removeprefix("$ ") for text in blocks for line in text.splitlines()]
    lines += re.findall(r"`([^`]+)`", page.prose.replace("\n", " "))
    found = []
    for line in lines:
        line = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", line)
        if not re.match(rf"{program}(?: |$)", line) or re.search(r"\[OPTIONS\]|\{\w+[,|]", line):
            continue
        words = shlex.split(re.split(r"\s{3,}", line)[0], comments=True)
        end = next((place for place, word in enumerate(words) if word in ENDS), len(words))
        found.append(words[1:end])
    return found


def check_neuralese(words: list[str]) -> None:
    """Raise unless the command is there and knows the options."""
    command, context = cli, click.Context(cli)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"there is no command {words[0]}"
        command, words = found, words[1:]
        context = click.Context(command, parent=context, **command.context_settings)
    _, rest, _ = command.make_parser(context).parse_args(list(words))
    if command.name == "run":
        check_snakemake(rest)


@cache
def rules() -> set[str]:
    files = (ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").rglob("*.smk"))
    return {name for path in files for name in re.findall(r"^\s*rule (\w+):", path.read_text(), re.M)}


@cache
def made() -> list[re.Pattern]:
    """What the names of result files look like."""
    return [
        re.compile(re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(f"results/{name}")))
        for name in load("file_table").outputs()
    ]


def check_snakemake(words: list[str]) -> None:
    """Raise unless Snakemake knows the options, and rules, files and keys are there."""
    try:
        given, unknown = get_argument_parser().parse_known_args(words)
    except SystemExit:
        raise AssertionError(f"snakemake {' '.join(words)}") from None
    assert not unknown, unknown
    for target in given.targets:
        assert target in rules() or any(each.fullmatch(target) for each in made()), f"nothing makes {target}"
    for rule in given.forcerun or []:
        assert rule in rules() | {"RULE"}, f"there is no rule {rule}"
    for name in given.configfile or []:
        assert str(name) in OWN or find_config(str(name)).is_file()
    for each in given.config or []:
        assert each.partition("=")[0] in CONFIG.model_fields, f"the config has no key {each}"
    for profile in given.profile or []:
        assert (ROOT / profile / "config.yaml").is_file()


@pytest.mark.parametrize(
    ("program", "check"),
    [("neuralese", check_neuralese), ("snakemake", check_snakemake)],
)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_can_be_given(page, program, check, monkeypatch):
    monkeypatch.chdir(ROOT)
    for words in shown(page, program):
        try:
            check(words)
        except (AssertionError, click.ClickException) as error:
            raise AssertionError(f"{page.name}: {program} {' '.join(words)}: {error}") from None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_of_make_and_scripts_are_there(page):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    for words in shown(page, "make"):
        wanted = {word for word in words if "=" not in word}
        assert wanted <= targets, f"{page.name}: make {' '.join(words)}"
    for words in shown(page, "python"):
        if words and words[0].endswith(".py"):
            assert (ROOT / words[0]).is_file(), f"{page.name}: python {words[0]}"


def test_a_wrong_command_is_found():
    with pytest.raises(click.NoSuchOption):
        check_neuralese(["translate", "--tusk", "colors"])
    with pytest.raises(AssertionError, match="no command"):
        check_neuralese(["explain"])
    for words in (["--cores", "2", "al"], ["--no-such-option"], ["results/colors/seed0/belief_test.parquetx"]):
        with pytest.raises(AssertionError):
            check_snakemake(words)
