"""One whole quick run, which all tests of the workflow look at."""

import pytest
from copies import QUICK, Project


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
