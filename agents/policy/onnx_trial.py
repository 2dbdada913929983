"""ONNX files of strangers: what may stand in them, and a first run under limits: :func:`try_model`.

A file is read, checked and run in a process of its own, with limits on its memory and time. It may hold the fields,
operators and attributes that are listed here, and no others. The shapes of all values may depend on the number of
decisions and on nothing else that is given, so a network that has once run for 1, 2, 4, … decisions takes no more
memory or time when it runs for as many again.

That process starts with this file, which therefore imports nothing of this project: it is there in a quarter of a
second.
"""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

MAX_NUMBERS = 2**26
"""Numbers in a tensor whose size does not depend on the number of decisions."""
MAX_NODES = 20_000
"""Operators, when each call of a function is replaced by what the function does."""
MAX_ROWS = 256
"""Decisions that a network is run for at once."""
MAX_BYTES = 4 * 1024**3
"""Memory that a file may take before it plays, besides that of the libraries."""
MAX_SECONDS = 60
SLOW_SECONDS = 1.0
"""A network that takes longer for some decisions is never run for more at once."""

_FIELDS = {
    "ModelProto": "ir_version opset_import producer_name producer_version domain model_version doc_string graph "
    "metadata_props functions",
    "GraphProto": "node name initializer doc_string input output value_info quantization_annotation metadata_props",
    "FunctionProto": "name input output attribute attribute_proto node doc_string opset_import domain overload "
    "value_info metadata_props",
    "NodeProto": "input output name op_type domain overload attribute doc_string metadata_props",
    "AttributeProto": "name ref_attr_name doc_string type f i s floats ints strings",
    "TensorProto": "dims data_type float_data int32_data string_data int64_data name doc_string raw_data data_location "
    "double_data uint64_data metadata_props",
}
"""The fields that a message of ONNX may have."""
_STANDARD = """
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool BatchNormalization BitShift
    BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Celu Clip Concat ConcatFromSequence Constant
    ConstantOfShape Conv ConvInteger ConvTranspose Cos Cosh CumSum DepthToSpace DequantizeLinear Div Dropout
    DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu
    Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HardSigmoid
    HardSwish Hardmax Identity InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual
    Log LogSoftmax LpNormalization LpPool MatMul MatMulInteger Max MaxPool Mean MeanVarianceNormalization Min Mish Mod
    Mul Neg Not OneHot Or PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN Range Reciprocal
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
    Relu Reshape Resize ReverseSequence RotaryEmbedding Round Scatter ScatterElements ScatterND Selu SequenceAt
    SequenceConstruct Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign SpaceToDepth Split
    SplitToSequence Sqrt Squeeze Sub Sum Swish Tan Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample
    Where Xor"""
_OPERATORS = {
    "": set(_STANDARD.split()),
    "ai.onnx.ml": {"ArrayFeatureExtractor", "Binarizer", "FeatureVectorizer", "Imputer", "LinearClassifier",
                   "LinearRegressor", "Normalizer", "Scaler"},
    "com.microsoft": {"Attention", "BiasGelu", "FastGelu", "FusedConv", "FusedGemm", "FusedMatMul", "Gelu",
                      "MultiHeadAttention", "QuickGelu", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization"},
}  # fmt: skip
"""Operators that networks are made of: none holds a graph, draws random numbers, or gives a tensor whose shape depends
on numbers that it is given, unless :data:`_SHAPING` names the input."""
_SHAPING = {
    "ConstantOfShape": (0,), "Expand": (1,), "OneHot": (1,), "Pad": (1, 3), "Range": (0, 1, 2), "Reshape": (1,),
    "Resize": (1, 2, 3), "SequenceAt": (1,), "Slice": (1, 2, 3, 4), "Split": (1,), "SplitToSequence": (1,),
    "Squeeze": (1,), "Tile": (1,), "TopK": (1,), "Unsqueeze": (1,), "Upsample": (1,),
    **{name: (1,) for name in _OPERATORS[""] if name.startswith("Reduce")},
}  # fmt: skip
"""The inputs whose numbers say what shape an operator's output has."""
_TYPES = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(float16)": "f2", "tensor(bool)": "?"} | {
    f"tensor({sign}int{8 * size})": f"{sign[:1] or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)
}
"""NumPy's types of inputs by those of onnxruntime."""
_NO_MEMORY = ("bad_alloc", "Failed to allo")
"""Messages of C++ and onnxruntime when memory runs out."""
_HOLDING_TENSORS = ("Constant", "ConstantOfShape")


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
        raise late if any(words in said["error"] for words in _NO_MEMORY) else ValueError(said["error"])
    return Tried(checked, said["rows"])


def checked_model(data: bytes) -> Any:
    """The ``onnx.ModelProto`` of a file, without functions. Raises ValueError if something in it is not allowed."""
    import onnx
    import onnx.inliner

    model = parse_model(data)
    model.DiscardUnknownFields()
    _check_fields(model)
    _check_calls(model)
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
        del model.functions[:]
    graph = model.graph
    _check_fields(graph)
    for tensor in graph.initializer:
        _check_tensor(tensor)
    for node in graph.node:
        _check_node(node)
    try:
        onnx.checker.check_model(model)
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:  # of C++, of several kinds
        raise ValueError(f"it is damaged: {first_line(error)}") from None
    for value in (*inferred.graph.value_info, *inferred.graph.input, *inferred.graph.output):
        sizes = [size.dim_value for size in value.type.tensor_type.shape.dim if size.HasField("dim_value")]
        if math.prod(sizes) > MAX_NUMBERS:
            raise ValueError(f"{_shown(value.name)} has more than {MAX_NUMBERS:,} numbers")
    _check_flow(graph)
    return model


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


