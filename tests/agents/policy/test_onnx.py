"""Policies in ONNX files: ours written and read again, networks of others, with histories and states; bad files."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("torch")

import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import agents
from agents.policy import policy_file
from agents.policy.onnx_agent import OnnxAgent
from agents.policy.onnx_export import export_onnx
from agents.policy.onnx_file import load_onnx, write_card
from agents.policy.onnx_network import ExportedPolicy
from agents.policy.onnx_trial import checked_model
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import PolicyError, save_policy
from tests.helpers.marks import thorough
from tests.helpers.positions import a_card, asked, some_weights
from train.cli.main import main
from train.evaluation.duplicate import evaluate
from uno_env import BatchedGames, Game, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.history import EVENT_SIZE, recall
from uno_env.observation import OBSERVATION_SIZE, float_form
from uno_env.player import Player
from uno_table.table import Setup, Table

DUEL = Rules.preset("duel")
SHORT = DUEL.replace(max_decisions=100)
UNEVEN = DUEL.replace(deck="r1 r2 r3 r5 rr y1 y2 y3 y5 yr g1 g4 g4 g6 b7 b8 b8 w w w+4 r+2 y+2 g+2 b+2", hand_size=3)
OF_ALL_KINDS = (DUEL, Rules.preset("house", players=4), UNEVEN)
"""Two colours alike in the last one."""
FLOAT, UINT8 = TensorProto.FLOAT, TensorProto.UINT8
SIZES = {"observation": (OBSERVATION_SIZE,), "mask": (NUM_ACTIONS,), "history": (6, EVENT_SIZE), "state": (3,)}
GIVES = {"logits": ("N", "A"), "q": ("N", "A"), "value": ("N",), "next_state": ("N", 3)}


def a_model(
    nodes: list[Any],
    constants: dict[str, Any],
    inputs: dict[str, Any] | None = None,
    outputs: tuple[str, ...] = ("logits",),
    first: Any = "N",
) -> Any:
    """A model; inputs are names with a type, or with a type and a whole shape."""
    made = []
    for name, kind in (inputs or {"observation": FLOAT, "mask": FLOAT}).items():
        kind, shape = kind if isinstance(kind, tuple) else (kind, (first, *SIZES[name]))
        made.append(helper.make_tensor_value_info(name, kind, shape))
    gives = [helper.make_tensor_value_info(name, FLOAT, GIVES[name]) for name in outputs]
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "test", made, gives, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def saved(model: Any, folder: Path) -> str:
    path = folder / "net.onnx"
    path.write_bytes(model.SerializeToString())
    return str(path)


CHANCE = np.random.default_rng(0)
TO_LOGITS = CHANCE.normal(size=(OBSERVATION_SIZE, NUM_ACTIONS)).astype(np.float32)
PLAIN = [helper.make_node("MatMul", ["observation", "w"], ["logits"])]


def with_operator(operator: str, *inputs: str) -> Any:
    """A model that reads the observation through an operator; more inputs may be ``ratio`` and ``yes``."""
    nodes = [
        helper.make_node(operator, ["observation", *inputs], ["o"]),
        helper.make_node("MatMul", ["o", "w"], ["logits"]),
    ]
    return a_model(nodes, {"w": TO_LOGITS, "ratio": np.float32(0.5), "yes": np.array(True)})


def recurrent_model() -> Any:
    """Its state is three sums over what its seat has seen, and the logits follow from them."""
    nodes = [
        helper.make_node("MatMul", ["observation", "w"], ["seen"]),
        helper.make_node("Add", ["state", "seen"], ["sum"]),
        helper.make_node("Sin", ["sum"], ["next_state"]),
        helper.make_node("MatMul", ["next_state", "u"], ["logits"]),
    ]
    constants = {
        "w": CHANCE.normal(size=(OBSERVATION_SIZE, 3)).astype(np.float32),
        "u": CHANCE.normal(size=(3, NUM_ACTIONS)).astype(np.float32),
    }
    inputs = {"observation": FLOAT, "mask": FLOAT, "state": FLOAT}
    return a_model(nodes, constants, inputs, ("logits", "next_state"))


@pytest.mark.thorough
@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("rules", OF_ALL_KINDS, ids=["duel", "classic", "uneven"])
def test_ours_play_the_same_when_they_are_exported(tmp_path: Path, rules: Rules, symmetry: bool) -> None:
    card = a_card(rules, symmetry=symmetry)
    weights = some_weights(card)
    export_onnx(tmp_path / "ours.onnx", weights, card)
    ours, theirs = PolicyAgent("ours", weights, card), agents.load(tmp_path / "ours.onnx", rules=rules)
    assert isinstance(theirs, OnnxAgent)
    assert theirs.card is not None
    assert (theirs.card.rules, theirs.card.trained_by) == (card.rules, card.trained_by)
    batch = BatchedGames(64, rules, seed=1, obs_dtype="uint8")
    seen, masks, _ = batch.reset()
    for _ in range(40):
        np.testing.assert_allclose(theirs.values(seen), ours.values(seen), atol=1e-5)
        np.testing.assert_allclose(theirs.probabilities(seen, masks), ours.probabilities(seen, masks), atol=1e-5)
        assert (theirs.act_batch(seen, masks) == ours.act_batch(seen, masks)).all()
        seen, masks, *_ = batch.step(batch.sample_actions())
    with pytest.raises(PolicyError, match="was trained for other rules"):
        agents.load(tmp_path / "ours.onnx", rules="classic")
    assert agents.load(f"{tmp_path}/ours.onnx?any_rules=1", rules="classic")


@pytest.mark.parametrize("symmetry", [False, True])
def test_the_network_of_a_file_computes_what_ours_does(symmetry: bool) -> None:
    """Before it is written: on a deck in which two colours are alike."""
    card = a_card(UNEVEN, symmetry=symmetry)
    ours, network = PolicyAgent("ours", some_weights(card), card), ExportedPolicy(some_weights(card), card)
    batch = BatchedGames(64, UNEVEN, seed=1, obs_dtype="uint8")
    seen, masks, _ = batch.reset()
    for _ in range(20):
        logits, value, *chances = network(torch.tensor(float_form(seen)), torch.tensor(masks).float())
        np.testing.assert_allclose(value[:, 0].numpy(), ours.values(seen), atol=1e-5)
        assert (np.isfinite(logits.numpy()) <= (masks != 0)).all()
        if symmetry:
            np.testing.assert_allclose(chances[0].numpy(), ours.probabilities(seen, masks), atol=1e-5)
        seen, masks, *_ = batch.step(batch.sample_actions())


@pytest.mark.parametrize(
    ("operator", "inputs", "reason"),
    [
        ("Dropout", [], None),
        ("Dropout", ["ratio", "yes"], "it has the operator Dropout with a training mode"),
        ("RandomNormalLike", [], "it has the operator RandomNormalLike, which is not allowed"),
    ],
)
def test_operators_that_draw_numbers_are_refused(operator: str, inputs: list[str], reason: str | None) -> None:
    """Dropout draws none while a policy plays."""
    with nullcontext() if reason is None else pytest.raises(ValueError, match=reason):
        checked_model(with_operator(operator, *inputs).SerializeToString())


def test_samples_are_ours_too(tmp_path: Path) -> None:
    card = a_card(DUEL)
    export_onnx(tmp_path / "ours.onnx", some_weights(card), card)
    ours = PolicyAgent("ours", some_weights(card), card, seed=3, sample=True)
    theirs = agents.load(f"{tmp_path}/ours.onnx?sample=1", seed=3)
    observations, masks = (array[:2_000].copy() for array in asked("duel", 2))
    same = theirs.act_batch(observations, masks) == ours.act_batch(observations, masks)
    assert same.mean() > 0.99  # rounding may tip one over
    masks[:] = 0
    masks[:, 117::3] = 1  # nothing that the network has an output for
    chosen = theirs.act_batch(observations, masks)
    assert set(chosen) == set(np.flatnonzero(masks[0]))
    assert np.allclose(theirs.probabilities(observations[:1], masks[:1])[0], masks[0] / masks[0].sum())


def test_the_command_exports_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = a_card(DUEL)
    save_policy(tmp_path / "policy.safetensors", some_weights(card), card)
    file = tmp_path / "new" / "policy.onnx"
    assert main(["export", f"{tmp_path}/policy.safetensors", "--onnx", str(file)]) == 0
    assert "differ by at most" in capsys.readouterr().out
    assert main(["evaluate", str(file), "--against", "random", "--deals", "4"]) == 0
    assert json.loads(onnx.load(file).metadata_props[0].value)["rules"] == card.rules
    for line, part in (
        (["export", "greedy", "--onnx", str(file)], "'greedy' is no saved policy of ours"),
        (["export", "zoo:duel-2p", "--onnx", str(tmp_path)], "name a file that ends in .onnx"),
        (
            ["export", "zoo:flip-2p", "--onnx", str(tmp_path / "other" / "flip.onnx")],
            "a policy for the edition 'flip' has no",
        ),
    ):
        capsys.readouterr()
        assert main(line) == 2
        error = capsys.readouterr().err
        assert part in error
        assert error.count("\n") == 1
    assert not (tmp_path / "other").exists()  # what is refused leaves no folder


@pytest.mark.parametrize("kind", [FLOAT, UINT8])
def test_any_network_plays(tmp_path: Path, kind: int) -> None:
    """Observations come in the form that the network's type says."""
    cast = [
        helper.make_node("Cast", ["observation"], ["x"], to=FLOAT),
        helper.make_node("MatMul", ["x", "w"], ["logits"]),
    ]
    model = a_model(cast, {"w": TO_LOGITS}, {"observation": kind, "mask": TensorProto.BOOL})
    path = saved(model, tmp_path)
    agent = agents.load(path, rules="classic")
    assert agent.card is None
    observations, masks = (array[:200] for array in asked("duel", 2))
    seen = observations if kind == UINT8 else float_form(observations)
    expected = np.where(masks, seen.astype(np.float32) @ TO_LOGITS, -np.inf).argmax(axis=1)
    assert (agent.act_batch(observations, masks) == expected).all()
    assert (agent.act_batch(float_form(observations), masks) == expected).all()
    assert agent.values(observations) is None
    assert evaluate(path, "random", SHORT, deals=4).games == 8


