"""Fit a small model with Adam, keeping the weights that did best on held-out data."""

import copy
import logging
import sys
from collections.abc import Callable

import torch
from torch import Tensor, nn
from tqdm import tqdm

from neuralese.speakers.adam import Adam, cosine
from neuralese.speakers.settings import FitConfig

log = logging.getLogger(__name__)


def fit(
    model: nn.Module, loss: Callable[[int], Tensor], held_out: Callable[[], float], config: FitConfig, name: str
) -> float:
    """Minimise `loss(batch size)`; leave `model` with the weights whose `held_out()` was least, and return that."""
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
    model.load_state_dict(best_weights)
    return best
