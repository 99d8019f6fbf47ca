"""Feature maps of pictures by onnxruntime, beside the same network in eager torch; and the whole way from a JPEG."""

import io

import numpy as np
import torch
from efficientnet_lite_pytorch import EfficientNet
from measure import peak_megabytes, seconds
from PIL import Image

from neuralese.features import backbone
from neuralese.features.images import Extraction

NETWORK = "efficientnet-lite0"
COLUMNS = {
    "network": "network",
    "pixels": "pixels",
    "images/s": "images_a_second",
    "eager torch, images/s": "eager_images_a_second",
    "times as fast": "times_eager",
    "with decoding and pooling, images/s": "whole_images_a_second",
    "largest difference": "difference",
    "peak MB": "megabytes",
    "with eager torch, MB": "eager_megabytes",
}


def cases(quick: bool) -> list[dict]:
    """The default network and size."""
    return [{"pixels": 64 if quick else 256, "images": 2 if quick else 32}]


def measure(pixels: int, images: int) -> dict[str, float | str]:
    """Send the same noise through both, and as JPEGs through the extraction."""
    pictures = np.random.default_rng(0).integers(256, size=(images, pixels, pixels, 3), dtype=np.uint8)
    jpegs = [(str(number), jpeg(picture)) for number, picture in enumerate(pictures)]
    wanted = {name: (int(name), (0.0, 0.0, float(pixels), float(pixels))) for name, _ in jpegs}
    fast = backbone.Backbone.load(NETWORK, pixels, threads=1)

    def whole() -> None:
        list(Extraction(fast, size=4096).run(jpegs, wanted))

    whole()
    memory = peak_megabytes()
    network = EfficientNet.from_name(NETWORK)
    network.load_state_dict(torch.load(backbone._weights(NETWORK), weights_only=True))
    network.eval()

    @torch.no_grad()
    def eager() -> torch.Tensor:
        scaled = (torch.from_numpy(pictures).float() - 127) / 128
        return network.extract_features(scaled.permute(0, 3, 1, 2).contiguous())

    taken, eagerly, wholly = seconds(lambda: fast.maps(pictures), eager, whole)
    return {
        "network": NETWORK,
        "images_a_second": images / taken,
        "eager_images_a_second": images / eagerly,
        "times_eager": eagerly / taken,
        "whole_images_a_second": images / wholly,
        "difference": float((fast.maps(pictures) - eager()).abs().max()),
        "megabytes": memory,
        "eager_megabytes": peak_megabytes(),
    }


def jpeg(picture: np.ndarray) -> bytes:
    """A picture as a file."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG")
    return buffer.getvalue()
