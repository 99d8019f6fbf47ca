"""Bilinear pooling of principal components, as part of a network's graph.

Bilinear pooling (Lin et al., 2015) sums the outer products of a feature map's columns with themselves: which features
occur together. For 1280 channels these are 820,000 numbers. The paper approximates them with a random sketch (compact
bilinear pooling); here they are computed exactly, but only for the first principal components of the columns. That is
one small convolution and one matrix product, which run inside the graph.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.birds.network import Backbone, Network

if TYPE_CHECKING:
    from onnx import NodeProto

SEEN = 240  # number of training pictures used to find the components


def principal_axes(backbone: Backbone, pictures: Iterable[np.ndarray], count: int) -> np.ndarray:
    """Axes (count, channels) that explain most of the columns of the maps of pictures (size, size, 3) of bytes.

    They are orthonormal, the most important first, and around zero, not the mean, like outer products.
    """
    total = None
    for picture in pictures:
        columns = backbone.maps(picture[None])[0].flatten(1).double().numpy()
        total = columns @ columns.T + (0 if total is None else total)
    if total is None:
        raise NeuraleseError("no training picture could be read to find components; download the images again.")
    axes = np.linalg.eigh(total)[1].T[::-1][:count]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(1)[:, None], axis=1)
    return (axes * np.sign(largest)).astype(np.float32)  # a solver may give either sign


def with_pooling(graph: bytes, axes: np.ndarray) -> bytes:
    """A graph from `backbone.graph`, in floats or integers, that returns `pooled` and `average` instead of maps.

    `pooled` (1, k (k + 1) / 2) are the pairwise products of the components along k axes (k, channels), summed over
    places; `average` (1, channels) is the mean of the maps. Both are signed square roots, scaled to unit length.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load_from_string(graph)
    count, channels = axes.shape
    first, second = np.triu_indices(count)
    constants = {
        "axes": axes[:, :, None, None],
        "columns_shape": np.array([count, -1]),
        "row_shape": np.array([1, count * count]),
        "pairs": first * count + second,
    }
    nodes = [
        helper.make_node("Conv", ["maps", "axes"], ["projected"]),
        helper.make_node("Reshape", ["projected", "columns_shape"], ["columns"]),
        helper.make_node("Transpose", ["columns"], ["rows"], perm=[1, 0]),
        helper.make_node("MatMul", ["columns", "rows"], ["products"]),
        helper.make_node("Reshape", ["products", "row_shape"], ["all_pairs"]),
        helper.make_node("Gather", ["all_pairs", "pairs"], ["pooled_sum"], axis=1),
        *_root("pooled_sum", "pooled"),
        helper.make_node("GlobalAveragePool", ["maps"], ["places_mean"]),
        helper.make_node("Flatten", ["places_mean"], ["average_mean"]),
        *_root("average_mean", "average"),
    ]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    del model.graph.output[:]
    for name, length in (("pooled", len(first)), ("average", channels)):
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, length]))
    onnx.checker.check_model(model)
    return model.SerializeToString()


class Extractor(Network):
    """A graph from `with_pooling`: turns an image into its two pooled features."""

    @property
    def lengths(self) -> tuple[int, int]:
        """The lengths of `pooled` and `average`."""
        return tuple(output.shape[1] for output in self.session.get_outputs())

    def pool(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`pooled` and `average` (1, length) of an image (size, size, 3) of bytes."""
        return tuple(self.session.run(["pooled", "average"], {"images": image[None]}))


def _root(given: str, made: str) -> list["NodeProto"]:
    """The signed square root of a tensor (1, n), scaled to unit length."""
    from onnx import helper

    sign, size, root, signed = (f"{made}_{step}" for step in ("sign", "size", "root", "signed"))
    return [
        helper.make_node("Sign", [given], [sign]),
        helper.make_node("Abs", [given], [size]),
        helper.make_node("Sqrt", [size], [root]),
        helper.make_node("Mul", [sign, root], [signed]),
        helper.make_node("LpNormalization", [signed], [made], axis=1, p=2),
    ]
