"""Make a corpus from EGG's output: its text dump, or a saved `Interaction`.

The text dump of EGG's games has a line `input;message;output;label` for each game, with numbers separated by spaces or
commas. An `Interaction` is a torch file; it is read with `weights_only=True` and a stand-in for EGG's class, so that
nothing in it is ever executed. In EGG the symbol 0 ends messages of more than one symbol.

A sender's input of one-hot blocks becomes one category per block, a few whole numbers become one category each,
up to 32 other numbers one number each, and anything else a vector. If the receiver chose among inputs, the
contexts are made as well.
"""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralese.errors import NeuraleseError, reason, shown
from neuralese.recording import Recording
from neuralese.tasks.corpus.files import read_bytes, read_text
from neuralese.tasks.corpus.imports import Imported, numbers_in
from neuralese.tasks.corpus.write import FEW, WIDE, check_free

if TYPE_CHECKING:
    from torch import Tensor

INTERACTION = "egg.core.interaction.Interaction"
TORCH = (b"PK\x03\x04", b"\x80")  # the beginning of a torch file: a zip file or, long ago, a pickle
FORM = "the expected form is `input;message;output;label`, with numbers separated by spaces"
SAVE = "save one with torch.save, or with EGG's InteractionSaver"
END = 0


@dataclass(frozen=True)
class Games:
    """n games of EGG: the sender's inputs (n, d), its messages, and what the receiver chose among."""

    inputs: np.ndarray
    messages: list[list[int]] | np.ndarray
    ends: bool  # whether 0 ends a message
    offered: np.ndarray | None = None  # (n, candidates, d)
    true: Any = None
    pick: Any = None


def import_egg(file: Path, folder: Path, title: str | None = None, licence: str | None = None) -> Imported:
    """Make a corpus from a dump or an `Interaction`."""
    check_free(folder)
    games = _from_torch(file) if read_bytes(file).startswith(TORCH) else _from_text(file)
    offered = games.inputs[:, None] if games.offered is None else games.offered
    distinct, rows = np.unique(offered.reshape(-1, offered.shape[-1]), axis=0, return_inverse=True)
    kind, columns = _columns(distinct)
    states = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    form: dict[str, Any] = {"kind": "symbols" if isinstance(games.messages, list) else "vector"}
    form |= {"end": END} if games.ends else {}
    types = {name: {"type": kind} for name in columns}
    recording = Recording(folder, title or file.stem, licence or "unknown", types, form)
    for state in states:
        recording.number(state)  # in the order of their values, whoever saw them first
    for game, (message, places) in enumerate(zip(games.messages, rows.reshape(offered.shape[:2]), strict=True)):
        context = [states[place] for place in places]
        if games.offered is None:
            recording.say(context[0], message)
        else:
            pick = None if games.pick is None else games.pick[game]
            recording.say(context[games.true[game]], message, context, pick, true=games.true[game])
    recording.write()
    return Imported(len(states), len(games.messages), form["kind"], types, {})


def _from_text(file: Path) -> Games:
    """Read a dump; anything printed before its first line is skipped."""
    inputs: list[Any] = []
    messages: list[Any] = []
    for line, text in enumerate(read_text(file).splitlines(), start=1):
        parts = text.split(";")
        if not text.strip() or (not inputs and len(parts) != 4):
            continue
        lists: list[Any] = [numbers_in(part) for part in parts[:2]]
        if len(parts) != 4 or not all(lists) or not all(isinstance(each, int) for each in lists[1]):
            raise NeuraleseError(f"{file}, line {line} is {shown(text)}; {FORM}; remove or correct the line.")
        if inputs and len(lists[0]) != len(inputs[0]):
            wrong = f"has an input of {len(lists[0])} numbers, but the first has {len(inputs[0])}"
            raise NeuraleseError(f"{file}, line {line} {wrong}; dump games of one kind.")
        if min(lists[1]) < 0:
            raise NeuraleseError(f"{file}, line {line} has a negative symbol; dump messages as EGG does.")
        inputs.append(lists[0])
        messages.append(lists[1])
    if not inputs:
        raise NeuraleseError(f"{file} has no line of a dump; {FORM}, as EGG writes with --dump_output.")
    return Games(np.array(inputs, dtype=np.float64), messages, ends=max(map(len, messages)) > 1)


class _Interaction(SimpleNamespace):
    """Stands in for EGG's class of this name."""


def _from_torch(file: Path) -> Games:
    """Read an `Interaction`."""
    import torch  # here, since it takes seconds and a text dump does not need it

    try:
        with torch.serialization.safe_globals([(_Interaction, INTERACTION)]):
            loaded = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged or malicious file may raise almost anything
        raise NeuraleseError(
            f"{file} is not an Interaction that can be read safely ({reason(error)}); {SAVE}."
        ) from None
    if not isinstance(loaded, _Interaction):
        raise NeuraleseError(f"{file} holds a {type(loaded).__name__}, not an Interaction of EGG; {SAVE}.")
    try:
        return _games(file, loaded)
    except (RuntimeError, TypeError, ValueError) as error:  # mismatched tensors, or odd types
        raise NeuraleseError(f"{file} holds an Interaction with mismatched parts ({reason(error)}); {SAVE}.") from None


