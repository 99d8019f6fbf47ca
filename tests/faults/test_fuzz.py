"""A few seconds of `fuzz.py`, which has a long form of its own."""

import pytest
from fuzz import BAD, KINDS, fuzz

FEW = 60


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_changed_is_refused_or_read_as_what_it_is(kind):
    found = fuzz(kind, FEW, seed=1)
    assert [outcome for outcome in found if outcome.startswith(BAD)] == []
    assert found["refused"] > FEW / 4
