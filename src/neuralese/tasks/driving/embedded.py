"""Driving games between two scripted drivers, as server logs.

A driver takes a shortest path along the road, waits if its next move would touch the other car, and tells the other
what it is up to: its heading, its turns, that it waits, that it is about to arrive, each in several wordings.
"""

import json
from collections import deque
from pathlib import Path

import numpy as np

from neuralese.data.archives import write_tar

GAMES = 300
SPEAKS = 0.6  # chance that a driver says something before a move
DAWDLES = 0.08  # chance that it waits for no reason
LONGEST = 40  # moves after which a game is abandoned
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # north, east, south, west
COMPASS = ("north", "east", "south", "west")
WAIT, FORWARD, LEFT, RIGHT = range(4)
Pose = tuple[int, int, int]  # row, column, direction

# roads, with the poses in which cars start and the cells they may have to reach
MAPS = [
    (
        ["...##..."] * 3 + ["########"] * 2 + ["...##..."] * 3,
        [(1, 3, 2), (3, 6, 3), (4, 1, 1), (6, 4, 0)],
        [(0, 4), (3, 0), (4, 7), (7, 3)],
    ),
    (
        ["........"] * 3 + ["########"] * 2 + ["..##...."] * 3,
        [(3, 6, 3), (4, 1, 1), (6, 3, 0)],
        [(3, 0), (4, 7), (7, 2)],
    ),
    (
        ["....##.."] * 3 + ["....####"] * 2 + ["....##.."] * 3,
        [(1, 4, 2), (3, 6, 3), (6, 5, 0)],
        [(0, 5), (4, 7), (7, 4)],
    ),
    (
        ["........", *["########"] * 3, *["........"] * 4],
        [(1, 6, 3), (2, 6, 3), (3, 6, 3)],
        [(1, 0), (2, 0), (3, 0)],
    ),
]

SAYINGS = {
    "heading": ("{compass}", "going {compass}", "heading {compass}", "moving {compass} now"),
    "forward": ("forward", "going straight", "straight"),
    "left": ("turning left", "left", "going left"),
    "right": ("turning right", "right", "going right"),
    "wait": ("waiting", "i will wait", "you first"),
    "near": ("next to goal", "almost there", "near my goal"),
    "arrive": ("at goal", "goal", "arriving!"),
    "small talk": ("ok", "hello there", "good luck"),
}


def move(pose: Pose, action: int) -> Pose:
    """Where an action leads."""
    row, column, direction = pose
    if action == WAIT:
        return pose
    direction = (direction + {FORWARD: 0, LEFT: -1, RIGHT: 1}[action]) % 4
    down, across = STEPS[direction]
    return min(7, max(0, row + down)), min(7, max(0, column + across)), direction


def cells(pose: Pose) -> set[tuple[int, int]]:
    """Head and tail of a car."""
    down, across = STEPS[pose[2]]
    return {pose[:2], (min(7, max(0, pose[0] - down)), min(7, max(0, pose[1] - across)))}


def shortest_path(road: list[str], start: Pose, goal: tuple[int, int]) -> list[int]:
    """A shortest sequence of actions along the road from `start` to `goal`."""
    queue: deque[tuple[Pose, list[int]]] = deque([(start, [])])
    seen = {start}
    while queue:
        pose, path = queue.popleft()
        if pose[:2] == goal:
            return path
        for action in (FORWARD, LEFT, RIGHT):
            reached = move(pose, action)
            if road[reached[0]][reached[1]] == "#" and reached not in seen:
                seen.add(reached)
                queue.append((reached, [*path, action]))
    raise AssertionError("every goal of the embedded maps can be reached")


def _say(pose: Pose, action: int, left: int, generator: np.random.Generator) -> str:
    """What a driver says when about to do `action` with `left` moves to go."""
    if generator.random() > SPEAKS:
        return ""
    if generator.random() < 0.05:
        topic = "small talk"
    elif action == WAIT:
        topic = "wait"
    elif left <= 2:
        topic = "near" if left == 2 else "arrive"
    elif action in (LEFT, RIGHT):
        topic = "left" if action == LEFT else "right"
    else:
        topic = "forward" if generator.random() < 0.2 else "heading"
    return str(generator.choice(SAYINGS[topic])).format(compass=COMPASS[move(pose, action)[2]])


def play(generator: np.random.Generator) -> list:
    """One game as a log."""
    road, starts, goals = MAPS[generator.integers(len(MAPS))]
    poses = [starts[number] for number in generator.choice(len(starts), 2, replace=False)]
    targets = [goals[number] for number in generator.integers(len(goals), size=2)]
    plans = [shortest_path(road, pose, target) for pose, target in zip(poses, targets, strict=True)]
    done = [False, False]
    grid = [[float(cell == "#") for cell in row] for row in road]

    def state() -> dict:
        places = zip(poses, targets, done, strict=True)
        cars = [{"done": over, "pos": list(p[:2]), "dir": p[2], "goal": list(goal)} for p, goal, over in places]
        return {"cars": cars, "road": grid}

    record: list = [state()]
    for _ in range(LONGEST):
        actions = [WAIT if done[p] or generator.random() < DAWDLES else plans[p][0] for p in (0, 1)]
        for player in generator.permutation(2):  # who looks first
            own, other = (cells(move(poses[p], actions[p])) for p in (player, 1 - player))
            if own & other and not any(done):
                actions[player] = WAIT
        said = ["" if done[p] else _say(poses[p], actions[p], len(plans[p]), generator) for p in (0, 1)]
        both = not any(done)
        for player, action in enumerate(actions):
            if action != WAIT:
                poses[player], plans[player] = move(poses[player], action), plans[player][1:]
            done[player] = done[player] or poses[player][:2] == targets[player]
        record += [[{"action": actions[p], "message": said[p]} for p in (0, 1)], state()]
        if all(done) or (both and cells(poses[0]) & cells(poses[1])):
            return record
    return play(generator)  # both wait for each other: not worth logging


def write(raw: Path) -> None:
    """Write the stand-in games as `raw/logs`."""
    generator = np.random.default_rng(382)
    games = {
        f"embedded/data/drive/server_logs/game_{number:03}.json": json.dumps(play(generator)).encode()
        for number in range(GAMES)
    }
    write_tar(raw / "logs", games)
