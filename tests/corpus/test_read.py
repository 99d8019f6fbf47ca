"""A corpus is read the same from every format, and its rows point where they should."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from skimage.color import rgb2lab
from small_corpus import small_corpus, write

from neuralese.tasks.corpus.colors import rgb_to_lab
from neuralese.tasks.corpus.read import read_corpus

NUMBERS = ("size", "angle")
LISTS = ("message", "candidates")
WITH_CONTEXTS = {
    "contexts.csv": "context_id,candidates,true,pick\n7,s0 s1,0,1\n8,s2 s3 s4,2,\n9,s5 s6,1,1\n",
    "messages.csv": "context_id,message\n" + "".join(f"{7 + row % 3},{1 + row % 3} 0\n" for row in range(30)),
}


def converted(files: dict[str, str], suffix: str) -> dict[str, str | bytes]:
    """The tables of a corpus in another format."""
    made: dict[str, str | bytes] = {"corpus.yaml": files["corpus.yaml"]}
    for name, text in files.items():
        if not name.endswith(".csv"):
            continue
        rows = [
            {key: typed(name, key, value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text))
        ]
        stem = name.removesuffix(".csv")
        if suffix == ".jsonl":
            made[stem + suffix] = "".join(json.dumps(row) + "\n" for row in rows)
        else:
            file = io.BytesIO()
            pq.write_table(pa.Table.from_pylist(rows), file)
            made[stem + suffix] = file.getvalue()
    return made


def typed(table: str, key: str, value: str) -> object:
    if key in LISTS:
        return [int(each) if key == "message" else each for each in value.split()]
    if key in ("true", "pick"):
        return int(value) if value else None
    return float(value) if key in NUMBERS else value


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@pytest.mark.parametrize("contexts", [False, True])
def test_all_formats_are_the_same_corpus(tmp_path, files, suffix, contexts):
    files |= WITH_CONTEXTS if contexts else {}
    one = read_corpus(write(tmp_path / "csv", files))
    two = read_corpus(write(tmp_path / "other", converted(files, suffix)))
    assert one.states.ids == two.states.ids
    assert one.messages.symbols == two.messages.symbols
    assert one.utterances.phrases == two.utterances.phrases
    assert one.inventory.phrases == two.inventory.phrases
    np.testing.assert_array_equal(one.features, two.features)
    for table in ("messages", "utterances"):
        for column in ("state", "split", "context"):
            np.testing.assert_array_equal(
                getattr(getattr(one, table), column), getattr(getattr(two, table), column), err_msg=f"{table}.{column}"
            )
    if contexts:
        for column in ("candidates", "starts", "true", "pick"):
            np.testing.assert_array_equal(getattr(one.contexts, column), getattr(two.contexts, column))


def test_rows_point_at_states_and_symbols_are_cut_after_the_end(small):
    corpus = read_corpus(small)
    assert len(corpus.states) == 12
    assert corpus.states.ids[corpus.messages.state[13]] == "s1"
    assert corpus.messages.symbols[13] == (2, 5, 0)
    assert corpus.messages.vectors is None
    assert corpus.states.columns["shape"].names == ("circle", "square", "star")
    assert corpus.states.columns["rgb"].values[1].tolist() == [0, 0, 255]
    assert corpus.messages.episode[13] == corpus.messages.episode[12] != corpus.messages.episode[11]


def test_without_an_end_whole_messages_count(tmp_path, files):
    files["corpus.yaml"] = files["corpus.yaml"].replace("end: 0, ", "")
    assert read_corpus(write(tmp_path / "c", files)).messages.symbols[13] == (2, 5, 0, 7)


def test_an_end_that_comes_first_or_never_is_no_trouble(tmp_path, files):
    files["messages.csv"] = "state_id,message\n" + "s1,0 1 2\ns2,3 4\ns3,4 0\ns1,0\n" * 3
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.messages.symbols[:4] == ((0,), (3, 4), (4, 0), (0,))


def test_a_message_in_a_context_was_said_in_its_true_state(tmp_path, files):
    corpus = read_corpus(write(tmp_path / "c", files | WITH_CONTEXTS))
    assert [corpus.states.ids[row] for row in corpus.messages.state[:4]] == ["s0", "s4", "s6", "s0"]
    assert corpus.contexts.true_first().tolist() == [[0, 1, -1], [4, 2, 3], [6, 5, -1]]
    assert corpus.contexts.pick.tolist() == [1, -1, 1]
    rows = np.array([1, 2])
    assert corpus.candidates(corpus.messages, rows, np.random.default_rng(0)).tolist() == [[4, 2, 3], [6, 5, -1]]
    assert (corpus.utterances.context == -1).all()


def test_a_number_and_its_text_are_the_same_id(tmp_path, files):
    del files["states.csv"]
    state = {"shape": "x", "angle": 1, "rgb": [255, 0, 0.5], "board": 1}
    rows = [{"state_id": number, "size": number, **state} for number in range(12)]
    files["states.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    for name in ("messages.csv", "utterances.csv"):
        files[name] = files[name].replace("\ns", "\n")
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.messages.state[:13].tolist() == [*range(12), 0]
    assert corpus.states.columns["rgb"].values[0].tolist() == [255, 0, 0.5]


def test_csv_of_other_systems_is_read(tmp_path, files):
    files["utterances.csv"] = (
        'state_id, text\n s1 ,"red, or ""reddish"",\nand round"\n' + "s2,red round\n" * 20
    ).encode("utf-8-sig")
    files["messages.csv"] = files["messages.csv"].replace("\n", "\r\n")
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.utterances.texts[0] == 'red, or "reddish",\nand round'
    assert len(corpus.messages) == 60


def test_vectors_are_a_matrix_in_single_precision(tmp_path, files):
    files["corpus.yaml"] = files["corpus.yaml"].replace(
        "kind: symbols, end: 0, vocabulary: 9", "kind: vector, noise: 1"
    )
    files["messages.csv"] = "state_id,message\n" + "".join(f"s{n % 12},{n} -.5e-1 {n / 7}\n" for n in range(40))
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.messages.vectors.dtype == np.float32
    np.testing.assert_allclose(corpus.messages.vectors[6], [6, -0.05, 6 / 7], rtol=1e-6)
    assert corpus.messages.symbols is None
    assert corpus.settings.messages.noise == 1


def test_features_are_made_by_type_and_standardised_by_training_messages(small):
    corpus = read_corpus(small)
    training = corpus.messages.state[corpus.messages.split == "train"]
    size, angle = (corpus.states.columns[name].values for name in ("size", "angle"))
    naive = (size - size[training].mean()) / size[training].std()
    np.testing.assert_allclose(corpus.features[:, corpus.feature_places["size"]][:, 0], naive, rtol=1e-5, atol=1e-6)
    radians = np.deg2rad(angle)
    np.testing.assert_allclose(
        corpus.features[:, corpus.feature_places["angle"]], np.stack([np.sin(radians), np.cos(radians)], 1), atol=1e-6
    )
    shapes = corpus.features[:, corpus.feature_places["shape"]]
    assert shapes.argmax(1).tolist() == [0, 1, 2] * 4
    assert (shapes.sum(1) == 1).all()
    colors = corpus.features[:, corpus.feature_places["rgb"]][training]
    np.testing.assert_allclose(colors.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(colors.std(0), 1, atol=1e-5)
    assert corpus.features.dtype == np.float32
    assert corpus.features.shape == (12, 3 + 1 + 2 + 3)


def test_a_column_that_is_always_the_same_has_finite_features(tmp_path, files):
    files["states.csv"] = "state_id,shape,size,angle,rgb\n" + "".join(
        f"s{number},a,1e300,0,#808080\n" for number in range(12)
    )
    assert np.isfinite(read_corpus(write(tmp_path / "c", files)).features).all()


def test_colours_are_cielab(small):
    rgb = np.random.default_rng(0).uniform(0, 255, (500, 3))
    np.testing.assert_allclose(rgb_to_lab(rgb), rgb2lab(rgb[None] / 255)[0], atol=1e-3)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_reading_imports_neither_torch_nor_pandas(tmp_path, files, suffix):
    small = write(tmp_path / "c", files if suffix == ".csv" else converted(files, suffix))
    program = (
        "import sys; from neuralese.tasks.corpus.read import read_corpus; "
        f"from neuralese.tasks.corpus.describe import describe; describe(read_corpus({str(small)!r})); "
        "import neuralese.recording; print({'torch', 'pandas', 'sklearn', 'skimage'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_without_utterances_phrases_are_made_of_the_states(tmp_path):
    files = small_corpus()
    del files["utterances.csv"]
    files["corpus.yaml"] = files["corpus.yaml"].replace("utterances: {language: en, least: 3}\n", "")
    corpus = read_corpus(write(tmp_path / "c", files))
    assert corpus.utterances.texts is None
    assert len(corpus.utterances) == len(corpus.messages)
    said = {corpus.inventory.phrases[place] for place in corpus.utterances.phrases[1]}
    assert said == {"shape square", "small size", "angle near 45", "blue"}
