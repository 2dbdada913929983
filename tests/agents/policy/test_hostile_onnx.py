"""ONNX files of strangers: those that read files, draw, loop or take too much are refused; those of exporters play."""

import io
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("torch")

import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

import agents
from agents.policy import onnx_trial
from agents.policy.onnx_file import load_onnx, run_network
from agents.policy.onnx_trial import try_model
from agents.policy.policy_file import PolicyError
from tests.agents.policy.test_onnx import PLAIN, TO_LOGITS, a_model, saved, with_operator
from uno_env.actions import NUM_ACTIONS
from uno_env.history import EVENT_SIZE
from uno_env.observation import OBSERVATION_SIZE

NEAR = "near"
"""A domain of functions."""


def outside(tensor: Any) -> Any:
    """The tensor, whose numbers are in another file."""
    onnx.external_data_helper.set_external_data(tensor, "/etc/passwd")
    tensor.ClearField("raw_data")
    return tensor


def sparse() -> Any:
    values = outside(numpy_helper.from_array(np.ones(4, np.float32), "w"))
    indices = numpy_helper.from_array(np.arange(4), "w_indices")
    return helper.make_sparse_tensor(values, indices, [OBSERVATION_SIZE, NUM_ACTIONS])


def _sparse_initializer() -> Any:
    model = a_model(PLAIN, {})
    model.graph.sparse_initializer.append(sparse())
    return model


def _sparse_constant() -> Any:
    return a_model([helper.make_node("Constant", [], ["w"], sparse_value=sparse()), *PLAIN], {})


def _hidden_behind_a_type() -> Any:
    """An attribute that says it is a number, and holds a sparse tensor besides."""
    node = helper.make_node("Constant", [], ["c"], value_int=1)
    node.attribute[0].sparse_tensor.CopyFrom(sparse())
    return a_model([node, *PLAIN], {"w": TO_LOGITS})


def with_functions(nodes: list[Any], *functions: Any, constants: dict[str, Any] | None = None) -> Any:
    model = a_model(nodes, {"w": TO_LOGITS} if constants is None else constants)
    model.opset_import.append(helper.make_opsetid(NEAR, 1))
    model.functions.extend(functions)
    return model


def function(name: str, *nodes: Any, **more: Any) -> Any:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(NEAR, 1)]
    return helper.make_function(NEAR, name, ["x"], ["y"], list(nodes), opsets, **more)


def _default_of_a_function() -> Any:
    constant = helper.make_node("Constant", [], ["w"])
    constant.attribute.add(name="value", ref_attr_name="weights", type=onnx.AttributeProto.TENSOR)
    default = helper.make_attribute("weights", outside(numpy_helper.from_array(TO_LOGITS, "w")))
    made = function("Layer", constant, helper.make_node("MatMul", ["x", "w"], ["y"]), attribute_protos=[default])
    return with_functions([helper.make_node("Layer", ["observation"], ["logits"], domain=NEAR)], made, constants={})


def _argument_of_a_function() -> Any:
    constant = helper.make_node("Constant", [], ["w"])
    constant.attribute.add(name="value", ref_attr_name="weights", type=onnx.AttributeProto.TENSOR)
    made = function("Layer", constant, helper.make_node("MatMul", ["x", "w"], ["y"]), attributes=["weights"])
    call = helper.make_node("Layer", ["observation"], ["logits"], domain=NEAR)
    call.attribute.add(name="weights", t=outside(numpy_helper.from_array(TO_LOGITS, "w")), type=4)
    return with_functions([call], made, constants={})


def _doubling() -> Any:
    """Functions each of which calls the next one twice."""
    functions = [
        function(f"F{number}", helper.make_node(f"F{number + 1}", ["x"], ["z"], domain=NEAR),
                 helper.make_node(f"F{number + 1}", ["z"], ["y"], domain=NEAR))
        for number in range(60)
    ]  # fmt: skip
    functions.append(function("F60", helper.make_node("Neg", ["x"], ["y"])))
    nodes = [
        helper.make_node("F0", ["observation"], ["o"], domain=NEAR),
        helper.make_node("MatMul", ["o", "w"], ["logits"]),
    ]
    return with_functions(nodes, *functions)


