"""Formulas for arrays of NumPy and of torch alike.

Most of what a formula needs is called the same in both: operators (also in place), `library(array).exp`, `.log`,
`.logaddexp`, `.where`, and the methods `sum`, `clip(min=...)`, `reshape`, `swapaxes`. Here is the rest. Nothing here
imports torch unless it is given a tensor: importing takes longer than an answer of the command line.
"""

import math
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Union

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

Array = Union[np.ndarray, "Tensor"]


def library(array: Array) -> ModuleType:
    """NumPy or torch, whichever the array is of."""
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def cast(array: Array, dtype: str) -> Array:
    """The array in another precision, or itself if it has that already."""
    if isinstance(array, np.ndarray):
        return array.astype(dtype, copy=False)
    return array.to(getattr(library(array), dtype))


def flat(array: Array) -> Array:
    """All axes but the first as one."""
    return array.reshape(len(array), math.prod(array.shape[1:]))


def log_softmax(array: Array, axis: int) -> Array:
    """The logarithm of e^array, scaled to sum to one along an axis."""
    if not isinstance(array, np.ndarray):
        return array.log_softmax(axis)
    shifted = array - array.max(axis, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis, keepdims=True))
    return shifted


def logsumexp(array: Array, axis: int) -> Array:
    """The logarithm of the sum of e^array along an axis."""
    if not isinstance(array, np.ndarray):
        return array.logsumexp(axis)
    highest = array.max(axis, keepdims=True)
    return (highest + np.log(np.exp(array - highest).sum(axis, keepdims=True))).squeeze(axis)


def at_least(array: Array, least: float) -> Array:
    """Raise whatever is below `least` to it, in place."""
    return np.maximum(array, least, out=array) if isinstance(array, np.ndarray) else array.clamp_(min=least)


def fill(array: Array, where: Array, value: float) -> Array:
    """Put `value` wherever `where`, which broadcasts, is true, in place."""
    if not isinstance(array, np.ndarray):
        return array.masked_fill_(where, value)
    np.copyto(array, value, where=where)
    return array


def without_small(array: Array, small: float) -> Array:
    """The array with zeros for all that is no farther from zero than `small`."""
    if not isinstance(array, np.ndarray):
        return library(array).nn.functional.hardshrink(array, small)
    return np.where(np.abs(array) > small, array, array.dtype.type(0))


def add_product(total: Array, left: Array, right: Array) -> None:
    """Add left right^T to `total`, in place."""
    if isinstance(total, np.ndarray):
        total += left @ right.T
    else:
        total.addmm_(left, right.T)
