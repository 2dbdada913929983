"""Saved policies: one safetensors file with the weights and, in its metadata, a JSON card that says what they are.

======================== ========================== ==========================================================
weight                   shape                      meaning
======================== ========================== ==========================================================
``trunk.{i}.weight``     [hidden[i], inputs]        i-th hidden layer, followed by a ReLU; its inputs are the
                                                    card's columns for i = 0, else the layer before
``trunk.{i}.bias``       [hidden[i]]
``policy.weight``        [actions, hidden[-1]]      logits of the card's actions
``policy.bias``          [actions]
``value.weight``         [1, hidden[-1]]            value: the expected reward of the player to move
``value.bias``           [1]
======================== ========================== ==========================================================

Weights are float32; a file may hold them as float16, half as large, from which they are made.

The network reads the float form of an observation (the integers times :data:`uno_env.observation.SCALES`) at the card's
columns; where the card says ``symmetry``, that of the observation in canonical form (:mod:`uno_env.symmetry`), and its
actions are canonical ones. A file of another version of the layout, the catalogue of actions or the canonical form is
refused. Loading parses data and never runs any: no pickle, no code.
"""

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
import numpy.typing as npt
from msgspec import Meta
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_safetensors

from uno_env.actions import CATALOGUE_VERSION, number_of
from uno_env.common.errors import NotAllowedError
from uno_env.common.files import MAX_BYTES, check_file, reason_of, replace_file
from uno_env.common.validation import convert, short_repr
from uno_env.core.arrays import Array
from uno_env.core.record import MAX_SEATS
from uno_env.observation import LAYOUT_VERSION, number_of_columns
from uno_env.rules import Rules
from uno_env.symmetry import SYMMETRY_VERSION

FORMAT_VERSION = 3
"""Raised whenever the card or the weights change their meaning."""
METADATA_KEY = "uno_policy"
POLICY_SUFFIX, ONNX_SUFFIX = ".safetensors", ".onnx"
POLICY = f"policy{POLICY_SUFFIX}"
"""The file of the policy in a run's folder."""
OPTIONAL = ("more_players", "random_rules")
"""Fields of a card that a file has only where they say something."""
FLOATS = ("F32", "F16")
MAX_LAYERS = 64
MAX_WIDTH = 65_536
MAX_REASON, MAX_SHOWN = 300, 40
"""Characters of a reason, and of a value in it: a hostile file must not fill the screen."""

RULES_WITHOUT_EFFECT = ("illegal_action", "max_decisions")
"""Fields of rules that a policy may differ in: the effects of mistakes it never makes, and the limit of a hand."""

Weights = dict[str, npt.NDArray[np.float32]]
_Ids = Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1)]
_Sizes = Annotated[list[Annotated[int, Meta(ge=1, le=MAX_WIDTH)]], Meta(min_length=1, max_length=MAX_LAYERS)]


class PolicyError(NotAllowedError):
    """A file that is no usable policy; the message names the file and its fault."""


@dataclass(frozen=True, kw_only=True)
class PolicyCard:
    """The description of a saved policy; plain values for JSON."""

    rules: dict[str, Any]
    """Rules it was trained for, as :meth:`uno_env.Rules.to_dict` writes them."""
    columns: _Ids
    """Columns of the observation that the network reads, ascending."""
    actions: _Ids
    """Catalogue ids of its outputs, ascending."""
    hidden: _Sizes
    """Sizes of the hidden layers, at least one."""
    symmetry: bool = False
    """True if the network reads observations in canonical form (:mod:`uno_env.symmetry`)."""
    symmetry_version: int = SYMMETRY_VERSION
    """Version of the canonical form."""
    trained_by: dict[str, Any] = field(default_factory=dict)
    """Its training: algorithm, decisions, seconds, command, …; any keys."""
    evaluation: list[dict[str, Any]] = field(default_factory=list)
    """Measurements of its strength, a line each; any keys."""
    more_players: list[Annotated[int, Meta(ge=0, le=MAX_SEATS)]] = field(default_factory=list)
    """More numbers of players that it was trained for, ascending."""
    random_rules: Annotated[int, Meta(ge=0)] = 0
    """Rule sets drawn at random that it was trained for besides; with some it reads the rules, and plays by all."""
    format_version: int = FORMAT_VERSION
    layout_version: int = LAYOUT_VERSION
    catalogue_version: int = CATALOGUE_VERSION


_VERSIONS = {
    "format_version": FORMAT_VERSION,
    "layout_version": LAYOUT_VERSION,
    "catalogue_version": CATALOGUE_VERSION,
    "symmetry_version": SYMMETRY_VERSION,
}


