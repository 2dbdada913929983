"""ONNX graphs written operator by operator: :class:`Graph`."""

from collections.abc import Mapping
from typing import Any

import numpy as np


class Graph:
    """Nodes and constants of a graph as they are added; values are known by their names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, value: Any) -> str:
        """A constant; its name. Whole numbers without a type are int64, others float32."""
        array = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def add(self, operator: str, *inputs: Any, output: str = "", **attributes: Any) -> str:
        """A node; the name of its output. Inputs that are no names are constants."""
        from onnx import helper

        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [output], **attributes))
        return output

    def affine(self, x: str, weights: Mapping[str, Any], layer: str, output: str = "") -> str:
        """A layer of PyTorch's names and shapes."""
        return self.add("Gemm", x, weights[f"{layer}.weight"], weights[f"{layer}.bias"], output=output, transB=1)

    def cast(self, x: str, kind: type[np.generic]) -> str:
        """Values as of another type."""
        from onnx import helper

        return self.add("Cast", x, to=helper.np_dtype_to_tensor_dtype(np.dtype(kind)))

    def columns(self, x: str, columns: Any) -> str:
        """Columns of values [N, C, …], in this order."""
        return self.add("Gather", x, np.asarray(columns, np.int64), axis=1)

    def reshape(self, x: str, *sizes: int) -> str:
        """Values in another shape; 0 keeps a size."""
        return self.add("Reshape", x, np.array(sizes, np.int64))

    def sum(self, x: str, axis: int, keepdims: int = 0) -> str:
        """Sums along an axis."""
        return self.add("ReduceSum", x, np.array([axis], np.int64), keepdims=keepdims)

    def chosen(self, table: Any, rows: str) -> str:
        """Rows of a constant table, by numbers [N]."""
        return self.add("Gather", np.asarray(table, np.int32), rows, axis=0)

    def elements(self, x: str, indices: str, axis: int = 1) -> str:
        """Elements along an axis, by indices of the same number of dimensions."""
        return self.add("GatherElements", x, indices, axis=axis)
