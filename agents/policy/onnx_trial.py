"""ONNX files of strangers: a check and a first run under limits: :func:`try_model`.

A file is read, checked and run in a process of its own, with limits on its memory and time. onnxruntime refuses damaged
networks and unknown operators, and the limits stop a network that is too large. The checks here refuse what these two
let pass: numbers in another file, graphs inside operators, random numbers, and shapes that are known only when the
network runs. So a network that has once run for 1, 2, 4, … decisions takes no more memory or time when it runs for as
many again.

That process starts with this file, which therefore imports nothing of this project: it is there in a quarter of a
second.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

MAX_ROWS = 256
"""Decisions that a network is run for at once."""
MAX_BYTES = 4 * 1024**3
"""Memory that a file may take before it plays, besides that of the libraries."""
MAX_SECONDS = 60
SLOW_SECONDS = 1.0
"""A network that takes longer for some decisions is never run for more at once."""

_TYPES = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(float16)": "f2", "tensor(bool)": "?"} | {
    f"tensor({sign}int{8 * size})": f"{sign[:1] or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)
}
"""NumPy's types of inputs by those of onnxruntime."""
_NO_MEMORY = ("bad_alloc", "Failed to allo")
"""Messages of C++ and onnxruntime when memory runs out."""
_MOST_SIZES = 1_024
"""A constant of more numbers is no shape."""


class Tried(NamedTuple):
    """A file that has passed."""

    data: bytes
    """The parts of the file that were checked, and nothing else."""
    rows: int
    """Decisions that it may be run for at once, a power of two."""


@lru_cache(maxsize=4)
def try_model(data: bytes) -> Tried:
    """Check and run a file in a process of its own. Raises ValueError if it may not be run, or takes too much."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    late = ValueError(
        f"it takes more than {MAX_BYTES / 1024**3:g} GiB of memory or {MAX_SECONDS} seconds, or breaks onnxruntime"
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-P", str(Path(__file__).resolve()), str(MAX_BYTES), str(MAX_SECONDS), folder],
                input=data, capture_output=True, env=environment, timeout=5 * MAX_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise late from None
    head, found, checked = done.stdout.partition(b"\n")
    if not found:
        raise late
    said = json.loads(head)
    if "missing" in said:
        raise ModuleNotFoundError(name=said["missing"])
    if "error" in said:
        raise ValueError(said["error"])
    return Tried(checked, said["rows"])


def checked_model(data: bytes) -> Any:
    """The ``onnx.ModelProto`` of a file without unknown fields. Raises ValueError if it holds graphs inside operators,
    or numbers in another file.
    """
    model = parse_model(data)
    model.DiscardUnknownFields()
    _check_parts(model)
    return model


def _check_parts(model: Any) -> None:
    for part in _messages(model):
        kind = type(part).__name__
        if kind == "TensorProto" and (part.data_location or part.external_data):
            raise ValueError(f"the numbers of {_shown(part.name)} are in another file: save them in this one")
        if kind == "NodeProto" and any(each.HasField("g") or each.graphs for each in part.attribute):
            raise ValueError(f"it has the operator {part.op_type[:40]}, which is not allowed in a policy")


def _messages(message: Any) -> Iterator[Any]:
    """A message of Protocol Buffers and all messages in it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for each in [value] if field.message_type is getattr(value, "DESCRIPTOR", None) else value:
                yield from _messages(each)


def _check_run(model: Any, rows: int, file: Path) -> None:
    """Raise :class:`ValueError` if a run for ``rows`` decisions draws random numbers, or gives a value whose shape
    depends on the numbers that the network reads.

    onnxruntime computes all that is known before the run, and writes the remaining network to ``file``. The shapes
    of its values follow from the shapes of its inputs, or they are unknown.
    """
    import onnx

    fixed = type(model)()
    fixed.CopyFrom(model)
    for value in fixed.graph.input:
        sizes = value.type.tensor_type.shape.dim
        if sizes and not sizes[0].HasField("dim_value"):
            sizes[0].dim_value = rows
    started_session(fixed.SerializeToString(), file)
    remaining = parse_model(file.read_bytes())
    _check_parts(remaining)
    graph = remaining.graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    for tensor in graph.initializer:
        if math.prod(tensor.dims) > _MOST_SIZES:
            tensor.ClearField("raw_data")  # no shape follows from it, and to copy it takes a second
    del graph.value_info[:]  # a file may claim any shapes
    for value in graph.output:
        value.ClearField("type")
    inferred = onnx.shape_inference.infer_shapes(remaining, data_prop=True).graph
    known = {value.name for value in (*inferred.value_info, *inferred.output) if _is_fixed(value.type)}
    for node in graph.node:
        _check_operator(node, constants)
        if not known.issuperset(filter(None, node.output)):
            raise ValueError(f"the shape that {node.op_type} gives depends on what the network reads")


