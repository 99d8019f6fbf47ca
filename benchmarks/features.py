"""Feature maps of pictures in whole numbers, beside the same network in floats and in eager torch.

The whole way is from a picture's file to pooled features, beside a batch at a time in floats.
"""

import numpy as np
import torch
from efficientnet_lite_pytorch import EfficientNet
from measure import peak_megabytes, seconds

from neuralese.tasks.birds import backbone
from neuralese.tasks.birds.crops import crop
from neuralese.tasks.birds.embedded import Species, draw
from neuralese.tasks.birds.images import Extraction
from neuralese.tasks.birds.pooling import CompactBilinear, average
from neuralese.tasks.birds.quantise import quantise

NETWORK = "efficientnet-lite0"
POOLED = 4096
COLUMNS = {
    "network": "network",
    "pixels": "pixels",
    "images/s": "images_a_second",
    "in floats, images/s": "float_images_a_second",
    "eager torch, images/s": "eager_images_a_second",
    "whole way, images/s": "whole_images_a_second",
    "in batches of floats, images/s": "batch_images_a_second",
    "times as fast": "times_batch",
    "cosine to floats": "cosine",
    "peak MB": "megabytes",
}


def cases(quick: bool) -> list[dict]:
    """The default network and size."""
    return [{"pixels": 64 if quick else 256, "images": 2 if quick else 32}]


def measure(pixels: int, images: int) -> dict[str, float | str]:
    """Send the same drawn birds through all of them, in turns."""
    generator = np.random.default_rng(0)
    species = Species("red", "grey", "white", "black", "short", "black", "large")
    drawn = [draw(species, generator) for _ in range(images)]
    files = [(str(number), content) for number, (content, _) in enumerate(drawn)]
    wanted = {str(number): (number, box) for number, (_, box) in enumerate(drawn)}
    pictures = np.stack([crop(content, box, pixels) for content, box in drawn])
    floats = backbone.graph(NETWORK, pixels)
    wholes = backbone.Backbone.load(quantise(floats, pictures))
    floats = backbone.Backbone.load(floats)

    def whole() -> None:
        list(Extraction(wholes, POOLED).run(files, wanted))

    whole()
    memory = peak_megabytes()
    network = EfficientNet.from_name(NETWORK)
    network.load_state_dict(torch.load(backbone.weights(NETWORK), weights_only=True))
    network.eval()

    @torch.no_grad()
    def eager() -> torch.Tensor:
        scaled = (torch.from_numpy(pictures).float() - 127) / 128
        return network.extract_features(scaled.permute(0, 3, 1, 2).contiguous())

    def batch() -> None:
        maps = floats.maps(np.stack([crop(content, wanted[name][1], pixels) for name, content in files]))
        sketch_of_batch(maps)
        average(maps)

    taken, in_floats, eagerly, wholly, in_batches = seconds(
        lambda: wholes.maps(pictures), lambda: floats.maps(pictures), eager, whole, batch
    )
    one, other = (network.maps(pictures).flatten(1) for network in (wholes, floats))
    return {
        "network": NETWORK,
        "images_a_second": images / taken,
        "float_images_a_second": images / in_floats,
        "eager_images_a_second": images / eagerly,
        "whole_images_a_second": images / wholly,
        "batch_images_a_second": images / in_batches,
        "times_batch": in_batches / wholly,
        "cosine": float(torch.nn.functional.cosine_similarity(one, other).min()),
        "megabytes": memory,
    }


def sketch_of_batch(maps: torch.Tensor) -> torch.Tensor:
    """Tensor sketches of all pictures at once."""
    pooling, channels = CompactBilinear(maps.shape[1], POOLED), maps.flatten(2).transpose(0, 1).flatten(1)
    spectra = []
    for places, signs in zip(pooling.places, pooling.signs, strict=True):
        counts = channels.new_zeros(POOLED, channels.shape[1]).index_add_(0, places, channels * signs[:, None])
        spectra.append(torch.fft.rfft(counts.T.contiguous()))
    return torch.fft.irfft((spectra[0] * spectra[1]).unflatten(0, (len(maps), -1)).sum(1), n=POOLED)
