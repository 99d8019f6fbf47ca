"""Networks in whole numbers of 8 bits, which processors multiply faster than floats.

The range of every layer's activations is taken from pictures; weights have a scale for each channel, and 7 bits, since
two products of 8 bits do not fit into the 16 in which processors without VNNI add them up. The layers before the first
expansion stay in floats: they see pixels, see most of them, and are no faster in whole numbers.
"""

import logging
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from neuralese.storage.errors import NeuraleseError

SEEN = 48  # pictures from which ranges are taken


class _Pictures(CalibrationDataReader):
    def __init__(self, pictures: Iterable[np.ndarray]) -> None:
        self.pictures: Iterator[np.ndarray] = iter(pictures)

    def get_next(self) -> dict[str, np.ndarray] | None:
        picture = next(self.pictures, None)
        return None if picture is None else {"images": picture[None]}


def quantise(graph: bytes, pictures: Iterable[np.ndarray]) -> bytes:
    """A graph of `backbone.graph` in whole numbers, with ranges from `pictures` (size, size, 3) of bytes."""
    pictures = list(pictures)
    if not pictures:
        raise NeuraleseError("no training picture could be read to quantise the backbone by; fetch the images again.")
    logging.getLogger().disabled, before = True, logging.getLogger().disabled  # it advises what is done here
    try:
        with tempfile.TemporaryDirectory() as folder:
            prepared, made = Path(folder) / "prepared.onnx", Path(folder) / "made.onnx"
            quant_pre_process(onnx.load_from_string(graph), prepared, skip_symbolic_shape=True)
            quantize_static(
                prepared,
                made,
                _Pictures(pictures),
                quant_format=QuantFormat.QDQ,
                activation_type=QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                per_channel=True,
                reduce_range=True,
                nodes_to_exclude=_first(onnx.load(prepared)),
            )
            return made.read_bytes()
    finally:
        logging.getLogger().disabled = before


def _first(model: onnx.ModelProto) -> list[str]:
    """The nodes before the first expansion."""
    names = [node.name for node in model.graph.node]
    return names[: next(place for place, name in enumerate(names) if "_expand_conv" in name)]
