"""What each benchmark measures: a dataclass for each, whose fields are the options of its command.

A field's type says what it allows and the text below it is its help. ``rules`` are made of ``--rules`` and
``--players``, ``changes`` of the options that no field has; where the option has another name, ``option`` in the
field's metadata gives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from train.benchmarks.tracks import REPORT_SEED
from train.common.options import Agent, Count, Deals, Seed
from uno_env.rules import Rules


@dataclass(frozen=True)
class SpeedPlan:
    """Measure the speed of the environments beside RLCard's and OpenSpiel's, also with more games and players."""

    repeats: Count = 5
    """how often each is measured"""
    seconds: Annotated[float, Meta(gt=0)] = 1.0
    """seconds of each measurement"""
    no_curves: bool = False
    """measure only the table"""
    seed: Seed = 0
    """seed of the games and of the actions"""


@dataclass(frozen=True)
class AlgorithmsPlan:
    """Train algorithms on one or more tracks with the same budget and several seeds, and measure all on the same
    ladder. The same command resumes."""

    tracks: tuple[str, ...] = field(default=("duel-2p",), metadata={"option": "track"})
    """some of duel-2p, classic-2p, classic-4p, house-4p and rlcard-2p"""
    decisions: Annotated[int, Meta(ge=0)] = field(default=0, metadata={"option": "budget"})
    """decisions of each run, such as 5e6, 0: no limit; all seats count, even if only one learns"""
    minutes: Annotated[float, Meta(ge=0)] = 0.0
    """minutes of each run with its evaluations, 0: no limit"""
    algorithms: tuple[str, ...] = ("ppo", "dmc", "mmd", "sb3_ppo")
    """the algorithms, with what they change in their configs behind them, such as ppo or ppo?n_epochs=1;
    path/to/file.py:Class is one of your own"""
    policies: tuple[Annotated[str, Meta(title="NAME=FILE,FILE…")], ...] = ()
    """policies trained elsewhere, to measure beside them: a name and a file for each seed, such as
    mine=seed0.safetensors,seed1.onnx or theirs=rlcard:nfsp=runs/rlcard-nfsp.safetensors"""
    seeds: Annotated[int, Meta(ge=1, le=1000)] = 5
    """runs of each algorithm on each track"""
    seed: Annotated[int, Meta(ge=0, le=2**62)] = 0
    """seed of the deals and of the first runs; the next runs have the next seeds"""
    deals: Deals = 10_000
    """duplicate deals against each opponent of the ladder"""
    curve_deals: Deals = 1_000
    """duplicate deals for each point of the learning curves"""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """threads, 0: one for each core"""
    changes: Mapping[str, str] = field(default_factory=dict)
    """any key that all the configs have can be changed, such as --hidden '[64, 64]'"""


@dataclass(frozen=True)
class LadderPlan:
    """Measure all agents against the same opponents on four tracks: the ladder."""

    agents: tuple[Agent, ...] | None = None
    """the agents (default: those of `uno agents` that can play one of the tracks, and one that searches)"""
    references: tuple[Agent, ...] | None = None
    """the opponents, which are on the ladder, too (default: random-play and tuned)"""
    tracks: tuple[str, ...] = ("duel-2p", "classic-2p", "classic-4p", "house-4p")
    """some of duel-2p, classic-2p, classic-4p and house-4p"""
    deals: Deals = 100_000
    """duplicate deals of each pair in duel, a tenth of them on the other tracks"""
    search_deals: Deals = 3_000
    """duplicate deals of a pair where an agent searches"""
    seed: Seed = REPORT_SEED
    """seed of the deals and of the agents; choose agents on the deals of another one"""


@dataclass(frozen=True)
class ExploitPlan:
    """Look for a best response to an agent, by PPO and by search, and measure how much it wins above par."""

    agent: Agent
    """the agent to attack, named as for `uno evaluate`"""
    rules: Rules
    families: tuple[str, ...] = ("ppo", "search")
    """ppo, search or both"""
    decisions: Count = 5_000_000
    """decisions that PPO trains for"""
    minutes: Annotated[float, Meta(ge=0)] = 0.0
    """minutes that PPO trains for at most, 0: no limit"""
    deals: Deals = 10_000
    """duplicate deals that the trained network is measured on"""
    worlds: Count = 100
    """determinizations that the search tries an action in at most"""
    search_deals: Deals = 500
    """duplicate deals that the search is measured on"""
    seed: Seed = 0
    """seed of the training, of the deals and of the agents"""


@dataclass(frozen=True)
class AllRulesPlan:
    """Measure an agent under every preset with 2 to 10 players, and under rules drawn at random. The same command
    resumes."""

    agent: Agent
    """an agent that plays by all rules, named as for `uno evaluate`"""
    against: tuple[Agent, ...] = ("tuned", "greedy")
    """opponents, a table of each"""
    games: Annotated[int, Meta(ge=20)] = 1_000
    """games at a table of two, each deal once from every seat; with n players n - 1 times as many, so that luck moves
    the win rate by the same part of the share"""
    random_rules: Annotated[int, Meta(ge=0, le=10_000)] = 200
    """tables of rules drawn at random"""
    seed: Seed = 0
    """seed of the deals and of the agents"""
