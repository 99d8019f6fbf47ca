"""Fit the models of who says what to what robots and humans said; choose their weights on held-out data."""

import copy
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from tqdm import tqdm

from neuralese.agents.messages import Messages, Sequences
from neuralese.config.models import FitConfig
from neuralese.games.states import States
from neuralese.randomness import seeded
from neuralese.speakers.models import HumanListener, HumanSpeaker
from neuralese.speakers.symbols import AutoregressiveSpeaker, PositionSpeaker
from neuralese.speakers.traces import Traces
from neuralese.speakers.vectors import GaussianSpeaker, RobotSpeaker

HELD_OUT = 10_000  # maximum number of held-out messages used
SMALLEST = 64  # minimum number of recorded messages in a minibatch
PATIENCE = 250  # minimum number of minibatches of them without improvement after which fitting stops

log = logging.getLogger(__name__)


def fit(
    model: nn.Module, loss: Callable[[int], Tensor], held_out: Callable[[], float], config: FitConfig, name: str
) -> float:
    """Minimise `loss(batch size)`; leave `model` with the weights whose `held_out()` was least, and return that.

    If the config names a second learning rate, both start from the same weights, and the one that did better is kept.
    """
    first = copy.deepcopy(model.state_dict())
    best, best_weights = _fit(model, loss, held_out, config, name)
    if config.faster > 1:
        model.load_state_dict(first)
        other = config.model_copy(update={"learning_rate": config.learning_rate * config.faster})
        value, weights = _fit(model, loss, held_out, other, f"{name}, faster")
        if value < best:
            best, best_weights = value, weights
    model.load_state_dict(best_weights)
    return best


def _fit(
    model: nn.Module, loss: Callable[[int], Tensor], held_out: Callable[[], float], config: FitConfig, name: str
) -> tuple[float, dict[str, Tensor]]:
    """The least `held_out()`, and the weights at which it was reached."""
    optimizer = torch.optim.Adam(model.parameters(), config.learning_rate)
    schedule = CosineAnnealingLR(optimizer, config.steps) if config.decay else None
    best, best_weights, looks = float("inf"), copy.deepcopy(model.state_dict()), 0
    for step in tqdm(range(1, config.steps + 1), desc=name, unit="batch", disable=not sys.stderr.isatty()):
        optimizer.zero_grad()
        loss(config.batch).backward()
        optimizer.step()
        if schedule:
            schedule.step()
        if step % config.check_every == 0 or step == config.steps:
            with torch.no_grad():
                value = held_out()
            log.info("%s: %d batches, held-out %.4f", name, step, value)
            looks += 1
            if value < best or not config.patience:
                best, best_weights, looks = value, copy.deepcopy(model.state_dict()), 0
            elif looks >= config.patience:
                break
    return best, best_weights


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


@dataclass(frozen=True)
class Fitted:
    """The best speaker, and the held-out loss of every model fitted, in nats per message."""

    speaker: Any  # an `nn.Module` that is a `Speaker`
    losses: dict[str, float]


def fit_recorded_speaker(
    states: States,
    said: tuple[Tensor, Messages],
    held_out: tuple[Tensor, Messages],
    config: FitConfig,
    generator: torch.Generator,
    noise: float | None = None,
) -> Fitted:
    """Fit several models of p(z | x) to (observations, recorded messages); keep the best on held-out messages.

    Symbols may or may not depend on those before them. The noise of vectors, unless given, is the same for all entries
    or one number for each; it is learned together with their mean.
    """
    observations, messages = said
    kinds: dict[str, Callable[[], nn.Module]]
    if isinstance(messages, Sequences):
        settings = (config.hidden, messages.vocabulary, messages.longest, messages.ends)
        # messages of one symbol leave nothing to choose: both are the same distribution
        models = (PositionSpeaker, AutoregressiveSpeaker) if messages.longest > 1 else (PositionSpeaker,)
        kinds = {each.kind: partial(each, states, *settings) for each in models}
    else:
        names = ("isotropic",) if noise is not None or messages.shape[1] == 1 else ("isotropic", "diagonal")
        kinds = {name: partial(_gaussian, states, messages, config, name == "diagonal", noise) for name in names}
    config = suited(config, len(messages))
    look = torch.randperm(len(held_out[1]), generator=generator)[:HELD_OUT]
    seen, heard = held_out[0][look], held_out[1][look]
    speakers: dict[str, Any] = {}
    losses: dict[str, float] = {}
    for kind, make in kinds.items():
        speaker = speakers[kind] = seeded(make, generator)

        def loss(batch: int, speaker: Any = speaker) -> Tensor:
            chosen = _draw(len(messages), batch, generator)
            return -speaker.log_prob_each(messages[chosen], observations[chosen]).mean()

        def error(speaker: Any = speaker) -> float:
            return -float(speaker.log_prob_each(heard, seen).mean())

        losses[kind] = fit(speaker, loss, error, config, f"{kind} speaker")
    return Fitted(speakers[min(losses, key=losses.__getitem__)].eval(), losses)


