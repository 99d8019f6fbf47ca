"""Every criterion on every task and in both directions: chosen on dev, reported on test."""

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Listeners, Translation, evaluate_belief
from neuralese.evaluate.translations import Tables, load_synthesis, load_utterances
from neuralese.speakers.models import HumanListener
from neuralese.speakers.traces import load_heard, load_silence, load_traces
from neuralese.translate.criteria import BeliefCriterion, Meanings
from neuralese.translate.dictionary import make_criterion
from neuralese.translate.languages import English, Language, Neuralese
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
    criteria: dict[str, dict]  # by name, as the config would write them
    listener: HumanListener
    cell: Cell | None = None  # the robot as a listener, where the pragmatic criterion is to be compared too

    def run(
        self,
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
        spoken = replace(self.vocabulary, messages=robot.messages, ids=robot.ids)
        ways = {
            name: Translation(heard[phrases.ids[best]], self.vocabulary.messages[self.for_phrases[name][human.phrases]])
            for name, best in self._best(spoken, phrases).items()
        }
        ways["synthesis"] = load_synthesis(self.tables, robot, human)
        ways["utterance"] = load_utterances(self.tables, human, ways["synthesis"])
        first = next(name for name in ways if name.startswith("direct"))
        ways = {"direct" if name == first else name: way for name, way in ways.items()}
        belief = evaluate_belief(listeners, robot, human, ways, resamples, generator)
        return belief.assign(criterion=belief["criterion"].replace("direct", first))

    @cached_property
    def for_phrases(self) -> dict[str, Tensor]:
        """For each criterion, which message of the vocabulary translates each phrase: the same on all splits."""
        return self._best(self.english, self.vocabulary)

    def _best(self, source: Language, target: Language) -> dict[str, Tensor]:
        """For each criterion, which target is best for each source message. Criteria of one scale share meanings."""
        best = dict.fromkeys(self.criteria)  # in this order
        for scale in dict.fromkeys(settings["scale"] for settings in self.criteria.values()):
            meanings = [Meanings(_at(scale, each), self.candidates, keep=True) for each in (source, target)]
            for name, settings in self.criteria.items():
                if settings["scale"] == scale:
                    best[name] = make_criterion(settings).compare(*meanings).argmin(1)
            log.info("criteria of scale %g scored", scale)
        if self.cell is not None:
            best["pragmatic"] = self._pragmatic(source, target)
        return best

    def _pragmatic(self, source: Language, target: Language) -> Tensor:
        """Match what listeners do, in a few contexts: the robot has to be asked about every pair."""
        few, criterion = self.candidates[:PRAGMATIC_CONTEXTS], BeliefCriterion("source", "symmetric")
        return criterion.scores(self._heeded(source), self._heeded(target), few).argmin(1)

    def _heeded(self, language: Language) -> Heeded:
        """What the robot does that hears messages, or the model human that hears phrases."""
        game = self.vocabulary.game
        if isinstance(language, Neuralese):
            return Heeded(language, robot_responses(self.cell, game, language.messages))
        heard = load_heard(self.tables)[language.ids]
        return Heeded(language, human_responses(self.listener, game, heard))


def _at(scale: float, language: Language) -> Language:
    """A robot's language with p(z | x) so much wider; English has no scale."""
    return replace(language, scale=scale) if isinstance(language, Neuralese) else language
