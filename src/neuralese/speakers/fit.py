"""Fit the models of who says what to what robots and humans said; choose their weights on held-out data.

Few distinct observations are fitted all at once by L-BFGS, which takes a few hundred iterations; otherwise messages are
drawn in minibatches for Adam.
"""

import copy
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from neuralese.agents.messages import Messages, Sequences, distinct
from neuralese.config.models import FitConfig
from neuralese.games.states import States
from neuralese.randomness import seeded
from neuralese.speakers.models import HumanListener, HumanSpeaker
from neuralese.speakers.symbols import AutoregressiveSpeaker, PositionSpeaker
from neuralese.speakers.traces import Lists, Traces
from neuralese.speakers.vectors import GaussianSpeaker, RobotSpeaker

HELD_OUT = 10_000  # maximum number of held-out messages used while fitting in minibatches

# all at once: an L2 penalty on weight matrices falls step by step, each fit starting where the last one ended
PENALTIES = (0.25, 0.08, 0.025, 0.008, 0.002, 0.0)  # divided by the root of the number of messages
ITERATIONS = 100  # maximum for each penalty
PATIENCE = 10  # iterations without a gain on held-out data after which a penalty is done
GAIN = 1e-5  # nats that count as a gain
WORTHWHILE = 1e-3  # gain of a penalty below which no weaker one is tried

log = logging.getLogger(__name__)


def fit(
    model: nn.Module,
    loss: Callable[[int], Tensor],
    held_out: Callable[[], Tensor | float],
    config: FitConfig,
    name: str,
    whole: Callable[[], Tensor] | None = None,
    count: int = 1,
) -> float:
    """Minimise `loss(batch size)`; leave `model` with the weights whose `held_out()` was least, and return that.

    If `whole`, the loss of all `count` messages, is given, it is minimised instead.
    """
    if whole is None:
        best = _in_batches(model, loss, held_out, config, name)
    else:
        best = _at_once(model, whole, count, held_out, name)
    model.load_state_dict(best.weights)
    return best.value


class _Best:
    """The least held-out loss so far, and the weights at which it was reached."""

    def __init__(self, model: nn.Module, value: float = float("inf")) -> None:
        self.model = model
        self.keep(value)

    def keep(self, value: float) -> None:
        self.value, self.weights = value, copy.deepcopy(self.model.state_dict())


class Adam:
    """Adam with its usual settings, as in `torch.optim`, which takes a second to load a compiler that is not needed."""

    def __init__(self, model: nn.Module) -> None:
        self.parameters, self.steps = list(model.parameters()), 0
        self.mean, self.square = ([torch.zeros_like(each) for each in self.parameters] for _ in range(2))

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """Move every parameter against its gradient."""
        self.steps += 1
        size, scale = learning_rate / (1 - 0.9**self.steps), (1 - 0.999**self.steps) ** 0.5
        for parameter, mean, square in zip(self.parameters, self.mean, self.square, strict=True):
            if parameter.grad is not None:
                mean.lerp_(parameter.grad, 1 - 0.9)
                square.mul_(0.999).addcmul_(parameter.grad, parameter.grad, value=1 - 0.999)
                parameter.addcdiv_(mean, (square.sqrt() / scale).add_(1e-8), value=-size)


def _in_batches(
    model: nn.Module,
    loss: Callable[[int], Tensor],
    held_out: Callable[[], Tensor | float],
    config: FitConfig,
    name: str,
) -> _Best:
    optimizer, rate = Adam(model), config.learning_rate
    best, looks = _Best(model), 0
    for step in range(1, config.steps + 1):
        model.zero_grad()
        loss(config.batch).backward()
        optimizer.step(rate)
        if config.decay:  # along a cosine, by a recursion that is rounded as in `torch.optim`
            before, now = (1 + math.cos(math.pi * each / config.steps) for each in (step - 1, step))
            rate *= now / before
        if step % config.check_every == 0 or step == config.steps:
            with torch.no_grad():
                value = float(held_out())
            log.info("%s: %d batches, held-out %.4f", name, step, value)
            looks += 1
            if value < best.value or not config.patience:
                best.keep(value)
                looks = 0
            elif looks >= config.patience:
                break
    return best


