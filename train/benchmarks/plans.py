"""Plans of the benchmarks: a dataclass for each, whose fields are the options of its command.

A field's type says what it allows and the text below it is its help. ``rules`` are made of ``--rules`` and
``--players``, ``changes`` of the options that no field has; where the option has another name, ``option`` in the
field's metadata gives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from train.common.options import MOST_DEALS, Agent, Count, Deals, Seed
from train.common.suite import LATEST
from uno_env.rules import Rules


@dataclass(frozen=True)
class RunPlan:
    """Train algorithms on tracks of the suite with the same budget and several seeds, and measure all against the same
    opponents. The same command resumes."""

    tracks: tuple[str, ...] = ()
    """tracks of the suite: duel-2p, classic-2p, classic-4p, house-4p, rlcard-2p, unseen-rules"""
    suite: str = LATEST
    """the suite"""
    decisions: Annotated[int, Meta(ge=0)] = field(default=0, metadata={"option": "budget"})
    """decisions of each run, such as 5e6, 0: no limit; all seats count, even if only one learns. The suite's budgets
    are 1e6 and 2e7"""
    minutes: Annotated[float, Meta(ge=0)] = 0.0
    """minutes of each run with its evaluations, 0: no limit"""
    algorithms: tuple[str, ...] = ("ppo", "dmc", "mmd", "sb3_ppo")
    """the algorithms, with what they change in their configs behind them, such as ppo or ppo?n_epochs=1;
    path/to/file.py:Class is one of your own"""
    policies: tuple[Annotated[str, Meta(title="NAME=FILE,FILE…")], ...] = ()
    """policies trained elsewhere, to measure beside them: a name and a file for each seed, such as
    mine=seed0.safetensors,seed1.onnx or theirs=rlcard:random"""
    seeds: Annotated[int, Meta(ge=1, le=1000)] = 5
    """runs of each algorithm on each track"""
    seed: Annotated[int, Meta(ge=0, le=2**62)] = 0
    """seed of the first runs; the next runs have the next seeds"""
    deals: Annotated[int, Meta(ge=0, le=MOST_DEALS)] = 0
    """duplicate deals against each opponent, 0: those of the track; with others there is nothing to submit"""
    curve_deals: Deals = 1_000
    """duplicate deals for each point of the learning curves"""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """threads, 0: one for each core"""
    changes: Mapping[str, str] = field(default_factory=dict)
    """any key that all the configs have can be changed, such as --hidden '[64, 64]'"""


@dataclass(frozen=True)
class ChatPlan:
    """Measure a language model, or any other agent through the same text door: its choices in positions of the suite,
    hands against three anchors without the luck of drawn cards, its answers, tokens and cost. The same command
    resumes."""

    agent: Agent
    """chat:http://HOST:PORT/v1?model=NAME, or any other agent"""
    rules: Rules
    positions: Annotated[int, Meta(ge=2)] = 200
    """positions, as many of each track; fewer are drawn by the seed"""
    tracks: tuple[str, ...] = ()
    """tracks of the positions (default: all that have some)"""
    suite: str = LATEST
    """the suite"""
    hands: Annotated[int, Meta(ge=1, le=MOST_DEALS)] = 100
    """hands against each anchor"""
    against: tuple[Agent, ...] = ("random-play", "greedy", "tuned")
    """the anchors"""
    seed: Seed = 0
    """seed of the deals and of all randomness"""


@dataclass(frozen=True)
class ExploitPlan:
    """Train a network by PPO as a best response to an agent, and measure how much it wins above par: a lower bound of
    what the agent can lose."""

    agent: Agent
    """the agent to attack, named as for `uno evaluate`"""
    rules: Rules
    decisions: Count = 5_000_000
    """decisions that the attacker trains for"""
    deals: Deals = 10_000
    """duplicate deals that the attacker is measured on"""
    luck_adjusted: bool = False
    """take the luck of drawn cards out of the gain: fewer hands are needed"""
    seed: Seed = 0
    """seed of the training, of the deals and of the agents"""