def _games(file: Path, loaded: _Interaction) -> Games:
    import torch

    inputs = _tensor(file, loaded, "sender_input").double()
    if inputs.ndim == 1:
        inputs = inputs[:, None]
    if inputs.ndim != 2 or not inputs.numel() or not torch.isfinite(inputs).all():
        raise NeuraleseError(
            f"{file}: sender_input is of shape {tuple(inputs.shape)}, not a finite vector for each message; save the "
            "features that the sender saw."
        )
    messages, ends = _messages(file, loaded, len(inputs))
    return Games(inputs.numpy(), messages, ends, *_offered(loaded, inputs))


def _tensor(file: Path, loaded: _Interaction, name: str) -> "Tensor":
    import torch

    value = getattr(loaded, name, None)
    if not isinstance(value, torch.Tensor):
        found = "is missing" if value is None else f"is a {type(value).__name__}"
        raise NeuraleseError(f"{file}: {name} {found}; let EGG's LoggingStrategy store it.")
    return value.detach()


def _messages(file: Path, loaded: _Interaction, n: int) -> tuple[list[list[int]] | np.ndarray, bool]:
    """Symbols or vectors (n, d), and whether 0 ends them."""
    message = _tensor(file, loaded, "message")
    if len(message) != n or message.ndim not in (1, 2, 3):
        raise NeuraleseError(f"{file}: message is of shape {tuple(message.shape)} for {n} inputs; save one for each.")
    if message.is_floating_point():
        one_hot = message.ndim > 1 and bool((message >= 0).all() and ((message.sum(-1) - 1).abs() < 1e-3).all())
        if message.ndim == 2 and not one_hot:
            return message.float().numpy(), False
        if not one_hot:
            raise NeuraleseError(f"{file}: message does not hold distributions over symbols; save symbols.")
        message = message.argmax(-1)  # a relaxed symbol becomes the nearest one
    if message.ndim == 3 or bool((message < 0).any()):
        raise NeuraleseError(f"{file}: message does not hold symbols; save whole numbers from 0.")
    if message.ndim == 1 or message.shape[1] == 1:
        return message.reshape(-1, 1).tolist(), False
    lengths = getattr(loaded, "message_length", None)
    ends = [message.shape[1]] * n if lengths is None else [max(1, int(each)) for each in lengths.flatten().tolist()]
    return [each[:end] for each, end in zip(message.tolist(), ends, strict=True)], True


def _offered(loaded: _Interaction, inputs: "Tensor") -> tuple[Any, Any, Any]:
    """What the receiver chose among, which was the true one and which it chose; nothing if it did not."""
    import torch

    offered, labels, output = (getattr(loaded, name, None) for name in ("receiver_input", "labels", "receiver_output"))
    if not isinstance(offered, torch.Tensor) or not isinstance(labels, torch.Tensor):
        return None, None, None
    n, labels = len(inputs), labels.flatten()
    if offered.ndim != 3 or offered.shape[::2] != inputs.shape or offered.shape[1] < 2 or len(labels) != n:
        return None, None, None
    true = labels.long()
    if bool(((true < 0) | (true >= offered.shape[1])).any()):
        return None, None, None
    if not torch.equal(offered[torch.arange(n), true].double(), inputs):
        return None, None, None
    pick = None
    if isinstance(output, torch.Tensor) and output.shape == offered.shape[:2]:
        pick = output.argmax(1).numpy()
    elif isinstance(output, torch.Tensor) and output.numel() == n and not output.is_floating_point():
        inside = (output >= 0) & (output < offered.shape[1])
        pick = output.flatten().numpy() if bool(inside.all()) else None
    return offered.double().numpy(), true.numpy(), pick


def _columns(states: np.ndarray) -> tuple[str, dict[str, list]]:
    """The sender's inputs (n, d) as columns, and the type of all of them."""
    n, d = states.shape
    blocks = states[0].sum()
    if np.isin(states, (0, 1)).all() and blocks and d % blocks == 0 and d > blocks:
        folded = states.reshape(n, int(blocks), -1)
        if (folded.sum(2) == 1).all():
            return "category", _named("attribute", folded.argmax(2))
    whole = (states == np.round(states)).all() and np.abs(states).max() < 2**53
    if d <= WIDE and whole and all(len(np.unique(column)) <= FEW for column in states.T):
        return "category", _named("input", states.astype(np.int64))
    return ("number", _named("input", states)) if d <= WIDE else ("vector", {"input": states.tolist()})


def _named(name: str, values: np.ndarray) -> dict[str, list]:
    names = [name] if values.shape[1] == 1 else [f"{name}_{place + 1}" for place in range(values.shape[1])]
    return {each: column.tolist() for each, column in zip(names, values.T, strict=True)}
