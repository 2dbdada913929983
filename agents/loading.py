"""Agents by name: :func:`load`.

A spec is ``name?option=value&option=value``. The name is one of :func:`names`, or the path of a saved policy; kinds of
agents that need an argument are written ``kind:argument`` (``zoo:NAME`` is a policy that comes with the package,
``policy:PATH`` the long form of a path). ``zoo`` alone is the best of those that come with it for the rules.
``module:Name`` and ``path/to/file.py:Name`` are code of users (:mod:`agents.custom_agents`).
``https://HOST/policy.safetensors#sha256=DIGITS`` is a policy that is fetched (:mod:`agents.policy.downloaded`).
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.chat.chat_agent import KIND as CHAT
from agents.chat.chat_agent import ChatAgent, ChatOptions
from agents.custom_agents import make_agent, object_of, offered, options_of
from agents.options import Flag, NoOptions, parse_options
from agents.policy.downloaded import SCHEMES, downloaded
from agents.policy.onnx_agent import OnnxAgent
from agents.policy.onnx_file import load_onnx
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import (
    ONNX_SUFFIX,
    POLICY_SUFFIX,
    HasRules,
    check_edition,
    check_rules,
    load_policy,
    policy_path,
)
from agents.scripted.agent import STRATEGIES, ScriptedAgent
from agents.scripted.honest import HonestAgent
from agents.scripted.tuned_weights import load_weights
from agents.search.cheating import CheatingAgent
from agents.search.search_agents import FlatAgent, IsmctsAgent, PimcAgent
from agents.search.search_options import FlatOptions, IsmctsOptions, PimcOptions
from agents.trust import Risk, refusal, verify_name
from agents.zoo.shipped import KIND, best_for, shipped, shipped_file
from uno_env.common.importing import names_object
from uno_env.common.spelling import did_you_mean, unknown_name
from uno_env.rules import Rules, as_rules


class _Request(NamedTuple):
    """Everything that a loader needs to make an agent."""

    spec: str
    argument: str
    """The spec without its options, or the part behind its colon."""
    options: Any
    seed: int
    rules: Rules | None
    trusted: bool


class _Loader(NamedTuple):
    """One way to make agents."""

    load: Callable[[_Request], Agent]
    options: type = NoOptions
    """Dataclass of the options that it takes."""


@dataclass(frozen=True)
class _ScriptedOptions:
    bluff: Flag = 1


@dataclass(frozen=True)
class _TunedOptions(_ScriptedOptions):
    weights: str | None = None


@dataclass(frozen=True)
class _PolicyOptions:
    sample: Flag = 0
    any_rules: Flag = 0


def load(
    spec: str | Path, seed: int = 0, rules: Rules | str | Mapping[str, Any] | None = None, trusted: bool = True
) -> Agent:
    """The agent of a spec: ``"greedy"``, ``"zoo:duel-2p"``, ``"runs/duel/policy.safetensors"``, ``"net.onnx"``,
    ``"search:pimc"``, ``"my_agents.py:Careful"``, ``"https://HOST/policy.safetensors#sha256=DIGITS"``.

    Options of a saved policy: ``sample=1`` draws each action with its probability instead of taking the most probable;
    ``any_rules=1`` skips the comparison of rules, but for their edition. ``tuned?weights=FILE`` plays by other weights.
    With ``bluff=0``, a scripted agent lays no Wild Draw Four of which a challenge would find it guilty.

    Args:
        spec: a name of :func:`names`, or the path of a saved policy or of a run; options follow a question mark.
        seed: of the agent's own random generator.
        rules: rules that it is to play by; a policy trained for others is refused.
        trusted: whether the spec is the user's own. One from a file or a message is not trusted: names of code
            (``module:Name``), addresses, and agents that see all hands are refused in it (:mod:`agents.trust`). Names
            that installed packages offer do not count as code.

    Raises:
        ValueError: there is no such agent, option or file, the policy is damaged or for other rules, or the file behind
            an address cannot be had, or is not the one that its digest says.
    """
    text = str(spec)
    if not trusted:
        verify_name(text)
    loader, argument = _find(text.partition("?")[0])
    options: Any = parse_options(text, loader.options)
    agent = loader.load(_Request(text, argument, options, seed, None if rules is None else as_rules(rules), trusted))
    if agent.sees_all_hands and not trusted:  # one that an installed package offers
        raise refusal(text, Risk.ALL_HANDS)
    return agent


def names() -> list[str]:
    """Names that :func:`load` knows: scripted strategies, agents of other packages (:mod:`agents.custom_agents`), and
    shipped policies (``zoo:…``). It also takes paths of saved policies, and names of code."""
    others = [name for name in offered() if name not in _NAMED]
    return [*_NAMED, *others, *(f"{KIND}:{name}" for name in shipped())]


def _find(body: str) -> tuple[_Loader, str]:
    """The loader for a spec without its options, and the name, path or other argument it is to load."""
    kind, colon, argument = body.partition(":")
    if body in _NAMED:
        return _NAMED[body], body
    if body == KIND:
        return _Loader(_load_best, _PolicyOptions), body
    if colon and kind in _METHODS:
        if argument not in _METHODS[kind]:
            meant = did_you_mean(argument, _METHODS[kind])
            text = f"unknown {kind} {argument!r}{meant}: there are {', '.join(_METHODS[kind])}"
            known = [f"{kind}:{method}" for method in _METHODS[kind]]
            raise unknown_name(text, "agent", body, known, agent=body)
        return _METHODS[kind][argument], argument
    if colon and kind in _KINDS:
        return _KINDS[kind], argument
    if body in offered() or (names_object(body) and not os.path.isfile(body)):
        return _outside(body), body
    if os.path.isfile(policy_path(body)) or "/" in body or "\\" in body or body.endswith((POLICY_SUFFIX, ONNX_SUFFIX)):
        return _KINDS["policy"], body
    text = (
        f"unknown agent {body!r}{did_you_mean(body, names())}: there are {', '.join(names())}, "
        "the path of a saved policy or a run, or module:Name for code of your own"
    )
    raise unknown_name(text, "agent", body, names(), agent=body)


def _outside(body: str) -> _Loader:
    """The loader of an agent that is code of a user, or of another package."""
    thing = object_of(body)
    return _Loader(
        lambda request: make_agent(request.spec, thing, request.options, request.seed, request.rules), options_of(thing)
    )


def _load_chat(request: _Request) -> Agent:
    return ChatAgent(request.spec, request.argument, request.options, request.seed)


def _load_scripted(request: _Request) -> Agent:
    file = getattr(request.options, "weights", None)
    make = ScriptedAgent if request.options.bluff else HonestAgent
    return make(request.argument, request.seed, None if file is None else load_weights(Path(file)))


def _search(make: Callable[..., Agent], options: type) -> _Loader:
    """The loader of a search agent. The policies that it is given play by its rules, or by others of their edition."""

    def load_search(request: _Request) -> Agent:
        if request.options.goal == "points" and request.rules is not None and request.rules.scoring == "hand":
            text = "goal='points' is not allowed with scoring='hand', which counts no points"
            raise ValueError(f"{request.spec!r}: {text}")
        load_named = partial(load, rules=request.rules, trusted=request.trusted)
        return make(request.spec, request.seed, request.options, load_named)

    return _Loader(load_search, options)


def _load_policy(prefix: str, request: _Request) -> Agent:
    path = shipped_file(request.argument) if prefix else request.argument
    return _saved_policy(f"{prefix}{request.argument}", path, request)


def _load_address(scheme: str, request: _Request) -> Agent:
    address = f"{scheme}:{request.argument}"
    return _saved_policy(address, downloaded(address), request)


def _saved_policy(name: str, path: str | Path, request: _Request) -> Agent:
    """The agent of a saved policy, which is called ``name``."""
    if policy_path(path).suffix == ONNX_SUFFIX:
        network = load_onnx(path)
        if request.rules is not None and network.card is not None:
            _check(name, network.card, request.rules, request.options.any_rules)
        return OnnxAgent(name, network, request.seed, bool(request.options.sample))
    weights, card = load_policy(path)
    if request.rules is not None:
        _check(name, card, request.rules, request.options.any_rules)
    return PolicyAgent(name, weights, card, request.seed, bool(request.options.sample))


def _load_best(request: _Request) -> Agent:
    """The best shipped policy for the rules."""
    rules = Rules() if request.rules is None else request.rules
    return _load_policy(f"{KIND}:", request._replace(argument=best_for(rules), rules=rules))


def _load_rlcard(request: _Request) -> Agent:
    from agents.rlcard.bridge import RLCardAgent, load_rlcard, verify_rlcard_rules

    name = f"rlcard:{request.argument}"
    verify_rlcard_rules(name, request.rules)
    return RLCardAgent(load_rlcard(request.argument), name, request.seed)


_NAMED: dict[str, _Loader] = {
    **dict.fromkeys(STRATEGIES, _Loader(_load_scripted, _ScriptedOptions)),
    "tuned": _Loader(_load_scripted, _TunedOptions),
}
"""Agents that need nothing but a name."""

_KINDS: dict[str, _Loader] = {
    "policy": _Loader(partial(_load_policy, ""), _PolicyOptions),
    KIND: _Loader(partial(_load_policy, f"{KIND}:"), _PolicyOptions),
    **{scheme: _Loader(partial(_load_address, scheme), _PolicyOptions) for scheme in SCHEMES},
    "rlcard": _Loader(_load_rlcard),
    CHAT: _Loader(_load_chat, ChatOptions),
}
"""Agents written ``kind:argument``."""

_METHODS: dict[str, dict[str, _Loader]] = {
    "search": {
        "flat": _search(FlatAgent.load, FlatOptions),
        "pimc": _search(PimcAgent.load, PimcOptions),
        "ismcts": _search(IsmctsAgent.load, IsmctsOptions),
    },
    "cheat": {"flat": _search(CheatingAgent.load, FlatOptions)},
}
"""Agents written ``kind:method``."""


def _check(name: str, card: HasRules, rules: Rules, any_rules: Flag) -> None:
    """Check that a policy is for some rules, or with ``any_rules`` for their edition."""
    if any_rules:
        check_edition(name, Rules.from_dict(card.rules), rules)
    else:
        check_rules(name, card, rules)
