"""Our saved policies as ONNX files, for programs that run any network: :func:`export_onnx`.

The graph is written operator by operator, as :mod:`agents.policy.policy_agent` computes: no tracing, no PyTorch.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents.policy.event_features import COUNT_SCALE, FIRST_ROWS, NUM_NAMED
from agents.policy.onnx_file import OnnxCard, set_card
from agents.policy.policy_file import PolicyCard, PolicyError, Weights
from uno_env.actions import NUM_ACTIONS
from uno_env.common.files import replace_file
from uno_env.history import EVENT_SIZE
from uno_env.observation import OBSERVATION_SIZE

OPSET = 17
IR_VERSION = 8
"""Of ONNX 1.12: programs of the last years read it."""


def export_onnx(path: str | Path, weights: Weights, card: PolicyCard) -> None:
    """Write a policy of ours as an ONNX file, atomically; see :mod:`agents.policy.onnx_file` for what it reads and
    gives.

    Args:
        path: the file; it is replaced if it exists, and its folder is made if it does not.
        weights: see :mod:`agents.policy.policy_file`.
        card: likewise.

    Raises:
        PolicyError: a library is missing, or the file cannot be written.
    """
    if card.symmetry:
        raise PolicyError("a policy that reads the canonical form of observations cannot be written as ONNX yet")
    try:
        model = _model(weights, card)
        replace_file(Path(path), model.SerializeToString())
    except ModuleNotFoundError as error:
        raise PolicyError(f"an ONNX file needs {error.name}: pip install 'uno-env[onnx]'") from None
    except OSError as error:
        raise PolicyError(f"{str(path)!r} cannot be written: {error.strerror or error}") from None


class _Graph:
    """Nodes and constants of a graph as they are added; values are known by their names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, array: Any) -> str:
        """A constant; its name."""
        name = f"c{len(self.constants)}"
        self.constants[name] = np.ascontiguousarray(array)
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


def _model(weights: Weights, card: PolicyCard) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    graph = _Graph()
    x = graph.add("Gather", "observation", np.array(card.columns, np.int64), axis=1)
    if card.history:
        x = graph.add("Concat", x, _events(graph, weights, card), axis=1)
    for number in range(len(card.hidden)):
        x = graph.add("Relu", graph.affine(x, weights, f"trunk.{number}"))
    logits = graph.affine(x, weights, "policy")
    _spread(graph, logits, card)
    graph.affine(x, weights, "value", output="value")
    inputs: dict[str, tuple[int, ...]] = {"observation": (OBSERVATION_SIZE,), "mask": (NUM_ACTIONS,)}
    if card.history:
        inputs["history"] = (card.history, EVENT_SIZE)
    proto = helper.make_graph(
        graph.nodes,
        "policy",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape]) for name, shape in inputs.items()],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", NUM_ACTIONS]),
         helper.make_tensor_value_info("value", TensorProto.FLOAT, ["N", 1])],
        [numpy_helper.from_array(array, name) for name, array in graph.constants.items()],
    )  # fmt: skip
    model = helper.make_model(
        proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="uno-env"
    )
    set_card(
        model,
        OnnxCard(
            rules=card.rules, trained_by=card.trained_by, evaluation=card.evaluation, more_players=card.more_players
        ),
    )
    return model


def _events(graph: _Graph, weights: Weights, card: PolicyCard) -> str:
    """As :func:`agents.policy.event_features.read_events`."""
    named = graph.add("Slice", "history", np.array([0]), np.array([NUM_NAMED]), np.array([2]))
    counts = graph.add("Slice", "history", np.array([NUM_NAMED]), np.array([EVENT_SIZE]), np.array([2]))
    rows = graph.add("Add", graph.add("Cast", named, to=7), FIRST_ROWS.astype(np.int64))  # 7: int64
    summed = graph.add(
        "ReduceSum", graph.add("Gather", weights["events.table"], rows, axis=0), np.array([2]), keepdims=0
    )
    weighed = graph.add("MatMul", counts, (weights["events.counts"].T * np.float32(COUNT_SCALE)))
    read = graph.add("Relu", graph.add("Add", graph.add("Add", weighed, weights["events.bias"]), summed))
    return graph.add("Reshape", read, np.array([0, card.history * card.event_width]))


def _spread(graph: _Graph, logits: str, card: PolicyCard) -> None:
    """The logits of all actions: −∞ for those that the network has no output for."""
    places = np.full(NUM_ACTIONS, len(card.actions), np.int64)
    places[card.actions] = np.arange(len(card.actions))
    one_more = graph.add("Pad", logits, np.array([0, 0, 0, 1]), np.float32(-np.inf))
    graph.add("Gather", one_more, places, axis=1, output="logits")
