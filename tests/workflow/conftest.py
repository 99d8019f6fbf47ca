"""One whole quick run, which all tests of the workflow look at."""

import os
import pkgutil
import subprocess
import sys

import pytest
from copies import QUICK, WATCHED, Project

from neuralese.pipeline import forks

ON_TWO_CORES = ("test_corpus_run.py", "test_plugins.py")


def pytest_collection_modifyitems(items) -> None:
    """Long runs on two cores come last: `make test` has a second core free once the tests of the library have ended."""
    items.sort(key=lambda item: item.path.name in ON_TWO_CORES)


@pytest.fixture(scope="session")
def forked(tmp_path_factory) -> str | None:
    """The address of a Python that forks, for runs of which the results matter, and not how processes begin or end."""
    if os.environ.get(forks.COLD) == "1" or sys.platform != "linux":
        yield None
        return
    address = tmp_path_factory.mktemp("forked") / "socket"
    plugins = (found.name for found in pkgutil.iter_modules() if found.name.startswith("snakemake_"))
    command = [sys.executable, forks.__file__, address, "snakemake.cli", *plugins]
    variables = {**os.environ, "PYTHONPATH": str(WATCHED)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables) as process:
        assert process.stdout.readline() == b"ready\n"
        yield str(address)
        process.stdin.close()


@pytest.fixture(scope="session")
def project(tmp_path_factory, forked) -> Project:
    """A project after one whole quick run."""
    made = Project(tmp_path_factory.mktemp("project"), forked)
    code, output = made.snakemake("all", *QUICK)
    assert code == 0, output
    return made


@pytest.fixture
def fresh(tmp_path, forked) -> Project:
    return Project(tmp_path, forked)
