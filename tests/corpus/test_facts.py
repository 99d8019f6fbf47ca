"""What can be said of speakers whose language is known: nonsense is called nonsense, and chance is chance."""

import numpy as np
import pandas as pd
import pytest

from neuralese import Translator
from neuralese.evaluate.measures import measure_symbols

TYPES = {"color": {"type": "category"}, "shape": {"type": "category"}}
SMALL = {
    "speakers": {"steps": 150, "check_every": 50, "hidden": 16, "batch": 128},
    "messages": {"contexts": 100, "vocabulary": 100, "held_out": 2000},
    "evaluation": {"resamples": 500},
}
ONE = {"kind": "belief", "weights": "source", "divergence": "reverse"}


def states(count: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame({name: random.choice(list("abcde"), count) for name in TYPES})


def p_values(symbols: np.ndarray, said: pd.DataFrame, seed: int) -> pd.Series:
    table = measure_symbols(symbols, said, TYPES, seed)
    return table[table["measure"] == "p_value"].set_index("variable")["value"]


@pytest.mark.slow
def test_a_speaker_that_talks_at_random_is_declared_meaningless_in_18_of_20_draws_or_more():
    found = []
    for seed in range(100):  # of a test at 0.05, 20 draws alone have three false alarms in 7 of 100 cases
        symbols = np.random.default_rng(1000 + seed).integers(5, size=(500, 2))
        found.append(p_values(symbols, states(500, seed), seed)[""])
    assert np.mean(np.array(found) > 0.05) >= 18 / 20


def test_a_speaker_that_names_only_the_colour_is_silent_about_the_shape():
    said = states(500, seed=3)
    symbols = said["color"].map({name: place for place, name in enumerate("cadbe")}).to_numpy()[:, None]
    found = p_values(symbols, said, seed=0)
    assert found["color"] <= 0.01
    assert found[""] <= 0.01
    assert found["shape"] > 0.05


@pytest.mark.parametrize("candidates", [2, 3, 5])
def test_random_translations_are_at_chance_with_any_number_of_candidates(candidates):
    said = states(2000, seed=candidates)
    symbols = said["color"].map({name: place for place, name in enumerate("cadbe")}).to_numpy()
    translator = Translator(criterion=ONE, corpus={"candidates": candidates}, config=SMALL).fit(said, symbols)
    belief = translator.score()
    assert belief["chance"].to_numpy() == pytest.approx(1 / candidates)
    random = belief.query("criterion == 'random' and unit in ('message', 'utterance')")
    assert len(random) == 2
    assert (random["candidates"] == candidates).all()
    assert (random["ci_low"] <= 1 / candidates).all()
    assert (random["ci_high"] >= 1 / candidates).all()
