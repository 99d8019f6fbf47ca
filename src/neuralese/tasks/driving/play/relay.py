"""A game of two robots that talk through English, for a person to follow: what they say is translated twice."""

import torch
from torch import Tensor

from neuralese.agents.episodes import rounds
from neuralese.games.driving import WAIT
from neuralese.tasks.driving.play.game import OUT_OF_TIME, car
from neuralese.tasks.driving.play.robot import Robot


def watch_game(robot: Robot, generator: torch.Generator) -> dict:
    """A whole game as JSON: states, and between consecutive ones what both did, said and were heard to say."""
    world = robot.game.reset(1, generator)
    worlds, turns, spoken = [world], [], []

    def translated(time: int, actions: Tensor, sent: Tensor) -> tuple[Tensor, Tensor]:
        """Let each robot hear the message that the other's English becomes (see `rounds`)."""
        best = [robot.into_english(sent[0, seat]) for seat in (0, 1)]
        spoken.append(best)
        received = [robot.into_neuralese[robot.phrases.index(each[0][0])] for each in best]
        return actions, torch.stack(received)[None]

    reward, outcome = 0.0, OUT_OF_TIME
    for played in rounds(robot.cell, robot.game, world, generator, intervene=translated):
        before = worlds[-1]
        worlds.append(robot.game.step(before, played.actions)[0])
        turns.append([_turn(played.actions, before.arrived, spoken[-1], seat) for seat in (0, 1)])
        reward += float(played.reward[0])
        if played.over[0]:
            outcome = "arrived" if played.success[0] else "crashed"
            break
    return {
        "road": robot.roads[int(world.map[0])].splitlines(),
        "states": [[car(each, seat) for seat in (0, 1)] for each in worlds],
        "turns": turns,
        "outcome": outcome,
        "reward": round(reward, 2),
    }


def _turn(actions: Tensor, arrived: Tensor, spoken: list[list[tuple[str, float]]], seat: int) -> dict:
    """What one robot does and says; one that has arrived waits and says nothing."""
    if arrived[0, seat]:
        return {"action": WAIT, "arrived": True, "said": []}
    said = [{"phrase": phrase, "score": round(score, 2)} for phrase, score in spoken[seat]]
    return {"action": int(actions[0, seat]), "arrived": False, "said": said}
