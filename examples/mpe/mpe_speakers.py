"""Train speakers of a particle world in a minute, record what they say, and translate it into attributes.

    pip install mpe2
    python mpe_speakers.py out/

In `simple_speaker_listener` one agent knows which of three landmarks is the goal and can only speak; the other can only
move. Both learn by REINFORCE from the reward of the environment: the speaker, which symbol to say for which goal; the
listener, which landmark to go to on which symbol.
"""

import argparse
from pathlib import Path

import numpy as np
from mpe2 import simple_speaker_listener_v4

from neuralese import Translator
from neuralese.recording import record_parallel

GOALS = ("red", "green", "blue")  # the speaker sees the colour of the goal, one channel of which is the brightest
STAY, LEFT, RIGHT, DOWN, UP = range(5)
SPEAKER, LISTENER = "speaker_0", "listener_0"
STEPS = 15


def goal_of(observation: np.ndarray) -> int:
    """Which goal the speaker sees."""
    return int(np.argmax(observation))


def towards(observation: np.ndarray, landmark: int) -> int:
    """The move of a listener that goes to a landmark: along the longer of the two remaining distances."""
    x, y = observation[2 + 2 * landmark : 4 + 2 * landmark]
    if max(abs(x), abs(y)) < 0.05:
        return STAY
    if abs(x) > abs(y):
        return RIGHT if x > 0 else LEFT
    return UP if y > 0 else DOWN


class Pair:
    """A speaker and a listener: tables of preferences for each choice."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.says, self.goes = (0.01 * self.random.standard_normal((3, 3)) for _ in range(2))

    def choose(self, preferences: np.ndarray, greedy: bool = False) -> int:
        """Draw by softmax, or take the best."""
        if greedy:
            return int(np.argmax(preferences))
        chance = np.exp(preferences - preferences.max())
        return int(self.random.choice(3, p=chance / chance.sum()))

    def train(self, episodes: int = 3000, rate: float = 0.1) -> list[float]:
        """Play and learn; return the reward of every episode."""
        env = simple_speaker_listener_v4.parallel_env(max_cycles=STEPS)
        rewards: list[float] = []
        for episode in range(episodes):
            seen, _ = env.reset(seed=episode)
            goal = goal_of(seen[SPEAKER])
            said = self.choose(self.says[goal])
            place = self.choose(self.goes[said])
            total = 0.0
            while env.agents:
                seen, reward, *_ = env.step({SPEAKER: said, LISTENER: towards(seen[LISTENER], place)})
                total += reward[LISTENER]
            recent = rewards[-200:] or [total]
            gain = float(np.clip((total - np.mean(recent)) / (np.std(recent) + 1e-6), -2, 2))
            rewards.append(total)
            for table, row, chosen in ((self.says, goal, said), (self.goes, said, place)):
                chance = np.exp(table[row] - table[row].max())
                table[row] += rate * gain * (np.eye(3)[chosen] - chance / chance.sum())
        return rewards

    def policy(self, agent: str, observation: np.ndarray) -> int:
        """What each does once trained: the listener hears the message in the last three numbers it sees."""
        if agent == SPEAKER:
            return self.choose(self.says[goal_of(observation)], greedy=True)
        heard = observation[-3:]
        return towards(observation, self.choose(self.goes[int(np.argmax(heard))], greedy=True)) if heard.any() else STAY


def record(pair: Pair, folder: Path, episodes: int = 300) -> None:
    """Write what a trained pair says as a corpus."""
    env = simple_speaker_listener_v4.parallel_env(max_cycles=2)  # the same message is repeated at every step
    record_parallel(
        env,
        folder,
        pair.policy,
        episodes,
        title="Speakers of a particle world",
        candidates=3,
        speakers=[SPEAKER],
        state=lambda agent, observation: {"goal": GOALS[goal_of(observation)]},
    )


def main() -> None:
    """Train, record, translate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder to create")
    parser.add_argument("--episodes", type=int, default=3000)
    given = parser.parse_args()
    pair = Pair()
    rewards = pair.train(given.episodes)
    print(f"reward of the first 200 games: {np.mean(rewards[:200]):.2f}, of the last: {np.mean(rewards[-200:]):.2f}")
    record(pair, given.out / "corpus")
    translator = Translator().fit_corpus(given.out / "corpus")
    translator.save(given.out / "mpe.neuralese")
    said = sorted(set(translator.dictionary_.query("direction == 'R->H'")["source"]))
    print(
        translator.to_english([[int(symbol)] for symbol in said], n_best=1)[["source", "target"]].to_string(index=False)
    )
    print(translator.score()[["speaker", "listener", "criterion", "value", "n"]].to_string(index=False))


if __name__ == "__main__":
    main()
