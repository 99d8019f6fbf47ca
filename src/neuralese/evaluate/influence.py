"""Whether agents speak and listen at all: positive signalling and positive listening (Lowe et al. 2019).

    signalling         I(z; x) in bits: how much more likely messages are in their own state than in a random one
    consistency        I(z; a) in bits, between a message and its speaker's action in the same step, if speakers act
    causal_influence   how much messages change what listeners do, in bits: for a listener that sees and remembers
                       the same, but hears the messages of other games, sum_z p(z) KL(pi(a | z) || pi(a)), on average
    actions_changed    how often a listener acts differently if it hears the message of another game instead

Agents take the action with the highest Q value, so the divergence is the entropy of actions under different messages.
"""

import math

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import rounds
from neuralese.agents.messages import Speech
from neuralese.agents.players import recalling
from neuralese.evaluate.protocol import information
from neuralese.games.game import Game
from neuralese.speakers.models import Speaker

OTHERS = 32  # number of messages of other games each listener hears instead
GAMES = 500  # number of games overheard
SPOKEN = 2000  # number of messages whose likelihoods are compared


def influence(cell: Cell, game: Game, speaker: Speaker, said: Speech, generator: torch.Generator) -> pd.DataFrame:
    """All of these measures: the columns measure, variable and value of `protocol.parquet`."""
    told = signalling(speaker, said.messages, game.speaker_view(said.states))
    rows = [("signalling", told), *listening(cell, game, generator).items()]
    return pd.DataFrame(rows, columns=["measure", "value"]).assign(variable="")


@torch.no_grad()
def signalling(speaker: Speaker, messages: Tensor, views: Tensor) -> float:
    """I(z; x) in bits, of messages (n, ...) said in as many views (n, ...): at most log2 n."""
    log_prob = speaker.log_prob(messages[:SPOKEN], views[:SPOKEN]).double()
    average = log_prob.logsumexp(1) - math.log(log_prob.shape[1])
    return float((log_prob.diagonal() - average).mean() / math.log(2))


@torch.no_grad()
def listening(cell: Cell, game: Game, generator: torch.Generator) -> dict[str, float]:
    """How agents act on what they hear, and on what they say."""
    entropies, changed, said, did = [], [], [], []
    for time, played in enumerate(rounds(cell, game, game.reset(GAMES, generator), generator)):
        acting = played.counts.flatten()
        said.append(played.sent.flatten(0, 1)[acting])
        did.append(played.actions.flatten()[acting])
        if time == 0 or not acting.any():  # nothing has been said
            continue
        going_on = played.counts.any(1)
        others = [_instead(played.heard[going_on], played.counts[going_on], generator) for _ in range(OTHERS)]
        actions = _actions(cell, played.observations.flatten(0, 1)[acting], played.memory[acting], others)
        entropies.append(_entropy(actions, game.n_actions))
        changed.append((actions != did[-1]).double().mean(0))
    found = {
        "causal_influence": float(torch.cat(entropies).mean()),
        "actions_changed": float(torch.cat(changed).mean()),
    }
    if game.draw_states(1, generator) is None:  # speakers act, too
        order = torch.randperm(sum(map(len, said)), generator=generator)
        found["consistency"] = information(torch.cat(said)[order].numpy(), torch.cat(did)[order].numpy())
    return found


def _instead(heard: Tensor, acting: Tensor, generator: torch.Generator) -> Tensor:
    """For those who act, what others heard (n, 2, message) in the same step and seat."""
    return heard[torch.randperm(len(heard), generator=generator)][acting]


def _actions(cell: Cell, seen: Tensor, memory: Tensor, heard: list[Tensor]) -> Tensor:
    """What listeners (n,) would do on hearing each of several messages (n, message): (messages, n)."""
    encoded, recall = cell.encode_observation(seen), recalling(cell.memory, memory)
    memories = (recall(torch.tanh(encoded + cell.encode_message(each))) for each in heard)
    return torch.stack([cell.q_values(each).argmax(1) for each in memories])


def _entropy(actions: Tensor, count: int) -> Tensor:
    """Entropy in bits, (n,), of the actions (messages, n) that one listener takes under different messages."""
    share = torch.stack([(actions == each).double().mean(0) for each in range(count)])
    return -(share * share.clamp(min=np.finfo(float).tiny).log2()).sum(0)
