"""Compact bilinear pooling by tensor sketch (Gao et al., 2016).

Bilinear pooling sums the outer products of a feature map's columns with themselves: which features occur together.
A tensor sketch keeps inner products of these huge matrices (nearly) in far fewer numbers: two count sketches of each
column, convolved. Convolution is a product of Fourier transforms, and the sum over places can go inside.
"""

from functools import cache

import torch
from torch import Tensor


class _Room:
    """Where sketches of maps with so many places are made."""

    def __init__(self, places: int, size: int) -> None:
        self.counts, self.rows = torch.empty(size, places), torch.empty(places, size)
        self.spectra = [torch.empty(places, size // 2 + 1, dtype=torch.complex64) for _ in range(2)]


_room = cache(_Room)  # one of each size is enough, and is kept


class CompactBilinear:
    """Sketches feature maps of `channels` channels into `size` numbers; random, but the same for the same seed."""

    def __init__(self, channels: int, size: int, seed: int = 0) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.size = size
        self.places = [torch.randint(size, (channels,), generator=generator) for _ in range(2)]
        self.signs = [torch.randint(2, (channels,), generator=generator) * 2.0 - 1 for _ in range(2)]

    def sketch(self, maps: Tensor) -> Tensor:
        """The tensor sketch (n, size) of maps (n, channels, h, w), summed over places.

        One picture at a time, in memory that is kept: its spectra fit into a core's cache, those of a batch do not, and
        fetching new memory from the system would take longer than the sketch.
        """
        room = _room(maps.shape[2] * maps.shape[3], self.size)
        return torch.stack([self._sketch(channels, room) for channels in maps.flatten(2)])

    def _sketch(self, channels: Tensor, room: _Room) -> Tensor:
        for places, signs, spectrum in zip(self.places, self.signs, room.spectra, strict=True):
            room.counts.zero_().index_add_(0, places, channels * signs[:, None])  # whole rows are added up
            torch.fft.rfft(room.rows.copy_(room.counts.T), out=spectrum)
        return torch.fft.irfft(room.spectra[0].mul_(room.spectra[1]).sum(0), n=self.size)

    def __call__(self, maps: Tensor) -> Tensor:
        """The pooled feature (n, size): the sketch, its signed square root, scaled to length one."""
        return _root(self.sketch(maps))


def average(maps: Tensor) -> Tensor:
    """The mean over places (n, channels) of maps (n, channels, h, w), its signed square root, scaled to length one."""
    return _root(maps.mean((2, 3)))


def _root(pooled: Tensor) -> Tensor:
    return torch.nn.functional.normalize(pooled.sign() * pooled.abs().sqrt(), dim=1)
