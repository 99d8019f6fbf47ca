"""From pictures to features."""

import io
import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from PIL import Image

from neuralese.storage.errors import NeuraleseError
from neuralese.storage.tables import matrix, read_table, vectors
from neuralese.tasks.birds.backbone import Backbone, graph
from neuralese.tasks.birds.crops import crop
from neuralese.tasks.birds.embedded import Species, draw
from neuralese.tasks.birds.head import ByteDropout, HeadConfig, bird_features
from neuralese.tasks.birds.images import Extraction, gather_shards, write_shard
from neuralese.tasks.birds.pooling import CompactBilinear, average
from neuralese.tasks.items import bird_items


def jpeg(color: tuple[int, int, int], size: tuple[int, int] = (60, 40)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "JPEG")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def backbone():
    return Backbone.load(graph("efficientnet-lite0", 64))


def test_tensor_sketches_keep_inner_products_of_bilinear_features():
    maps = torch.rand(6, 30, 2, 2, generator=torch.Generator().manual_seed(0))
    columns = maps.flatten(2)
    bilinear = (columns @ columns.transpose(1, 2)).flatten(1)  # the matrices that sketches stand for
    exact = bilinear @ bilinear.T
    sketched = torch.stack([(s := CompactBilinear(30, 512, seed).sketch(maps)) @ s.T for seed in range(40)]).mean(0)
    torch.testing.assert_close(sketched, exact, rtol=0.05, atol=0.0)


def test_a_tensor_sketch_is_what_sums_over_all_pairs_of_channels_give():
    maps = torch.rand(2, 7, 2, 3, generator=torch.Generator().manual_seed(0))
    pooling = CompactBilinear(7, 16)
    expected = np.zeros((2, 16))
    for picture, channels in enumerate(maps.flatten(2).double().numpy()):
        for column in channels.T:
            for i in range(7):
                for j in range(7):
                    place = (pooling.places[0][i] + pooling.places[1][j]) % 16
                    expected[picture, place] += pooling.signs[0][i] * pooling.signs[1][j] * column[i] * column[j]
    np.testing.assert_allclose(pooling.sketch(maps), expected, atol=1e-5)


def test_pooled_features_have_length_one_and_do_not_depend_on_the_batch():
    maps = torch.rand(5, 20, 3, 3, generator=torch.Generator().manual_seed(0))
    pooling = CompactBilinear(20, 64)
    torch.testing.assert_close(pooling(maps).norm(dim=1), torch.ones(5))
    assert torch.equal(pooling(maps)[2:3], pooling(maps[2:3]))
    torch.testing.assert_close(average(maps).norm(dim=1), torch.ones(5))


def test_a_crop_shows_what_is_inside_the_box():
    image = Image.new("RGB", (80, 80), (0, 0, 255))
    image.paste((255, 0, 0), (20, 30, 50, 60))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    shown = crop(buffer.getvalue(), (20, 30, 30, 30), 32)
    assert shown.shape == (32, 32, 3)
    assert shown[4:-4, 4:-4, 0].mean() > 250
    assert crop(buffer.getvalue(), (-10, -10, 200, 200), 16).shape == (16, 16, 3)


def test_a_missing_or_broken_picture_is_named_and_left_out(backbone, tmp_path, caplog):
    pictures = [("a.jpg", jpeg((200, 0, 0))), ("b.jpg", b"not a picture"), ("c.jpg", jpeg((0, 0, 200))[:300])]
    pictures += [("d.jpg", jpeg((0, 200, 0))), ("stranger.jpg", jpeg((9, 9, 9)))]
    wanted = {f"{name}.jpg": (number, (0.0, 0.0, 60.0, 40.0)) for number, name in enumerate("abcde")}
    extraction = Extraction(backbone, size=32)
    with caplog.at_level(logging.WARNING, "neuralese"):
        write_shard(tmp_path / "pooled.parquet", extraction.run(iter(pictures), wanted), total=5)
    assert read_table(tmp_path / "pooled.parquet", "shard")["image_id"].to_pylist() == [0, 3]
    assert set(extraction.failed) == {"b.jpg", "c.jpg", "e.jpg"}
    assert "the picture b.jpg is left out" in caplog.text


def test_if_no_picture_can_be_read_nothing_is_gathered(backbone, tmp_path):
    rows = Extraction(backbone, size=32).run(iter([("a.jpg", b"")]), {"a.jpg": (0, (0, 0, 1, 1))})
    write_shard(tmp_path / "shard.parquet", rows, total=1)
    with pytest.raises(NeuraleseError, match="not one picture could be read"):
        gather_shards(tmp_path / "pooled.parquet", [tmp_path / "shard.parquet"])
    assert [path.name for path in tmp_path.iterdir()] == ["shard.parquet"]


def test_the_backbone_gives_the_same_maps_in_any_batch(backbone):
    images = np.random.default_rng(0).integers(0, 255, (3, 64, 64, 3), dtype=np.uint8)
    maps = backbone.maps(images)
    assert maps.shape == (3, 1280, 2, 2)
    assert torch.equal(maps[1:2], backbone.maps(images[1:2]))


def test_an_unknown_backbone_is_refused_by_name():
    with pytest.raises(NeuraleseError, match="no backbone 'vgg'"):
        graph("vgg", 64)


def test_a_damaged_backbone_is_refused_by_its_file(tmp_path):
    (tmp_path / "backbone.onnx").write_bytes(b"not a graph")
    with pytest.raises(NeuraleseError, match=r"backbone.onnx holds no network"):
        Backbone.load(tmp_path / "backbone.onnx")


def test_dropout_by_bytes_hides_its_share_and_keeps_the_mean():
    dropout = ByteDropout(0.7)
    torch.manual_seed(0)
    dropped = dropout(torch.ones(400, 501))
    assert float((dropped == 0).float().mean()) == pytest.approx(1 - 77 / 256, abs=0.005)
    assert float(dropped.mean()) == pytest.approx(1, abs=0.02)
    assert dropped[dropped > 0].unique().numel() == 1
    assert torch.equal(dropout.eval()(dropped), dropped)


def test_drawn_birds_can_be_told_apart_by_the_real_extractor(backbone):
    generator = np.random.default_rng(0)
    kinds = [
        Species(body, "grey", "white", crown, "short", "black", "large")
        for body, crown in (("red", "black"), ("blue", "white"))
    ]
    drawn = [(kind, draw(species, generator)) for kind, species in enumerate(kinds) for _ in range(12)]
    wanted = {str(i): (i, box) for i, (_, (_, box)) in enumerate(drawn)}
    pictures = ((str(i), content) for i, (_, (content, _)) in enumerate(drawn))
    tables = pa.concat_tables(Extraction(backbone, size=256).run(pictures, wanted))
    features, kind = matrix(tables["pooled"]), np.array([kind for kind, _ in drawn])
    centers = np.stack([features[kind == k][:6].mean(0) for k in (0, 1)])
    assert (np.argmax(features @ centers.T, axis=1) == kind).mean() == 1.0


def test_the_head_learns_species_from_training_images_and_gives_features_by_image():
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
    features, accuracy = bird_features(pooled, images, HeadConfig(hidden=16, epochs=30, batch=16, learning_rate=0.01))
    assert accuracy["test"] > 0.9
    assert features["image_id"].to_pylist() == list(range(500, 620))
    items = bird_items(images, features)
    assert items["image_id"].to_pylist() == list(range(500, 620))
    assert items["split"].to_pylist() == images.set_index("image_id").loc[range(500, 620), "split"].tolist()
