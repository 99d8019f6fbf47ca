import pytest
from small_task import SmallTask


@pytest.fixture
def task() -> SmallTask:
    return SmallTask()
