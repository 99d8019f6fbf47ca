"""Loaded by every Python of a watched run: when it ends, it writes down which modules of the library it had loaded."""

import atexit
import os
import sys
from pathlib import Path


def note() -> None:
    """Write the loaded files, for the script that this process ran, if its run is watched."""
    watched = os.environ.get("NEURALESE_WATCHED")
    loaded = {module.__file__ for name, module in list(sys.modules.items()) if name.split(".")[0] == "neuralese"}
    if watched and loaded:
        (Path(watched) / f"{Path(sys.argv[0]).name}.{os.getpid()}.txt").write_text("\n".join(loaded))


atexit.register(note)
