"""Every criterion on every task and in both directions: chosen on dev, reported on test."""

import logging
from dataclasses import dataclass, replace
from itertools import product

import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Listeners, Translation, evaluate_belief
from neuralese.evaluate.translations import Tables, load_synthesis
from neuralese.speakers.traces import load_heard, load_silence, load_traces
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.dictionary import make_criterion
from neuralese.translate.languages import English, Neuralese
from neuralese.translate.pragmatics import Heeded, human_responses, robot_responses

log = logging.getLogger(__name__)

PRAGMATIC_CONTEXTS = 100
KNOWS_ITS_JUDGES = "pragmatic"  # never chosen: it matches the very listeners by which all are judged
WEIGHTS = ("product", "sum", "source")
SCALES = (1.0, 2.0, 4.0)


def family() -> dict[str, dict]:
    """The criteria that are compared, by name, as the config would write them."""
    criteria: dict[str, dict] = {}
    for weights, divergence, scale in product(WEIGHTS, ("forward", "reverse", "symmetric"), SCALES):
        settings = {"kind": "belief", "weights": weights, "divergence": divergence, "scale": scale}
        criteria[f"belief {weights} {divergence} x{scale:g}"] = settings
    settings = {"kind": "belief", "weights": "source", "divergence": "jensen-shannon", "scale": 1.0}
    criteria["belief source jensen-shannon x1"] = settings
    for prior in (0.01, 0.1):
        settings = {"kind": "belief", "weights": "source", "divergence": "reverse", "scale": 1.0, "prior": prior}
        criteria[f"belief source reverse x1 prior {prior:g}"] = settings
    for kind, scale in product(("direct", "pmi"), SCALES):
        criteria[f"{kind} x{scale:g}"] = {"kind": kind, "scale": scale}
    return criteria


def choose(ablation: pd.DataFrame) -> pd.DataFrame:
    """Mark in the column `chosen` the criterion that is best on dev, by the mean over seeds, for each task and pair.

    Direct, for comparison, is chosen likewise among the direct ones: `chosen_direct`.
    """
    keys = ["task", "speaker", "listener"]
    dev = ablation[(ablation["split"] == "dev") & ~ablation["criterion"].isin(["none", KNOWS_ITS_JUDGES])]
    means = dev.groupby([*keys, "criterion"], as_index=False)["accuracy"].mean()

    def best(rows: pd.DataFrame) -> set[tuple]:
        top = rows.loc[rows.groupby(keys)["accuracy"].idxmax()]
        return set(top[[*keys, "criterion"]].itertuples(index=False, name=None))

    cells = list(ablation[[*keys, "criterion"]].itertuples(index=False, name=None))
    chosen, direct = best(means), best(means[means["criterion"].str.startswith("direct")])
    return ablation.assign(chosen=[cell in chosen for cell in cells], chosen_direct=[cell in direct for cell in cells])


@dataclass(frozen=True)
class Ablation:
    """All that is needed to translate by any criterion."""

    english: English
    vocabulary: Neuralese
    candidates: Tensor
    tables: Tables
    cell: Cell | None = None  # the robot as a listener, where the pragmatic criterion is to be compared too

    def run(
        self,
        criteria: dict[str, dict],
        listeners: Listeners,
        said: dict[str, Speech],
        split: str,
        humans: int,
        resamples: int,
        generator: torch.Generator,
    ) -> pd.DataFrame:
        """Evaluate every criterion and synthesis on one split: the columns of `evaluate_belief`.

        The gain of each is over the first direct criterion.
        """
        game, robot = listeners.game, said[split]
        traces = load_traces(self.tables, game, split, generator)
        human = HumanSpeech.draw(game, traces, load_silence(self.tables), humans, generator)
        heard, phrases = load_heard(self.tables), self.english.spoken()
        ways = {}
        for name, settings in criteria.items():
            criterion, scale = make_criterion(settings), settings["scale"]
            known = replace(self.vocabulary, scale=scale)
            spoken = replace(known, messages=robot.messages, ids=robot.ids)
            to_phrase = phrases.ids[criterion.scores(spoken, phrases, self.candidates).argmin(1)]
            to_message = criterion.scores(self.english, known, self.candidates).argmin(1)
            ways[name] = Translation(heard[to_phrase], known.messages[to_message[human.phrases]])
            log.info("%s: %s scored", split, name)
        if self.cell is not None:
            ways["pragmatic"] = self._pragmatic(listeners, robot, human, heard)
        ways["synthesis"] = load_synthesis(self.tables, robot, human)
        first = next(name for name in ways if name.startswith("direct"))
        ways = {"direct" if name == first else name: way for name, way in ways.items()}
        belief = evaluate_belief(listeners, robot, human, ways, resamples, generator)
        return belief.assign(criterion=belief["criterion"].replace("direct", first))

    def _pragmatic(self, listeners: Listeners, robot: Speech, human: HumanSpeech, heard: Tensor) -> Translation:
        """Match what listeners do, in a few contexts: the robot has to be asked about every pair."""
        game, phrases, known = listeners.game, self.english.spoken(), self.vocabulary
        few = self.candidates[:PRAGMATIC_CONTEXTS]
        criterion = BeliefCriterion("source", "symmetric")
        spoken = replace(known, messages=robot.messages, ids=robot.ids)
        said, learned = (Heeded(each, robot_responses(self.cell, game, each.messages)) for each in (spoken, known))
        words, every = (
            Heeded(each, human_responses(listeners.human, game, heard[each.ids])) for each in (phrases, self.english)
        )
        to_phrase = phrases.ids[criterion.scores(said, words, few).argmin(1)]
        to_message = criterion.scores(every, learned, few).argmin(1)
        return Translation(heard[to_phrase], known.messages[to_message[human.phrases]])
