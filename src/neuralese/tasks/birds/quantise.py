"""Networks in 8-bit integers, which processors multiply faster than floats.

The range of every layer's activations is taken from pictures; weights have one scale per channel. Processors without
VNNI add neighbouring products pairwise in 16 bits, where two of the largest overflow. The usual remedy, 7-bit weights,
doubles the error; here a channel's scale is just large enough for its own largest pair to fit. The layers before
the first expansion stay in floats: they see pixels, process most of them, and are no faster in integers.
"""

import logging
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from neuralese.errors import NeuraleseError

SEEN = 48  # number of pictures that suffice for the ranges


class _Pictures(CalibrationDataReader):
    def __init__(self, pictures: Iterable[np.ndarray]) -> None:
        self.pictures: Iterator[np.ndarray] = iter(pictures)

    def get_next(self) -> dict[str, np.ndarray] | None:
        picture = next(self.pictures, None)
        return None if picture is None else {"images": picture[None]}


def quantise(graph: bytes, pictures: Iterable[np.ndarray]) -> bytes:
    """A graph from `backbone.graph` in integers, with ranges from `pictures` (size, size, 3) of bytes."""
    pictures = list(pictures)
    pictures = pictures[:: -(-len(pictures) // SEEN) or 1]
    if not pictures:
        raise NeuraleseError("no training picture could be read to quantise the backbone; download the images again.")
    logging.getLogger().disabled, before = True, logging.getLogger().disabled  # it recommends what is done here
    try:
        with tempfile.TemporaryDirectory() as folder:
            prepared, made = Path(folder) / "prepared.onnx", Path(folder) / "made.onnx"
            quant_pre_process(onnx.load_from_string(graph), prepared, skip_symbolic_shape=True)
            model = onnx.load(prepared)
            floats = _first(model)
            quantize_static(
                prepared,
                made,
                _Pictures(pictures),
                quant_format=QuantFormat.QDQ,
                activation_type=QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                per_channel=True,
                nodes_to_exclude=floats,
                extra_options={"TensorQuantOverrides": _ranges(model, floats)},
            )
            return made.read_bytes()
    finally:
        logging.getLogger().disabled = before


def _first(model: onnx.ModelProto) -> list[str]:
    """The nodes before the first expansion."""
    names = [node.name for node in model.graph.node]
    return names[: next(place for place, name in enumerate(names) if "_expand_conv" in name)]


def _ranges(model: onnx.ModelProto, floats: list[str]) -> dict[str, list[dict]]:
    """The range of each channel of the weights of all convolutions except those that stay in floats."""
    weights = {each.name: each for each in model.graph.initializer}
    ranges = {}
    for node in model.graph.node:
        if node.op_type == "Conv" and node.name not in floats:
            largest = largest_sums(numpy_helper.to_array(weights[node.input[1]]))
            ranges[node.input[1]] = [
                {"quant_type": QuantType.QInt8, "symmetric": True, "rmin": -size, "rmax": size} for size in largest
            ]
            ranges[node.input[1]][0]["axis"] = 0
    return ranges


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