def _check_operator(node: Any, constants: Mapping[str, Any]) -> None:
    """Raise :class:`ValueError` if an operator is not one of ONNX itself, or draws random numbers."""
    import onnx

    if not onnx.defs.has(node.op_type, node.domain):
        raise ValueError(f"it has an operator that is not of ONNX itself: {node.op_type[:40]} of {_shown(node.domain)}")
    if "seed" not in onnx.defs.get_schema(node.op_type, node.domain).attributes:
        return
    if node.op_type != "Dropout":
        raise ValueError(f"it has the operator {node.op_type}, which is not allowed in a policy")
    training = constants.get(node.input[2]) if len(node.input) > 2 else None
    if len(node.input) > 2 and (training is None or onnx.numpy_helper.to_array(training).any()):
        raise ValueError("it has the operator Dropout in training mode, which is not allowed in a policy")


def _is_fixed(kind: Any) -> bool:
    """Whether a type is that of tensors of one known shape, or of lists of them."""
    while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
        kind = getattr(kind, kind.WhichOneof("value")).elem_type
    shape = kind.tensor_type.shape
    return kind.tensor_type.HasField("shape") and all(size.HasField("dim_value") for size in shape.dim)


def parse_model(data: bytes) -> Any:
    """The ``onnx.ModelProto`` of a file's content, unchanged. Raises ValueError if it is none."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load_model_from_string(data)
    except DecodeError:
        raise ValueError("it is no ONNX file, or it is damaged") from None
    if not model.graph.node:
        raise ValueError("it is no ONNX file, or it is damaged")
    return model


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _shown(name: str) -> str:
    text = repr(name)
    return text if len(text) <= 40 else f"{text[:37]}..."


def started_session(data: bytes, optimized_file: Path | None = None) -> Any:
    """An ``InferenceSession`` on one thread of the CPU. Raises ValueError if onnxruntime cannot run the model.

    ``optimized_file``: where it writes the model without all that can be computed before a run.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if optimized_file is not None:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(optimized_file)
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # of C++, of several kinds
        raise _failure(error) from None


def run_session(session: Any, outputs: list[str] | None, inputs: Mapping[str, Any]) -> list[Any]:
    """Run a session and return its outputs. Raises ValueError if it fails."""
    try:
        results: list[Any] = session.run(outputs, dict(inputs))
    except Exception as error:  # of C++, of several kinds
        raise _failure(error) from None
    return results


def _failure(error: Exception) -> ValueError:
    """What to raise for an error of onnxruntime."""
    kind = _NoMemoryError if any(words in str(error) for words in _NO_MEMORY) else ValueError
    return kind(f"onnxruntime cannot run it: {first_line(error)}")


class _NoMemoryError(ValueError):
    """onnxruntime got no memory."""


def _largest_run(model: Any, data: bytes, file: Path) -> int:
    """Check and run a model for 1, 2, 4, … decisions. Return the largest number for one run."""
    import numpy as np

    session = started_session(data)
    inputs, rows = session.get_inputs(), 1
    if not all(_is_table(each) for each in inputs):
        return rows  # the caller says what is wrong
    while True:
        try:
            _check_run(model, rows, file)
            begun = time.process_time()
            zeros = {each.name: np.zeros((rows, *each.shape[1:]), _TYPES[each.type]) for each in inputs}
            run_session(session, None, zeros)
        except (MemoryError, ValueError):
            if rows <= 2:
                raise
            return rows // 2
        if rows == MAX_ROWS or time.process_time() - begun > SLOW_SECONDS:
            return rows
        rows *= 2


def _is_table(value: Any) -> bool:
    """Whether an input holds numbers, and has as many rows as there are decisions."""
    first, *sizes = value.shape or [0]
    return value.type in _TYPES and not isinstance(first, int) and all(isinstance(size, int) for size in sizes)


def _limit(memory: int, seconds: int) -> None:
    """Limit what this process may take: bytes besides those that it has, and seconds of a core."""
    if sys.platform == "win32":
        return
    import resource

    used = Path("/proc/self/statm")
    if used.exists():
        pages = int(used.read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _main() -> None:
    """Try the file on the standard input. Write a line of JSON and the model that was checked; nothing if memory runs
    out.
    """
    said: dict[str, Any] = {}
    checked = b""
    try:
        import numpy  # noqa: F401
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401

        _limit(*map(int, sys.argv[1:3]))
        model = checked_model(sys.stdin.buffer.read())
        checked = model.SerializeToString()
        said = {"rows": _largest_run(model, checked, Path(sys.argv[3], "optimized.onnx"))}
    except ModuleNotFoundError as error:
        said, checked = {"missing": error.name}, b""
    except (MemoryError, _NoMemoryError):
        return
    except (RecursionError, TypeError, ValueError) as error:
        said, checked = {"error": first_line(error)}, b""
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n" + checked)


if __name__ == "__main__":
    _main()
