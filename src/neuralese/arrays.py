"""Formulas for arrays of NumPy and of torch.

Most of what a formula needs has the same name in both: operators (also in place), `library(array).exp`, `.log`,
`.logaddexp`, `.where`, and the methods `sum`, `clip(min=...)`, `reshape`, `swapaxes`. Here is the rest. Nothing here
imports torch unless it is given a tensor: importing takes longer than a command takes to answer.
"""

import math
import sys
from types import ModuleType
from typing import Any

import numpy as np

NOTHING = 1e-30  # denormal numbers of single precision are slow to multiply, which tells where there are many products

Array = Any  # np.ndarray | torch.Tensor: a formula's arrays are all of one library, which a union type cannot express


def library(array: Array) -> ModuleType:
    """NumPy or torch, whichever the array belongs to."""
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def cast(array: Array, dtype: str) -> Array:
    """The array in another precision, or itself if it has that already."""
    if isinstance(array, np.ndarray):
        return array.astype(dtype, copy=False)
    return array.to(getattr(library(array), dtype))


def flat(array: Array) -> Array:
    """All axes but the first flattened into one."""
    return array.reshape(len(array), math.prod(array.shape[1:]))


def log_softmax(array: Array, axis: int) -> Array:
    """The log-softmax of the array along an axis."""
    if not isinstance(array, np.ndarray):
        return array.log_softmax(axis)
    shifted = array - array.max(axis, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis, keepdims=True))
    return shifted


def logsumexp(array: Array, axis: int) -> Array:
    """The logarithm of the sum of e^array along an axis, in double precision."""
    if not isinstance(array, np.ndarray):
        return array.double().logsumexp(axis)
    highest = array.max(axis, keepdims=True)
    return (highest + np.log(np.exp(array - highest).sum(axis, dtype=np.float64, keepdims=True))).squeeze(axis)


def at_least(array: Array, least: float) -> Array:
    """Raise values below `least` to it, in place."""
    return np.maximum(array, least, out=array) if isinstance(array, np.ndarray) else array.clamp_(min=least)


def fill(array: Array, where: Array, value: float) -> Array:
    """Set `value` wherever `where`, which broadcasts, is true, in place."""
    if not isinstance(array, np.ndarray):
        return array.masked_fill_(where, value)
    np.copyto(array, value, where=where)
    return array


def exp(array: Array, dtype: str) -> Array:
    """e^array in a given precision; NumPy is faster in the lower one."""
    if isinstance(array, np.ndarray):
        return np.exp(cast(array, dtype))
    return cast(array.exp(), dtype)


def add_product(total: Array, left: Array, right: Array) -> None:
    """Add left right^T to `total`, in place. In single precision, factors of `NOTHING` may count as zero."""
    if isinstance(total, np.ndarray):
        total += left @ right.T
        return
    torch = library(total)
    if total.dtype == torch.float32:
        left, right = (torch.nn.functional.hardshrink(factor, NOTHING) for factor in (left, right))
    total.addmm_(left, right.T)