def _at_once(
    model: nn.Module, whole: Callable[[], Tensor], count: int, held_out: Callable[[], Tensor | float], name: str
) -> _Best:
    from scipy.optimize import minimize

    parameters = [each for each in model.parameters() if each.requires_grad]
    matrices = np.concatenate([np.full(each.numel(), float(each.dim() > 1)) for each in parameters])
    best, since = _Best(model), 0

    def use(values: np.ndarray) -> None:
        vector_to_parameters(torch.from_numpy(values).float(), parameters)

    def penalised(values: np.ndarray, penalty: float) -> tuple[float, np.ndarray]:
        use(values)
        loss = whole()
        slope = parameters_to_vector(torch.autograd.grad(loss, parameters)).double().numpy()
        weights = values * matrices
        return float(loss.detach()) + penalty / 2 * (weights @ weights), slope + penalty * weights

    def look(values: np.ndarray) -> None:
        nonlocal since
        use(values)
        with torch.no_grad():
            value = float(held_out())
        since = 0 if value < best.value - GAIN else since + 1
        if value < best.value:
            best.keep(value)
        if since >= PATIENCE:
            raise StopIteration

    values = parameters_to_vector(parameters).detach().double().numpy()
    for penalty in np.array(PENALTIES) / math.sqrt(count):
        before, since = best.value, 0
        options = {"maxiter": ITERATIONS, "ftol": 1e-6, "gtol": 1e-7}
        with threadpool_limits(1, "blas"):  # sums over several threads are rounded differently
            found = minimize(penalised, values, (penalty,), "L-BFGS-B", jac=True, callback=look, options=options)
        values = found.x
        log.info("%s: penalty %g, %d iterations, held-out %.4f", name, penalty, found.nit, best.value)
        if best.value > before - WORTHWHILE:
            break
    return best


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
    """The best speaker, and the held-out loss of every model compared, in nats per message."""

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
    or one number for each.
    """
    if isinstance(said[1], Sequences):
        return _fit_symbols(states, said, held_out, config, generator)
    return _fit_vectors(states, said, held_out, config, generator, noise)


def _fit_symbols(
    states: States,
    said: tuple[Tensor, Sequences],
    held_out: tuple[Tensor, Sequences],
    config: FitConfig,
    generator: torch.Generator,
) -> Fitted:
    observations, messages = said
    look = torch.randperm(len(held_out[1]), generator=generator)[:HELD_OUT]
    train, dev = _message_shares(*said), _message_shares(held_out[0][look], held_out[1][look])

    def error(speaker: Any, observations: Tensor, messages: Sequences, share: Tensor) -> Tensor:
        return -(speaker.log_prob_each(messages, observations) * share).sum()

    def some(speaker: Any, batch: int) -> Tensor:
        chosen = _draw(len(messages), batch, generator)
        return -speaker.log_prob_each(messages[chosen], observations[chosen]).mean()

    settings = (config.hidden, messages.vocabulary, messages.longest, messages.ends)
    # messages of one symbol leave nothing to choose: both are the same distribution
    kinds = (PositionSpeaker, AutoregressiveSpeaker) if messages.longest > 1 else (PositionSpeaker,)
    speakers: dict[str, Any] = {}
    losses: dict[str, float] = {}
    for kind in kinds:
        speaker = seeded(partial(kind, states, *settings), generator)
        whole = partial(error, speaker, *train) if len(train[0]) <= config.full_batch else None
        check = partial(error, speaker, *dev)
        name = f"{kind.kind} speaker"
        losses[kind.kind] = fit(speaker, partial(some, speaker), check, config, name, whole, len(messages))
        speakers[kind.kind] = speaker.eval()
    return Fitted(speakers[min(losses, key=losses.__getitem__)], losses)


def _message_shares(observations: Tensor, messages: Sequences) -> tuple[Tensor, Sequences, Tensor]:
    """Distinct observations with distinct messages said there, and the share of each pair."""
    kinds, kind, _ = messages.distinct()
    views, view, said, share = shares(observations, kind)
    return views[view], kinds[said], share


def _fit_vectors(
    states: States,
    said: tuple[Tensor, Tensor],
    held_out: tuple[Tensor, Tensor],
    config: FitConfig,
    generator: torch.Generator,
    noise: float | None,
) -> Fitted:
    observations, messages = said
    size = messages.shape[1]
    each = noise is None and size > 1  # whether each entry has noise of its own
    speaker = seeded(lambda: GaussianSpeaker(states, config.hidden, size, each, noise), generator)
    speaker.standardise(messages)
    train, dev = mean_messages(*said), mean_messages(*held_out)

    def some(batch: int) -> Tensor:
        chosen = _draw(len(messages), batch, generator)
        return -speaker.log_prob_each(messages[chosen], observations[chosen]).mean()

    whole = (lambda: speaker.loss(speaker.squares(*train))) if len(train[0]) <= config.full_batch else None
    loss = fit(
        speaker, some, lambda: float(speaker.loss(speaker.squares(*dev))), config, "vectors", whole, len(messages)
    )
    if noise is not None:
        return Fitted(speaker.eval(), {"isotropic": loss})
    with torch.no_grad():
        squares = speaker.squares(*dev)
        kinds = {"isotropic": speaker.recalibrated(squares, diagonal=False)}
        if each:
            kinds["diagonal"] = speaker.recalibrated(squares, diagonal=True)
        losses = {kind: float(made.loss(squares)) for kind, made in kinds.items()}
    return Fitted(kinds[min(losses, key=losses.__getitem__)].eval(), losses)


def shares(observations: Tensor, said: Tensor, weights: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The distinct observations, and each distinct pair of an observation and a number `said` (n,) in it.

    A pair is the place of the observation, the number, and its share of all (or of their weights), (pairs,) each.
    """
    first, view = distinct(observations)
    size = int(said.max()) + 1
    pairs, pair = (view * size + said).unique(return_inverse=True)
    weights = torch.ones(len(said)) if weights is None else weights
    total = torch.zeros(len(pairs), dtype=torch.float64).index_add_(0, pair, weights.double())
    return observations[first], pairs // size, pairs % size, (total / total.sum()).float()


