"""Agents by name: :func:`load`.

A spec is ``name?option=value&option=value``. The name is one of :func:`names`, or the path of a saved policy; kinds of
agents that need an argument are written ``kind:argument`` (``zoo:NAME`` is a policy that comes with the package,
``policy:PATH`` the long form of a path).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import POLICY_SUFFIX, check_rules, load_policy
from agents.scripted.agent import STRATEGIES, ScriptedAgent
from agents.scripted.tuned import load_weights
from agents.search.cheating import load_cheat
from agents.search.search_agents import OPTIONS as SEARCH_OPTIONS
from agents.search.search_agents import load_search
from agents.zoo.shipped import KIND, shipped, shipped_file
from uno_env.common.spelling import did_you_mean
from uno_env.rules import Rules, as_rules

Options = Mapping[str, str]


@dataclass(frozen=True)
class _Loader:
    """One way to make agents: from a name or what follows the colon, options, a seed, and the rules or None."""

    load: Callable[[str, Options, int, Rules | None], Agent]
    options: tuple[str, ...] = ()


def load(spec: str | Path, seed: int = 0, rules: Rules | str | Mapping[str, Any] | None = None) -> Agent:
    """The agent of a spec: ``"greedy"``, ``"zoo:duel-2p"``, ``"runs/duel/policy.safetensors"``, ``"search:pimc"``.

    Options of a saved policy: ``sample=1`` draws each action with its probability instead of taking the most probable;
    ``any_rules=1`` skips the comparison of rules. ``tuned?weights=FILE`` plays by other weights.

    Args:
        spec: a name of :func:`names`, or the path of a saved policy; options follow a question mark.
        seed: what the agent's own chance begins with.
        rules: rules that it is to play by; a policy trained for others is refused.

    Raises:
        ValueError: there is no such agent, option or file, or the policy is damaged or for other rules.
    """
    body, _, query = str(spec).partition("?")
    loader, argument = _find(body)
    options = _parse_options(str(spec), query)
    for option in options:
        if option not in loader.options:
            meant = did_you_mean(option, loader.options)
            allowed = f"options are {', '.join(loader.options)}" if loader.options else "it takes none"
            raise ValueError(f"agent {str(spec)!r} has no option {option!r}{meant}: {allowed}")
    return loader.load(argument, options, seed, None if rules is None else as_rules(rules))


def names() -> list[str]:
    """Names that :func:`load` knows, those of shipped policies (``zoo:…``) last; it also takes paths of saved ones."""
    return [*_NAMED, *(f"{KIND}:{name}" for name in shipped())]


def _find(body: str) -> tuple[_Loader, str]:
    """The loader for a spec without its options, and the name, path or other argument it is to load."""
    kind, colon, argument = body.partition(":")
    if body in _NAMED:
        return _NAMED[body], body
    if colon and kind in _KINDS:
        return _KINDS[kind], argument
    if Path(body).is_file() or "/" in body or "\\" in body or body.endswith(POLICY_SUFFIX):
        return _KINDS["policy"], body
    raise ValueError(
        f"unknown agent {body!r}{did_you_mean(body, names())}: there are {', '.join(names())}, "
        "or the path of a saved policy"
    )


def _parse_options(spec: str, query: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        option, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"agent {spec!r} has the option {part!r} without a value: write option=value")
        if option in options:
            raise ValueError(f"agent {spec!r} gives the option {option!r} twice")
        options[option] = value
    return options


def _flag(options: Options, option: str) -> bool:
    value = options.get(option, "0")
    if value not in ("0", "1"):
        raise ValueError(f"{option}={value!r} is not allowed: choose 0 or 1")
    return value == "1"


def _load_scripted(name: str, options: Options, seed: int, rules: Rules | None) -> Agent:
    weights = load_weights(Path(options["weights"])) if "weights" in options else None
    return ScriptedAgent(name, seed, weights)


def _load_cheat(method: str, options: Options, seed: int, rules: Rules | None) -> Agent:
    return load_cheat(method, options, seed)


def _load_search(method: str, options: Options, seed: int, rules: Rules | None) -> Agent:
    return load_search(method, options, seed)


def _load_policy(path: str, options: Options, seed: int, rules: Rules | None, name: str = "") -> Agent:
    sample, any_rules = _flag(options, "sample"), _flag(options, "any_rules")
    weights, card = load_policy(path)
    if rules is not None and not any_rules:
        check_rules(name or path, card, rules)
    return PolicyAgent(name or path, weights, card, seed, sample)


def _load_shipped(name: str, options: Options, seed: int, rules: Rules | None) -> Agent:
    return _load_policy(str(shipped_file(name)), options, seed, rules, f"{KIND}:{name}")


def _load_rlcard(name: str, options: Options, seed: int, rules: Rules | None) -> Agent:
    from agents.rlcard.bridge import RLCardAgent, load_rlcard

    if rules is not None and rules.dialect != "rlcard":
        raise ValueError(f"agent 'rlcard:{name}' knows no other rules than RLCard's: choose the preset rlcard")
    return RLCardAgent(load_rlcard(name), f"rlcard:{name}", seed)


_NAMED: dict[str, _Loader] = {
    **dict.fromkeys(STRATEGIES, _Loader(_load_scripted)),
    "tuned": _Loader(_load_scripted, ("weights",)),
}
"""Agents that a name says all about."""

_KINDS: dict[str, _Loader] = {
    "policy": _Loader(_load_policy, ("sample", "any_rules")),
    KIND: _Loader(_load_shipped, ("sample", "any_rules")),
    "rlcard": _Loader(_load_rlcard),
    "search": _Loader(_load_search, SEARCH_OPTIONS),
    "cheat": _Loader(_load_cheat, SEARCH_OPTIONS),
}
"""Agents written ``kind:argument``."""