def test_attention_over_the_history(tmp_path: Path) -> None:
    keys, queries = CHANCE.normal(size=(EVENT_SIZE, 8)) / 50, CHANCE.normal(size=(OBSERVATION_SIZE, 8)) / 10
    nodes = [
        helper.make_node("MatMul", ["history", "k"], ["keys"]),
        helper.make_node("MatMul", ["observation", "q"], ["query"]),
        helper.make_node("Unsqueeze", ["query", "last"], ["column"]),
        helper.make_node("MatMul", ["keys", "column"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["weights"], axis=1),
        helper.make_node("Mul", ["weights", "keys"], ["weighed"]),
        helper.make_node("ReduceSum", ["weighed", "one"], ["read"], keepdims=0),
        helper.make_node("MatMul", ["read", "u"], ["logits"]),
        helper.make_node("ReduceMean", ["logits"], ["value"], axes=[1], keepdims=0),
    ]
    constants = {"k": keys.astype(np.float32), "q": queries.astype(np.float32), "last": np.array([2]),
                 "one": np.array([1]), "u": TO_LOGITS[:8]}  # fmt: skip
    inputs = {"observation": FLOAT, "mask": FLOAT, "history": FLOAT}
    path = saved(a_model(nodes, constants, inputs, ("logits", "value")), tmp_path)
    assert agents.load(path).history == 6
    assert evaluate(path, "random", SHORT, deals=4).games == 8
    with pytest.raises(ValueError, match="reads the last 6 events of the game, and they are not shown"):
        agents.load(path).act_batch(*(array[:2] for array in asked("duel", 2)))


class Remembers(Player):
    """Chooses by all that its seat has seen in the hand, exactly."""

    name, state_size = "remembers", 1

    def act_recurrent(self, observations: Any, action_masks: Any, states: Any, histories: Any = None) -> Any:
        states[:, 0] = (31 * states[:, 0] + 1 + observations.sum(axis=1)) % 1009
        legal = [np.flatnonzero(mask) for mask in action_masks]
        return np.array([some[int(state) % len(some)] for some, state in zip(legal, states[:, 0], strict=True)])


@pytest.mark.parametrize("players", [2, 4])
def test_what_is_remembered_is_that_of_the_own_seat_and_hand(players: int) -> None:
    """However many games are played side by side, and whoever sits at how many seats."""
    rules = Rules.preset("classic", players=players, max_decisions=150)
    alone, beside = (evaluate(Remembers(), Remembers(), rules, deals=12, seed=3, batch=batch) for batch in (1, 9))
    assert alone.decisions > 500
    assert (alone.win_rate, alone.decisions) == (beside.win_rate, beside.decisions)


def test_at_a_table_the_state_is_what_was_seen_in_the_hand(tmp_path: Path) -> None:
    agent = agents.load(saved(recurrent_model(), tmp_path))
    assert isinstance(agent, OnnxAgent)
    game, states = Game("duel", seed=4), np.zeros((2, 1, 3), np.float32)
    for _ in range(12):
        np.testing.assert_array_equal(recall(agent, game, game.to_move), states[game.to_move])
        seat = game.to_move
        seen, mask = game.observe(seat, "uint8")[None], game.action_mask()[None]
        game.step(int(agent.act_recurrent(seen, mask, states[seat])[0]))
    assert states.any()
    table = Table(Setup.against([agent.name], DUEL, adviser=agent.name))
    table.sit(table.seats[0].invitation, "Ann", 0.0)
    question = table.hint_question(0) or table.question()
    assert question is not None
    assert question.choose() in table.game.legal_actions()
    assert list(question.hints().shares) == [question.choose()]
    with pytest.raises(ValueError, match="remembers the hand it is in, and nothing is kept for it here"):
        agent.act(game.observe(0), game.action_mask())


def test_a_card_is_added_and_read(tmp_path: Path) -> None:
    path = saved(a_model(PLAIN, {"w": TO_LOGITS}), tmp_path)
    write_card(path, DUEL, trained_by={"algorithm": "theirs"}, more_players=[3])
    write_card(path, DUEL, trained_by={"algorithm": "mine"})
    card = load_onnx(path).card
    assert card is not None
    assert card.trained_by == {"algorithm": "mine"}
    with pytest.raises(PolicyError, match="was trained for other rules: "):
        agents.load(path, rules="classic")
    with pytest.raises(PolicyError, match=r"no card can be added to .*none\.onnx.: there is no such file"):
        write_card(tmp_path / "none.onnx", DUEL)
    with pytest.raises(PolicyError, match=r"no card can be added to .*: its card cannot be used: "):
        write_card(path, DUEL, more_players=[99])


def _with_card(text: str) -> Any:
    model = a_model(PLAIN, {"w": TO_LOGITS})
    model.metadata_props.add(key=policy_file.METADATA_KEY, value=text)
    return model


def _external() -> Any:
    model = a_model(PLAIN, {"w": TO_LOGITS})
    onnx.external_data_helper.set_external_data(model.graph.initializer[0], "/etc/passwd")
    model.graph.initializer[0].ClearField("raw_data")
    return model


def _huge() -> Any:
    nodes = [helper.make_node("ConstantOfShape", ["size"], ["huge"]), helper.make_node("ReduceSum", ["huge"], ["s"]),
             *PLAIN]  # fmt: skip
    return a_model(nodes, {"w": TO_LOGITS, "size": np.array([2**40])})


def _looping() -> Any:
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"])],
        "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", 9, [])],
        [helper.make_tensor_value_info("on", 9, [])],
    )
    return a_model(
        [helper.make_node("Loop", ["", "yes"], [], body=body), *PLAIN], {"w": TO_LOGITS, "yes": np.array(True)}
    )


