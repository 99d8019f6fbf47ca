import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from neuralese.cli.main import COMMANDS, cli
from neuralese.evaluate.comparison import ONE_SEED, SECTIONS, TITLES


def run(*arguments: str, **more) -> subprocess.Popen:
    command = [sys.executable, "-m", "neuralese.cli.main", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **more)


def test_help_lists_all_commands(shell):
    page = shell.prints("--help")
    assert all(f"  {name} " in page for name in ("translate", "show", "compare", "status", "play"))
    assert shell.prints("--version").startswith("neuralese, version 1.")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_of_itself(shell, name):
    page = shell.prints(name, "--help")
    examples = page.split("Examples:\n")[1].splitlines()
    assert examples
    assert all(f"neuralese {name}" in line for line in examples)


def test_wrong_usage_has_an_exit_code_of_its_own(shell):
    for line in (["sing"], ["translate", "--task", "colors"], ["translate", "--task", "colors", "-n", "0", "blue"]):
        assert shell(*line).exit_code == 2


def test_the_comparison_has_the_paper_beside_real_data_only(shell):
    rows = shell.json("compare")
    assert {row["data"] for row in rows} == {"embedded", "mirror"}
    assert all(row["paper"] is None for row in rows if row["data"] == "embedded")
    assert {row["paper"] for row in rows if row["task"] == "birds" and row["paper"]} >= {0.95, 0.77, 0.75, 0.57, 0.5}
    page = shell.prints("compare")
    assert "not comparable" in page
    (row,) = [line for line in page.splitlines() if line.startswith("birds    R → H*  belief (ours, chosen on dev)")]
    assert row.split()[9:13] == ["0.750", "[0.700,", "0.800]", "0.75"]
    assert "not comparable" not in shell.prints("compare", "--task", "birds")


def test_the_comparison_is_printed_section_by_section_and_says_how_it_was_tested(shell):
    page = shell.prints("compare")
    titles = [line for line in page.splitlines() if line.startswith(tuple(TITLES.values()))]
    assert len(titles) == 1 + len(SECTIONS) + 2  # accuracy with all its sections, reward, completion
    assert all(any(title in line for line in titles) for title in SECTIONS.values())
    assert ONE_SEED in page
    assert "Behaviour" not in shell.prints("compare", "--task", "colors")


def test_without_tables_compare_says_how_to_make_them(shell, tmp_path):
    assert shell.fails("compare", "--results", tmp_path) == (
        f"{tmp_path} holds no results; name the folder of a run with --results, or make one with: neuralese run"
    )
    (tmp_path / "colors").mkdir()
    assert shell.fails("compare", "--results", tmp_path).endswith(f"neuralese run {tmp_path}/tables/belief.parquet")
    assert "does not exist; name the folder" in shell.fails("compare", "--results", tmp_path / "elsewhere")


def test_a_reader_who_has_enough_is_no_error(results):
    for command in (["compare"], ["show", "tables/belief.parquet", "--rows", "999"]):
        given = [command[0], *(str(results / each) if "/" in each else each for each in command[1:])]
        environment = {**os.environ, "NEURALESE_RESULTS": str(results)}
        writer = run(*given, stdout=subprocess.PIPE, env=environment)
        writer.stdout.read(1)
        writer.stdout.close()
        assert (writer.wait(), writer.stderr.read()) == (0, "")


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_no_number_of_the_comparison_is_cut_on_a_narrow_terminal(shell, monkeypatch, width):
    monkeypatch.setattr("neuralese.cli.output.on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    page = shell.prints("compare", "--task", "birds")
    lines = page.splitlines()
    assert max(len(line) for line in lines if "[" in line) <= width
    rows = shell.json("compare", "--task", "birds")
    for row in rows:
        assert f"{row['value']:.3f} [{row['ci_low']:.3f}, {row['ci_high']:.3f}]" in page
    if "baseline" in lines[2]:
        assert all(
            f"{gain:+.3f}" in page for row in rows if (gain := row["over_baseline"]) is not None and not row["section"]
        )
    assert "…" not in page
    assert ("Left out to fit the terminal" in page) == (width < 160)


def test_a_shell_gets_a_completion_script():
    environment = os.environ | {"_NEURALESE_COMPLETE": "zsh_source"}
    script, _ = run(stdout=subprocess.PIPE, env=environment).communicate()
    assert "_NEURALESE_COMPLETE=zsh_complete" in script


def test_completion_knows_what_is_in_the_results(results, tmp_path, monkeypatch):
    def completed(*words: str) -> list[str]:
        shell = ShellComplete(cli, {}, "neuralese", "_NEURALESE_COMPLETE")
        return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]

    monkeypatch.setenv("NEURALESE_RESULTS", str(results))
    colors = ("translate", "--task", "colors")
    assert completed("tra") == ["translate"]
    assert "--version" in completed("--")
    assert completed("translate", "--task", "") == ["colors"]
    assert completed(*colors, "--seed", "") == ["0"]
    assert completed(*colors, "--criterion", "d") == ["direct"]
    assert completed(*colors, "") == ["green", "blue", "light", "dark green"]
    assert completed("translate", "gr") == []
    monkeypatch.setenv("NEURALESE_RESULTS", str(tmp_path))
    assert completed(*colors, "gr") == completed(*colors, "--seed", "") == completed(*colors, "--criterion", "") == []


def test_a_terminal_gets_lines_and_everything_else_none(results):
    pty = pytest.importorskip("pty")
    main, side = pty.openpty()
    process = run("show", str(results / "colors/inventory.parquet"), stdout=side)
    process.wait(timeout=60)
    os.close(side)
    assert "─" in os.read(main, 100_000).decode()
    plain, _ = run("show", str(results / "colors/inventory.parquet"), stdout=subprocess.PIPE).communicate()
    assert "─" not in plain
    assert "\x1b" not in plain


def test_commands_are_imported_only_when_they_are_run():
    program = (
        "import sys, neuralese.cli.main as main; main.cli(['--help'], standalone_mode=False); "
        "print({'torch', 'pandas', 'numpy', 'pyarrow', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
