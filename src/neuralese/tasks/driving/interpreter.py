"""An interpreter between two robots that drive: it sees what the listener sees, and so knows the context it speaks in.

That is its own car, its goal and the map, x_b; where the other is must be summed over: p(x_a | x_b), counted
in games that two robots played. Roads are small and states few, so the sums are exact. With it

    into English      the phrase z' of least KL(beta(z) || beta(z')) in the one context x_b: Equation 2 without its
                      expectation
    into neuralese    what the robot itself says on average in each state x_a, weighted by what the phrase makes one
                      believe about x_a in x_b

No translator that is fixed before the game can know x_b: its figures are an upper bound, and labelled so.
"""

import torch
from torch import Tensor, nn

from neuralese.agents.cell import Cell
from neuralese.games.driving import CELLS, GONE, DrivingGame
from neuralese.stages.run import Run
from neuralese.tasks.driving.loop import Robot, Said, Start, converse

PSEUDO_COUNT = 5.0  # weight of a state's frequency on its map relative to counts in a context
NOWHERE = -1e4  # the log-probability of being on another map


class Places:
    """Where the other may be: the states seen in play, and how likely each is given what one sees."""

    def __init__(self, pairs: Tensor, maps: int) -> None:
        """`pairs` (n, 2, 3): what the player whose state is asked for and the other saw at the same time."""
        self.maps = maps
        speaker, listener = pairs.unbind(1)
        speaker, listener = speaker[speaker[:, 1] != GONE], listener[speaker[:, 1] != GONE]
        self.codes, state = _codes(speaker).unique(return_inverse=True)
        self.states = speaker[_first(state, len(self.codes))]  # (k, 3)
        size, context = len(self.codes), self.contexts(listener)
        seen = torch.zeros(size + maps, size).index_put_((context, state), torch.ones(len(state)), accumulate=True)
        on_map = torch.zeros(maps, size).index_put_((listener[:, 0], state), torch.ones(len(state)), accumulate=True)
        usual = on_map / on_map.sum(1, keepdim=True).clamp(min=1)
        map_of = torch.cat([self.states[:, 0], torch.arange(maps)])
        likely = seen + PSEUDO_COUNT * usual[map_of]
        likely[size:] = usual  # for a state that was never seen, or a car that has left the road
        self.log_prior = (
            (likely / likely.sum(1, keepdim=True).clamp(min=1e-9)).log().clamp(min=NOWHERE)
        )  # (k + maps, k)

    def contexts(self, seen: Tensor) -> Tensor:
        """The context of those who see (n, 3): a state, or everything on a map if the own state is unknown: (n,)."""
        codes = _codes(seen)
        place = torch.searchsorted(self.codes, codes).clamp(max=len(self.codes) - 1)
        return torch.where(self.codes[place] == codes, place, len(self.codes) + seen[:, 0])


def _codes(seen: Tensor) -> Tensor:
    where, pose, goal = seen.unbind(1)
    return (where * (GONE + 1) + pose) * CELLS + goal


def _first(groups: Tensor, count: int) -> Tensor:
    """The first position of each of `count` groups in `groups` (n,)."""
    return torch.full((count,), len(groups)).scatter_reduce_(0, groups, torch.arange(len(groups)), "amin")


def places_in_play(run: Run, cell: Cell, games: int) -> Places:
    """Where the other may be, as counted in fresh training games of two robots."""
    game: DrivingGame = run.games["train"]
    start, robot = Start.of(run, "places", games), Robot(cell)
    seen: list[Tensor] = []

    def watch(said: Said) -> tuple[Tensor, Tensor]:
        seen.extend((said.seen, said.seen.flip(1)))
        return said.words

    converse(game, start, (robot, robot), watch)
    return Places(torch.cat(seen), len(game.layouts.road))


class Interpreter:
    """Carries messages to English and back, knowing what the listener sees."""

    def __init__(self, run: Run, cell: Cell, places: Places, scale: float = 1.0) -> None:
        self.places, self.robot, self.scale, self.noise = places, run.robot, scale, cell.config.noise
        self.ids = run.english.spoken().ids
        with torch.no_grad():
            self.log_phrases = run.english.speaker.log_prob(places.states)[self.ids]  # (phrases, k)
            means = run.robot.mean(places.states)
        joint = places.log_prior[:, None] + self.log_phrases  # (contexts, phrases, k)
        self.log_norm = joint.logsumexp(2)  # (contexts, phrases)
        self.spoken = cell.config.radius * nn.functional.normalize(joint.softmax(2) @ means, dim=2)

    @torch.no_grad()
    def phrases(self, messages: Tensor, contexts: Tensor) -> Tensor:
        """The position of the best phrase for each message (n, message) in its context (n,)."""
        likely = self.robot.log_prob(messages, self.places.states, self.scale)  # (n, k)
        believed = (likely + self.places.log_prior[contexts]).softmax(1)
        # KL(beta(z) || beta(z')) up to terms that do not depend on z'
        return (self.log_norm[contexts] - believed @ self.log_phrases.T).argmin(1)

    def __call__(self, said: Said) -> tuple[Tensor, Tensor]:
        """See `loop.Carry`."""
        heard = []
        for seat in (0, 1):  # who speaks
            contexts = self.places.contexts(said.seen[:, 1 - seat])
            message = self.spoken[contexts, self.phrases(said.words[seat], contexts)]
            heard.append(message + self.noise * said.chance.normal(message.shape[1]))
        return heard[0], heard[1]