def _endless() -> Any:
    own = function("F0", helper.make_node("F0", ["x"], ["y"], domain=NEAR))
    return with_functions([helper.make_node("F0", ["observation"], ["o"], domain=NEAR), *PLAIN], own)


def _many_rows() -> Any:
    """Twice as many rows, 40 times."""
    nodes = [helper.make_node("Concat", [f"x{at}"] * 2, [f"x{at + 1}"], axis=0) for at in range(40)]
    nodes += [
        helper.make_node("ReduceMax", ["x40"], ["m"], axes=[0], keepdims=1),
        helper.make_node("Add", ["observation", "m"], ["o"]),
        helper.make_node("MatMul", ["o", "w"], ["logits"]),
    ]
    return a_model([helper.make_node("Identity", ["observation"], ["x0"]), *nodes], {"w": TO_LOGITS})


def _many_steps() -> Any:
    """Products that take hours."""
    nodes = [helper.make_node("Expand", ["zero", "shape"], ["x0"])]
    nodes += [helper.make_node("MatMul", [f"x{at}", f"x{at}"], [f"x{at + 1}"]) for at in range(3_000)]
    nodes += [helper.make_node("ReduceMax", ["x3000"], ["m"], keepdims=0)]
    nodes += [helper.make_node("Add", ["observation", "m"], ["o"]), helper.make_node("MatMul", ["o", "w"], ["logits"])]
    return a_model(nodes, {"w": TO_LOGITS, "zero": np.zeros((1, 1), np.float32), "shape": np.array([4096, 4096])})


def _drawing_function() -> Any:
    calls = [
        helper.make_node("Layer", ["observation"], ["o"], domain=NEAR),
        helper.make_node("MatMul", ["o", "w"], ["logits"]),
    ]
    return with_functions(calls, function("Layer", helper.make_node("Bernoulli", ["x"], ["y"])))


def _of_microsoft() -> Any:
    nodes = [
        helper.make_node("FastGelu", ["observation"], ["o"], domain="com.microsoft"),
        helper.make_node("MatMul", ["o", "w"], ["logits"]),
    ]
    model = a_model(nodes, {"w": TO_LOGITS})
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


