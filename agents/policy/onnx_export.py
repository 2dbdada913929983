"""Our saved policies as ONNX files, for programs that run any network: :func:`export_onnx`.

The graph is written operator by operator, as :mod:`agents.policy.policy_agent` computes: no tracing, no PyTorch.
"""

from pathlib import Path
from typing import Any

import numpy as np

from agents.policy.event_features import COUNT_SCALE, FIRST_ROWS, NUM_NAMED
from agents.policy.onnx_canonical import CanonicalGraph
from agents.policy.onnx_file import OnnxCard, set_card
from agents.policy.onnx_graph import Graph
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
    try:
        model = _model(weights, card)
        replace_file(Path(path), model.SerializeToString())
    except ModuleNotFoundError as error:
        raise PolicyError(f"an ONNX file needs {error.name}: pip install 'uno-env[onnx]'") from None
    except OSError as error:
        raise PolicyError(f"{str(path)!r} cannot be written: {error.strerror or error}") from None


def _model(weights: Weights, card: PolicyCard) -> Any:
    from onnx import TensorProto, helper, numpy_helper

    graph = Graph()
    canonical = CanonicalGraph(graph, card) if card.symmetry else None
    x = graph.columns("observation", card.columns) if canonical is None else canonical.features()
    if card.history:
        events = "history" if canonical is None else canonical.events()
        x = graph.add("Concat", x, _read_events(graph, events, weights, card), axis=1)
    for number in range(len(card.hidden)):
        x = graph.add("Relu", graph.affine(x, weights, f"trunk.{number}"))
    logits = graph.affine(x, weights, "policy")
    if canonical is None:
        places = np.full(NUM_ACTIONS, len(card.actions))
        places[card.actions] = np.arange(len(card.actions))
        padded = graph.add("Pad", logits, [0, 0, 0, 1], np.float32(-np.inf))
        graph.add("Gather", padded, places, axis=1, output="logits")
    else:
        canonical.write(logits)
    graph.affine(x, weights, "value", output="value")
    inputs: dict[str, tuple[int, ...]] = {"observation": (OBSERVATION_SIZE,), "mask": (NUM_ACTIONS,)}
    if card.history:
        inputs["history"] = (card.history, EVENT_SIZE)
    outputs = {"logits": NUM_ACTIONS, "value": 1, **({} if canonical is None else {"probabilities": NUM_ACTIONS})}
    proto = helper.make_graph(
        graph.nodes,
        "policy",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape]) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in graph.constants.items()],
    )  # fmt: skip
    model = helper.make_model(
        proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="uno-env"
    )
    set_card(
        model,
        OnnxCard(
            rules=card.rules,
            trained_by=card.trained_by,
            evaluation=card.evaluation,
            more_players=card.more_players,
            random_rules=card.random_rules,
        ),
    )
    return model


def _read_events(graph: Graph, events: str, weights: Weights, card: PolicyCard) -> str:
    """As :func:`agents.policy.event_features.read_events`."""
    named = graph.add("Slice", events, [0], [NUM_NAMED], [2])
    counts = graph.add("Slice", events, [NUM_NAMED], [EVENT_SIZE], [2])
    rows = graph.add("Add", graph.cast(named, np.int64), FIRST_ROWS.astype(np.int64))
    summed = graph.sum(graph.add("Gather", weights["events.table"], rows, axis=0), 2)
    weighed = graph.add("MatMul", counts, weights["events.counts"].T * np.float32(COUNT_SCALE))
    read = graph.add("Relu", graph.add("Add", graph.add("Add", weighed, weights["events.bias"]), summed))
    return graph.reshape(read, 0, card.history * card.event_width)
