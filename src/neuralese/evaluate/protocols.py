"""Where distractors come from: the states a listener must distinguish from the true one.

Our main protocol draws a distractor the way the true state was drawn ("play"), so that a listener that hears nothing
is at chance. States may offer other ways to draw them (`States.other_distractors`), such as that of the authors'
released code; each is reported as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd
import torch

from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Way, evaluate_belief
from neuralese.evaluate.listeners import Listeners

Informed = Callable[[Speech, HumanSpeech], Way]  # a translator that sees what the listener sees


def under_every_protocol(
    listeners: Listeners,
    robot: Speech,
    human: HumanSpeech,
    ways: Sequence[Way],
    resamples: int,
    generator: torch.Generator,
    informed: Informed | None = None,
) -> pd.DataFrame:
    """The belief evaluation with the states' own distractors, and with all others that they offer.

    `informed` is one more way to translate, for exactly the states in which listeners are asked.

    Columns: those of `evaluate_belief`, plus distractors.
    """

    def evaluated(robot: Speech, human: HumanSpeech) -> pd.DataFrame:
        told = [informed(robot, human)] if informed else []
        return evaluate_belief(listeners, robot, human, [*ways, *told], resamples, generator)

    own = evaluated(robot, human)
    tables = [own.assign(distractors=listeners.states.distractors)]
    for name, redraw in listeners.states.other_distractors().items():
        others = replace(robot, states=redraw(robot.states, generator))
        heard = replace(human, states=redraw(human.states, generator))
        tables.append(evaluated(others, heard).assign(distractors=name))
    return pd.concat(tables, ignore_index=True)