def _check_fields(message: Any) -> None:
    allowed = _FIELDS[type(message).__name__].split()
    for field, _ in message.ListFields():
        if field.name not in allowed:
            raise ValueError(f"it has a part that is not allowed in a policy: {field.name}")


def _check_calls(model: Any) -> None:
    """See to it that the functions of a model can be put in the place of their calls. Raises ValueError if they call
    each other without end, or are too many operators then, or hold tensors.
    """
    functions = {(each.domain, each.name, each.overload): each for each in model.functions}
    counted: dict[Any, int] = {}

    def count(nodes: Iterable[Any]) -> int:
        total = 0
        for node in nodes:
            key = node.domain, node.op_type, node.overload
            if key in functions and key not in counted:
                counted[key] = MAX_NODES + 1  # of one that calls itself
                counted[key] = count(functions[key].node)
            total += counted.get(key, 1)
            if total > MAX_NODES:
                raise ValueError(f"it has more than {MAX_NODES:,} operators")
        return total

    for function in model.functions:
        _check_fields(function)
        for node in function.node:
            _check_fields(node)
            _check_attributes(node.attribute, node.op_type)
        _check_attributes(function.attribute_proto, "")
    count(model.graph.node)


def _check_node(node: Any) -> None:
    _check_fields(node)
    domain = "" if node.domain == "ai.onnx" else node.domain
    if domain not in _OPERATORS:
        raise ValueError(f"it has an operator of another library: {_shown(node.domain)}")
    if node.op_type not in _OPERATORS[domain]:
        raise ValueError(f"it has the operator {node.op_type[:40]}, which is not allowed in a policy")
    _check_attributes(node.attribute, node.op_type)


def _check_attributes(attributes: Iterable[Any], operator: str) -> None:
    for attribute in attributes:
        if attribute.HasField("t") and operator in _HOLDING_TENSORS and attribute.name == "value":
            _check_tensor(attribute.t)
            continue
        _check_fields(attribute)


def _check_tensor(tensor: Any) -> None:
    if tensor.data_location or tensor.external_data:
        raise ValueError(f"the numbers of {_shown(tensor.name)} are in another file: save them in this one")
    _check_fields(tensor)


def _check_flow(graph: Any) -> None:
    """Raise :class:`ValueError` if a shape depends on what the network reads, or something is drawn at random."""
    constants = {tensor.name: tensor for tensor in graph.initializer}
    given = {value.name for value in graph.input} - constants.keys()
    for node in graph.node:
        if node.op_type == "Constant":
            constants |= {node.output[0]: each.t for each in node.attribute if each.name == "value"}  # noqa: B035 (one)
        if node.op_type == "Dropout" and len(node.input) > 2 and not _is_false(constants.get(node.input[2])):
            raise ValueError("it has the operator Dropout in training mode, which is not allowed in a policy")
        shaping = [node.input[index] for index in _SHAPING.get(node.op_type, ()) if index < len(node.input)]
        if given.intersection(shaping):
            raise ValueError(f"the shape that {node.op_type} gives depends on what the network reads")
        if node.op_type not in ("Shape", "Size") and given.intersection(node.input):
            given.update(filter(None, node.output))


def _is_false(tensor: Any) -> bool:
    import onnx

    return tensor is not None and math.prod(tensor.dims) == 1 and not onnx.numpy_helper.to_array(tensor).any()


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
        raise ValueError(f"onnxruntime cannot run it: {first_line(error)}") from None


def run_session(session: Any, outputs: list[str] | None, inputs: Mapping[str, Any]) -> list[Any]:
    """Run a session and return its outputs. Raises ValueError if it fails."""
    try:
        results: list[Any] = session.run(outputs, dict(inputs))
    except Exception as error:  # of C++, of several kinds
        raise ValueError(f"onnxruntime cannot run it: {first_line(error)}") from None
    return results


def _largest_run(session: Any) -> int:
    """Run a session for 1, 2, 4, … decisions. Return the largest number for one run."""
    import numpy as np

    inputs, rows = session.get_inputs(), 1
    if not all(_is_table(each) for each in inputs):
        return rows  # the caller says what is wrong
    while True:
        begun = time.process_time()
        try:
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
    """Try the file on the standard input; a line of JSON, and the model that was checked."""
    said: dict[str, Any] = {}
    checked = b""
    try:
        import numpy  # noqa: F401
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401

        _limit(*map(int, sys.argv[1:3]))
        checked = checked_model(sys.stdin.buffer.read()).SerializeToString()
        said = {"rows": _largest_run(started_session(checked))}
    except ModuleNotFoundError as error:
        said, checked = {"missing": error.name}, b""
    except (MemoryError, RecursionError, TypeError, ValueError) as error:
        said, checked = {"error": first_line(error)}, b""
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n" + checked)


if __name__ == "__main__":
    _main()
