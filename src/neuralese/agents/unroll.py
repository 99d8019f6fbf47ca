"""Replay whole games through a cell, forward and backward, at nearly the speed of its matrix products.

The rows of all steps lie one after the other without those of finished games, and whatever does not depend on the
previous step is done for all steps at once: encoding observations, reading Q values and accumulating weight gradients
take one product each. The gates lie side by side as

    candidate from what is seen | reset | update | candidate from memory

so that what is seen reaches the first three, and the memory the last three, with one product each.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import Episodes

MINUS_ONE = torch.tensor(-1.0)
SMALLEST = 1e-12  # shorter messages are not scaled to the channel's length, as in `normalize`


class Rows:
    """Where the steps of games, the longest first, lie in a matrix: step by step, game by game, player by player."""

    def __init__(self, episodes: Episodes) -> None:
        steps = episodes.steps()
        self.going_on = (steps > torch.arange(int(steps.max()))[:, None]).T  # (batch, time) bool
        self.sizes = (2 * self.going_on.sum(0)).tolist()

    def __len__(self) -> int:
        return sum(self.sizes)

    def __iter__(self) -> Iterator[slice]:
        """The rows of each step; a step's first rows go on from the same rows of the step before."""
        end = 0
        for size in self.sizes:
            yield slice(end, end + size)
            end += size

    def pack(self, values: Tensor) -> Tensor:
        """Values (batch, time, 2, ...) restricted to games that are still going on: (rows, ...)."""
        by_time = values[:, : len(self.sizes)].transpose(0, 1)
        return by_time[self.going_on.T].flatten(0, 1)

    def following(self, values: Tensor) -> Tensor:
        """For each row, the value (rows,) of the same player one step later; zero after a game's last step."""
        after = torch.zeros_like(values)
        for now, then in pairwise(self):
            after[now.start : now.start + then.stop - then.start] = values[then]
        return after


def unroll(cell: Cell, rows: Rows, observations: Tensor, noise: Tensor) -> Tensor:
    """Q values (rows, actions) of games replayed with `observations` (rows, ...) and standard normal `noise`.

    `noise` (rows, message) is the channel's; what one player says is heard by the other a step later.
    """
    weights = [
        cell.encode_message.weight,
        cell.memory.weight_ih,
        cell.memory.weight_hh,
        cell.memory.bias_ih,
        cell.memory.bias_hh,
        cell.message.weight,
        cell.message.bias,
    ]
    seen = cell.encode_observation(observations)
    return cell.q_values(_Memory.apply(list(rows), cell.config.radius, cell.config.noise * noise, seen, *weights))


