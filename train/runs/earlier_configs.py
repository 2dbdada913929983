"""Configs of runs that were begun before layout 3 of the observation: :func:`config_of_today`."""

from collections.abc import Mapping
from typing import Any

from train.runs.config import make_config
from train.runs.run_config import RunConfig
from uno_env.core.arrays import Array

REMOVED: dict[str, Any] = {"critic": "shared", "teacher": "", "teacher_coef": None, "history": 0, "event_width": None}
"""Fields that there are no more, with the value that was without effect; None: any value was, beside the others."""


def config_of_today(cls: type[RunConfig], saved: Mapping[str, Any], arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The saved values of a config with the fields that there are today, for the arrays of a checkpoint.

    Raises ValueError if the run uses what was taken out.
    """
    for name, neutral in REMOVED.items():
        if neutral is not None and saved.get(name, neutral) != neutral:
            raise ValueError(
                f"{name}={saved[name]!r} is not allowed any more: only the version that began the run can continue it"
            )
    kept = {name: value for name, value in saved.items() if name not in REMOVED}
    return {**kept, "layout": _layout_of(cls, kept, arrays)}


def _layout_of(cls: type[RunConfig], saved: Mapping[str, Any], arrays: Mapping[str, Array]) -> int:
    """The layout of the observation in a run whose config does not name it, as no config did before layout 3: the one
    in which a network has as many inputs as that of the checkpoint.
    """
    first = arrays.get("network.trunk.0.weight")
    for layout in (2, 1):
        inputs = make_config(cls, {**saved, "layout": layout}).network_inputs()
        if first is None or inputs == first.shape[1]:
            return layout
    return 2