def weight_shapes(card: PolicyCard) -> dict[str, tuple[int, ...]]:
    """Name and shape of every weight of a policy, in the order of the forward pass."""
    shapes: dict[str, tuple[int, ...]] = {}
    inputs = len(card.columns)
    for layer, outputs in enumerate(card.hidden):
        shapes[f"trunk.{layer}.weight"], shapes[f"trunk.{layer}.bias"] = (outputs, inputs), (outputs,)
        inputs = outputs
    for head, outputs in (("policy", len(card.actions)), ("value", 1)):
        shapes[f"{head}.weight"], shapes[f"{head}.bias"] = (outputs, inputs), (outputs,)
    return shapes


def save_policy(
    path: str | Path, weights: Mapping[str, npt.NDArray[np.float32]], card: PolicyCard, half: bool = False
) -> None:
    """Write a policy to one file, atomically: a reader sees the old file or the whole new one. Raises PolicyError if
    weights and card do not fit together or are no policy; nothing was written.

    Args:
        path: the file; it is replaced if it exists, and its folder is made if it does not.
        weights: float32 arrays with the names and shapes of :func:`weight_shapes`.
        card: what the policy is.
        half: whether the file is to hold float16, to which the weights are rounded.
    """
    path = Path(path)
    arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    try:
        values = {name: value for name, value in asdict(card).items() if name not in OPTIONAL or value}
        text = json.dumps(values, allow_nan=False)
        _verify_weights(arrays, _card_of(text))
        if half:
            arrays = _halved(arrays)
    except (TypeError, ValueError, RecursionError) as error:
        raise PolicyError(f"this policy cannot be saved as {str(path)!r}: {error}") from None
    replace_file(path, to_safetensors(arrays, {METADATA_KEY: text}))


def load_policy(path: str | Path) -> tuple[Weights, PolicyCard]:
    """The weights and the card of a saved policy; ``path`` is its file, or the folder of the run that trained it.
    Raises PolicyError if the file is missing, foreign, truncated, of another version, or its parts do not fit together.
    """
    try:
        return _read(policy_path(path))
    except (OSError, ValueError, RecursionError, MemoryError, SafetensorError) as error:
        reason = _reason(error, path)
        text = f"{short_repr(str(path), MAX_REASON)} is no usable policy: {reason}"
        raise PolicyError(text, "policy", file=str(path), why=reason) from None


def policy_path(path: str | Path) -> Path:
    """The file of a policy, of which a run's folder holds one."""
    inside = (Path(path, POLICY).with_suffix(suffix) for suffix in (POLICY_SUFFIX, ONNX_SUFFIX))
    return next((file for file in inside if os.path.isfile(file)), Path(path))


class HasRules(Protocol):
    """The card of a policy in a file of any kind."""

    @property
    def rules(self) -> dict[str, Any]:
        """Rules it was trained for."""

    @property
    def more_players(self) -> list[int]:
        """More numbers of players that it was trained for."""

    @property
    def random_rules(self) -> int:
        """Number of random rule sets that it was trained for as well."""


def check_edition(path: str, own: Rules, rules: Rules) -> None:
    """Check that a policy for some rules can read the observations of others: those of the same edition, and of rules
    without mercy only if it was trained without. Raises PolicyError if not.
    """
    if own.edition != rules.edition:
        text = f"{path!r} was trained for the edition {own.edition!r}: it does not know the cards of {rules.edition!r}"
        raise PolicyError(text, "other_edition", agent=path)
    if number_of_columns(own) > number_of_columns(rules):
        text = f"{path!r} was trained for other rules: it reads mercy={own.mercy} in a column that there is not here"
        raise PolicyError(text, "other_rules", agent=path)


def check_rules(path: str, card: HasRules, rules: Rules) -> None:
    """Check that a policy is for some rules. Raises PolicyError if it is for others; the message calls it ``path``.

    A policy of random rules plays by all of its edition.
    """
    own = Rules.from_dict(card.rules)
    check_edition(path, own, rules)
    if card.random_rules:
        return
    trained, asked = own.to_dict(), rules.to_dict()
    if card.more_players:
        known = sorted({own.players, *card.more_players})
        trained["players"] = rules.players if rules.players in known else known
    fields = [name for name in asked if trained[name] != asked[name] and name not in RULES_WITHOUT_EFFECT]
    if fields:
        differing = ", ".join(f"{name}={trained[name]!r} instead of {asked[name]!r}" for name in fields)
        text = f"{path!r} was trained for other rules: {differing} (any_rules=1 plays it all the same)"
        raise PolicyError(text, "other_rules", agent=path)


