"""A corpus is read the same from every format, its rows point where they should, and its splits are as asked for."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from skimage.color import rgb2lab
from small_corpus import WITH_CONTEXTS, converted, messages, write

from neuralese.tasks.corpus.messages import SPLITS, draw_splits
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.settings import SplitSettings, settings_from
from neuralese.tasks.corpus.states import rgb_to_lab
from neuralese.tasks.corpus.write import settings_text

PATH = Path("somewhere/mine/corpus.yaml")
LEAST = "messages: {kind: vector}\nstates: {size: {type: number}}\n"
MESSAGES = "kind: symbols, end: 0"


def ids(corpus) -> list[str]:
    """The state of each message, by its id."""
    return [corpus.states["name"][int(row)].as_py() for row in corpus.state]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@pytest.mark.parametrize("contexts", [False, True])
def test_all_formats_are_the_same_corpus(tmp_path, files, suffix, contexts):
    files |= WITH_CONTEXTS if contexts else {}
    one = read_corpus(write(tmp_path / "csv", files))
    two = read_corpus(write(tmp_path / "other", converted(files, suffix)))
    for table in ("states", "recorded", "traces", "inventory"):
        assert getattr(one, table).equals(getattr(two, table))
    assert one.states_about == two.states_about
    for name in ("candidates", "picked") if contexts else ():
        np.testing.assert_array_equal(getattr(one.contexts, name), getattr(two.contexts, name))


def test_rows_point_at_states_and_symbols_are_cut_after_the_end(small):
    corpus = read_corpus(small)
    assert len(corpus.states) == 12
    assert ids(corpus)[13] == "s1"
    assert messages(corpus)[13] == [2, 5, 0]
    assert corpus.columns["rgb"][1].tolist() == [0, 0, 255]
    group = corpus.recorded["group"].to_pylist()
    assert group[13] == group[12] != group[11]


@pytest.mark.parametrize(
    ("said", "end", "wanted"),
    [
        ("s1,2 5 0 7\n", "", [[2, 5, 0, 7]]),
        ("s1,0 1 2\ns2,3 4\ns3,4 0\ns1,0\n", ", end: 0", [[0], [3, 4], [4, 0], [0]]),
    ],
)
def test_messages_end_after_their_first_end_if_there_is_any(tmp_path, files, said, end, wanted):
    files["corpus.yaml"] = files["corpus.yaml"].replace(", end: 0", end)
    files["messages.csv"] = "state_id,message\n" + said * 9
    assert messages(read_corpus(write(tmp_path / "c", files))) == wanted * 9


def test_a_message_in_a_context_was_said_in_its_true_state(tmp_path, files):
    corpus = read_corpus(write(tmp_path / "c", files | WITH_CONTEXTS))
    assert ids(corpus)[:4] == ["s0", "s4", "s6", "s0"]
    assert corpus.contexts.candidates.tolist() == [[0, 1, -1], [4, 2, 3], [6, 5, -1]]
    assert corpus.contexts.picked.tolist() == [0, -1, 1]
    assert corpus.recorded["picked"].to_pylist()[:3] == [0, -1, 1]
    assert {tuple(each) for each in corpus.recorded["candidates"].to_pylist()} >= {(0, 1), (6, 5)}
    assert set(map(len, corpus.traces["candidates"].to_pylist())) == {0}


def test_a_number_and_its_text_are_the_same_id(tmp_path, files):
    del files["states.csv"]
    state = {"shape": "x", "angle": 1, "rgb": [255, 0, 0.5], "board": 1}
    rows = [{"state_id": number, "size": number, **state} for number in range(12)]
    files["states.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    for name in ("messages.csv", "utterances.csv"):
        files[name] = files[name].replace("\ns", "\n")
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.state[:13].tolist() == [*range(12), 0]
    assert corpus.columns["rgb"][0].tolist() == [255, 0, 0.5]


def test_csv_of_other_systems_is_read(tmp_path, files):
    text = 'state_id, text\n s1 ,"red, or ""reddish"",\nand round"\n' + "s2,red round\n" * 20
    files["utterances.csv"] = text.encode("utf-8-sig")
    files["messages.csv"] = files["messages.csv"].replace("\n", "\r\n")
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.texts[0] == 'red, or "reddish",\nand round'
    assert len(corpus.recorded) == 60


def test_vectors_are_a_matrix_in_single_precision(tmp_path, files):
    files["corpus.yaml"] = files["corpus.yaml"].replace(MESSAGES, "kind: vector, noise: 1")
    files["messages.csv"] = "state_id,message\n" + "".join(f"s{n % 12},{n} -.5e-1 {n / 7}\n" for n in range(40))
    corpus = read_corpus(write(tmp_path / "c", files))
    assert str(corpus.recorded["message"].type) == "fixed_size_list<item: float>[3]"
    np.testing.assert_allclose(messages(corpus)[6], [6, -0.05, 6 / 7], rtol=1e-6)
    assert corpus.settings.messages.noise == 1


def test_features_are_made_by_type_and_standardised_by_training_messages(small):
    corpus = read_corpus(small)
    training = corpus.state[corpus.rows("train")]
    shapes, sizes, angles, colors = np.split(corpus.features, [3, 4, 6], axis=1)
    size = corpus.columns["size"]
    naive = (size - size[training].mean()) / size[training].std()
    np.testing.assert_allclose(sizes[:, 0], naive, rtol=1e-5, atol=1e-6)
    radians = np.deg2rad(corpus.columns["angle"])
    np.testing.assert_allclose(angles, np.stack([np.sin(radians), np.cos(radians)], 1), atol=1e-6)
    assert shapes.argmax(1).tolist() == [0, 1, 2] * 4
    assert (shapes.sum(1) == 1).all()
    np.testing.assert_allclose(colors[training].mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(colors[training].std(0), 1, atol=1e-5)
    assert (corpus.features.dtype, corpus.features.shape) == (np.float32, (12, 9))
    same = "".join(f"s{number},a,1e300,0,#808080\n" for number in range(12))
    (small / "states.csv").write_text("state_id,shape,size,angle,rgb\n" + same)
    assert np.isfinite(read_corpus(small).features).all()


def test_colours_are_cielab():
    rgb = np.random.default_rng(0).uniform(0, 255, (500, 3))
    np.testing.assert_allclose(rgb_to_lab(rgb), rgb2lab(rgb[None] / 255)[0], atol=1e-3)


def test_reading_imports_no_torch(small):
    program = (
        "import sys; from neuralese.tasks.corpus.read import read_corpus; "
        f"from neuralese.tasks.corpus.describe import describe; describe(read_corpus({str(small)!r})); "
        "import neuralese.recording; print({'torch', 'sklearn', 'skimage'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_without_utterances_phrases_are_made_of_the_states(tmp_path, files):
    del files["utterances.csv"]
    files["corpus.yaml"] = files["corpus.yaml"].replace("utterances: {language: en, least: 3}\n", "")
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.texts is None
    assert len(corpus.traces) == len(corpus.recorded)
    said = {corpus.inventory["phrase"][place].as_py() for place in corpus.traces["phrases"][1].as_py()}
    assert said == {"shape square", "small size", "angle near 45", "blue"}


# splits


@given(
    groups=st.lists(st.integers(0, 30), min_size=3, max_size=200).filter(lambda groups: len(set(groups)) >= 3),
    dev=st.floats(0.01, 0.45),
    test=st.floats(0.01, 0.45),
    seed=st.integers(0, 5),
)
def test_groups_stay_together_and_every_split_has_some(groups, dev, test, seed):
    split = draw_splits(np.array(groups), SplitSettings(dev=dev, test=test), np.random.default_rng(seed))
    assert set(split) == set(SPLITS)
    assert all(len(set(split[np.array(groups) == group])) == 1 for group in set(groups))


@pytest.mark.parametrize("rows", [20, 100, 1001])
def test_single_rows_are_split_in_exact_shares(rows):
    split = draw_splits(np.arange(rows), SplitSettings(), np.random.default_rng(0))
    assert abs((split == "test").sum() - 0.25 * rows) <= 0.5
    assert abs((split == "dev").sum() - 0.15 * rows) <= 1


def test_the_seed_decides_and_nothing_else(small):
    one, again, other = (read_corpus(small, seed).recorded["split"] for seed in (0, 0, 1))
    assert one == again
    assert one != other


def test_episodes_stay_together_also_in_utterances(tmp_path, files):
    files["corpus.yaml"] = files["corpus.yaml"].replace("test: 0.2", "test: 0.2, by: episode")
    head, *rows = files["utterances.csv"].splitlines()
    files["utterances.csv"] = "\n".join([f"{head},episode", *(f"{row},{n // 5}" for n, row in enumerate(rows))])
    corpus = read_corpus(write(tmp_path / "c", files))
    split = {}
    for row, found in enumerate(corpus.recorded["split"].to_pylist()):
        assert split.setdefault(row // 6, found) == found
    for row, found in enumerate(corpus.traces["split"].to_pylist()):  # two more episodes than messages have
        assert found == split.get(row // 5, "train")


def test_a_column_of_the_table_takes_precedence(tmp_path, files):
    head, *rows = files["messages.csv"].splitlines()
    files["messages.csv"] = "\n".join([f"{head},split", *(f"{row},{SPLITS[n % 3]}" for n, row in enumerate(rows))])
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.recorded["split"].to_pylist() == [*SPLITS] * 20
    assert corpus.traces["split"].to_pylist().count("train") == 36


# settings


plain = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12)


@given(name=plain, title=plain.filter(str.strip))
def test_settings_that_are_written_are_read_again(name, title):
    about = {"title": title, "messages": {"kind": "vector", "noise": 1e-7}, "candidates": 3}
    text = settings_text(about, {name: {"type": "circular", "period": 1e-5}})
    settings = settings_from(yaml.safe_load(text), PATH)
    assert {key: (each.type, each.period) for key, each in settings.states.items()} == {name: ("circular", 1e-5)}
    assert (settings.messages.noise, settings.title) == (1e-7, title.strip())
