"""Fit the three models of `speakers.models` to what robots and humans said; choose their weights on held-out data."""

import torch
from torch import Tensor

from neuralese.games.states import States
from neuralese.randomness import seeded
from neuralese.speakers.fitting import FitConfig, fit
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker
from neuralese.speakers.traces import Traces

HELD_OUT = 10_000  # maximum number of held-out messages used


def _draw(n: int, batch: int, generator: torch.Generator) -> Tensor:
    return torch.randint(n, (batch,), generator=generator)


def fit_robot_speaker(
    game: States,
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
        return error(states.index_select(0, chosen), messages.index_select(0, chosen))  # faster than an index

    fit(speaker, loss, lambda: float(error(*held_out)), config, "robot speaker")
    return speaker


def fit_human_speaker(
    game: States,
    said: Traces,
    held_out: Traces,
    config: FitConfig,
    generator: torch.Generator,
    silence: int | None = None,
    heard: Tensor | None = None,
) -> HumanSpeaker:
    """Fit p(z | x) to human traces; a message of several phrases says each of them with equal probability.

    With `heard` (phrases, words), phrases that share words share what is learned about them.
    """
    words = 0 if heard is None else heard.shape[1]
    speaker = seeded(lambda: HumanSpeaker(game, config.hidden, said.phrases.size, silence, words, heard), generator)
    spoken, held_out_spoken = said.spoken(silence), held_out.spoken(silence)

    def error(traces: Traces, chosen: Tensor) -> Tensor:
        bags = traces.phrases.bags(chosen)
        log_prob = speaker.log_prob(game.human_view(traces.states[chosen])).T
        return -(log_prob * bags / bags.sum(1, keepdim=True)).sum(1).mean()

    look = held_out_spoken[_draw(len(held_out_spoken), HELD_OUT, generator)]
    fit(
        speaker.logits,
        lambda batch: error(said, spoken[_draw(len(spoken), batch, generator)]),
        lambda: float(error(held_out, look)),
        config,
        "human speaker",
    )
    if silence is not None:
        _fit_silence(game, speaker, said, held_out, config, generator)
    return speaker


def _fit_silence(
    game: States, speaker: HumanSpeaker, said: Traces, held_out: Traces, config: FitConfig, generator: torch.Generator
) -> None:
    """Fit p(silent | x)."""

    def error(traces: Traces, chosen: Tensor) -> Tensor:
        silent = torch.ones(len(traces)).index_fill(0, traces.spoken(speaker.silence), 0.0)[chosen]
        logit = speaker.silent(game.human_view(traces.states[chosen])).squeeze(1)
        return torch.nn.functional.binary_cross_entropy_with_logits(logit, silent)

    fit(
        speaker.silent,
        lambda batch: error(said, _draw(len(said), batch, generator)),
        lambda: float(error(held_out, torch.arange(len(held_out)))),
        config,
        "human silence",
    )


def fit_human_listener(
    game: States, said: Traces, held_out: Traces, config: FitConfig, generator: torch.Generator
) -> HumanListener:
    """Fit the model human: of the state that was described and its distractors, which one does the bag describe?"""
    listener = seeded(lambda: HumanListener(game, config.hidden, said.words.size), generator)

    def error(states: Tensor, bags: Tensor) -> Tensor:
        views = (game.human_view(each) for each in game.candidates(states).unbind(1))
        right, *wrong = (listener.score(view, bags) for view in views)
        return torch.nn.functional.softplus(torch.stack(wrong).logsumexp(0) - right).mean()

    def loss(batch: int) -> Tensor:
        chosen = _draw(len(said), batch, generator)
        return error(game.practise(said.states[chosen], generator), said.words.bags(chosen))

    look = _draw(len(held_out), HELD_OUT, generator)
    states, bags = game.redraw(held_out.states[look], generator), held_out.words.bags(look)
    fit(listener, loss, lambda: float(error(states, bags)), config, "human listener")
    return listener
