"""Loaded by every Python of a watched run: notes what it had loaded, or lets a fork do all that it would do."""

import atexit
import os
import sys

import loaded

ADDRESS, FORKS = "NEURALESE_FORKS", "NEURALESE_FORKS_MODULE"  # the socket of a Python that forks; the file that asks it
MODULES = ("snakemake", "neuralese.cli.main")  # run as `python -m`; the scripts of a run are forked by the run itself


def module() -> str | None:
    """The module that this process, which has just begun, is to run, if it is one."""
    return sys.orig_argv[sys.orig_argv.index("-m") + 1] if sys.argv[0] == "-m" else None


def hand_over(name: str) -> None:
    """Let a fork run a module, and end as it ended."""
    import runpy

    forks = runpy.run_path(os.environ[FORKS])["Forks"]()
    if fork := forks.fork(sys.argv, dict(os.environ), name):
        os._exit(fork.wait().code % 256)


atexit.register(loaded.note)
if ADDRESS in os.environ and module() in MODULES:
    hand_over(module())
