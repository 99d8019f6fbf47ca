"""A Python that has loaded the big libraries once, and forks itself for every process of a run that would load them.

    python forked.py SOCKET     # until its standard input is closed

Most jobs of a quick run take longer to load torch, pandas or matplotlib than to do their work. Here, such a process
hands over what it would do, with its environment and its open files, waits, and ends as its fork did. A fork begins
without anything of this project loaded, so that it loads of it what the process would have loaded.
"""

import atexit
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from importlib import import_module

import loaded

LIBRARIES = ("torch", "pandas", "pyarrow.parquet", "matplotlib.pyplot", "scipy.stats", "skimage.color")
LIBRARIES += ("sklearn.cluster", "sklearn.linear_model", "sklearn.metrics", "snakemake.cli")
MODULES = ("snakemake", "neuralese.cli.main")  # run as `python -m`; beside them, the scripts that Snakemake writes


def module() -> str | None:
    """The module that this process, which has just begun, is to run, if it is one."""
    return sys.orig_argv[sys.orig_argv.index("-m") + 1] if sys.argv[0] == "-m" else None


def wanted() -> bool:
    """Whether this process is one to hand over."""
    return module() in MODULES or "/.snakemake/scripts/" in sys.argv[0]


def hand_over(address: str) -> None:
    """Let a fork do all that this process would do, and end as it ended."""
    told = {
        "module": module(),
        "argv": sys.argv,
        "path": sys.path,
        "folder": os.getcwd(),
        "variables": dict(os.environ),
    }
    text = json.dumps(told).encode()
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(address)
        socket.send_fds(asking, [len(text).to_bytes(4, "big")], [0, 1, 2])
        asking.sendall(text)
        code = asking.recv(1)
    os._exit(code[0] if code else 1)  # a fork that was killed says nothing


def become(asked: socket.socket) -> None:
    """Do what the process at the other end would do; it is told the exit code."""
    size, files, *_ = socket.recv_fds(asked, 4, 3)
    told = json.loads(asked.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["variables"])
    sys.argv[:], sys.path[:] = told["argv"], told["path"]
    loaded.note_at_the_end()
    code = 0
    try:
        if told["module"]:
            sys.path.insert(0, told["folder"])
            runpy.run_module(told["module"], run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(told["argv"][0]))
            runpy.run_path(told["argv"][0], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # as Python does: threads come to their end first
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    asked.sendall(bytes([code % 256]))
    os._exit(code)


def reap(*_) -> None:
    """Take leave of the forks that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main(address: str) -> None:
    """Fork for every process that asks, until the standard input is closed."""
    for library in LIBRARIES:
        import_module(library)
    sys.modules["snakemake.cli"].get_argument_parser()  # loads its plugins
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        signal.signal(signal.SIGCHLD, reap)
        print("ready", flush=True)
        while listening in select.select([listening, sys.stdin], [], [])[0]:
            asked, _ = listening.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listening.close()
                become(asked)
            asked.close()


if __name__ == "__main__":
    main(sys.argv[1])
