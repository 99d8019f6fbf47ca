"""A trained cell as a speaker, and, if the game asks for the state, as a listener."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import rounds
from neuralese.agents.messages import states_table
from neuralese.games.states import Game
from neuralese.storage.tables import vectors

GAMES_AT_ONCE = 4096
ROWS_AT_ONCE = 4096  # larger arrays are fresh memory each time, which takes longer than the work


@torch.no_grad()
def speak(cell: Cell, game: Game, states: Tensor) -> Tensor:
    """The messages (n, message), before noise, with which a robot opens in `states` (n, s, ...)."""
    memory, _ = cell.initial(1)
    recall = recalling(cell.memory, memory)
    views = game.speaker_view(states).split(ROWS_AT_ONCE)
    return torch.cat([cell.says(recall(torch.tanh(cell.encode_observation(view)))) for view in views])


def recalling(gru: nn.GRUCell, memory: Tensor) -> Callable[[Tensor], Tensor]:
    """The next memory (n, hidden) by inputs (n, hidden), given the `memory` (n, hidden), or (1, hidden) shared by all.

    However many inputs are tried, that half of the GRU runs once.
    """
    with torch.no_grad():
        recalled = nn.functional.linear(memory, gru.weight_hh, gru.bias_hh).chunk(3, dim=-1)

    def step(inputs: Tensor) -> Tensor:
        reset, update, new = nn.functional.linear(inputs, gru.weight_ih, gru.bias_ih).chunk(3, dim=-1)
        reset, update = torch.sigmoid(reset + recalled[0]), torch.sigmoid(update + recalled[1])
        new = torch.tanh(new + reset * recalled[2])
        return new + update * (memory - new)

    return step


def listening(cell: Cell, game: Game) -> Callable[[Tensor], Tensor]:
    """Q values (n, actions) of a robot asked for the state, given what it sees and hears, `encoded` (n, hidden).

    Its memory is that of one step in which nothing was shown or said, always the same.
    """
    with torch.no_grad():
        memory, nothing = cell.initial(1)
        _, _, memory = cell(game.blank()[None], nothing, memory)
    recall = recalling(cell.memory, memory)
    return lambda encoded: torch.cat([cell.q_values(recall(part)) for part in encoded.split(ROWS_AT_ONCE)])


def utterances(
    cell: Cell, game: Game, count: int, generator: torch.Generator, independent: bool = True
) -> tuple[Tensor, Tensor]:
    """States (count, s, ...) and what a robot says in them before noise: (count, message).

    If a game has states in which somebody speaks first, the robot does. Otherwise two robots are overheard in games:
    what a player who acts sees is its state, and each message is from a different game unless `independent` is false.
    """
    states = game.draw_states(count, generator)
    if states is not None:
        return states, speak(cell, game, states)
    seen, said, found = [], [], 0
    while found < count:
        start = game.reset(min(GAMES_AT_ONCE, count - found), generator)
        parts = []
        for played in rounds(cell, game, start, generator):
            row, seat = torch.nonzero(played.counts, as_tuple=True)
            parts.append((played.observations[row, seat], played.said[row, seat], row))
        own, messages, where = (torch.cat(each) for each in zip(*parts, strict=True))
        if independent:  # any message of each game
            order = torch.randperm(len(where), generator=generator)
            chosen = order[np.unique(where[order], return_index=True)[1]]
            own, messages = own[chosen], messages[chosen]
        seen.append(own)
        said.append(messages)
        found += len(own)
    return game.with_distractors(torch.cat(seen)[:count], generator), torch.cat(said)[:count]


def sample_messages(cell: Cell, games: dict[str, Game], counts: dict[str, int], generator: torch.Generator) -> pa.Table:
    """Let the agent speak through its channel in `counts[split]` fresh states of each split."""
    parts: list[pa.Table] = []
    for split, count in counts.items():
        states, said = utterances(cell, games[split], count, generator)
        table = states_table(games[split], states, "message_id", first=sum(part.num_rows for part in parts))
        table = table.append_column("split", pa.array([split] * count))
        parts.append(table.append_column("message", vectors(cell.channel(said, generator).numpy())))
    return pa.concat_tables(parts)
