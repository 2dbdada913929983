"""Policies as ONNX files: any network, read as data and never run as code. :func:`load_onnx`.

=============== ========= =============================================================================================
input           type      meaning
=============== ========= =============================================================================================
``observation`` [N, D]    float32: the observation in float form; uint8: in integer form
``mask``        [N, A]    optional: 1 for what the player may do, else 0; a number of any type, or bool
``history``     [N, K, E] optional: the last K events (:mod:`uno_env.history`), the newest last; any number type
``state``       [N, ...]  optional: what the network remembers of a seat; zeros at the first decision of a hand
=============== ========= =============================================================================================

================= ====== =======================================================================================
output            shape  meaning
================= ====== =======================================================================================
``logits``        [N, A] of each action of the catalogue; those of actions that are not legal do not matter
``value``         [N]    optional, also [N, 1]: the expected reward of the player to move
``probabilities`` [N, A] optional: of the actions, if they are something else than the softmax of the legal logits
``next_state``    as     what becomes of ``state``: needed if there is one
                  state
================= ====== =======================================================================================

N, the number of decisions, is free; all other sizes are fixed. Who exports with PyTorch says so with ``dynamic_shapes``
or ``dynamic_axes``. The metadata may hold a card as JSON, :class:`OnnxCard`, under the key of our other policies;
:func:`write_card` adds one. A file without a card plays by any rules.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.policy import policy_file
from agents.policy.onnx_trial import MAX_ROWS, first_line, parse_model, run_session, started_session, try_model
from uno_env.actions import CATALOGUE_VERSION, NUM_ACTIONS
from uno_env.common.files import MAX_BYTES, parse_json, read_file, reason_of, replace_file
from uno_env.common.validation import convert, short_repr
from uno_env.history import EVENT_SIZE, HISTORY_VERSION
from uno_env.observation import LAYOUT_VERSION, OBSERVATION_SIZE
from uno_env.rules import Rules

FORMAT_VERSION = 1
"""Raised whenever the inputs, the outputs or the card change their meaning."""
MAX_EVENTS, MAX_STATE = 4_096, 2**20
PROBE = 2
"""Decisions that a network is tried with when it is loaded."""


@dataclass(frozen=True, kw_only=True)
class OnnxCard:
    """The description of an ONNX policy; plain values for JSON."""

    rules: dict[str, Any]
    """Rules it was trained for, as :meth:`uno_env.Rules.to_dict` writes them."""
    trained_by: dict[str, Any] = field(default_factory=dict)
    """Its training: algorithm, decisions, seconds, command, …; any keys."""
    evaluation: list[dict[str, Any]] = field(default_factory=list)
    """Measurements of its strength, a line each; any keys."""
    more_players: list[int] = field(default_factory=list)
    """More numbers of players that it was trained for, ascending."""
    random_rules: int = 0
    """Rule sets drawn at random that it was trained for besides; with some it plays by all."""
    format_version: int = FORMAT_VERSION
    layout_version: int = LAYOUT_VERSION
    catalogue_version: int = CATALOGUE_VERSION
    history_version: int = HISTORY_VERSION


_VERSIONS = {
    "format_version": FORMAT_VERSION,
    "layout_version": LAYOUT_VERSION,
    "catalogue_version": CATALOGUE_VERSION,
    "history_version": HISTORY_VERSION,
}


@dataclass(frozen=True)
class OnnxNetwork:
    """A network that runs, and what it reads. A deep copy is the same object; a pickle holds the file."""

    session: Any
    """An ``onnxruntime.InferenceSession``."""
    types: dict[str, np.dtype[Any]]
    """Type of each input."""
    history: int
    state: tuple[int, ...]
    """Shape of its memory of a hand; empty: it has none."""
    outputs: tuple[str, ...]
    card: OnnxCard | None
    data: bytes = field(repr=False)
    """The file, as far as it was checked."""

    def __deepcopy__(self, memo: Any) -> "OnnxNetwork":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _started, (self.data,)


def load_onnx(path: str | Path) -> OnnxNetwork:
    """The network of an ONNX file. Raises PolicyError if it is damaged or no such network, or a library is missing."""
    try:
        return _load(Path(path))
    except ModuleNotFoundError as error:
        raise policy_file.PolicyError(f"{str(path)!r} needs {error.name}: pip install 'uno-env[onnx]'") from None
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise policy_file.PolicyError(
            f"{short_repr(str(path), policy_file.MAX_REASON)} is no usable policy: {_reason(error)}"
        ) from None


def write_card(path: str | Path, rules: Rules, **fields: Any) -> None:
    """Add a card to an ONNX file, or replace the one that it has, atomically; ``rules`` are those that its network was
    trained for, ``fields`` more fields of :class:`OnnxCard`. Raises PolicyError if there is no such file, it is no
    ONNX, or the card is not allowed.
    """
    try:
        model = parse_model(read_file(Path(path), MAX_BYTES))
        set_card(model, OnnxCard(rules=rules.to_dict(), **fields))
        replace_file(Path(path), model.SerializeToString())
    except (OSError, TypeError, ValueError, RecursionError) as error:
        raise policy_file.PolicyError(f"no card can be added to {str(path)!r}: {_reason(error)}") from None


def set_card(model: Any, card: OnnxCard) -> None:
    """Put a card into the metadata of an ``onnx.ModelProto``. Raises ValueError if the card is not allowed."""
    text = json.dumps(asdict(card), allow_nan=False)
    _card_of(text)
    kept = [entry for entry in model.metadata_props if entry.key != policy_file.METADATA_KEY]
    del model.metadata_props[:]
    model.metadata_props.extend(kept)
    model.metadata_props.add(key=policy_file.METADATA_KEY, value=text)


def _load(path: Path) -> OnnxNetwork:
    network = _started(try_model(read_file(policy_file.policy_path(path), MAX_BYTES)))
    _probe(network)
    return network


def _card_of(text: str) -> OnnxCard:
    """The card of a JSON text. Raises ValueError if it is none."""
    try:
        values = parse_json(text)
        if not isinstance(values, dict):
            raise ValueError("it is not a JSON object")
        policy_file.verify_versions(values, _VERSIONS)
        card = convert(values, OnnxCard)
        policy_file.verify_rules(card)
    except ValueError as error:
        raise ValueError(f"its card cannot be used: {error}") from None
    return card


def _started(data: bytes) -> OnnxNetwork:
    """The network of a file that was tried. Raises ValueError if its card or shapes are not as the module says."""
    session = started_session(data)
    text = session.get_modelmeta().custom_metadata_map.get(policy_file.METADATA_KEY)
    card = None if text is None else _card_of(text)
    inputs = {each.name: each for each in session.get_inputs()}
    outputs = {each.name: each for each in session.get_outputs()}
    if "observation" not in inputs:
        raise ValueError(
            f"it lacks the input 'observation': it has {_listed(inputs)}; PyTorch's export leaves out an input that "
            "the network does not use"
        )
    if "logits" not in outputs:
        raise ValueError(f"it lacks the output 'logits': it has {_listed(outputs)}")
    for name in inputs:
        if name not in ("observation", "mask", "history", "state"):
            raise ValueError(f"it has an unknown input {short_repr(name)}: there are observation, mask, history, state")
    if ("state" in inputs) != ("next_state" in outputs):
        raise ValueError("it has one of the input 'state' and the output 'next_state': it needs both or neither")
    _verify_shape(inputs["observation"], OBSERVATION_SIZE)
    if "mask" in inputs:
        _verify_shape(inputs["mask"], NUM_ACTIONS)
    history = _verify_shape(inputs["history"], None, EVENT_SIZE)[0] if "history" in inputs else 0
    state = _fixed(inputs["state"]) if "state" in inputs else ()
    if not 0 <= history <= MAX_EVENTS or math.prod(state) > MAX_STATE:
        raise ValueError(f"it reads {history} events and remembers {math.prod(state)} numbers, which is too much")
    types = {name: _type_of(each) for name, each in inputs.items()}
    if types["observation"] not in (np.float32, np.uint8):
        raise ValueError(f"its input 'observation' is of type {types['observation']}: choose float32 or uint8")
    kept = tuple(name for name in ("logits", "value", "probabilities", "next_state") if name in outputs)
    return OnnxNetwork(session, types, history, state, kept, card, data)


def _verify_shape(value: Any, *sizes: int | None) -> tuple[int, ...]:
    """The fixed sizes of an input behind N. Raises ValueError if they are not ``sizes``, None for any."""
    fixed = _fixed(value)
    if len(fixed) != len(sizes) or any(wanted not in (None, found) for wanted, found in zip(sizes, fixed, strict=True)):
        wanted_shape = ["N", *("K" if size is None else size for size in sizes)]
        raise ValueError(f"its input {value.name!r} has shape {_shape(value)}, and should have {_words(wanted_shape)}")
    return fixed


def _fixed(value: Any) -> tuple[int, ...]:
    """The sizes of an input behind N. Raises ValueError if N is fixed, or another size is not."""
    first, *sizes = value.shape or [0]
    if isinstance(first, int):
        raise ValueError(
            f"its input {value.name!r} has shape {_shape(value)}: the first size must be free, for any number of "
            "decisions"
        )
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError(f"its input {value.name!r} has shape {_shape(value)}: all sizes but the first must be fixed")
    return tuple(sizes)


def _type_of(value: Any) -> np.dtype[Any]:
    text = value.type.removeprefix("tensor(").removesuffix(")")
    try:
        return np.dtype({"float": "float32", "double": "float64"}.get(text, text))
    except TypeError:
        raise ValueError(f"its input {value.name!r} is of type {text}, which no number here has") from None


def run_network(network: OnnxNetwork, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Run a network. Return its outputs by name, as float32 arrays of the shapes in the module's docstring; of
    ``inputs``, arrays of any types, it takes those that it reads. Raises ValueError if it fails, or gives something
    else.
    """
    given = {name: np.ascontiguousarray(inputs[name], kind) for name, kind in network.types.items()}
    number = len(given["observation"])
    shapes = {"logits": (NUM_ACTIONS,), "probabilities": (NUM_ACTIONS,), "value": (), "next_state": network.state}
    made = {name: np.zeros((number, *shapes[name]), np.float32) for name in network.outputs}
    for first in range(0, number, MAX_ROWS):
        rows = slice(first, min(first + MAX_ROWS, number))
        results = run_session(network.session, list(made), {name: array[rows] for name, array in given.items()})
        for name, result in zip(made, results, strict=True):
            made[name][rows] = _checked_output(name, result, (rows.stop - first, *shapes[name]))
    return made


