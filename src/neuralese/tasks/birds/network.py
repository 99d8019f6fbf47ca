"""Image networks as graphs, run by onnxruntime."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidProtobuf, NoSuchFile

from neuralese.errors import NeuraleseError

if TYPE_CHECKING:
    from torch import Tensor


@dataclass
class Network:
    """A graph that processes images one by one: its output for an image depends on that image alone."""

    session: onnxruntime.InferenceSession

    @classmethod
    def load(cls, graph: str | Path | bytes) -> Self:
        """Load a graph, or a file that holds one, to run on a single thread."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            return cls(
                onnxruntime.InferenceSession(
                    graph if isinstance(graph, bytes) else str(graph), options, providers=["CPUExecutionProvider"]
                )
            )
        except (InvalidProtobuf, NoSuchFile) as error:
            place = "what was exported" if isinstance(graph, bytes) else graph
            raise NeuraleseError(f"{place} is not a network ({error}); delete it and run snakemake again.") from None

    @property
    def size(self) -> int:
        """Images are size x size pixels."""
        return self.session.get_inputs()[0].shape[1]


class Backbone(Network):
    """A graph from `backbone.graph`: turns images into feature maps."""

    def maps(self, images: np.ndarray) -> "Tensor":
        """Feature maps (n, channels, h, w) of images (n, size, size, 3) of bytes."""
        import torch  # most stages run graphs without it

        maps = [self.session.run(["maps"], {"images": image[None]})[0] for image in images]
        return torch.from_numpy(np.concatenate(maps))
