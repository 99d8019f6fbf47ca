"""Fit a small model with Adam, keeping the weights that did best on held-out data."""

import copy
import logging
import sys
from collections.abc import Callable

import torch
from torch import Tensor, nn
from tqdm import tqdm

from neuralese.config.models import FitConfig
from neuralese.speakers.adam import Adam, cosine

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
    optimizer = Adam(model.parameters(), config.learning_rate)
    best, best_weights, looks = float("inf"), copy.deepcopy(model.state_dict()), 0
    for step in tqdm(range(1, config.steps + 1), desc=name, unit="batch", disable=not sys.stderr.isatty()):
        optimizer.forget()
        loss(config.batch).backward()
        optimizer.step()
        if config.decay:
            optimizer.learning_rate *= cosine(step, config.steps)
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
