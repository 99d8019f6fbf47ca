"""Where distractors come from: what a listener has to tell the true state from.

Our main protocol draws a distractor as the true state was drawn ("play"), so that a listener that hears nothing is at
chance. The authors' released driving game puts it anywhere on the road ("anywhere"), which is easier: it need not be a
state of any game, so even the words of another message help. Both are reported for the driving game.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import torch

from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Way, evaluate_belief
from neuralese.evaluate.listeners import Listeners
from neuralese.games.driving import DrivingGame


def under_every_protocol(
    listeners: Listeners,
    robot: Speech,
    human: HumanSpeech,
    ways: Sequence[Way],
    resamples: int,
    generator: torch.Generator,
) -> pd.DataFrame:
    """The belief evaluation with the game's own distractors and, in the driving game, with those of the released code.

    Columns: those of `evaluate_belief`, and distractors.
    """
    game = listeners.game
    own = getattr(game, "distractors", "play")
    belief = evaluate_belief(listeners, robot, human, ways, resamples, generator).assign(distractors=own)
    if not isinstance(game, DrivingGame) or own == "anywhere":
        return belief
    robot = replace(robot, states=game.redraw_anywhere(robot.states, generator))
    human = replace(human, states=game.redraw_anywhere(human.states, generator))
    easier = evaluate_belief(listeners, robot, human, ways, resamples, generator).assign(distractors="anywhere")
    return pd.concat([belief, easier], ignore_index=True)
