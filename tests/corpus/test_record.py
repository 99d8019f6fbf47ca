"""What is recorded around a loop is a corpus that says what was said."""

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
import yaml
from small_corpus import column, messages

from neuralese.errors import NeuraleseError
from neuralese.recording import Recording
from neuralese.tasks.corpus.read import read_corpus

THINGS = [{"shape": shape, "size": size} for shape in ("cube", "ball", "cone") for size in (0.5, 1.5)]


def play(recording: Recording, games: int = 60) -> None:
    for game in range(games):
        thing = THINGS[game % len(THINGS)]
        recording.say(thing, [game % 3, 5], episode=game // 4)


def test_states_are_numbered_once_and_messages_point_at_them(tmp_path):
    with Recording(tmp_path / "mine", title="Things", licence="MIT", messages={"end": 5}) as recording:
        play(recording)
        assert not (tmp_path / "mine").exists()
    corpus = read_corpus(tmp_path / "mine")
    assert corpus.settings.title == "Things"
    assert len(corpus.states) == len(THINGS)
    assert corpus.state.tolist() == [game % 6 for game in range(60)]
    assert messages(corpus)[4] == [1, 5]
    assert corpus.settings.split.by == "episode"
    assert corpus.columns["size"].tolist() == [0.5, 1.5] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_contexts_picks_and_utterances_are_kept(tmp_path):
    with Recording(tmp_path / "mine", utterances={"language": "en", "least": 1}) as recording:
        for game in range(40):
            offered = [THINGS[game % 6], THINGS[(game + 1) % 6], THINGS[(game + 3) % 6]]
            recording.say(offered[game % 3], game % 4, context=offered, pick=np.int64(1), speaker="a")
            recording.describe(offered[0], f"a {offered[0]['shape']} here")
    corpus = read_corpus(tmp_path / "mine")
    assert corpus.contexts.picked.tolist() == [game % 3 == 1 for game in range(40)]
    assert messages(corpus)[7] == [3]
    assert column(corpus, "shape")[:4] == [THINGS[place]["shape"] for place in (0, 2, 5, 3)]
    assert {"cube", "ball", "cone"} <= set(corpus.inventory["phrase"].to_pylist())


def test_arrays_are_copied_and_vectors_recognised(tmp_path):
    state, message = np.zeros(3, dtype=np.float32), torch.zeros(2)
    with Recording(tmp_path / "mine", types={"observation": "vector"}, utterances={"from": "states"}) as recording:
        for game in range(12):
            state[:] = game
            message += 0.5
            recording.say(state, message)
    settings = yaml.safe_load((tmp_path / "mine/corpus.yaml").read_text())
    assert settings["messages"] == {"kind": "vector"}
    assert settings["states"] == {"observation": {"type": "vector"}}
    table = pq.read_table(tmp_path / "mine/states.parquet")
    assert table["observation"].to_pylist() == [[float(game)] * 3 for game in range(12)]
    assert pq.read_table(tmp_path / "mine/messages.parquet")["message"].to_pylist()[1] == [1.0, 1.0]


def test_nothing_is_written_after_an_exception_or_if_nothing_was_said(tmp_path):
    def interrupted() -> None:
        with Recording(tmp_path / "mine") as recording:
            play(recording)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    with pytest.raises(NeuraleseError, match="nothing was said"), Recording(tmp_path / "mine"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        ((THINGS[0], []), {}, "a message must be a symbol, a list of symbols or a vector"),
        ((THINGS[0], "hello"), {}, "a message must be a symbol, a list of symbols or a vector"),
        ((THINGS[0], [True]), {}, "a message must be a symbol, a list of symbols or a vector"),
        ((THINGS[0], -1), {}, "symbols are whole numbers from 0"),
        ((THINGS[0], 0.5), {}, "symbols are whole numbers from 0, not 0.5; record one kind of message"),
        ((THINGS[0], [[1], [2]]), {}, "'message' holds"),
        (({"shape": "cube"}, 1), {}, r"states differ in their columns \(size\)"),
        (({"shape": "cube", "size": float("nan")}, 1), {}, "'size' holds nan"),
        (({"shape": None, "size": 1}, 1), {}, "'shape' holds None"),
        ((THINGS[0], 1), {"pick": 1}, "a pick is a position in a context"),
        ((THINGS[0], 1), {"context": [THINGS[0]]}, "a context must hold two states or more"),
        ((THINGS[0], 1), {"context": THINGS[1:3]}, "including the one spoken in"),
        ((THINGS[0], 1), {"context": THINGS[:2], "pick": 2}, "pick is 2; give a position from 0 to 1"),
        ((THINGS[0], 1), {"episode": 3}, "some rows have episode and some do not"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(tmp_path, arguments, options, says):
    recording = Recording(tmp_path / "mine")
    recording.say(THINGS[1], [1, 2])
    with pytest.raises(NeuraleseError, match=says):
        recording.say(*arguments, **options)
