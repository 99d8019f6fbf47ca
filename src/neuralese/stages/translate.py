"""Stages that translate: the choice of criteria, the dictionary, and descriptions."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from neuralese.config.models import DescriptionConfig
from neuralese.stages.evaluate import Families, ablate
from neuralese.stages.run import Run

Criteria = Mapping[str, Mapping[str, Mapping[str, Any]]]  # settings by direction and name
UNREAD = 100  # resamples of intervals that nobody reads


def choose_members(
    run: Run, families: Families, messages: int, contexts: int, humans: int
) -> dict[str, dict[str, dict[str, Any]]]:
    """The member of each family that translates, chosen on dev of one run alone: settings by direction and name."""
    from neuralese.translate.families import DIRECTIONS, choose, members

    found: dict[str, dict[str, dict]] = {direction: {} for direction in DIRECTIONS}
    for name, settings in families.items():
        for direction in DIRECTIONS:
            found[direction][name] = {**next(iter(members(settings).values())), "members": len(members(settings))}
    if several := {name: settings for name, settings in families.items() if len(members(settings)) > 1}:
        compared = ablate(run, several, messages, contexts, humans, UNREAD, splits=["dev"])
        for row in choose(compared, several).itertuples():
            found[row.direction][row.criterion] = json.loads(row.settings)
    return found


def score_dictionary(run: Run, n_best: int, criteria: Criteria | None = None) -> pd.DataFrame:
    """The best translations in both directions, by the chosen criteria or by others."""
    from neuralese.translate.dictionary import build_dictionary

    return build_dictionary(
        run.english,
        run.utterances,
        spoken=[run.neuralese("dev"), run.neuralese("test")],
        vocabulary=run.neuralese("train"),
        candidates=run.contexts(),
        criteria=run.criteria if criteria is None else criteria,
        n_best=n_best,
    )


def describe(run: Run, descriptions: Mapping[str, Any], messages: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Dev and test messages in as many phrases as it takes, and by which settings.

    How often a listener guesses right is measured on the first `messages` of dev.
    """
    from neuralese.translate.descriptions import Describer, calibrated

    config, dev = DescriptionConfig(**descriptions), run.said["dev"].first(messages)
    listeners, expected = run.listeners("dev"), Describer(run, config).describe(dev.messages)
    credit = listeners.human.credit(listeners.heard(expected.language.bags), dev.states)
    curve = calibrated(expected.expected.numpy(), credit)
    describer, tables = Describer(run, config, curve), []
    for split in ("dev", "test"):
        said = run.said[split]
        tables.append(describer.table(said.messages).assign(message_id=said.ids.numpy().astype("int32")))
    return pd.concat(tables, ignore_index=True), {"settings": config.model_dump(), "sure": curve}