def _reason(error: Exception, path: str | Path) -> str:
    if isinstance(error, SafetensorError):
        if zipfile.is_zipfile(path):
            return (
                "it is a zip archive, such as Stable-Baselines3 saves. Load it in a file of your own, as "
                "uno_env.sb3.ModelPlayer(model), and name that: my_agents.py:NAME; or write the model as ONNX"
            )
        return f"it is no safetensors file, or it is damaged ({error})"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, OSError):
        return f"it cannot be read ({reason_of(error)})"
    return str(error)[:MAX_REASON] or type(error).__name__


def _read(path: Path) -> tuple[Weights, PolicyCard]:
    check_file(path, MAX_BYTES)
    with safe_open(path, framework="np") as file:
        metadata = file.metadata() or {}
        if METADATA_KEY not in metadata:
            raise ValueError(f"its metadata lack {METADATA_KEY!r}")
        card = _card_of(metadata[METADATA_KEY])
        _verify_names(file.keys(), card)
        for name in weight_shapes(card):
            if file.get_slice(name).get_dtype() not in FLOATS:
                raise ValueError(f"{name} is of type {file.get_slice(name).get_dtype()}, not {' or '.join(FLOATS)}")
        weights = {name: np.array(file.get_tensor(name), np.float32) for name in weight_shapes(card)}
    _verify_weights(weights, card)
    return weights, card


def _halved(arrays: Mapping[str, Array]) -> dict[str, Array]:
    with np.errstate(over="ignore"):
        halves = {name: array.astype(np.float16) for name, array in arrays.items()}
    for name, array in halves.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds values beyond float16")
    return halves


def _card_of(text: str) -> PolicyCard:
    try:
        values = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ValueError("its card is not JSON") from None
    if not isinstance(values, dict):
        raise ValueError("its card is not a JSON object")
    verify_versions(values, _VERSIONS)
    for each in fields(PolicyCard):
        if each.name not in values and each.name not in OPTIONAL:
            raise ValueError(f"its card lacks {each.name!r}")
    try:
        card = convert(values, PolicyCard)
    except ValueError as error:
        raise ValueError(f"its card cannot be used: {error}") from None
    _verify_fields(card)
    return card


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def verify_versions(values: Mapping[str, Any], versions: Mapping[str, int]) -> None:
    """Check the versions in a card's values. Raises ValueError if one is another."""
    for name, version in versions.items():
        found = values.get(name)
        if type(found) is not int or found != version:
            raise ValueError(f"its {name} is {short_repr(found, MAX_SHOWN)}, and this program has {version}")


def verify_rules(card: HasRules) -> None:
    """Check that a card's rules can be played by all its numbers of players. Raises ValueError if they cannot."""
    try:
        rules = Rules.from_dict(card.rules)
        for players in card.more_players:
            rules.replace(players=players)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"its rules cannot be played: {error}") from None


def _verify_fields(card: PolicyCard) -> None:
    """Check what the types of the fields do not say. Raises ValueError if something in the card cannot be."""
    for name, ids in (("columns", card.columns), ("actions", card.actions), ("more_players", card.more_players)):
        if any(later <= earlier for earlier, later in zip(ids, ids[1:])):
            raise ValueError(f"{name!r} of its card are not in ascending order")
    verify_rules(card)
    rules = Rules.from_dict(card.rules)
    for name, ids, most in (
        ("columns", card.columns, number_of_columns(rules)),
        ("actions", card.actions, number_of(rules)),
    ):
        if ids[-1] >= most:
            raise ValueError(f"{name!r} of its card go up to {ids[-1]}, and {rules.edition!r} has {most}")


def _verify_names(names: Any, card: PolicyCard) -> None:
    shapes, found = weight_shapes(card), set(names)
    for name in shapes:
        if name not in found:
            raise ValueError(f"it lacks the weight {name!r}")
    for name in sorted(found):
        if name not in shapes:
            raise ValueError(f"it has an unknown weight {short_repr(name, MAX_SHOWN)}")


def _verify_weights(weights: Mapping[str, Array], card: PolicyCard) -> None:
    _verify_names(weights, card)
    for name, shape in weight_shapes(card).items():
        array = weights[name]
        if array.dtype != np.float32:
            raise ValueError(f"{name} is of type {array.dtype}, not float32")
        if array.shape != shape:
            raise ValueError(f"{name} has shape {list(array.shape)}, and its card says {list(shape)}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds values that are not finite")
