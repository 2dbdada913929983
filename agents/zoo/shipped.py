"""Policies that come with the package: ``agents.load("zoo:duel-2p")``.

They are the files ``agents/zoo/NAME.safetensors``, each with a model card beside it, ``NAME.md``. A name says the
rules: a preset (with dashes for its underlines), the number of players, and more behind a dash if need be. ``python -m
tools.zoo add`` puts one there.
``agents.load("zoo", rules=…)`` is the best of them for some rules.
"""

import contextlib
import re
from pathlib import Path

from agents.policy.policy_file import POLICY_SUFFIX, PolicyError, check_rules, load_policy
from uno_env.common.errors import NotAllowedError
from uno_env.common.spelling import did_you_mean, unknown_name
from uno_env.rules import PRESETS, Rules

FOLDER = Path(__file__).parent
KIND = "zoo"
GENERAL = "any"
"""The policy for all rules, which reads them in the observation."""


def shipped() -> list[str]:
    """Names of the policies that are there, sorted; without ``zoo:``."""
    return sorted(path.stem for path in FOLDER.glob(f"*{POLICY_SUFFIX}"))


def shipped_file(name: str) -> Path:
    """The file of a shipped policy. Raises ValueError if there is none of that name."""
    if name not in shipped():
        there = ", ".join(f"{KIND}:{each}" for each in shipped()) or "none"
        text = f"there is no shipped policy {KIND}:{name}{did_you_mean(name, shipped())}: there are {there}"
        raise unknown_name(text, "agent", name, shipped(), agent=f"{KIND}:{name}")
    return FOLDER / f"{name}{POLICY_SUFFIX}"


def shipped_for(rules: Rules) -> list[str]:
    """Specs of the shipped policies that are for some rules, but for what no choice depends on; the best first.

    One that was trained for these rules alone is better than one that was trained for all.
    """
    specs: dict[str, bool] = {}
    for name in shipped():
        card = load_policy(shipped_file(name))[1]
        with contextlib.suppress(PolicyError):
            check_rules(name, card, rules)
            specs[f"{KIND}:{name}"] = card.random_rules > 0
    return sorted(specs, key=specs.__getitem__)


def best_for(rules: Rules) -> str:
    """The name of the best shipped policy for some rules, without ``zoo:``. Raises ValueError if there is none."""
    fitting = shipped_for(rules)
    if not fitting:
        there = ", ".join(f"{KIND}:{each}" for each in shipped()) or "none"
        raise NotAllowedError(f"there is no shipped policy for these rules: there are {there}", "network_for_rules")
    return fitting[0].removeprefix(f"{KIND}:")


def track_named(name: str) -> tuple[str, int]:
    """The preset and the number of players that a shipped policy's name says: those of ``house-4p-large`` are ``house``
    and 4, those of ``no-mercy-2p`` are ``no_mercy`` and 2. Raises ValueError if it says none.
    """
    said = re.fullmatch(r"(.+?)-([0-9]+)p(-.*)?", name)
    preset = said[1].replace("-", "_") if said else ""
    if said is None or preset not in PRESETS:
        raise ValueError(
            f"{name!r} is no name of a shipped policy: write a preset and the number of players, such as duel-2p; "
            f"presets are {', '.join(PRESETS)}"
        )
    return preset, int(said[2])


def track_rules(name: str) -> Rules:
    """The rules that a shipped policy's name says (:func:`track_named`); of ``any``, those that stand first in its
    card. Raises ValueError if it says none.
    """
    if name == GENERAL:
        return Rules()
    preset, players = track_named(name)
    return Rules.preset(preset, players=players)
