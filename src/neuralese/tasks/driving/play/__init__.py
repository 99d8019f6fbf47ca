"""Drive one of two cars in fog: type short messages to the robot that drives the other."""

from neuralese.play.options import PlayOptions
from neuralese.tasks.driving.play.robot import STEPS, load_robot
from neuralese.tasks.driving.play.sitting import Sitting


def open_sitting(options: PlayOptions) -> Sitting:
    """Games with the robot trained with a seed."""
    robot = load_robot(options.results, options.seed, options.criterion, options.steps or STEPS)
    return Sitting(robot, options.logs, options.generator)
