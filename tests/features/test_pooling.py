"""Images pooled by several workers, by a backbone in whole numbers."""

import os
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
import pandas as pd
import pytest
import torch
from onnx import numpy_helper

from neuralese.data.archives import members
from neuralese.errors import NeuraleseError
from neuralese.storage.tables import read_table
from neuralese.tasks.birds.backbone import graph
from neuralese.tasks.birds.data import PICTURES, POOLED
from neuralese.tasks.birds.embedded import Species, draw
from neuralese.tasks.birds.images import Extraction, samples, wanted, write_pooled
from neuralese.tasks.birds.network import Backbone
from neuralese.tasks.birds.pooling import Extractor, principal_axes, with_pooling
from neuralese.tasks.birds.quantise import largest_sums, quantise

BODIES = ("red", "blue", "yellow", "brown")


@pytest.fixture(scope="module")
def drawn() -> tuple[pd.DataFrame, list[tuple[str, bytes]]]:
    """Seven birds, of which one cannot be read and one is missing, in an archive that does not go by image_id."""
    generator = np.random.default_rng(0)
    rows, pictures = [], []
    for number in range(7):
        species = Species(BODIES[number % 4], "grey", "white", "black", "short", "black", "large")
        content, box = draw(species, generator)
        rows.append((number + 1, f"{number}.jpg", "train" if number < 4 else "test", list(box)))
        pictures.append((f"{number}.jpg", content))
    pictures[2] = ("2.jpg", b"not a picture")
    del pictures[5]
    return pd.DataFrame(rows, columns=["image_id", "path", "split", "box"]), pictures[::-1]


@pytest.fixture(scope="module")
def graphs(drawn) -> tuple[bytes, bytes]:
    """The same network in floats and in whole numbers."""
    images, pictures = drawn
    floats = graph("efficientnet-lite0", 64)
    return floats, quantise(floats, samples(pictures, images, 64, 4))


@pytest.fixture(scope="module")
def networks(graphs) -> tuple[Backbone, Backbone]:
    return Backbone.load(graphs[0]), Backbone.load(graphs[1])


@pytest.fixture(scope="module")
def extractor(graphs, networks, drawn) -> Extractor:
    """The network in whole numbers, with pooling."""
    images, pictures = drawn
    axes = principal_axes(networks[0], samples(pictures, images, 64, 4), 8)
    return Extractor.load(with_pooling(graphs[1], axes))


def pooled(folder: Path, extractor: Extractor, drawn, workers: int) -> tuple[bytes, dict[str, str]]:
    """The table made by a number of workers, and what could not be read."""
    images, pictures = drawn
    extraction = Extraction(extractor, workers)
    write_pooled(folder / "pooled.parquet", extraction.run(iter(pictures), wanted(images)))
    return (folder / "pooled.parquet").read_bytes(), extraction.failed


def test_however_many_workers_there_are_the_table_has_the_same_bytes(extractor, drawn, tmp_path, monkeypatch):
    monkeypatch.setattr("neuralese.tasks.birds.images.ROWS", 2)
    one, failed = pooled(tmp_path, extractor, drawn, 1)
    assert set(failed) == {"2.jpg", "5.jpg"}
    assert read_table(tmp_path / "pooled.parquet", POOLED)["image_id"].to_pylist() == [1, 2, 4, 5, 7]
    for workers in (2, 5):
        assert pooled(tmp_path, extractor, drawn, workers) == (one, failed)


def test_an_archive_is_read_no_further_than_the_last_picture(extractor, drawn):
    images, pictures = drawn
    stream = iter([*pictures, ("beyond", b"")])
    Extraction(extractor).run(stream, wanted(images.iloc[3:5]))
    assert next(stream)[0] == pictures[[path for path, _ in pictures].index("3.jpg") + 1][0]


def test_samples_are_readable_training_images(drawn):
    images, pictures = drawn
    assert [sample.shape for sample in samples(pictures, images, 32, 100)] == [(32, 32, 3)] * 3
    assert len(list(samples(pictures, images, 32, 2))) == 1  # 0.jpg, for 2.jpg cannot be read


def test_maps_in_whole_numbers_are_close_to_those_in_floats(networks, drawn):
    images, pictures = drawn
    shown = np.stack(list(samples(pictures, images.assign(split="train"), 64, 7)))
    floats, wholes = (network.maps(shown).flatten(1) for network in networks)
    assert not torch.equal(floats, wholes)
    assert torch.nn.functional.cosine_similarity(floats, wholes).min() > 0.9
    assert torch.nn.functional.cosine_similarity(floats[:1], wholes[1:2]) < 0.9


def test_no_two_neighbouring_products_of_whole_numbers_overflow_16_bits(graphs):
    model = onnx.load_from_string(graphs[1])
    stored = {each.name: numpy_helper.to_array(each).astype(int) for each in model.graph.initializer}
    made_by = {name: node for node in model.graph.node for name in node.output}
    weights = [
        stored[made_by[node.input[1]].input[0]]
        for node in model.graph.node
        if node.op_type == "Conv" and node.input[1] in made_by
    ]
    assert len(weights) == 46  # all but the stem and the first block's two
    for weight in weights:
        assert np.abs(weight).max() == 127
        if weight.shape[1] > 1:
            rows = weight.reshape(len(weight), -1)
            assert 255 * np.abs(rows[:, ::2] + rows[:, 1::2]).max() < 2**15


def test_the_largest_sums_are_those_that_a_loop_finds():
    weights = np.random.default_rng(0).normal(size=(20, 7, 1, 1))
    for found, row in zip(largest_sums(weights), weights[:, :, 0, 0], strict=True):
        pairs = [abs(row[k] + (row[k + 1] if k + 1 < 7 else 0)) for k in range(0, 7, 2)]
        assert found == max(*pairs, *map(abs, row))
    depthwise = np.full((3, 1, 3, 3), -2.0)
    assert largest_sums(depthwise).tolist() == [2, 2, 2]


def test_nothing_to_quantise_by_is_said():
    with pytest.raises(NeuraleseError, match="no training picture could be read"):
        quantise(b"", [])


@pytest.mark.skipif(not os.environ.get("NEURALESE_MIRROR"), reason="real pictures are in NEURALESE_MIRROR")
def test_of_real_birds_maps_in_whole_numbers_are_close_to_those_in_floats():
    archive = next(Path(os.environ["NEURALESE_MIRROR"]).glob("CUB_200_2011*"))
    pictures = list(islice(members(archive, PICTURES), 40))
    images = pd.DataFrame(
        {
            "image_id": range(len(pictures)),
            "path": [path for path, _ in pictures],
            "split": ["train", "test"] * 20,
            "box": [[30.0, 30.0, 150.0, 150.0]] * len(pictures),
        }
    )
    floats = graph("efficientnet-lite0", 128)
    wholes = quantise(floats, samples(pictures, images, 128, 20))
    assert wholes == quantise(floats, samples(pictures, images, 128, 20))
    held_out = images.assign(split=np.where(images["split"] == "test", "train", "test"))
    shown = np.stack(list(samples(pictures, held_out, 128, 20)))
    close = torch.nn.functional.cosine_similarity(
        *(Backbone.load(network).maps(shown).flatten(1) for network in (floats, wholes))
    )
    assert close.min() > 0.9
