"""Pooled features of pictures in integers, compared with the same network in floats and in eager torch.

The whole way is from a picture's file to pooled features: products of principal components, inside the graph. It is
compared with compact bilinear pooling, a batch at a time in floats.
"""

import numpy as np
import torch
from measure import peak_megabytes, seconds

from neuralese.tasks.birds.data import crop
from neuralese.tasks.birds.embedded import Species, draw
from neuralese.tasks.birds.features import (
    Network,
    export_backbone,
    extract,
    load_backbone,
    principal_axes,
    quantise,
    with_pooling,
)

NETWORK = "efficientnet-lite0"
COMPONENTS = 90
SKETCHED = 4096  # numbers of a compact bilinear feature
COLUMNS = {
    "network": "network",
    "pixels": "pixels",
    "images/s": "images_a_second",
    "in floats, images/s": "float_images_a_second",
    "eager torch, images/s": "eager_images_a_second",
    "whole way, images/s": "whole_images_a_second",
    "compact bilinear in batches of floats, images/s": "batch_images_a_second",
    "times as fast": "times_batch",
    "cosine to floats": "cosine",
    "peak MB": "megabytes",
}


def cases(quick: bool) -> list[dict]:
    """The default network and size."""
    return [{"pixels": 64 if quick else 256, "images": 2 if quick else 32}]


def measure(pixels: int, images: int) -> dict[str, float | str]:
    """Send the same drawn birds through all of them, alternately."""
    generator = np.random.default_rng(0)
    species = Species("red", "grey", "white", "black", "short", "black", "large")
    drawn = [draw(species, generator) for _ in range(images)]
    files = [(str(number), content) for number, (content, _) in enumerate(drawn)]
    wanted = {str(number): (number, box) for number, (_, box) in enumerate(drawn)}
    pictures = np.stack([crop(content, box, pixels) for content, box in drawn])
    floats = export_backbone(NETWORK, pixels)
    axes = principal_axes(Network(floats), pictures, COMPONENTS)
    wholes, in_floats = (Network(with_pooling(network, axes)) for network in (quantise(floats, pictures), floats))
    floats = Network(floats)

    def whole() -> None:
        extract(wholes, files, wanted)

    whole()
    memory = peak_megabytes()
    network = load_backbone(NETWORK)

    @torch.no_grad()
    def eager() -> torch.Tensor:
        scaled = (torch.from_numpy(pictures).float() - 127) / 128
        return network.extract_features(scaled.permute(0, 3, 1, 2).contiguous())

    def batch() -> None:
        seen = np.stack([crop(content, wanted[name][1], pixels) for name, content in files])
        maps = torch.from_numpy(np.stack([floats.maps(picture) for picture in seen]))
        for pooled in (sketch_of_batch(maps), maps.mean((2, 3))):
            torch.nn.functional.normalize(pooled.sign() * pooled.abs().sqrt(), dim=1)

    def pool(extractor: Network) -> np.ndarray:
        return np.concatenate([extractor.pool(picture)[0] for picture in pictures])

    taken, taken_in_floats, eagerly, wholly, in_batches = seconds(
        lambda: pool(wholes), lambda: pool(in_floats), eager, whole, batch
    )
    return {
        "network": NETWORK,
        "images_a_second": images / taken,
        "float_images_a_second": images / taken_in_floats,
        "eager_images_a_second": images / eagerly,
        "whole_images_a_second": images / wholly,
        "batch_images_a_second": images / in_batches,
        "times_batch": in_batches / wholly,
        "cosine": float((pool(wholes) * pool(in_floats)).sum(1).min()),
        "megabytes": memory,
    }


def sketch_of_batch(maps: torch.Tensor) -> torch.Tensor:
    """Tensor sketches of all pictures at once: two count sketches of each column, convolved by Fourier transforms."""
    random, channels = torch.Generator().manual_seed(0), maps.flatten(2).transpose(0, 1).flatten(1)
    spectra = []
    for _ in range(2):
        places = torch.randint(SKETCHED, (len(channels),), generator=random)
        signs = torch.randint(2, (len(channels), 1), generator=random) * 2.0 - 1
        counts = channels.new_zeros(SKETCHED, channels.shape[1]).index_add_(0, places, channels * signs)
        spectra.append(torch.fft.rfft(counts.T.contiguous()))
    return torch.fft.irfft((spectra[0] * spectra[1]).unflatten(0, (len(maps), -1)).sum(1), n=SKETCHED)
