"""Every criterion on every task, in both directions, on dev, where members of families are chosen, and on test."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Translated, belief_outcomes
from neuralese.evaluate.listeners import Listeners
from neuralese.evaluate.outcomes import Condition, outcome_table
from neuralese.speakers.models import HumanListener
from neuralese.translate.criteria import BeliefCriterion, kind_of, make_criterion
from neuralese.translate.dictionary import best_targets
from neuralese.translate.families import members, title
from neuralese.translate.languages import Composed, English, Language, Neuralese
from neuralese.translate.pairs import Meanings
from neuralese.translate.pragmatics import human_responses, robot_responses

PRAGMATIC = "pragmatic"  # matches the actions of the very listeners that judge all criteria
PRAGMATIC_CRITERION = BeliefCriterion(weights="source", divergence="symmetric")
PRAGMATIC_CONTEXTS = 100


@dataclass(frozen=True)
class Ablation:
    """Everything needed to translate by any criterion."""

    english: English
    vocabulary: Neuralese
    candidates: Tensor
    words: Tensor  # (phrases, words) what the model human hears for each phrase
    families: Mapping[str, Mapping]  # criteria as written in the config, by name
    listener: HumanListener
    cell: Cell | None = None  # the robot as a listener, if the pragmatic criterion is to be compared too

    def run(
        self,
        listeners: Listeners,
        robot: Speech,
        human: HumanSpeech,
        parts: tuple[tuple[int, ...], ...],
        resamples: int,
        generator: torch.Generator,
    ) -> pd.DataFrame:
        """Evaluate every member of every family: an outcome table without gains, and a column family.

        What humans said is translated whole; `parts` are the phrases of each utterance.
        """
        phrases, spoken = self.english.spoken(), replace(self.vocabulary, messages=robot.messages, ids=robot.ids)
        said, place = human.units["utterance"].unique(return_inverse=True)
        told = Composed(self.english, tuple(parts[number] for number in said.tolist()))
        to_phrase, to_message = self._best(spoken, phrases), self._best(told, self.vocabulary)
        each, conditions = torch.eye(len(self.english.phrases))[phrases.ids], []
        for name, best in to_phrase.items():
            messages = {"utterance": self.vocabulary.messages[to_message[name][place]]}
            conditions.append(Condition(name, name, heard=Translated(each[best], messages)))
        outcomes = belief_outcomes(listeners, robot, human, conditions, generator)
        random = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
        table = outcome_table(outcomes, random, over=(), resamples=resamples).drop(columns=["title", "role", "unit"])
        candidates = robot.states.shape[1]
        table = table.assign(candidates=candidates, chance=1 / candidates)
        return self._families.merge(table, on="criterion", how="inner")

    @cached_property
    def _families(self) -> pd.DataFrame:
        """Which member belongs to which family; a sole member has its family's title."""
        rows = [(PRAGMATIC, PRAGMATIC, f"{PRAGMATIC} (asks the judge)", "asks the judge")]
        for name, settings in self.families.items():
            family = members(settings)
            for label in family:
                rows.append(
                    (name, label, label if len(family) > 1 else title(name, settings), settings.get("role", ""))
                )
        return pd.DataFrame(rows, columns=["family", "criterion", "title", "role"])

    def _best(self, source: Language, target: Language) -> dict[str, Tensor]:
        """For each criterion, the best target for each source; a random one is left out, as its scores mean nothing."""
        families = [members(settings) for settings in self.families.values() if kind_of(settings).by_meaning]
        criteria = {label: make_criterion(each) for family in families for label, each in family.items()}
        best = best_targets(criteria, source, target, self.candidates)
        if self.cell is not None:
            best[PRAGMATIC] = PRAGMATIC_CRITERION.best(self._responses(source), self._responses(target))
        return best

    def _responses(self, language: Language) -> Meanings:
        """What the robot does on hearing messages, or the model human on hearing words.

        Contexts are few, because the robot has to be asked about every pair.
        """
        game, few = self.vocabulary.game, self.candidates[:PRAGMATIC_CONTEXTS]
        if isinstance(language, Neuralese):
            respond = robot_responses(self.cell, game, language.messages)  # type: ignore[arg-type]  # of a game
        else:
            respond = human_responses(self.listener, game, language.heard(self.words))
        return PRAGMATIC_CRITERION.meanings(language, few, keep=True, respond=respond)
