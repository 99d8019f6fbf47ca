"""One whole quick run, which all tests of the workflow share."""

import pytest
from copies import QUICK, Project

ON_TWO_CORES = ("test_corpus_run.py", "test_plugins.py")


def pytest_collection_modifyitems(items) -> None:
    """Run what needs two cores last: `make test` runs the tests of the library on one core at first."""
    items.sort(key=lambda item: item.path.name in ON_TWO_CORES)


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
