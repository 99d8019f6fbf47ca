"""Columns of pictures: seen through the image network, and shown as they are."""

import base64
import io

import numpy as np
import pytest
from PIL import Image
from small_corpus import write

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.describe import describe
from neuralese.tasks.corpus.export import write_tables
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.settings import ColumnSettings
from neuralese.tasks.corpus.states import COMPONENTS, checked, feature_matrix, seen, thumbnail
from neuralese.tasks.corpus.task import Corpus

COLORS = {"circle": "red", "square": "green", "star": "blue"}


@pytest.fixture
def folder(tmp_path, files):
    """A corpus whose shapes are pictures."""
    files["corpus.yaml"] = files["corpus.yaml"].replace("shape: {type: category}", "shape: {type: image}")
    folder = write(tmp_path / "c", files)
    for number, (name, color) in enumerate(COLORS.items()):
        Image.new("RGB", (40 + 200 * number, 30), color).save(folder / name, "PNG")
    return folder


def widths(path):
    return np.array([Image.open(path).width, 7.0])


def test_each_picture_is_looked_at_once_and_turned_into_components(folder):
    looked = []
    corpus = read_corpus(folder, image_features=lambda path: looked.append(path) or widths(path))
    assert sorted(path.name for path in looked) == ["circle", "square", "star"]
    assert corpus.features.shape[1] == 1 + 6  # nothing else differs among the pictures
    found = corpus.features[:, :1]
    np.testing.assert_allclose(np.diff(found[:3, 0]), [1.2247] * 2, atol=1e-3)
    assert np.array_equal(found[:3], found[3:6])
    assert {"column": "shape", "type": "image", "holds": "3 pictures"} in describe(corpus)["states"]["columns"]


def test_pictures_stay_inside_the_folder(folder, tmp_path):
    (folder / "star").unlink()
    with pytest.raises(NeuraleseError, match=r"line 4: 'shape' is 'star', but the folder has no such file"):
        read_corpus(folder, image_features=checked)
    Image.new("RGB", (4, 4)).save(tmp_path / "secret.png")
    (folder / "star").symlink_to(tmp_path / "secret.png")
    with pytest.raises(NeuraleseError, match="which is outside the folder"):
        read_corpus(folder, image_features=checked)


def test_a_cut_picture_is_refused(folder):
    noise = np.random.default_rng(0).integers(0, 255, (90, 90, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "square", "JPEG")
    content = (folder / "square").read_bytes()
    (folder / "square").write_bytes(content[: len(content) // 2])
    with pytest.raises(NeuraleseError, match=r"line 3: 'shape' is 'square', which is not a whole picture"):
        read_corpus(folder, image_features=checked)


def test_components_keep_what_differs_and_are_no_more_than_wanted():
    random = np.random.default_rng(0)
    values = (random.normal(size=(300, 3)) @ random.normal(size=(3, 200)) + 5).astype(np.float32)
    found, _ = feature_matrix({"photo": values}, {"photo": ColumnSettings(type="image")}, np.arange(200))
    assert 3 <= found.shape[1] <= COMPONENTS
    assert abs(found[:200, 0].std() - 1) < 1e-3
    near = np.linalg.norm(values[:50, None] - values[None, :50], axis=-1)
    also = np.linalg.norm(found[:50, None] - found[None, :50], axis=-1)
    assert np.corrcoef(near.ravel(), also.ravel())[0, 1] > 0.999


def test_states_are_shown_as_their_pictures(folder, tmp_path):
    names = ("states", "recorded", "inventory", "traces", "utterances", "pictures")
    made = {name: tmp_path / "made" / f"{name}.parquet" for name in names}
    write_tables(read_corpus(folder, image_features=widths), made | {"provenance": tmp_path / "made/provenance.json"})
    files = {path.name: path for path in made.values()}
    drawn = Corpus("c").pixels(files, {0, 2})
    assert drawn[0].shape[0] < drawn[0].shape[1] <= 96
    assert abs(drawn[0].mean((0, 1)) - [255, 0, 0]).max() < 12
    items = Corpus("c").described(files, [[0, 1]], [[2]])["items"]
    for row, color in enumerate([(255, 0, 0), (0, 128, 0), (0, 0, 255)]):
        kind, _, content = items[row]["image"].partition(",")
        assert kind == "data:image/webp;base64"
        shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB"))
        assert abs(shown.mean((0, 1)) - color).max() < 12


def test_the_network_tells_pictures_apart_and_sees_the_same_in_the_same(tmp_path):
    stripes = np.zeros((120, 160, 3), np.uint8)
    stripes[::8] = 255
    pictures = {"stripes": stripes, "again": stripes, "grey": np.full_like(stripes, 128)}
    paths = []
    for name, picture in pictures.items():
        paths.append(tmp_path / f"{name}.png")
        Image.fromarray(picture).save(paths[-1])
    found = np.stack([seen(path) for path in paths])
    assert found.shape == (3, 1280)
    assert np.array_equal(found[0], found[1])
    assert np.abs(found[0] - found[2]).max() > 0.1
    assert len(thumbnail(paths[0])) < 10_000
