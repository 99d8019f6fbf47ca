"""Fit the three models of `speakers.models` to what robots and humans said; choose their weights on held-out data."""

import torch
from torch import Tensor

from neuralese.games.game import Game
from neuralese.randomness import seeded
from neuralese.speakers.fitting import FitConfig, fit
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker
from neuralese.speakers.traces import Traces

HELD_OUT = 10_000  # held-out messages looked at, at most


def _draw(n: int, batch: int, generator: torch.Generator) -> Tensor:
    return torch.randint(n, (batch,), generator=generator)


def fit_robot_speaker(
    game: Game,
    said: tuple[Tensor, Tensor],
    held_out: tuple[Tensor, Tensor],
    scale: float,
    config: FitConfig,
    generator: torch.Generator,
) -> RobotSpeaker:
    """Fit p(z | x) to (states, messages) of a robot; with a fixed scale, likelihood is squared error."""
    states, messages = said
    speaker = seeded(lambda: RobotSpeaker(game, config.hidden, messages.shape[1], scale), generator)

    def error(states: Tensor, messages: Tensor) -> Tensor:
        return (speaker.mean(game.speaker_view(states)) - messages).square().sum(1).mean()

    def loss(batch: int) -> Tensor:
        chosen = _draw(len(states), batch, generator)
        return error(states[chosen], messages[chosen])

    fit(speaker, loss, lambda: float(error(*held_out)), config, "robot speaker")
    return speaker


def fit_human_speaker(
    game: Game, said: Traces, held_out: Traces, config: FitConfig, generator: torch.Generator
) -> HumanSpeaker:
    """Fit p(z | x) to human traces; a message of several phrases says each of them with equal chance."""
    speaker = seeded(lambda: HumanSpeaker(game, config.hidden, said.inventory), generator)

    def error(traces: Traces, chosen: Tensor) -> Tensor:
        bags = traces.bags(chosen)
        log_prob = speaker.log_prob(game.human_view(traces.states[chosen])).T
        return -(log_prob * bags / bags.sum(1, keepdim=True)).sum(1).mean()

    look = _draw(len(held_out), HELD_OUT, generator)
    fit(
        speaker,
        lambda batch: error(said, _draw(len(said), batch, generator)),
        lambda: float(error(held_out, look)),
        config,
        "human speaker",
    )
    return speaker


def fit_human_listener(
    game: Game, said: Traces, held_out: Traces, config: FitConfig, generator: torch.Generator
) -> HumanListener:
    """Fit the model human: of the described item and another one, which does the bag of words describe?"""
    listener = seeded(lambda: HumanListener(game, config.hidden, said.inventory), generator)

    def error(traces: Traces, chosen: Tensor, others: Tensor) -> Tensor:
        bags = traces.bags(chosen)
        right = listener.score(game.human_view(traces.states[chosen]), bags)
        wrong = listener.score(game.human_view(traces.states[others]), bags)
        return torch.nn.functional.softplus(wrong - right).mean()

    look, look_others = (_draw(len(held_out), HELD_OUT, generator) for _ in range(2))
    fit(
        listener,
        lambda batch: error(said, *(_draw(len(said), batch, generator) for _ in range(2))),
        lambda: float(error(held_out, look, look_others)),
        config,
        "human listener",
    )
    return listener
