"""What may stand in corpus.yaml, and what it is if it is left out."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import SETTINGS

from neuralese.tasks.corpus.settings import ColumnSettings, SplitSettings, UtteranceSettings, settings_from
from neuralese.tasks.corpus.write import settings_text, yaml_value

PATH = Path("somewhere/mine/corpus.yaml")
LEAST = "messages: {kind: vector}\nstates: {size: {type: number}}\n"


def test_all_keys_are_read():
    settings = settings_from(yaml.safe_load(SETTINGS), PATH)
    assert settings.messages.kind == "symbols"
    assert (settings.messages.end, settings.messages.vocabulary) == (0, 9)
    assert settings.states["angle"] == ColumnSettings("circular", 360.0)
    assert settings.split == SplitSettings(0.2, 0.2)
    assert settings.utterances == UtteranceSettings("en", 3)


def test_what_is_left_out_has_defaults():
    settings = settings_from(yaml.safe_load(LEAST), PATH)
    assert (settings.title, settings.licence, settings.candidates, settings.same) == ("mine", "unknown", 2, ())
    assert settings.split == SplitSettings(0.15, 0.25, None)
    assert settings.utterances is None
    assert settings_from(yaml.safe_load(LEAST + "utterances: {from: states}"), PATH).utterances.from_states


@pytest.mark.parametrize("noise", ["0.3", "1e-5", "1E-05", "3"])
def test_numbers_are_read_as_people_write_them(noise):
    text = LEAST.replace("kind: vector", f"kind: vector, noise: {noise}")
    assert settings_from(yaml.safe_load(text), PATH).messages.noise == float(noise)


plain = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12)
scalar = plain | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()


@given(st.recursive(scalar, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3)))
def test_values_are_written_as_yaml_reads_them(value):
    assert yaml.safe_load(f"key: {yaml_value(value)}") == {"key": value}


@given(name=plain, title=plain.filter(str.strip))
def test_settings_that_are_written_are_read_again(name, title):
    about = {"title": title, "messages": {"kind": "vector", "noise": 1e-7}, "candidates": 3}
    text = settings_text(about, {name: {"type": "circular", "period": 1e-5}}, {name: "guessed: from 0 to 1"})
    settings = settings_from(yaml.safe_load(text), PATH)
    assert settings.states == {name: ColumnSettings("circular", 1e-5)}
    assert settings.messages.noise == 1e-7
    assert settings.title == title.strip()
