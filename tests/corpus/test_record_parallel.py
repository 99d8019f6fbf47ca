"""Recording agents of PettingZoo's parallel API, in two games of MPE whose spaces are read at run time."""

from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest
from small_corpus import column, messages

from neuralese.errors import NeuraleseError
from neuralese.recording import record_parallel
from neuralese.tasks.corpus.read import read_corpus

WHY = "mpe2 is not installed; it comes with the extra `test`"
simple_reference_v3 = pytest.importorskip("mpe2.simple_reference_v3", reason=WHY)
simple_speaker_listener_v4 = pytest.importorskip("mpe2.simple_speaker_listener_v4", reason=WHY)

EPISODES, STEPS = 20, 5


def test_a_speaker_that_names_the_goal_is_recorded(tmp_path):
    env = simple_speaker_listener_v4.parallel_env(max_cycles=STEPS)

    def policy(agent, observation):
        return int(observation.argmax()) if agent == "speaker_0" else 0

    record_parallel(env, tmp_path / "mine", policy, episodes=EPISODES, title="Speaker")
    corpus = read_corpus(tmp_path / "mine")
    assert len(corpus.recorded) == EPISODES * STEPS
    assert len(corpus.states) == 3  # the colours of three landmarks
    colors = np.stack([column(corpus, f"observation_{place}") for place in (1, 2, 3)], axis=1)
    assert [symbol for (symbol,) in messages(corpus)] == colors.argmax(1).tolist()
    assert len(set(corpus.recorded["group"].to_pylist())) == EPISODES


class Overheard:
    """An environment, with what its agents saw after each step."""

    def __init__(self, env):
        self.env, self.seen = env, []

    def __getattr__(self, name):
        return getattr(self.env, name)

    def step(self, actions):
        done = self.env.step(actions)
        self.seen.append(done[0])
        return done


@pytest.mark.parametrize("continuous", [False, True])
def test_symbols_and_vectors_are_what_the_other_agent_hears(tmp_path, continuous):
    env = Overheard(simple_reference_v3.parallel_env(max_cycles=STEPS, continuous_actions=continuous))
    size = env.unwrapped.world.dim_c
    goal = {"state": lambda agent, seen: {"goal": seen[8:11], "velocity": seen[:2]}}
    record_parallel(env, tmp_path / "mine", episodes=4, **goal)
    heard = [seen[agent][-size:] for seen in env.seen for agent in ("agent_1", "agent_0")]
    said = pq.read_table(tmp_path / "mine/messages.parquet").to_pydict()
    assert said["speaker"][:2] == ["agent_0", "agent_1"]
    if continuous:
        np.testing.assert_allclose(said["message"], heard, atol=1e-6)
    else:
        assert [symbol for (symbol,) in said["message"]] == [int(np.argmax(each)) for each in heard]
        assert max(symbol for (symbol,) in said["message"]) >= 5  # not the moves


def test_without_being_told_anything_a_whole_game_is_recorded_at_random(tmp_path):
    record_parallel(simple_reference_v3.parallel_env(max_cycles=STEPS), tmp_path / "mine", episodes=EPISODES)
    corpus = read_corpus(tmp_path / "mine")
    assert len(corpus.recorded) == 2 * EPISODES * STEPS
    assert {symbol for (symbol,) in messages(corpus)} == set(range(10))
    assert len(corpus.columns) == simple_reference_v3.parallel_env().observation_space("agent_0").shape[0]


class Elsewhere:
    """An environment that is not a particle world: two agents shout numbers, one of which is read by hand."""

    possible_agents = ("one", "two")

    def __init__(self, space):
        self.space, self.unwrapped, self.agents = space, self, []

    def action_space(self, agent):
        return self.space

    def reset(self, seed=None):
        self.agents, self.left = list(self.possible_agents), 3
        return {agent: np.array([self.left, 0.5]) for agent in self.agents}, {}

    def step(self, actions):
        self.left -= 1
        seen = {agent: np.array([self.left, 0.5]) for agent in self.agents}
        self.agents = self.agents if self.left else []
        return seen, {}, {}, {}, {}


def test_elsewhere_messages_are_whole_actions_of_named_speakers_or_read_by_a_function(tmp_path):
    space = SimpleNamespace(n=4, seed=lambda seed: None, sample=lambda: 3)
    record_parallel(Elsewhere(space), tmp_path / "whole", episodes=5, speakers=["two"])
    said = pq.read_table(tmp_path / "whole/messages.parquet").to_pylist()
    assert [(row["speaker"], row["message"]) for row in said] == [("two", [3])] * 15
    space = SimpleNamespace(spaces={"move": 1, "say": 2}, seed=lambda seed: None, sample=lambda: {"move": 1, "say": 2})
    with pytest.raises(NeuraleseError, match="pass message=function"):
        record_parallel(Elsewhere(space), tmp_path / "read", speakers=["one"])
    record_parallel(Elsewhere(space), tmp_path / "read", episodes=5, message=lambda agent, action: action["say"])
    assert pq.read_table(tmp_path / "read/messages.parquet")["message"].to_pylist() == [[2]] * 30
