"""The worked examples run, on small data."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from neuralese import Translator

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "speakers": {"steps": 300, "check_every": 50, "hidden": 32, "batch": 256},
    "messages": {"contexts": 200, "vocabulary": 200, "held_out": 300},
    "evaluation": {"resamples": 100},
}
ONE = {"kind": "belief", "weights": "source", "divergence": "reverse"}


def example(name: str) -> ModuleType:
    (path,) = (EXAMPLES / name).glob("*.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["autoencoder", "colors_as_corpus", "mpe"])
def test_every_example_is_a_script_with_a_readme_that_says_how_to_run_it(name):
    (script,) = (EXAMPLES / name).glob("*.py")
    assert f"examples/{name}/{script.name}" in (EXAMPLES / name / "README.md").read_text()


@pytest.mark.slow
def test_the_code_of_an_autoencoder_is_translated_into_what_its_input_is_called(tmp_path):
    module, random = example("autoencoder"), np.random.default_rng(0)
    kinds = random.integers(3, size=600)
    features = (np.eye(3)[kinds] @ random.normal(size=(3, 12)) + 0.1 * random.normal(size=(600, 12))).astype(np.float32)
    split = random.choice(["train", "dev", "test"], 600, p=[0.6, 0.2, 0.2])
    names = np.array(["gull", "wren", "crow"])
    said = [(number, f"a small {names[kind]}") for number, kind in enumerate(kinds)]
    codes = module.train(features, code=3, steps=300)
    assert codes.shape == (600, 3)
    module.write(tmp_path / "corpus", (features, split, said), codes)
    translator = Translator(criterion=ONE, config=SMALL).fit_corpus(tmp_path / "corpus")
    best = translator.to_english(codes, n_best=1)["target"]
    right = [names[kind] in phrase for kind, phrase in zip(kinds, best, strict=True)]
    assert np.mean(right) > 0.9


@pytest.mark.slow
def test_what_particle_speakers_say_is_translated_into_their_goals(tmp_path):
    pytest.importorskip("mpe2", reason="mpe2 is not installed; it comes with the extra `test`")
    module = example("mpe")
    pair = module.Pair()
    assert len(pair.train(episodes=10)) == 10
    pair.says, pair.goes = np.eye(3)[[2, 0, 1]], np.eye(3)[[1, 2, 0]]  # as if it had learned for a minute
    module.record(pair, tmp_path / "corpus", episodes=120)
    translator = Translator(criterion=ONE, config=SMALL).fit_corpus(tmp_path / "corpus")
    best = translator.to_english([[0], [1], [2]], n_best=1)["target"].tolist()
    assert best == ["goal green", "goal blue", "goal red"]
