import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralese.agents.messages import NOTHING, Sequences
from neuralese.errors import NeuraleseError
from neuralese.speakers.symbols import prefix_tree

SAID = [[3, 1, 4], [1, 0, 9], [4], [3, 1, 4], [0]]


def test_nothing_counts_from_the_end_symbol_on():
    messages = Sequences.of(SAID, end=0)
    assert messages.texts() == ["3 1 4", "1", "4", "3 1 4", ""]
    assert messages.lengths.tolist() == [3, 1, 1, 3, 0]
    assert messages.vocabulary == (1, 3, 4)  # 9 is only said after the end, and the end is no part of a message
    assert messages.ends
    assert messages.to_array().tolist()[1] == [1, NOTHING, NOTHING]


def test_without_an_end_symbol_lengths_end_messages():
    assert Sequences.of(SAID).texts() == ["3 1 4", "1 0 9", "4", "3 1 4", "0"]
    assert Sequences.of(SAID).ends
    assert not Sequences.of([[1, 2], [2, 1]]).ends
    assert Sequences.of([[1, 2], [2, 1]], end=0).ends  # who can stop early may do so yet
    array = np.array([[1, 2, 0], [3, 0, 2]], dtype=np.int32)
    assert torch.equal(Sequences.of(array, end=0).places, Sequences.of(array.tolist(), end=0).places)


def test_distinct_messages_have_ids_and_counts():
    messages = Sequences.of(SAID, end=0)
    distinct, ids, counts = messages.distinct()
    assert [distinct.texts()[number] for number in ids] == messages.texts()
    assert sorted(zip(distinct.texts(), counts.tolist(), strict=True)) == [("", 1), ("1", 1), ("3 1 4", 2), ("4", 1)]
    assert distinct.vocabulary == messages.vocabulary
    part = messages[torch.tensor([2, 1])]
    assert (part.texts(), part.longest, part.vocabulary) == (["4", "1"], 3, (1, 3, 4))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"messages": [[1], [2, -1]]}, r"message 1 is \[2, -1\]; write it as non-negative integers"),
        ({"messages": [[1.5]]}, r"message 0 is \[1.5\]; write it"),
        ({"messages": [[1], [7]], "vocabulary": [1, 2]}, "message 1 has the symbol 7; add it to the vocabulary"),
        ({"messages": [[1], [1, 1, 1]], "longest": 2}, "message 1 has 3 symbols; allow for them, or leave it out"),
    ],
)
def test_what_is_no_message_is_refused_in_one_sentence(arguments, says):
    with pytest.raises(NeuraleseError, match=says):
        Sequences.of(**arguments)


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=30))
def test_every_path_through_the_prefix_tree_is_a_sequence_and_no_prefix_is_there_twice(said):
    messages = Sequences.of(said)
    end = len(messages.vocabulary)
    paths, parents = {}, [()]
    for step, level in enumerate(prefix_tree(messages.places, end)):
        assert [tuple(messages.places[example, :step].tolist()) for example in level.examples] == parents
        edges = zip(level.parents.tolist(), level.classes.tolist(), strict=True)
        prefixes = [(*parents[parent], chosen) for parent, chosen in edges]
        assert len(set(prefixes)) == len(prefixes)
        assert level.parents.tolist() == sorted(level.parents.tolist())
        for row, leaf in zip(level.rows.tolist(), level.leaves.tolist(), strict=True):
            paths[row] = prefixes[leaf]
        parents = [prefixes[number] for number in level.goes_on.tolist()]
    for row, places in enumerate(messages.places.tolist()):
        assert paths[row] == tuple(places[: places.index(end) + 1] if end in places else places)
