"""The agents at the tables of the study, and how they are seated."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import agents
from agents.zoo.shipped import shipped_for
from studies import oracle
from studies.habits import Array
from train.evaluation.duplicate import (
    AGENT_STREAM,
    Played,
    agent_scores,
    deal_starts,
    derived_seed,
    duplicate_deals,
    play_deals,
)
from train.evaluation.estimate import Estimate
from train.evaluation.tournament import is_slow
from uno_env import Rules
from uno_env.player import Player

WEAK, STRONG, BEST = "random-play", "tuned", "the best policy"
"""Three kinds of players: any card that fits, the strongest scripted one, the saved policy that comes for the rules."""

WHO = f"""At each table, all players are of one kind. `{WEAK}` plays any card that fits. `{STRONG}` is the strongest
scripted player. "{BEST.capitalize()}" is the trained network that is included for these rules. Where none is included,
there is no figure."""
"""Tells them on a page."""

SECONDS = 3
"""Assumed for a decision at a real table."""


@cache
def best_policy(rules: Rules) -> str | None:
    """The saved policy that is included for some rules, if there is one."""
    return next(iter(shipped_for(rules)), None)


def tables(rules: Rules) -> list[str]:
    """The agents that can play among themselves by some rules, from weak to strong."""
    policy = best_policy(rules)
    return [WEAK, STRONG, *([policy] if policy else [])]


def kind(spec: str) -> str:
    """The name of an agent over all rules: one of the three kinds, or its own name."""
    return BEST if spec.startswith("zoo:") else spec


def deals_for(deals: int, *specs: str) -> int:
    """The number of a plan's deals that are played with these agents: fewer, the longer they think."""
    if any(is_slow(spec) and spec != oracle.SPEC for spec in specs):
        return max(2, deals // 100)
    return max(2, deals if all(":" not in spec for spec in specs) else deals // 10)


def play_alike(
    spec: str,
    rules: Rules,
    deals: int,
    seed: int,
    match: bool = False,
    watch: Callable[[Array, Array, Any], object] | None = None,
) -> Played:
    """Deals, each played once, in which the same agent sits at all seats."""
    agent = _load(spec, derived_seed(seed, AGENT_STREAM), rules)
    seating = np.zeros((deals, rules.players), np.int8)
    return play_deals(seating, [agent], deal_starts(deals, seed), rules, watch=watch, match=match)


def play_duplicate(agent: str, opponent: str, rules: Rules, deals: int, seed: int, match: bool = False) -> Array:
    """Scores of an agent at a table of another, float64 [deals, players]: each deal from every seat.

    A score is 1 for a win, 0 for a loss, and 1 / players where nobody won.
    """
    starts, seating = duplicate_deals(deals, rules.players, seed)
    pair = [_load(spec, derived_seed(seed, AGENT_STREAM, index), rules) for index, spec in enumerate((agent, opponent))]
    played = play_deals(seating, pair, starts, rules, match=match)
    return agent_scores(played, seating).reshape(deals, rules.players)


def _load(spec: str, seed: int, rules: Rules) -> Player:
    return oracle.KnowsTheDeck(seed) if spec == oracle.SPEC else agents.load(spec, seed=seed, rules=rules)


def share(samples: Array) -> Estimate:
    """The frequency of an event, from float64 [N] between 0 and 1, with Wilson's interval: also 0 of N has one."""
    return Estimate.wilson(float(samples.mean()), len(samples))