def _gaussian(
    states: States, messages: Tensor, config: FitConfig, diagonal: bool, noise: float | None
) -> GaussianSpeaker:
    speaker = GaussianSpeaker(states, config.hidden, messages.shape[1], diagonal, noise)
    speaker.standardise(messages)
    return speaker


def suited(config: FitConfig, messages: int) -> FitConfig:
    """A config for a given number of messages: smaller batches and more frequent checks if they are few.

    A thousand messages are overfitted long before the first check of a config made for a game's thousands
    of states.
    """
    batch = min(config.batch, max(SMALLEST, messages // 8))
    every = min(config.check_every, max(10, 2 * messages // batch))
    patience = max(config.patience, PATIENCE // every) if config.patience else 0
    return config.model_copy(update={"batch": batch, "check_every": every, "patience": patience})


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
    rows, held_out_rows = said.not_silent(silence), held_out.not_silent(silence)

    def error(traces: Traces, chosen: Tensor) -> Tensor:
        bags = traces.phrases.bags(chosen)
        log_prob = speaker.log_prob(game.human_view(traces.states[chosen])).T
        return -(log_prob * bags / bags.sum(1, keepdim=True)).sum(1).mean()

    def silence_error(traces: Traces, chosen: Tensor) -> Tensor:
        silent = torch.ones(len(traces)).index_fill(0, traces.not_silent(silence), 0.0)[chosen]
        logit = speaker.silent(game.human_view(traces.states[chosen])).squeeze(1)
        return nn.functional.binary_cross_entropy_with_logits(logit, silent)

    look = held_out_rows[_draw(len(held_out_rows), HELD_OUT, generator)]
    fit(
        speaker.logits,
        lambda batch: error(said, rows[_draw(len(rows), batch, generator)]),
        lambda: float(error(held_out, look)),
        config,
        "human speaker",
    )
    if silence is not None:
        fit(
            speaker.silent,
            lambda batch: silence_error(said, _draw(len(said), batch, generator)),
            lambda: float(silence_error(held_out, torch.arange(len(held_out)))),
            config,
            "human silence",
        )
    return speaker


def fit_human_listener(
    game: States, said: Traces, held_out: Traces, config: FitConfig, generator: torch.Generator
) -> HumanListener:
    """Fit the model human: of the state that was described and its distractors, which one does the bag describe?

    Each of its networks sees its own part of every batch, so that several take no longer than one.
    """
    listener = seeded(lambda: HumanListener(game, config.hidden, said.words.size), generator)

    def error(states: Tensor, bags: Tensor) -> Tensor:
        count, errors = len(listener.networks), []
        for network, seen, heard in zip(listener.networks, states.chunk(count), bags.chunk(count), strict=True):
            views = (game.human_view(each) for each in game.candidates(seen).unbind(1))
            right, *wrong = ((network(view) * heard).sum(1) for view in views)
            errors.append(nn.functional.softplus(torch.stack(wrong).logsumexp(0) - right).mean())
        return torch.stack(errors).mean()

    def loss(batch: int) -> Tensor:
        chosen = _draw(len(said), batch, generator)
        return error(game.practise(said.states[chosen], generator), said.words.bags(chosen))

    look = _draw(len(held_out), HELD_OUT, generator)
    states, bags = game.redraw(held_out.states[look], generator), held_out.words.bags(look)
    fit(listener, loss, lambda: float(error(states, bags)), config, "human listener")
    return listener
