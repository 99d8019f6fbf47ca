"""How a robot's language works: what its messages are like, what they convey, and whether agents use them.

One row each (`measure`, `variable`, `value`):

    effective_dimension     participation ratio of the messages' covariance: 1 if they lie on a line
    first_component         share of their variance in one direction
    clusters, silhouette    the best number of k-means clusters from 2 to 12, and how well separated they are (0 to 1)
    topographic_similarity  Spearman correlation of distances between standardised states and between messages
    information             bits that a message as heard, with noise, conveys about a variable of the state: a lower
                            bound, from a logistic regression on held-out messages
    entropy                 entropy of that variable in bits

and positive signalling and listening (Lowe et al. 2019):

    signalling              I(z; x) in bits: how much more likely messages are in their own state than in a random one
    consistency             I(z; a) in bits, between a message and its speaker's action in the same step, if they act
    causal_influence        how much messages change what listeners do, in bits: for a listener that sees and remembers
                            the same, but hears the messages of other games, sum_z p(z) KL(pi(a | z) || pi(a)), on
                            average; as agents take the best action, that is the entropy of actions
    actions_changed         how often a listener acts differently if it hears the message of another game instead
"""

import math

import numpy as np
import pandas as pd
import torch
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import rounds
from neuralese.agents.messages import Speech
from neuralese.agents.players import recalling
from neuralese.evaluate.information import entropy, learned_information
from neuralese.evaluate.measures import bins, principal_spread
from neuralese.games.states import Game
from neuralese.speakers.models import Speaker

COMPARED = 600  # messages whose pairwise distances are compared
OTHERS = 32  # number of messages of other games each listener hears instead
GAMES = 500  # number of games overheard
SPOKEN = 2000  # number of messages whose likelihoods are compared


def analyse(said: np.ndarray, heard: np.ndarray, variables: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Measure messages before noise, `said` (n, d), and after, `heard` (n, d), said in states of given `variables`."""
    numbers = variables.iloc[:COMPARED].astype(float)
    states = ((numbers - numbers.mean()) / numbers.std().replace(0, 1)).to_numpy()
    similarity = float(spearmanr(pdist(states), pdist(said[:COMPARED])).statistic)
    names = ("effective_dimension", "first_component", "clusters", "silhouette", "topographic_similarity")
    values = (*principal_spread(said), *clusters(said, seed), similarity)
    rows = [(name, "", value) for name, value in zip(names, values, strict=True)]
    for name in variables:
        binned = bins(variables[name])
        rows.append(("information", name, learned_information(heard, binned)))
        rows.append(("entropy", name, entropy(binned)))
    return pd.DataFrame(rows, columns=["measure", "variable", "value"])


def clusters(messages: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """The number of clusters with the best separation, and that separation."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    some = messages[:1000]
    labels = {count: KMeans(count, n_init=3, random_state=seed).fit_predict(some) for count in range(2, 13)}
    silhouette, count = max((silhouette_score(some, label), count) for count, label in labels.items())
    return float(count), float(silhouette)


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
        heard, here = played.heard[going_on], played.counts[going_on]
        # what others heard in the same step and seat
        others = [heard[torch.randperm(len(heard), generator=generator)][here] for _ in range(OTHERS)]
        actions = _actions(cell, played.observations.flatten(0, 1)[acting], played.memory[acting], others)
        entropies.append(_entropy(actions, game.n_actions))
        changed.append((actions != did[-1]).double().mean(0))
    found = {
        "causal_influence": float(torch.cat(entropies).mean()),
        "actions_changed": float(torch.cat(changed).mean()),
    }
    if game.draw_states(1, generator) is None:  # speakers act, too
        order = torch.randperm(sum(map(len, said)), generator=generator)
        found["consistency"] = learned_information(torch.cat(said)[order].numpy(), torch.cat(did)[order].numpy())
    return found


def _actions(cell: Cell, seen: Tensor, memory: Tensor, heard: list[Tensor]) -> Tensor:
    """What listeners (n,) would do on hearing each of several messages (n, message): (messages, n)."""
    encoded, recall = cell.encode_observation(seen), recalling(cell.memory, memory)
    memories = (recall(torch.tanh(encoded + cell.encode_message(each))) for each in heard)
    return torch.stack([cell.q_values(each).argmax(1) for each in memories])


def _entropy(actions: Tensor, count: int) -> Tensor:
    """Entropy in bits, (n,), of the actions (messages, n) that one listener takes under different messages."""
    share = torch.stack([(actions == each).double().mean(0) for each in range(count)])
    return -(share * share.clamp(min=np.finfo(float).tiny).log2()).sum(0)
