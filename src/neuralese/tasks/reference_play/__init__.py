"""Talk with a robot about one of several items: you describe and it picks, it speaks and you pick, or two robots talk.

This is the game of every task that brings no page of its own: its states are drawn as the report draws them, and what
the robot says and understands is that of a finished run.
"""

from neuralese.play.options import PlayOptions
from neuralese.tasks.reference_play.robot import load_robot
from neuralese.tasks.reference_play.sitting import Sitting


def open_sitting(options: PlayOptions) -> Sitting:
    """Games with the robot that was trained with a seed."""
    return Sitting(load_robot(options.results, options.task, options.seed), options)