def _mapped() -> Any:
    """An operator that runs the graph that it holds for each part of a list."""
    part = helper.make_tensor_value_info("part", FLOAT, ["N", OBSERVATION_SIZE])
    other = helper.make_tensor_value_info("other", FLOAT, ["N", OBSERVATION_SIZE])
    body = helper.make_graph([helper.make_node("Neg", ["part"], ["other"])], "body", [part], [other])
    nodes = [
        helper.make_node("SequenceConstruct", ["observation"], ["parts"]),
        helper.make_node("SequenceMap", ["parts"], ["others"], body=body),
        helper.make_node("SequenceAt", ["others", "first"], ["changed"]),
        helper.make_node("MatMul", ["changed", "w"], ["logits"]),
    ]
    return a_model(nodes, {"w": TO_LOGITS, "first": np.array(0)})


def _listed() -> Any:
    model = a_model([helper.make_node("MatMul", ["observation", "w"], ["q"]),
                     helper.make_node("SequenceConstruct", ["q"], ["logits"])], {"w": TO_LOGITS})  # fmt: skip
    of_tensors = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, ["N", NUM_ACTIONS]))
    model.graph.output[0].type.CopyFrom(of_tensors)
    return model


def _constant_of_another_file() -> Any:
    model = a_model(
        [helper.make_node("Constant", [], ["w"], value=numpy_helper.from_array(TO_LOGITS, "w")), *PLAIN], {}
    )
    held = model.graph.node[0].attribute[0].t
    onnx.external_data_helper.set_external_data(held, "/etc/passwd")
    held.ClearField("raw_data")
    return model


