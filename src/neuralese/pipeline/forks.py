"""A Python that has loaded the big libraries once, and forks itself for every script that would load them.

    python forks.py SOCKET [LIBRARY ...]     # until its standard input is closed

Loading torch and pandas takes longer than the work of most jobs. A fork of a process that has loaded them begins at
once, with nothing of this project loaded, and computes what a process of its own would compute. It is given the
variables, the folder and the open files of whoever asks, who is told how it ended and what it took.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LIBRARIES = (
    *("torch", "pandas", "pyarrow.parquet", "matplotlib.pyplot", "scipy.stats", "skimage.color"),
    *("sklearn.cluster", "sklearn.linear_model", "sklearn.metrics"),
)
COLD, ADDRESS = "NEURALESE_COLD", "NEURALESE_FORKS"  # variables: to fork nothing; the socket of one that runs already
LOST = -signal.SIGKILL  # the exit code of a fork if nobody is left to tell it
MEGABYTE = 2**20


@dataclass(frozen=True)
class Ended:
    """How a fork ended, and what it took."""

    code: int  # below zero if a signal ended it
    seconds: float  # of processors
    peak: float  # memory at its largest, in MB, including libraries that it shares with others
    read: float  # from disk, in MB
    written: float  # to disk, in MB


class Fork:
    """A process that was asked for and has begun."""

    def __init__(self, asking: socket.socket) -> None:
        self.asking = asking

    def wait(self) -> Ended:
        """Wait for its end."""
        with self.asking, self.asking.makefile("r") as answer:
            line = answer.readline()
        return Ended(**json.loads(line)) if line else Ended(LOST, 0.0, 0.0, 0.0, 0.0)


class Forks:
    """A Python that forks, with these libraries loaded, too; it starts when first asked and ends with this process."""

    def __init__(self, *libraries: str) -> None:
        self.libraries, self.address, self.lock = libraries, os.environ.get(ADDRESS), threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None

    def fork(self, argv: list[str], variables: dict[str, str], module: str | None = None) -> Fork | None:
        """A process that runs a script, or a module, with these variables; none if it cannot be had."""
        if os.environ.get(COLD) == "1" or sys.platform != "linux":  # elsewhere, libraries do not survive a fork
            return None
        try:
            with self.lock:
                self.address = self.address or self._start()
            return _ask(self.address, {"argv": argv, "module": module, "folder": os.getcwd(), "variables": variables})
        except OSError:
            return None

    def _start(self) -> str:
        folder = Path(tempfile.mkdtemp(prefix="neuralese-forks-"))  # which nobody else may read
        address = folder / "socket"
        self.process = subprocess.Popen(
            [sys.executable, __file__, address, *self.libraries],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self._end, folder)
        assert self.process.stdout is not None
        self.process.stdout.readline()  # it listens
        return str(address)

    def _end(self, folder: Path) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        shutil.rmtree(folder, ignore_errors=True)


def _ask(address: str, told: dict[str, Any]) -> Fork:
    """Ask for a fork, which may have this process's standard input and outputs."""
    text = json.dumps(told).encode()
    asking = socket.socket(socket.AF_UNIX)
    try:
        asking.connect(address)
        socket.send_fds(asking, [len(text).to_bytes(4, "big")], [0, 1, 2])
        asking.sendall(text)
        if not asking.recv(1):
            raise ConnectionError("nothing was forked")
    except BaseException:
        asking.close()
        raise
    return Fork(asking)


def _search_path(first: str, variables: dict[str, str], own: list[str]) -> list[str]:
    """Where a process with these variables would look for modules."""
    return [first, *filter(None, variables.get("PYTHONPATH", "").split(os.pathsep)), *own]


def _become(asked: socket.socket, own: list[str]) -> None:
    """Do what was asked for, as a process of its own would, and end."""
    asked.sendall(b"!")  # it has begun
    size, files, *_ = socket.recv_fds(asked, 4, 3)
    told = json.loads(asked.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL))
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["variables"])
    script = told["argv"][0]
    first = told["folder"] if told["module"] else os.path.dirname(script)
    sys.argv[:], sys.path[:] = told["argv"], _search_path(first, told["variables"], own)
    importlib.invalidate_caches()
    code = 0
    try:
        if told["module"]:
            runpy.run_module(told["module"], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # as Python does: threads come to their end first
    atexit._run_exitfuncs()
    with suppress(OSError):  # whoever read the output may be gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code % 256)


def _tell(asked: dict[int, socket.socket]) -> None:
    """Tell those who wait for forks that have ended."""
    with suppress(ChildProcessError):
        while (ended := os.wait4(-1, os.WNOHANG))[0]:
            pid, status, took = ended
            told = Ended(
                os.waitstatus_to_exitcode(status),
                took.ru_utime + took.ru_stime,
                took.ru_maxrss * 1024 / MEGABYTE,  # in units of 1,024 bytes
                took.ru_inblock * 512 / MEGABYTE,  # and of 512
                took.ru_oublock * 512 / MEGABYTE,
            )
            with asked.pop(pid) as waiting, suppress(OSError):
                waiting.sendall(f"{json.dumps(asdict(told))}\n".encode())


def main(address: str, *libraries: str) -> None:
    """Fork for everyone who asks, until the standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is meant for the forks
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path.pop(0)  # the folder of this file, in which no library is
    own = [path for path in sys.path if path not in given]
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("ready", flush=True)
        os.environ.update({f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")})  # read once
        for library in (*LIBRARIES, *libraries):
            with suppress(ImportError):
                importlib.import_module(library)
        gc.collect()
        gc.freeze()  # so that forks share this memory
        asked: dict[int, socket.socket] = {}
        heard, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken)  # a byte for every fork that ends
        while sys.stdin not in (ready := select.select([listening, sys.stdin, heard], [], [])[0]):
            if heard in ready:
                os.read(heard, 4096)
                _tell(asked)
            if listening in ready:
                connection, _ = listening.accept()
                if pid := os.fork():
                    asked[pid] = connection
                    continue
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for file in (listening, *asked.values()):
                    file.close()
                os.close(heard)
                os.close(woken)
                _become(connection, own)


if __name__ == "__main__":
    main(*sys.argv[1:])