HOSTILE: dict[str, tuple[Callable[[], Any], str]] = {
    "sparse initializer": (_sparse_initializer, "the numbers of 'w' are in another file"),
    "sparse constant": (_sparse_constant, "the numbers of 'w' are in another file"),
    "behind a type": (_hidden_behind_a_type, "the numbers of 'w' are in another file"),
    "default of a function": (_default_of_a_function, "the numbers of 'w' are in another file"),
    "argument of a function": (_argument_of_a_function, "the numbers of 'w' are in another file"),
    "doubling functions": (_doubling, "or 3 seconds"),
    "endless functions": (_endless, "onnxruntime cannot run it"),
    "dropout": (
        lambda: with_operator("Dropout", "ratio", "yes"),
        "it has the operator Dropout with a training mode, which is not all",
    ),
    "normal": (lambda: with_operator("RandomNormalLike"), "it has the operator RandomNormalLike, which is not allowed"),
    "coin": (lambda: with_operator("Bernoulli"), "it has the operator Bernoulli, which is not allowed"),
    "coin in a function": (_drawing_function, "it has the operator Bernoulli, which is not allowed"),
    "library": (_of_microsoft, "it has an operator that is not of ONNX itself: FastGelu of 'com.microsoft'"),
    "rows": (_many_rows, "it takes more than 0.5 GiB of memory"),
    "steps": (_many_steps, "or 3 seconds"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_file_that_reads_draws_or_takes_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    if case in ("doubling functions", "steps"):
        monkeypatch.setattr(onnx_trial, "MAX_SECONDS", 3)
    if case == "rows":
        monkeypatch.setattr(onnx_trial, "MAX_BYTES", 2**29)
    make, message = HOSTILE[case]
    path, begun = saved(make(), tmp_path), time.monotonic()
    with pytest.raises(PolicyError, match=message) as refused:
        agents.load(path)
    assert "\n" not in str(refused.value)
    assert time.monotonic() - begun < 120  # of a busy machine


def test_dropout_that_drops_nothing_plays(tmp_path: Path) -> None:
    agents.load(saved(with_operator("Dropout", "ratio"), tmp_path))


def test_functions_of_a_file_play(tmp_path: Path) -> None:
    layer = function("Layer", helper.make_node("Neg", ["x"], ["z"]), helper.make_node("Relu", ["z"], ["y"]))
    calls = [
        helper.make_node("Layer", ["observation"], ["a"], domain=NEAR),
        helper.make_node("Layer", ["a"], ["b"], domain=NEAR),
        helper.make_node("MatMul", ["b", "w"], ["logits"]),
    ]
    network = load_onnx(saved(with_functions(calls, layer), tmp_path))
    rows = np.random.default_rng(0).normal(size=(3, OBSERVATION_SIZE)).astype(np.float32)
    expected = np.maximum(-np.maximum(-rows, 0), 0) @ TO_LOGITS
    found = run_network(network, {"observation": rows, "mask": np.ones((3, NUM_ACTIONS))})["logits"]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_network_never_runs_for_more_decisions_than_it_was_tried_for(tmp_path: Path) -> None:
    network = load_onnx(saved(a_model(PLAIN, {"w": TO_LOGITS}), tmp_path))
    seen, chance = [], np.random.default_rng(0)
    run = network.session.run

    class Counting:
        def run(self, outputs: Any, inputs: Any) -> Any:
            seen.append(len(inputs["observation"]))
            return run(outputs, inputs)

    object.__setattr__(network, "session", Counting())
    for number in (0, 1, 3, 7, 600):
        seen.clear()
        rows = chance.random((number, OBSERVATION_SIZE), np.float32)
        logits = run_network(network, {"observation": rows, "mask": np.ones((number, NUM_ACTIONS))})["logits"]
        np.testing.assert_allclose(logits, rows @ TO_LOGITS, rtol=1e-4, atol=1e-4)
        assert sum(seen) == number
        assert max(seen, default=0) <= onnx_trial.MAX_ROWS


def test_a_file_is_tried_once_in_a_process() -> None:
    data = a_model(PLAIN, {"w": TO_LOGITS}).SerializeToString()
    try_model.cache_clear()
    assert try_model(data) is try_model(bytes(bytearray(data)))


# --- what exporters write ---------------------------------------------------------------------------------------------


class Recurrent(nn.Module):
    """A layer that reads the events one after the other."""

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.layer = kind(EVENT_SIZE, 8, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.head = nn.Linear(16 + OBSERVATION_SIZE, NUM_ACTIONS)

    def forward(self, observation: Any, mask: Any, history: Any) -> Any:
        read = self.layer(history)[0]
        return self.head(torch.cat([read[:, -1], observation], dim=1)).masked_fill(mask == 0, -1e9)


class Transformer(nn.Module):
    """Attention over the events."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(EVENT_SIZE, 8)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True) for _ in "ab"
        )
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(8), nn.GELU(), nn.Linear(8, NUM_ACTIONS))

    def forward(self, observation: Any, mask: Any, history: Any) -> Any:
        x = self.embed(history)
        for layer in self.layers:
            x = layer(x)
        x = self.attention(x, x, x, key_padding_mask=history.sum(dim=2) > 1e9)[0]
        return self.head(x.mean(dim=1)) + 0 * observation[:, :1] + 0 * mask[:, :1]


class Convolutions(nn.Module):
    """Planes and whatever normalises them."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.SiLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, stride=2),
            nn.GroupNorm(2, 4), nn.ELU(), nn.Dropout2d(0.2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(4, NUM_ACTIONS),
        )  # fmt: skip

    def forward(self, observation: Any, mask: Any) -> Any:
        planes = observation[:, :256].reshape(-1, 1, 16, 16)
        return self.body(planes) + torch.where(mask > 0, 0.0, -1e9)


class Plain(nn.Module):
    """Layers as of old, with what stands between them today."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(OBSERVATION_SIZE, 32), nn.LayerNorm(32), nn.Tanh(), nn.Dropout(0.5), nn.Linear(32, 32), nn.Mish(),
            nn.LeakyReLU(), nn.Linear(32, 32), nn.BatchNorm1d(32), nn.Hardswish(),
        )  # fmt: skip
        self.value, self.advantage = nn.Linear(32, 1), nn.Linear(32, NUM_ACTIONS)

    def forward(self, observation: Any, mask: Any) -> Any:
        x = self.body(observation)
        advantage = self.advantage(x)
        best, _ = advantage.topk(3, dim=1)
        q = self.value(x) + advantage - advantage.mean(dim=1, keepdim=True) + 0 * best.sum(dim=1, keepdim=True)
        return torch.log_softmax(q.clamp(-50, 50), dim=1) + (mask - 1) * 1e9


EXPORTED: dict[str, Callable[[], nn.Module]] = {
    "mlp": Plain, "cnn": Convolutions, "transformer": Transformer, "lstm": lambda: Recurrent(nn.LSTM),
    "gru": lambda: Recurrent(nn.GRU), "rnn": lambda: Recurrent(nn.RNN),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTED)
def test_networks_that_pytorch_exports_play_the_same(tmp_path: Path, name: str) -> None:
    torch.manual_seed(0)
    network = EXPORTED[name]().eval()
    shapes = {"observation": (OBSERVATION_SIZE,), "mask": (NUM_ACTIONS,), "history": (5, EVENT_SIZE)}
    if name in ("mlp", "cnn"):
        del shapes["history"]
    inputs = {each: torch.rand(3, *shape) for each, shape in shapes.items()}
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network, tuple(inputs.values()), file, input_names=list(inputs), output_names=["logits"],
            dynamic_axes={each: {0: "N"} for each in (*inputs, "logits")}, dynamo=False, opset_version=17,
        )  # fmt: skip
    path = tmp_path / "net.onnx"
    path.write_bytes(file.getvalue())
    with torch.no_grad():
        expected = network(*inputs.values()).numpy()
    found = run_network(load_onnx(path), {each: tensor.numpy() for each, tensor in inputs.items()})["logits"]
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


class NoMask(nn.Module):
    """Leaves it to others which actions are legal, so an export has no input ``mask``."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(OBSERVATION_SIZE, NUM_ACTIONS)

    def forward(self, observation: Any, mask: Any) -> Any:
        return self.head(observation)


@pytest.mark.parametrize("dynamo", [False, True])
def test_a_network_that_ignores_the_mask_plays_legal_actions(tmp_path: Path, dynamo: bool) -> None:
    network, path = NoMask().eval(), tmp_path / "net.onnx"
    rows, masks = torch.rand(3, OBSERVATION_SIZE), torch.zeros(3, NUM_ACTIONS, dtype=torch.bool)
    masks[:, [5, 9]] = True
    free: dict[str, Any] = (
        {"dynamic_shapes": {name: {0: torch.export.Dim("N")} for name in ("observation", "mask")}}
        if dynamo
        else {"dynamic_axes": {name: {0: "N"} for name in ("observation", "mask", "logits")}}
    )
    names: dict[str, Any] = {"input_names": ["observation", "mask"], "output_names": ["logits"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, (rows, masks), str(path), dynamo=dynamo, external_data=False, **names, **free)
    expected = network(rows, masks).masked_fill(~masks, -torch.inf).argmax(1)
    assert agents.load(str(path)).act_batch(rows.numpy(), masks.numpy()).tolist() == expected.tolist()