def _checked_output(name: str, result: Any, shape: tuple[int, ...]) -> Any:
    """An output as an array of this shape. Raises ValueError if it has another one, or holds no numbers."""
    array = np.asarray(result)  # it can be a list of tensors
    array = array[:, 0] if name == "value" and array.shape == (*shape, 1) else array
    if array.shape != shape or array.dtype.kind not in "fiu":
        raise ValueError(
            f"its output {name!r} has shape {list(array.shape)} for {shape[0]} decisions, and should be "
            f"{_words(['N', *shape[1:]])}"
        )
    return array


def _probe(network: OnnxNetwork) -> None:
    """Try a network, so that what it cannot do is said now and not in the middle of a game."""
    zeros = {"observation": (OBSERVATION_SIZE,), "mask": (NUM_ACTIONS,), "history": (network.history, EVENT_SIZE),
             "state": network.state}  # fmt: skip
    run_network(network, {name: np.zeros((PROBE, *shape), np.uint8) for name, shape in zeros.items()})


def _shape(value: Any) -> str:
    return _words([size if isinstance(size, int) else "free" for size in value.shape])


def _words(sizes: list[Any]) -> str:
    return f"[{', '.join(map(str, sizes))}]"


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(short_repr(name, 40) for name in list(values)[:8]) or "none"


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return f"it cannot be read ({reason_of(error)})" if isinstance(error, OSError) else first_line(error)
