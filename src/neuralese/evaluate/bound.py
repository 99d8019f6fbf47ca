"""Proposition 1 on real tasks: the accuracy lost in translation, next to sqrt(2 D) of the translations made.

Picking the right state is worth 1. The native pair is R -> R, the bilingual pair R -> H*. The proposition is about
rational listeners of exact languages; here beliefs come from fitted models, so this is a comparison, not a test.
"""

import math

import pandas as pd
import torch
from torch import Tensor

from neuralese.evaluate.belief import best_translations
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.languages import English, Neuralese


def measured_bound(
    spoken: Neuralese,
    english: English,
    candidates: Tensor,
    dictionary: pd.DataFrame,
    belief: pd.DataFrame,
    criterion: str,
) -> pd.DataFrame:
    """One row: criterion, mean divergence D, bound, accuracy native and translated, lost."""
    best = best_translations(dictionary, "R->H", criterion)
    place = {int(phrase): column for column, phrase in enumerate(english.ids)}
    chosen = torch.tensor([place[best[int(message)]] for message in spoken.ids])
    scores = BeliefCriterion(weights="source", divergence="forward").scores(spoken, english, candidates)
    divergence = float(scores.gather(1, chosen[:, None]).mean())
    own = belief[belief["distractors"] == belief["distractors"].iloc[0]]  # the game's own come first
    keys = ["speaker", "unit", "criterion"]
    accuracy = own.drop_duplicates(keys).set_index(keys)["value"]  # what the real listener picked comes second
    native, translated = accuracy["R", "message", "none"], accuracy["R", "message", criterion]
    row = {"criterion": criterion, "divergence": divergence, "bound": math.sqrt(2 * divergence)}
    return pd.DataFrame([row | {"native": native, "translated": translated, "lost": native - translated}])
