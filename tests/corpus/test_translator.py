"""The Translator: arrays in, a dictionary out, by the workflow's own functions."""

import copy
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from neuralese import Translator
from neuralese.storage.errors import NeuraleseError

ROOT = Path(__file__).parents[2]
SMALL = {
    "speakers": {"steps": 200, "check_every": 50, "hidden": 32, "batch": 256},
    "messages": {"contexts": 200, "vocabulary": 200, "held_out": 200},
    "ablation": {"messages": 60, "contexts": 60, "humans": 100},
    "evaluation": {"resamples": 100},
}
ONE = {"kind": "belief", "weights": "source", "divergence": "reverse"}


def spoken(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A secret permutation, categories, and the symbol for each."""
    random = np.random.default_rng(seed)
    secret, shapes = random.permutation(5), random.integers(5, size=count)
    return secret, shapes, secret[shapes]


@pytest.fixture(scope="module")
def fitted() -> tuple[Translator, np.ndarray]:
    secret, shapes, messages = spoken(500)
    states = pd.DataFrame({"shape": [f"s{shape}" for shape in shapes]})
    return Translator(criterion=ONE, config=SMALL).fit(states, messages), secret


def test_a_secret_permutation_is_recovered_exactly_in_both_directions_from_500_messages(fitted):
    translator, secret = fitted
    english = translator.to_english(np.arange(5), n_best=1)
    assert english["target"].tolist() == [f"shape s{shape}" for shape in np.argsort(secret)]
    neuralese = translator.to_neuralese([f"shape s{shape}" for shape in range(5)], n_best=1)
    assert neuralese["message"].tolist() == [[symbol] for symbol in secret]


def test_the_score_is_perfect_for_a_perfect_speaker_and_at_chance_for_the_controls(fitted):
    belief = fitted[0].score().set_index(["speaker", "listener", "unit", "criterion"])
    assert belief.loc[("R", "H*", "message", "belief"), "accuracy"] > 0.99
    control = belief.loc[("R", "H*", "message", "random")]
    assert control["ci_low"] < 0.5 < control["ci_high"]


def test_n_best_gives_ranks_and_the_best_comes_first(fitted):
    rows = fitted[0].to_english([[0], [3]], n_best=3)
    assert rows["rank"].tolist() == [1, 2, 3, 1, 2, 3]
    assert (rows.groupby("source_id")["score"].diff().dropna() >= 0).all()


def test_what_is_saved_is_the_same_when_loaded_and_holds_no_pickle(fitted, tmp_path):
    translator, path = fitted[0], tmp_path / "mine.neuralese"
    translator.save(path)
    loaded = Translator.load(path)
    assert loaded.get_params() == translator.get_params()
    pd.testing.assert_frame_equal(loaded.to_english([[1]]), translator.to_english([[1]]))
    pd.testing.assert_frame_equal(loaded.score(), translator.score())
    names = zipfile.ZipFile(path).namelist()
    assert {Path(name).suffix for name in names} == {".parquet", ".safetensors", ".json"}


def test_copies_and_pickles_translate_alike_and_a_clone_has_learned_nothing(fitted):
    translator = fitted[0]
    for other in (copy.deepcopy(translator), pickle.loads(pickle.dumps(translator))):
        pd.testing.assert_frame_equal(other.dictionary_, translator.dictionary_)
    with pytest.raises(NotFittedError):
        clone(translator).to_english([[1]])


def test_a_file_that_is_no_translator_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "x.neuralese"
    path.write_bytes(b"nothing")
    with pytest.raises(NeuraleseError, match="is not a saved translator"):
        Translator.load(path)


def test_two_fits_of_the_same_data_give_the_same_dictionary():
    _, shapes, messages = spoken(120)
    states = pd.DataFrame({"shape": [f"s{shape}" for shape in shapes]})
    one, two = (Translator(criterion=ONE, config=SMALL).fit(states, messages).dictionary_ for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def test_vectors_arrays_and_utterances_are_learned_from():
    random = np.random.default_rng(0)
    states = random.normal(size=(300, 2))
    messages = (states @ random.normal(size=(2, 4)) + 0.05 * random.normal(size=(300, 4))).astype(np.float32)
    said = np.where(states[:, 0] > 0, "to the right", "on the left").tolist()
    said[0] = None
    settings = {"utterances": {"least": 2}}
    translator = Translator(criterion=ONE, corpus=settings, config=SMALL).fit(states, messages, said)
    assert set(translator.phrases_) >= {"right", "left"}
    best = translator.to_english(messages, n_best=1)["target"].str.contains("right").to_numpy()
    assert (best == (states[:, 0] > 0)).mean() > 0.9
    answer = translator.to_neuralese("right", n_best=1)["message"][0]
    assert len(answer) == 4


def test_phrases_together_are_composed_and_unknown_ones_refused(fitted):
    translator = fitted[0]
    assert translator.to_neuralese(["shape s0, shape s1"], n_best=1)["source"][0].count("shape") == 2
    with pytest.raises(NeuraleseError, match="contains no phrase of the inventory"):
        translator.to_neuralese(["heliotrope"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"states": [[1.0], [2.0]], "messages": [0]}, "2 states and 1 messages"),
        ({"states": [[1.0], [np.nan], [1.0]], "messages": [0, 1, 2]}, "row 1 of 'x0' is NaN"),
        ({"states": [[1.0], [2.0], [1.0]], "messages": [0, 1, -1]}, "symbols are whole numbers from 0"),
        ({"states": [[1.0], [2.0], [1.0]], "messages": ["a", "b", "c"]}, "give symbols"),
        ({"states": np.zeros((3, 2, 2)), "messages": [0, 1, 2]}, "3 dimensions"),
    ],
)
def test_wrong_input_is_refused_in_one_sentence_that_is_a_value_error(given, says):
    with pytest.raises(ValueError, match=says) as caught:
        Translator(config=SMALL).fit(**given)
    assert isinstance(caught.value, NeuraleseError)
    assert "\n" not in str(caught.value)


def test_a_wrong_parameter_is_refused_when_fitting():
    with pytest.raises(NeuraleseError, match="there is no criterion 'beleif'"):
        Translator(criterion="beleif").fit([[1.0]] * 9, [0] * 9)
    with pytest.raises(NeuraleseError, match=r"'speakers\.step' is not a known key"):
        Translator(config={"speakers": {"step": 3}}).fit([[1.0]] * 9, [0] * 9)


def test_importing_the_package_does_not_import_torch():
    code = (
        "import sys, neuralese; assert 'torch' not in sys.modules; neuralese.Translator; assert 'torch' in sys.modules"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
