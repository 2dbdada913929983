"""Value functions that see all hands: the probability that each seat goes out first.

A shipped one is a small network, ``agents/zoo/values/TRACK.safetensors``; ``python -m tools.luck_values`` trains it.
It reads the columns of :mod:`train.evaluation.luck.draws`, and gives a logit for each place; the softmax of them is the
value. So the values of a position add up to 1.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

import agents
from train.evaluation.luck.draws import check_rules, num_columns
from uno_env.common.files import check_file, parse_json, reason_of, replace_file
from uno_env.core.arrays import Array
from uno_env.rules import Rules

FOLDER = Path(agents.__file__).parent / "zoo" / "values"
FORMAT, METADATA_KEY = 1, "uno_values"
"""The format is raised whenever columns or weights change their meaning."""
LEAST_GAIN = 1.2
"""The least gain of a value function that is used: the factor by which it makes intervals more precise, in games."""
WITHOUT_EFFECT = ("illegal_action", "max_decisions")


@dataclass(frozen=True)
class ValueNetwork:
    """A value function that is a network with one or more hidden layers."""

    name: str
    rules: Rules
    gain: float
    """The factor by which fewer duplicate deals were needed for the same interval, on deals that it was not trained
    on."""
    layers: tuple[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], ...]
    """Weights [inputs, outputs] and biases [outputs]."""

    def __call__(self, rows: Array) -> npt.NDArray[np.float32]:
        """Values float32 [M, players] of positions uint8 [M, columns]."""
        x = rows.astype(np.float32)
        for number, (weight, bias) in enumerate(self.layers):
            x = (np.maximum(x, 0) if number else x) @ weight + bias
        likely = np.exp(x - x.max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    def save(self, path: Path) -> None:
        """Write the network, its weights as float16."""
        card = {"format": FORMAT, "rules": self.rules.to_dict(), "gain": self.gain}
        tensors = {}
        for number, (weight, bias) in enumerate(self.layers):
            tensors[f"{number}.weight"], tensors[f"{number}.bias"] = weight.astype(np.float16), bias.astype(np.float16)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, save(tensors, {METADATA_KEY: json.dumps(card)}))

    @classmethod
    def load(cls, path: Path) -> "ValueNetwork":
        """The network in a file. Raises ValueError if it holds none, and OSError if it cannot be read."""
        check_file(path)
        try:
            with safe_open(path, "numpy") as file:
                card = parse_json((file.metadata() or {}).get(METADATA_KEY, "null"))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
            if not isinstance(card, dict) or card.get("format") != FORMAT:
                raise ValueError(f"it is no value function of format {FORMAT}")
            rules, gain = Rules.from_dict(card["rules"]), float(card["gain"])
            layers = _layers(tensors, rules.players)
        except (SafetensorError, ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{str(path)!r} cannot be used to take luck out: {reason_of(error)}") from None
        return cls(path.stem, rules, gain, layers)


def _layers(tensors: Mapping[str, Array], players: int) -> tuple[tuple[Array, Array], ...]:
    number, width = len(tensors) // 2, num_columns(players)
    if not number or set(tensors) != {f"{layer}.{part}" for layer in range(number) for part in ("weight", "bias")}:
        raise ValueError("its weights have other names")
    layers = []
    for layer in range(number):
        weight, bias = (tensors[f"{layer}.{part}"].astype(np.float32) for part in ("weight", "bias"))
        if bias.ndim != 1 or weight.shape != (width, len(bias)) or not np.isfinite(weight.sum() + bias.sum()):
            raise ValueError(f"layer {layer} has weights of shape {weight.shape} for {width} inputs")
        layers.append((weight, bias))
        width = len(bias)
    if width != players:
        raise ValueError(f"it gives {width} values for {players} players")
    return tuple(layers)


def shipped_values() -> list[str]:
    """Names of the value functions that are there, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.safetensors"))


def values_for(rules: Rules) -> ValueNetwork:
    """The shipped value function for some rules. Raises ValueError if luck cannot be taken out of such games."""
    check_rules(rules)
    for name in shipped_values():
        values = ValueNetwork.load(FOLDER / f"{name}.safetensors")
        if _decisive(values.rules) == _decisive(rules):
            return values
    raise ValueError(
        f"luck cannot be taken out of games by these rules: there are value functions for {', '.join(shipped_values())}"
    )


def worthwhile_values(rules: Rules) -> ValueNetwork | None:
    """The shipped value function for some rules, or None if there is none, or it gains too little."""
    try:
        values = values_for(rules)
    except ValueError:
        return None
    return values if values.gain >= LEAST_GAIN else None


def _decisive(rules: Rules) -> dict[str, Any]:
    return {name: value for name, value in rules.to_dict().items() if name not in WITHOUT_EFFECT}
