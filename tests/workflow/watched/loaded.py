"""When a Python of a watched run ends, it writes down which modules of the library it had loaded."""

import atexit
import os
import sys
from pathlib import Path


def note() -> None:
    """Write the loaded files, for the script that this process ran."""
    script = Path(sys.argv[0]).name
    loaded = {module.__file__ for name, module in list(sys.modules.items()) if name.split(".")[0] == "neuralese"}
    if loaded:
        (Path(os.environ["NEURALESE_WATCHED"]) / f"{script}.{os.getpid()}.txt").write_text("\n".join(loaded))


def note_at_the_end() -> None:
    """Do so if this run is watched."""
    if "NEURALESE_WATCHED" in os.environ:
        atexit.register(note)
