import os
import subprocess
import sys

import pytest

from neuralese.cli.main import COMMANDS
from neuralese.cli.output import print_table


def run(*arguments: str, **more) -> subprocess.Popen:
    command = [sys.executable, "-m", "neuralese.cli.main", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **more)


def test_help_lists_all_commands(shell):
    page = shell.prints("--help")
    assert all(f"  {name} " in page for name in ("translate", "show", "status", "play"))
    assert shell.prints("--version").startswith("neuralese, version 1.")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_of_itself(shell, name):
    page = shell.prints(name, "--help")
    examples = page.split("Examples:\n")[1].splitlines()
    assert examples
    assert all(f"neuralese {name}" in line for line in examples)


def test_a_reader_who_has_enough_is_no_error(results):
    writer = run("show", str(results / "tables/belief.parquet"), "--rows", "999", stdout=subprocess.PIPE)
    writer.stdout.read(1)
    writer.stdout.close()
    assert (writer.wait(), writer.stderr.read()) == (0, "")


@pytest.mark.parametrize("width", [40, 80])
def test_on_a_narrow_terminal_text_is_broken_and_no_number_is_cut(monkeypatch, capsys, width):
    monkeypatch.setattr("neuralese.cli.output.on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    text = "words of another message, as a control"
    print_table(["task", "criterion", "value"], [["colors", text, "0.125 [0.250, 0.500]"]], "Accuracy")
    page = capsys.readouterr().out
    assert "0.125 [0.250, 0.500]" in page
    assert (text in page) == (width == 80)
    assert max(map(len, page.splitlines())) <= width


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