class _Memory(torch.autograd.Function):
    """What both players remember after each step, (rows, hidden), as a function of the observations and the weights."""

    @staticmethod
    def forward(ctx: Any, steps: Any, radius: float, noise: Any, seen: Tensor, *weights: Tensor) -> Tensor:
        hear, from_seen, from_memory, bias_seen, bias_memory, say, bias_say = weights
        hidden = seen.shape[1]
        learning = any(ctx.needs_input_grad)  # otherwise only memory and messages outlive their step
        first, last = _doubled(from_seen.roll(hidden, 0), 0), _doubled(from_memory, 2)
        bias = _doubled((bias_seen + nn.functional.pad(bias_memory[: 2 * hidden], (0, hidden))).roll(hidden), 0)
        bias = torch.cat([bias, 2 * bias_memory[2 * hidden :]])
        memory, (heard, said) = torch.empty_like(seen), (torch.zeros_like(noise) for _ in range(2))
        kept = len(seen) if learning else steps[0].stop
        gates, encoded, scale = (seen.new_empty(kept, width) for width in (4 * hidden, hidden, 1))
        old = seen.new_zeros(steps[0].stop, hidden)  # what is remembered of the step before
        for number, step in enumerate(steps):
            here = step if learning else slice(step.stop - step.start)
            gate, code = gates[here], encoded[here]
            if number == 0:  # nothing is remembered or heard yet
                torch.mul(seen[step], 2, out=code)
            else:
                torch.addmm(seen[step], heard[step], hear.T, beta=2, alpha=2, out=code)
            gate.copy_(bias)[:, : 3 * hidden].addmm_(_tanh_of_half(code), first.T)
            if number > 0:
                gate[:, hidden:].addmm_(old, last.T)
            gate[:, hidden : 3 * hidden].sigmoid_()
            new, reset, update, from_old = gate.chunk(4, dim=1)
            torch.lerp(_tanh_of_half(new.addcmul_(reset, from_old)), old, update, out=memory[step])
            if number + 1 < len(steps):  # nobody hears the last messages
                following = steps[number + 1]
                spoken = slice(step.start, step.start + following.stop - following.start)
                old = memory[spoken]
                message = torch.addmm(bias_say, old, say.T)
                length = message.norm(dim=1, keepdim=True).clamp_(min=SMALLEST)
                torch.mul(message, radius / length, out=said[spoken])
                if learning:
                    scale[spoken] = radius / length
                heard[following] = _other(said[spoken] + noise[spoken])
        ctx.steps, ctx.radius = steps, radius
        if learning:
            ctx.save_for_backward(gates, encoded, scale, memory, heard, said, hear, first, last, say)
        return memory

    @staticmethod
    def backward(ctx: Any, d_after: Tensor) -> tuple[Tensor | None, ...]:
        gates, encoded, scale, memory, heard, said, hear, first, last, say = ctx.saved_tensors
        hidden, steps = encoded.shape[1], ctx.steps
        remembered = [memory[now.start : now.start + then.stop - then.start] for now, then in pairwise(steps)]
        before = torch.cat([torch.zeros_like(memory[steps[0]]), *remembered])
        first, last = _halved(first, 0), _halved(last, 2)
        d_gates, d_encoded, d_said = torch.empty_like(gates), torch.empty_like(encoded), torch.zeros_like(heard)
        d_old: Any = None  # gradient from the next step with respect to the memory it began with,
        d_heard: Any = None  # and to what it heard
        for number, step in reversed(list(enumerate(steps))):
            d_memory = d_after[step].clone()
            if d_old is not None:
                spoken = slice(step.start, step.start + len(d_old))
                # a message is scaled to the channel's length: only its direction matters
                along = (d_heard * said[spoken]).sum(1, keepdim=True).div_(-(ctx.radius**2 or 1.0))
                torch.mul(d_heard.addcmul_(said[spoken], along), scale[spoken], out=d_said[spoken])
                d_memory[: len(d_old)].add_(d_old).addmm_(d_said[spoken], say)
            new, reset, update, from_old = gates[step].chunk(4, dim=1)
            d_new, d_reset, d_update, d_from_old = d_gates[step].chunk(4, dim=1)
            sigmoid_backward(torch.sub(before[step], new).mul_(d_memory), update, grad_input=d_update)
            d_old = d_memory * update
            tanh_backward(d_memory.sub_(d_old), new, grad_input=d_new)
            from_old = from_old / 2
            sigmoid_backward(from_old.mul_(d_new), reset, grad_input=d_reset)
            torch.mul(d_new, reset, out=d_from_old)
            code = torch.mm(d_gates[step][:, : 3 * hidden], first)
            tanh_backward(code, encoded[step], grad_input=d_encoded[step])
            if number > 0:
                d_old.addmm_(d_gates[step][:, hidden:], last)
                d_heard = _other(d_encoded[step] @ hear)
        d_bias = d_gates.sum(0)
        return (
            None,
            None,
            None,
            d_encoded,
            d_encoded.T @ heard,
            (d_gates[:, : 3 * hidden].T @ encoded).roll(-hidden, 0),
            d_gates[:, hidden:].T @ before,
            d_bias[: 3 * hidden].roll(-hidden),
            d_bias[hidden:],
            d_said.T @ memory,
            d_said.sum(0),
        )


sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
tanh_backward = torch.ops.aten.tanh_backward.grad_input


def _doubled(gates: Tensor, candidate: int, by: float = 2) -> Tensor:
    """Weights (3 * hidden, ...) with those of the candidate, the third gate given, multiplied by `by`."""
    scaled = gates.clone()
    scaled.chunk(3)[candidate].mul_(by)
    return scaled


def _halved(gates: Tensor, candidate: int) -> Tensor:
    return _doubled(gates, candidate, by=0.5)


def _tanh_of_half(x: Tensor) -> Tensor:
    """tanh(x / 2), in place, computed with the logistic function, which is faster in torch."""
    return torch.add(MINUS_ONE, x.sigmoid_(), alpha=2, out=x)


def _other(rows: Tensor) -> Tensor:
    """The players' rows with the two of each game swapped."""
    return rows.unflatten(0, (-1, 2)).flip(1).flatten(0, 1)
