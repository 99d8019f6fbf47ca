"""Compact bilinear pooling by tensor sketch (Gao et al., 2016).

Bilinear pooling sums the outer products of a feature map's columns with themselves: which features occur together.
A tensor sketch keeps inner products of these huge matrices (nearly) in far fewer numbers: two count sketches of each
column, convolved. Convolution is a product of Fourier transforms, and the sum over places can go inside.
"""

import torch
from torch import Tensor


class CompactBilinear:
    """Sketches feature maps of `channels` channels into `size` numbers; random, but the same for the same seed."""

    def __init__(self, channels: int, size: int, seed: int = 0) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.size = size
        self.places = [torch.randint(size, (channels,), generator=generator) for _ in range(2)]
        self.signs = [torch.randint(2, (channels,), generator=generator) * 2.0 - 1 for _ in range(2)]

    def sketch(self, maps: Tensor) -> Tensor:
        """The tensor sketch (n, size) of maps (n, channels, h, w), summed over places.

        One picture at a time: its spectra fit into a core's cache, those of a batch do not.
        """
        return torch.stack([self._sketch(channels) for channels in maps.flatten(2)])

    def _sketch(self, channels: Tensor) -> Tensor:
        spectra = []
        for places, signs in zip(self.places, self.signs, strict=True):
            counts = channels.new_zeros(self.size, channels.shape[1])
            counts.index_add_(0, places, channels * signs[:, None])  # whole rows are added up
            spectra.append(torch.fft.rfft(counts.T.contiguous()))
        return torch.fft.irfft(spectra[0].mul_(spectra[1]).sum(0), n=self.size)

    def __call__(self, maps: Tensor) -> Tensor:
        """The pooled feature (n, size): the sketch, its signed square root, scaled to length one."""
        return _root(self.sketch(maps))


def average(maps: Tensor) -> Tensor:
    """The mean over places (n, channels) of maps (n, channels, h, w), its signed square root, scaled to length one."""
    return _root(maps.mean((2, 3)))


def _root(pooled: Tensor) -> Tensor:
    return torch.nn.functional.normalize(pooled.sign() * pooled.abs().sqrt(), dim=1)
