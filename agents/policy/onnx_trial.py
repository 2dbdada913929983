"""ONNX files of strangers: a check and a first run under limits: :func:`try_model`.

A file is read, checked and run in a process of its own, with limits on its memory and time. onnxruntime refuses damaged
networks, and the limits stop a network that is too large. The checks here refuse numbers in another file, graphs inside
operators, operators of other libraries, and random numbers.

That process starts with this file, which therefore imports nothing of this project: it is there in a quarter of a
second.
"""

import json
import os
import subprocess
import sys
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

MAX_ROWS = 256
"""Decisions that a network is run for at once."""
MAX_BYTES = 4 * 1024**3
"""Memory that a file may take in its first run, besides that of the libraries."""
MAX_SECONDS = 60

_TYPES = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(float16)": "f2", "tensor(bool)": "?"} | {
    f"tensor({sign}int{8 * size})": f"{sign[:1] or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)
}
"""NumPy's types of inputs by those of onnxruntime."""
_NO_MEMORY = ("bad_alloc", "Failed to allo")
"""Messages of C++ and onnxruntime when memory runs out."""


@lru_cache(maxsize=4)
def try_model(data: bytes) -> bytes:
    """Check and run a file in a process of its own. Return the parts of it that were checked. Raises ValueError if it
    may not be run, or takes too much.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    late = ValueError(
        f"it takes more than {MAX_BYTES / 1024**3:g} GiB of memory or {MAX_SECONDS} seconds, or breaks onnxruntime"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(Path(__file__).resolve()), str(MAX_BYTES), str(MAX_SECONDS)],
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
    return checked


def checked_model(data: bytes) -> Any:
    """The ``onnx.ModelProto`` of a file without unknown fields. Raises ValueError if it holds numbers in another file,
    graphs inside operators, operators that are not of ONNX itself, or some that draw random numbers.
    """
    model = parse_model(data)
    model.DiscardUnknownFields()
    functions = {(each.domain, each.name) for each in model.functions}
    for part in _messages(model):
        kind = type(part).__name__
        if kind == "TensorProto" and (part.data_location or part.external_data):
            raise ValueError(f"the numbers of {_shown(part.name)} are in another file: save them in this one")
        if kind == "NodeProto":
            _check_operator(part, functions)
    return model


def _check_operator(node: Any, functions: Container[tuple[str, str]]) -> None:
    """Raise :class:`ValueError` if an operator is not allowed; ``functions``: domains and names of the file's own."""
    import onnx

    domain = "" if node.domain == "ai.onnx" else node.domain
    known = onnx.defs.has(node.op_type, domain)
    if not known and (node.domain, node.op_type) not in functions:
        raise ValueError(f"it has an operator that is not of ONNX itself: {node.op_type[:40]} of {_shown(node.domain)}")
    if any(each.HasField("g") or each.graphs for each in node.attribute):
        raise ValueError(f"it has the operator {node.op_type[:40]}, which is not allowed in a policy")
    if not known or "seed" not in onnx.defs.get_schema(node.op_type, domain).attributes:
        return
    if node.op_type != "Dropout":
        raise ValueError(f"it has the operator {node.op_type}, which is not allowed in a policy: it draws numbers")
    if any(node.input[2:]):
        raise ValueError("it has the operator Dropout with a training mode, which is not allowed in a policy")


def _messages(message: Any) -> Iterator[Any]:
    """A message of Protocol Buffers and all messages in it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for each in [value] if field.message_type is getattr(value, "DESCRIPTOR", None) else value:
                yield from _messages(each)


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


def started_session(data: bytes) -> Any:
    """An ``InferenceSession`` on one thread of the CPU. Raises ValueError if onnxruntime cannot run the model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
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
    """The exception to raise for an error of onnxruntime."""
    kind = _NoMemoryError if any(words in str(error) for words in _NO_MEMORY) else ValueError
    return kind(f"onnxruntime cannot run it: {first_line(error)}")


class _NoMemoryError(ValueError):
    """onnxruntime got no memory."""


def _try_run(data: bytes) -> None:
    """Run a model for as many decisions as it is ever run for at once."""
    import numpy as np

    session = started_session(data)
    inputs = session.get_inputs()
    if all(_is_table(each) for each in inputs):  # else the caller says what is wrong
        zeros = {each.name: np.zeros((MAX_ROWS, *each.shape[1:]), _TYPES[each.type]) for each in inputs}
        run_session(session, None, zeros)


def _is_table(value: Any) -> bool:
    """True if an input holds numbers, and has as many rows as there are decisions."""
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

        _limit(*map(int, sys.argv[1:]))
        checked = checked_model(sys.stdin.buffer.read()).SerializeToString()
        _try_run(checked)
    except ModuleNotFoundError as error:
        said, checked = {"missing": error.name}, b""
    except (MemoryError, _NoMemoryError):
        return
    except (RecursionError, TypeError, ValueError) as error:
        said, checked = {"error": first_line(error)}, b""
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n" + checked)


if __name__ == "__main__":
    _main()
