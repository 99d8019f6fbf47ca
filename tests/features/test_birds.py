"""From pictures to features."""

import io
import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from PIL import Image
from sklearn.linear_model import LogisticRegression

from neuralese.config.models import HeadConfig
from neuralese.errors import NeuraleseError
from neuralese.storage.tables import matrix, vectors
from neuralese.tasks.birds import head
from neuralese.tasks.birds.backbone import graph
from neuralese.tasks.birds.crops import crop
from neuralese.tasks.birds.data import bird_items
from neuralese.tasks.birds.embedded import Species, draw
from neuralese.tasks.birds.head import ByteDropout, bird_features
from neuralese.tasks.birds.images import Extraction
from neuralese.tasks.birds.network import Backbone
from neuralese.tasks.birds.pooling import Extractor, principal_axes, with_pooling


def jpeg(color: tuple[int, int, int], size: tuple[int, int] = (60, 40)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "JPEG")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def network() -> bytes:
    return graph("efficientnet-lite0", 64)


@pytest.fixture(scope="module")
def backbone(network) -> Backbone:
    return Backbone.load(network)


@pytest.fixture(scope="module")
def pictures() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (5, 64, 64, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def axes(backbone, pictures) -> np.ndarray:
    return principal_axes(backbone, pictures, 6)


@pytest.fixture(scope="module")
def extractor(network, axes) -> Extractor:
    return Extractor.load(with_pooling(network, axes))


def test_axes_keep_as_much_of_all_columns_as_any_could(backbone, pictures, axes):
    columns = backbone.maps(pictures).flatten(2).transpose(1, 2).flatten(0, 1).double().numpy()
    np.testing.assert_allclose(axes @ axes.T, np.eye(6), atol=1e-5)
    kept = ((columns @ axes.T.astype(float)) ** 2).sum(0)
    np.testing.assert_allclose(kept, np.linalg.svd(columns, compute_uv=False)[:6] ** 2, rtol=1e-4)


def test_axes_do_not_depend_on_the_sign_that_a_solver_gives(axes):
    assert (axes[np.arange(6), np.abs(axes).argmax(1)] > 0).all()


def test_axes_of_no_picture_are_refused(backbone):
    with pytest.raises(NeuraleseError, match="no training picture could be read"):
        principal_axes(backbone, [], 6)


def test_pooled_are_the_products_of_each_two_components_summed_over_places(backbone, pictures, axes, extractor):
    for picture in pictures:
        maps = backbone.maps(picture[None])[0].double().numpy()
        sums = []
        for i in range(6):
            for j in range(i, 6):
                total = 0.0
                for y in range(maps.shape[1]):
                    for x in range(maps.shape[2]):
                        total += (axes[i] @ maps[:, y, x]) * (axes[j] @ maps[:, y, x])
                sums.append(total)
        roots = np.sign(sums) * np.sqrt(np.abs(sums))
        pooled, average = extractor.pool(picture)
        np.testing.assert_allclose(pooled[0], roots / np.linalg.norm(roots), atol=1e-4)
        means = maps.mean((1, 2))
        roots = np.sign(means) * np.sqrt(np.abs(means))
        np.testing.assert_allclose(average[0], roots / np.linalg.norm(roots), atol=1e-5)
    assert extractor.lengths == (21, 1280)


def test_a_crop_shows_what_is_inside_the_box():
    image = Image.new("RGB", (80, 80), (0, 0, 255))
    image.paste((255, 0, 0), (20, 30, 50, 60))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    shown = crop(buffer.getvalue(), (20, 30, 30, 30), 32)
    assert shown.shape == (32, 32, 3)
    assert shown[4:-4, 4:-4, 0].mean() > 250
    assert crop(buffer.getvalue(), (-10, -10, 200, 200), 16).shape == (16, 16, 3)


def test_a_missing_or_broken_picture_is_named_and_left_out(extractor, caplog):
    pictures = [("a.jpg", jpeg((200, 0, 0))), ("b.jpg", b"not a picture"), ("c.jpg", jpeg((0, 0, 200))[:300])]
    pictures += [("d.jpg", jpeg((0, 200, 0))), ("stranger.jpg", jpeg((9, 9, 9)))]
    wanted = {f"{name}.jpg": (number, (0.0, 0.0, 60.0, 40.0)) for number, name in enumerate("abcde")}
    extraction = Extraction(extractor)
    with caplog.at_level(logging.WARNING, "neuralese"):
        table = extraction.run(iter(pictures), wanted)
    assert table["image_id"].to_pylist() == [0, 3]
    assert set(extraction.failed) == {"b.jpg", "c.jpg", "e.jpg"}
    assert "the picture b.jpg is left out" in caplog.text


def test_if_no_picture_can_be_read_it_is_said(extractor):
    with pytest.raises(NeuraleseError, match="no picture could be read"):
        Extraction(extractor).run(iter([("a.jpg", b"")]), {"a.jpg": (0, (0, 0, 1, 1))})


def test_the_backbone_gives_the_same_maps_in_any_batch(backbone, pictures):
    maps = backbone.maps(pictures)
    assert maps.shape == (5, 1280, 2, 2)
    assert torch.equal(maps[1:2], backbone.maps(pictures[1:2]))


def test_an_unknown_backbone_is_refused_by_name():
    with pytest.raises(NeuraleseError, match="no backbone 'vgg'"):
        graph("vgg", 64)


def test_a_damaged_backbone_is_refused_by_its_file(tmp_path):
    (tmp_path / "backbone.onnx").write_bytes(b"not a graph")
    with pytest.raises(NeuraleseError, match=r"backbone.onnx is not a network"):
        Backbone.load(tmp_path / "backbone.onnx")


def test_dropout_by_bytes_hides_its_share_and_keeps_the_mean():
    dropout = ByteDropout(0.7)
    torch.manual_seed(0)
    dropped = dropout(torch.ones(400, 501))
    assert float((dropped == 0).float().mean()) == pytest.approx(1 - 77 / 256, abs=0.005)
    assert float(dropped.mean()) == pytest.approx(1, abs=0.02)
    assert dropped[dropped > 0].unique().numel() == 1
    assert torch.equal(dropout.eval()(dropped), dropped)


def test_drawn_birds_can_be_told_apart_by_the_real_extractor(network, backbone):
    generator = np.random.default_rng(0)
    kinds = [
        Species(body, "grey", "white", crown, "short", "black", "large")
        for body, crown in (("red", "black"), ("blue", "white"))
    ]
    drawn = [(kind, draw(species, generator)) for kind, species in enumerate(kinds) for _ in range(12)]
    wanted = {str(i): (i, box) for i, (_, (_, box)) in enumerate(drawn)}
    pictures = ((str(i), content) for i, (_, (content, _)) in enumerate(drawn))
    seen = [crop(content, box, 64) for _, (content, box) in drawn]
    extractor = Extractor.load(with_pooling(network, principal_axes(backbone, seen, 20)))
    table = Extraction(extractor).run(pictures, wanted)
    features, kind = matrix(table["pooled"]), np.array([kind for kind, _ in drawn])
    centers = np.stack([features[kind == k][:6].mean(0) for k in (0, 1)])
    assert (np.argmax(features @ centers.T, axis=1) == kind).mean() == 1.0


def test_the_head_learns_species_from_training_images_and_gives_features_by_image(monkeypatch):
    generator = np.random.default_rng(0)
    label = np.repeat(np.arange(4), 30)
    points = generator.normal(size=(4, 12))[label] + 0.3 * generator.normal(size=(120, 12))
    ids = generator.permutation(np.arange(500, 620))
    pooled = pa.table(
        {"image_id": pa.array(ids, pa.int32()), "pooled": vectors(points), "average": vectors(points[:, :5])}
    )
    images = pd.DataFrame(
        {
            "image_id": ids,
            "class_id": label + 1,
            "split": np.tile(["train", "dev", "test"], 40),
            "path": "",
            "class_name": "",
        }
    )
    monkeypatch.setattr(head, "BATCH", 16)
    features, accuracy = bird_features(pooled, images, HeadConfig(hidden=16, epochs=30, learning_rate=0.01))
    assert accuracy["test"] > 0.9
    assert features["image_id"].to_pylist() == list(range(500, 620))
    items = bird_items(images, features)
    assert items["image_id"].to_pylist() == list(range(500, 620))
    assert items["split"].to_pylist() == images.set_index("image_id").loc[range(500, 620), "split"].tolist()


def test_cross_fitted_features_tell_nothing_of_a_training_image_that_only_heart_knows(monkeypatch):
    monkeypatch.setattr(head, "BATCH", 32)
    monkeypatch.setattr(head, "HIDDEN_DROPOUT", 0.0)
    generator = np.random.default_rng(0)
    label = np.tile(np.arange(4), 100)
    points = generator.normal(size=(400, 60))  # no species can be seen: it can only be remembered
    pooled = pa.table({"image_id": pa.array(np.arange(400), pa.int32()), "pooled": vectors(points)})
    pooled = pooled.append_column("average", vectors(points[:, :5]))
    split = np.where(np.arange(400) < 200, "train", "dev")
    split[-40:] = "test"
    images = pd.DataFrame({"image_id": np.arange(400), "class_id": label + 1, "split": split})
    told = {}
    for folds in (1, 4):
        config = HeadConfig(hidden=32, epochs=60, learning_rate=0.01, dropout=0, folds=folds)
        features = matrix(bird_features(pooled, images, config)[0]["feature"])
        train, dev = features[split == "train"], features[split == "dev"]
        fitted = LogisticRegression(max_iter=500).fit(train[:150], label[:200][:150])
        told[folds] = fitted.score(train[150:], label[:200][150:])
    assert told[1] > 0.6
    assert told[4] < 0.45
    assert abs(train.mean() - dev.mean()) < 0.2 * dev.std()