def _inputs(**inputs: Any) -> Any:
    return a_model(PLAIN, {"w": TO_LOGITS}, {"observation": FLOAT, "mask": FLOAT, **inputs})


BAD = {
    "no observation": (
        lambda: a_model(
            [helper.make_node("MatMul", ["mask", "w"], ["logits"])],
            {"w": np.eye(NUM_ACTIONS, dtype=np.float32)},
            {"mask": FLOAT},
        ),
        "it lacks the input 'observation': it has 'mask'; PyTorch's export leaves out an input",
    ),
    "no logits": (
        lambda: a_model([helper.make_node("MatMul", ["observation", "w"], ["q"])], {"w": TO_LOGITS}, outputs=("q",)),
        "it lacks the output 'logits': it has 'q'",
    ),
    "unknown": (lambda: _inputs(image=(FLOAT, ("N", 3))), "it has an unknown input 'image'"),
    "half a state": (lambda: _inputs(state=FLOAT), "it has one of the input 'state' and the output 'next_state'"),
    "columns": (
        lambda: a_model(PLAIN, {"w": TO_LOGITS[:9]}, {"observation": (FLOAT, ("N", 9)), "mask": FLOAT}),
        r"its input 'observation' has shape \[free, 9\], and should have \[N, \d+\]",
    ),
    "batch of one": (lambda: a_model(PLAIN, {"w": TO_LOGITS}, first=1), "the first size must be free"),
    "free events": (lambda: _inputs(history=(FLOAT, ("N", "K", EVENT_SIZE))), "all sizes but the first must be fixed"),
    "events": (lambda: _inputs(history=(FLOAT, ("N", 4, 5))), r"should have \[N, K, \d+\]"),
    "text": (lambda: _inputs(mask=TensorProto.STRING), "its input 'mask' is of type string"),
    "doubles": (
        lambda: a_model(PLAIN, {"w": TO_LOGITS.astype(np.float64)}, {"observation": TensorProto.DOUBLE, "mask": FLOAT}),
        "is of type float64: choose float32 or uint8|onnxruntime cannot run it",
    ),
    "few logits": (
        lambda: a_model(PLAIN, {"w": TO_LOGITS[:, :7]}),
        r"its output 'logits' has shape \[2, 7\] for 2 decisions, and should be \[N, \d+\]",
    ),
    "other file": (_external, "the numbers of 'w' are in another file"),
    "too large": (_huge, "it takes more than 4 GiB of memory"),
    "other file of a constant": (_constant_of_another_file, "the numbers of 'w' are in another file"),
    "loop": (_looping, "it has the operator Loop, which is not allowed"),
    "map": (_mapped, "it has the operator SequenceMap, which is not allowed"),
    "list": (_listed, r"its output 'logits' has shape \[1, 2, \d+\] for 2 decisions"),
    "other library": (
        lambda: a_model([helper.make_node("Run", ["mask"], ["x"], domain="evil"), *PLAIN], {"w": TO_LOGITS}),
        "it has an operator that is not of ONNX itself: Run of 'evil'",
    ),
    "no such operator": (
        lambda: a_model([helper.make_node("Ruin", ["mask"], ["x"]), *PLAIN], {"w": TO_LOGITS}),
        "it has an operator that is not of ONNX itself: Ruin of ''",
    ),
    "sizes that do not fit": (
        lambda: a_model(PLAIN, {"w": TO_LOGITS[:5]}),
        "it is damaged: |onnxruntime cannot run it",
    ),
    "card": (lambda: _with_card("[1]"), "its card cannot be used: it is not a JSON object"),
    "deep card": (
        lambda: _with_card("[" * 100_000),
        "its card cannot be used: it is not JSON: it is nested too deeply",
    ),
    "old card": (
        lambda: _with_card('{"format_version": 0}'),
        "its card cannot be used: its format_version is 0, and this",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("case", BAD)
def test_what_is_no_policy_is_refused_in_a_sentence(tmp_path: Path, case: str) -> None:
    make, message = BAD[case]
    path = saved(make(), tmp_path)
    with pytest.raises(PolicyError, match=message) as refused:
        agents.load(path)
    assert str(refused.value).startswith(f"'{path}' is no usable policy: ")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize(
    "data", [b"", b"\x08\x07" * 99, *thorough(b"\0" * 64, bytes(range(256)), b"GIF89a" + b"\xff" * 300)]
)
def test_bytes_that_are_no_network(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(data)
    with pytest.raises(PolicyError, match="it is no ONNX file, or it is damaged"):
        agents.load(path)


@pytest.mark.thorough
def test_a_file_cut_or_changed_anywhere_is_refused_or_plays(tmp_path: Path) -> None:
    card = a_card(DUEL, hidden=[4])
    path = tmp_path / "net.onnx"
    export_onnx(path, some_weights(card), card)
    whole, chance = path.read_bytes(), np.random.default_rng(5)
    observations, masks = (array[:4] for array in asked("duel", 2))
    for _ in range(25):
        changed = bytearray(whole)
        for place in chance.integers(len(whole), size=3):
            changed[place] = chance.integers(256)
        path.write_bytes(bytes(changed)[: len(whole) if chance.random() < 0.5 else chance.integers(len(whole))])
        try:
            chosen = agents.load(path).act_batch(observations, masks)
        except PolicyError:
            continue
        assert masks[np.arange(4), chosen].all()


def test_missing_files_and_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"'none.onnx' is no usable policy: there is no such file"):
        agents.load("none.onnx")
    path = saved(a_model(PLAIN, {"w": TO_LOGITS}), tmp_path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PolicyError, match=r"needs onnxruntime: pip install 'uno-env\[onnx\]'"):
        agents.load(path)
    card = a_card(DUEL)
    for library, extra in (("torch", "train"), ("onnx", "onnx")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, library, None)
            with pytest.raises(PolicyError, match=rf"needs {library}: pip install 'uno-env\[{extra}\]'"):
                export_onnx(tmp_path / "ours.onnx", some_weights(card), card)
    assert not (tmp_path / "ours.onnx").exists()


# --- in searches ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    "spec",
    ["search:flat?num_determinizations=8&value={}&prior={}", "search:ismcts?sims=40&prior={}&value={}&rollout={}"],
)
def test_a_search_plays_the_same_with_ours_and_what_is_exported(tmp_path: Path, spec: str) -> None:
    card = a_card(Rules.preset("classic"))
    weights = some_weights(card)
    save_policy(tmp_path / "ours.safetensors", weights, card)
    export_onnx(tmp_path / "ours.onnx", weights, card)
    rows, masks = (each[-12:] for each in asked("classic", 4, steps=12))
    chosen = [
        agents.load(spec.replace("{}", str(tmp_path / name)), seed=4).act_batch(rows, masks)
        for name in ("ours.safetensors", "ours.onnx")
    ]
    assert (chosen[0] == chosen[1]).all()


def test_what_cannot_help_a_search_is_refused(tmp_path: Path) -> None:
    blind = saved(a_model(PLAIN, {"w": TO_LOGITS}), tmp_path)
    agents.load(f"search:flat?num_determinizations=2&prior={blind}")
    with pytest.raises(ValueError, match=r"value='.*net.onnx' is not allowed: the network gives no value"):
        agents.load(f"search:flat?num_determinizations=2&value={blind}")
    recurrent = saved(recurrent_model(), tmp_path)
    with pytest.raises(ValueError, match=r"prior='.*net.onnx' is not allowed: it reads past events, which a search"):
        agents.load(f"search:flat?num_determinizations=2&prior={recurrent}")


@pytest.mark.thorough
@pytest.mark.parametrize("worth", [np.nan, np.inf, -np.inf, 3e38])
def test_values_that_are_no_rewards_break_no_search(tmp_path: Path, worth: float) -> None:
    nodes = [
        *PLAIN,
        helper.make_node("ReduceMean", ["observation"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Where", ["no", "mean", "worth"], ["value"]),
    ]
    constants = {"w": TO_LOGITS, "no": np.array(False), "worth": np.float32(worth)}
    file = saved(a_model(nodes, constants, outputs=("logits", "value")), tmp_path)
    agent = agents.load(f"search:flat?num_determinizations=4&value={file}")
    game = Game("duel", seed=1)
    with np.errstate(all="raise"):
        assert agent.act(game.observe(game.to_move), game.action_mask()) in game.legal_actions()
    seen = agents.load(file).values(game.observe(game.to_move)[None])
    assert np.isfinite(seen).all()