def mean_messages(observations: Tensor, messages: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The distinct observations (k, ...), the mean message in each, (k, message), and their shares of all, (k,).

    The fourth is the mean square by which each entry of a message differs from those means, (message,).
    """
    first, view = distinct(observations)
    counts = view.bincount()
    means = torch.zeros(len(first), messages.shape[1], dtype=torch.float64).index_add_(0, view, messages.double())
    means /= counts[:, None]
    around = (messages - means[view]).square().mean(0)
    return observations[first], means.float(), counts / len(messages), around.float()


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

    def whole_error(views: Tensor, view: Tensor, phrase: Tensor, share: Tensor) -> Tensor:
        return -(speaker.log_prob(views)[phrase, view] * share).sum()

    def silence_error(traces: Traces, chosen: Tensor) -> Tensor:
        silent = torch.ones(len(traces)).index_fill(0, traces.not_silent(silence), 0.0)[chosen]
        logit = speaker.silent(game.human_view(traces.states[chosen])).squeeze(1)
        return nn.functional.binary_cross_entropy_with_logits(logit, silent)

    look = held_out_rows[_draw(len(held_out_rows), HELD_OUT, generator)]
    check, whole = partial(error, held_out, look), None
    if config.full_batch:
        train, dev = (_phrase_shares(game, *each) for each in ((said, rows), (held_out, held_out_rows)))
        if len(train[0]) <= config.full_batch:
            check, whole = partial(whole_error, *dev), partial(whole_error, *train)

    def some(batch: int) -> Tensor:
        return error(said, rows[_draw(len(rows), batch, generator)])

    fit(speaker.logits, some, check, config, "human speaker", whole, len(rows))
    if silence is not None:
        fit(
            speaker.silent,
            lambda batch: silence_error(said, _draw(len(said), batch, generator)),
            lambda: float(silence_error(held_out, torch.arange(len(held_out)))),
            config,
            "human silence",
        )
    return speaker


def _phrase_shares(game: States, traces: Traces, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What is said in which view: see `shares`."""
    row, phrase = traces.phrases.members(chosen)
    return shares(game.human_view(traces.states[chosen[row]]), phrase, 1 / torch.bincount(row)[row])


def fit_human_listener(
    game: States, said: Traces, held_out: Traces, config: FitConfig, generator: torch.Generator
) -> HumanListener:
    """Fit the model human: of the state that was described and its distractors, which one does the bag describe?

    Each of its networks sees its own part of every batch, so that several take no longer than one.
    """
    listener = seeded(lambda: HumanListener(game, config.hidden, said.words.size), generator)
    networks = len(listener.networks)

    def error(states: Tensor, bags: Tensor) -> Tensor:
        errors = []
        for network, seen, heard in zip(listener.networks, states.chunk(networks), bags.chunk(networks), strict=True):
            views = (game.human_view(each) for each in game.candidates(seen).unbind(1))
            right, *wrong = ((network(view) * heard).sum(1) for view in views)
            errors.append(nn.functional.softplus(torch.stack(wrong).logsumexp(0) - right).mean())
        return torch.stack(errors).mean()

    def loss(batch: int) -> Tensor:
        chosen = _draw(len(said), batch, generator)
        states = game.practise(said.states[chosen], generator)
        if config.full_batch:
            return Guesses(game, states, said.words, chosen, networks).error(listener)
        return error(states, said.words.bags(chosen))

    look = _draw(len(held_out), HELD_OUT, generator)
    states = game.redraw(held_out.states[look], generator)
    if config.full_batch:
        check = partial(Guesses(game, states, held_out.words, look, networks).error, listener)
    else:
        check = partial(error, states, held_out.words.bags(look))
    fit(listener, loss, check, config, "human listener")
    return listener


class Guesses:
    """Which of the candidates of states (n, s, ...) do bags of words describe? Each distinct view is scored once.

    Each of several networks guesses in its own part of the states.
    """

    def __init__(self, game: States, states: Tensor, words: Lists, chosen: Tensor, networks: int) -> None:
        self.parts = []
        for part, rows in zip(states.chunk(networks), chosen.chunk(networks), strict=True):
            seen = game.human_view(game.candidates(part).flatten(0, 1))
            first, place = distinct(seen)
            row, word = words.members(rows)
            # where each word of a message is looked up, by candidate
            self.parts.append(
                (seen[first], row, place.view(len(rows), -1)[row] * words.size + word[:, None], len(rows))
            )

    def error(self, listener: HumanListener) -> Tensor:
        errors = []
        for network, (views, row, place, count) in zip(listener.networks, self.parts, strict=True):
            said = network(views).flatten()[place]
            scores = said.new_zeros(count, said.shape[1]).index_add(0, row, said)
            errors.append(nn.functional.softplus(scores[:, 1:].logsumexp(1) - scores[:, 0]).mean())
        return torch.stack(errors).mean()
