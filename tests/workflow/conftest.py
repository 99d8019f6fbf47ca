"""One whole quick run, which all tests of the workflow look at."""

from pathlib import Path

import pytest
from copies import QUICK, Project


def pytest_collection_modifyitems(items):
    """Keep the tests of this folder in one process where several run them, so that the run is made once."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.xdist_group("workflow"))


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Project:
    """A project after one whole quick run."""
    made = Project(tmp_path_factory.mktemp("project"))
    code, output = made.snakemake("all", *QUICK)
    assert code == 0, output
    return made


@pytest.fixture
def fresh(tmp_path) -> Project:
    return Project(tmp_path)
