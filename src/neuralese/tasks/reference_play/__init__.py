"""Talk with a robot about one of several items: you describe and it picks, it speaks and you pick, or two robots talk.

This is the game of every task without its own page: its states are drawn as in the report, and what
the robot says and understands comes from a finished run.
"""

from neuralese.play.options import PlayOptions
from neuralese.tasks.reference_play.robot import load_robot
from neuralese.tasks.reference_play.sitting import Sitting


def open_sitting(options: PlayOptions) -> Sitting:
    """Games with the robot trained with a seed."""
    return Sitting(load_robot(options.results, options.task, options.seed), options)
