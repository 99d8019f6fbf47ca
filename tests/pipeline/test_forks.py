"""Scripts run in forks of a Python that has loaded the big libraries, as they would run in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neuralese.pipeline import forks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")

TELLS = """
import json, os, sys
import beside
import threadpoolctl
told = {
    "argv": sys.argv, "folder": os.getcwd(), "variable": os.environ["GIVEN"], "beside": beside.__file__,
    "first": sys.path[0], "second": sys.path[1], "name": __name__,
    "ours": [name for name in sys.modules if name.startswith("neuralese")],
    "torch": "torch" in sys.modules,
    "threads": max(pool["num_threads"] for pool in threadpoolctl.threadpool_info()),
}
open("told.json", "w").write(json.dumps(told))
"""


@pytest.fixture(scope="module")
def begun():
    """A Python that forks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(forks.COLD, raising=False)
        patch.delenv(forks.ADDRESS, raising=False)
        patch.delenv("OMP_NUM_THREADS", raising=False)
        made = forks.Forks()
        yield made
        made._end(Path(made.address).parent)


def run(begun: forks.Forks, folder: Path, source: str, **variables: str) -> forks.Fork:
    """Begin a script."""
    script = folder / "script.py"
    script.write_text(source)
    fork = begun.fork([str(script)], {**os.environ, **variables})
    assert fork is not None
    return fork


def test_a_fork_has_the_folder_the_variables_and_the_search_path_of_a_process_of_its_own(begun, tmp_path, monkeypatch):
    (tmp_path / "beside.py").write_text("")
    monkeypatch.chdir(tmp_path)
    fork = run(begun, tmp_path, TELLS, GIVEN="yes", PYTHONPATH="/somewhere")
    assert fork.wait().code == 0
    told = json.loads((tmp_path / "told.json").read_text())
    assert told == {
        "argv": [str(tmp_path / "script.py")],
        "folder": str(tmp_path),
        "variable": "yes",
        "beside": str(tmp_path / "beside.py"),
        "first": str(tmp_path),
        "second": "/somewhere",
        "name": "__main__",
        "ours": [],
        "torch": True,
        "threads": 1,
    }


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit('a sentence')", 1),
        ("1 / 0", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    ],
)
def test_a_fork_ends_with_the_exit_code_of_its_script(begun, tmp_path, source, code):
    assert run(begun, tmp_path, source).wait().code == code


def test_what_a_script_prints_and_its_traceback_go_where_the_asker_prints(tmp_path):
    script, asker = tmp_path / "script.py", tmp_path / "asker.py"
    script.write_text("print('printed'); raise ValueError('on purpose')")
    asker.write_text(
        "import os, sys\nfrom neuralese.pipeline.forks import Forks\n"
        f"fork = Forks().fork([{str(script)!r}], dict(os.environ)); sys.exit(fork.wait().code)"
    )
    variables = {name: value for name, value in os.environ.items() if name not in (forks.COLD, forks.ADDRESS)}
    done = subprocess.run([sys.executable, asker], env=variables, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == "printed\n"
    assert "ValueError: on purpose" in done.stderr


def test_forks_run_at_the_same_time(begun, tmp_path):
    waits = "import os, time\nwhile not os.path.exists('now'): time.sleep(0.01)"
    (tmp_path / "waits.py").write_text(f"import os; os.chdir({str(tmp_path)!r})\n{waits}")
    waiting = begun.fork([str(tmp_path / "waits.py")], dict(os.environ))
    assert run(begun, tmp_path, f"open({str(tmp_path / 'now')!r}, 'w')").wait().code == 0
    assert waiting.wait().code == 0


def test_what_a_fork_took_is_the_kernels_count(begun, tmp_path):
    works = "import time, os\nheld = bytearray(300 << 20)\nwhile time.process_time() < 0.5: pass\nos.sync()"
    ended = run(begun, tmp_path, works).wait()
    assert ended.code == 0
    assert 0.5 <= ended.seconds < 5
    assert 300 < ended.peak < 3000


def test_an_interrupt_reaches_the_forks_and_spares_the_python_that_forks(begun, tmp_path):
    begins = tmp_path / "begins"
    tells = f"import os; open({str(begins)!r}, 'w').write(str(os.getpid()))"
    fork = run(begun, tmp_path, f"{tells}; import time; time.sleep(60)")
    while not begins.exists() or not begins.read_text():
        time.sleep(0.01)
    os.kill(begun.process.pid, signal.SIGINT)
    os.kill(int(begins.read_text()), signal.SIGINT)
    assert fork.wait().code == 1
    assert run(begun, tmp_path, "").wait().code == 0


def test_a_fork_is_lost_if_the_python_that_forks_is_killed(tmp_path, monkeypatch):
    monkeypatch.delenv(forks.COLD, raising=False)
    monkeypatch.delenv(forks.ADDRESS, raising=False)
    asked = forks.Forks()
    fork = run(asked, tmp_path, "")
    asked.process.kill()
    assert fork.wait().code in (0, forks.LOST)  # it may have been quicker
    assert asked.fork([str(tmp_path / "script.py")], dict(os.environ)) is None


def test_nothing_is_forked_where_nobody_listens_or_where_it_is_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv(forks.ADDRESS, str(tmp_path / "nobody"))
    assert forks.Forks().fork(["script.py"], {}) is None
    monkeypatch.setenv(forks.COLD, "1")
    nothing = forks.Forks()
    assert nothing.fork(["script.py"], {}) is None
    assert nothing.process is None


def test_the_python_that_forks_ends_with_the_process_that_started_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("")
    asks = (
        "import os, signal; from neuralese.pipeline.forks import Forks; asked = Forks();"
        f"fork = asked.fork([{str(script)!r}], dict(os.environ)); fork.wait();"
        "print(asked.process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    variables = {name: value for name, value in os.environ.items() if name not in (forks.COLD, forks.ADDRESS)}
    done = subprocess.run([sys.executable, "-c", asks], env=variables, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    left = Path(f"/proc/{int(done.stdout)}")
    ends = time.monotonic() + 30
    while left.exists() and "Z" not in (left / "stat").read_text().split(")")[-1] and time.monotonic() < ends:
        time.sleep(0.05)
    assert not left.exists() or "Z" in (left / "stat").read_text().split(")")[-1]
