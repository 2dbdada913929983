"""What each benchmark measures: a dataclass for each, whose fields are the options of its command.

A field's type says what it allows and the text below it is its help. ``rules`` are made of ``--rules`` and
``--players``, ``changes`` of the options that no field has; where the option has another name, ``option`` in the
field's metadata gives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from train.common.options import Agent, Count, Deals, Seed
from uno_env.rules import Rules


@dataclass(frozen=True)
class SpeedPlan:
    """Measure the environments side by side with RLCard's and OpenSpiel's, and time and memory over numbers of games
    and players."""

    repeats: Count = 5
    """turns of each"""
    seconds: Annotated[float, Meta(gt=0)] = 1.0
    """length of a turn"""
    no_curves: bool = False
    """measure the table only"""
    seed: Seed = 0
    """seed of the games and of the actions"""


@dataclass(frozen=True)
class TrainingSpeedPlan:
    """Measure the speed of PPO by self-play, side by side with SB3's MaskablePPO on the same games with the same
    network, with our hyperparameters and with its own."""

    repeats: Count = 5
    """turns of each"""
    seconds: Annotated[float, Meta(ge=0)] = 5
    """length of a turn"""


@dataclass(frozen=True)
class AlgorithmsPlan:
    """Train algorithms on one or more tracks with the same budget, over several seeds, and measure all on the same
    ladder; stopped and repeated it goes on."""

    tracks: tuple[str, ...] = field(default=("duel-2p",), metadata={"option": "track"})
    """some of duel-2p, classic-2p, classic-4p, house-4p and rlcard-2p"""
    decisions: Annotated[int, Meta(ge=0)] = field(default=0, metadata={"option": "budget"})
    """decisions that each run trains for, such as 5e6, 0: no limit; those of all seats count, also where only one
    learns"""
    minutes: Annotated[float, Meta(ge=0)] = 0.0
    """minutes that each run takes, evaluations on the way included, 0: no limit"""
    algorithms: tuple[str, ...] = ("ppo", "dmc", "mmd", "sb3_ppo", "sb3_dqn", "sb3_qrdqn")
    """the algorithms, with what they change in their configs behind them, such as ppo or ppo?n_epochs=1;
    path/to/file.py:Class is one of your own"""
    policies: tuple[Annotated[str, Meta(title="NAME=FILE,FILE…")], ...] = ()
    """policies trained elsewhere, which are measured beside them: a name, and a file for each seed, such as
    mine=seed0.safetensors,seed1.onnx or theirs=rlcard:nfsp=runs/rlcard-nfsp.safetensors"""
    seeds: Annotated[int, Meta(ge=1, le=1000)] = 5
    """runs of each algorithm on each track"""
    seed: Annotated[int, Meta(ge=0, le=2**62)] = 0
    """seed of the first runs (the next ones have the next seeds), and of the deals"""
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
    """Measure all agents against references in duel, classic 2, classic 4 and house 4: the ladder."""

    agents: tuple[Agent, ...] | None = None
    """the agents (default: all that `uno agents` lists and that can play one of the tracks, and some that search)"""
    references: tuple[Agent, ...] | None = None
    """opponents of all agents, which are on the ladder, too (default: random-play and tuned)"""
    tracks: tuple[str, ...] = ("duel-2p", "classic-2p", "classic-4p", "house-4p")
    """some of duel-2p, classic-2p, classic-4p and house-4p"""
    deals: Deals = 100_000
    """duplicate deals of each pair in duel, a tenth of them on the other tracks"""
    search_deals: Deals = 3_000
    """duplicate deals of a pair where an agent searches"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


@dataclass(frozen=True)
class RLCardPlan:
    """Let a pair play in our rlcard preset and in RLCard's own environment."""

    agent: Agent
    """as for `uno evaluate`; rlcard:random, rlcard:uno-rule-v1, rlcard:dmc=FILE and rlcard:nfsp=FILE (`uno
    train-rlcard`) are RLCard's own"""
    against: tuple[Agent, ...] = ("rlcard:random", "rlcard:uno-rule-v1")
    """opponents"""
    games: Annotated[int, Meta(ge=4, multiple_of=2, description="an even number, 4 or more")] = 20_000
    """games at each table, an even number, since each deal is played from both seats"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


@dataclass(frozen=True)
class AblationPlan:
    """Take ideas away from tuned, and measure what that costs."""

    deals: Deals = 100_000
    """duplicate deals for each change, with 2 and with 4 players"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


@dataclass(frozen=True)
class ExploitPlan:
    """Look for a best response to an agent, by PPO and by search, and say what it gains over its share."""

    agent: Agent
    """the agent to attack, as for `uno evaluate`"""
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
class SearchPlan:
    """Measure what a network is worth to the searches as prior, rollouts and value, alone and together: strength and
    time."""

    policy: Agent
    """the network: zoo:NAME, or the path of a saved policy; its rules are played"""
    rules: Rules
    contenders: tuple[str, ...] | None = None
    """some of those in train/benchmarks/search.py (default: all)"""
    worlds: Annotated[int, Meta(ge=2)] = 64
    """determinizations of flat Monte Carlo"""
    sims: Annotated[int, Meta(ge=2)] = 256
    """simulations of ismcts"""
    deals: Deals = 20_000
    """duplicate deals of a pair in which no agent searches"""
    search_deals: Deals = 500
    """duplicate deals of a pair in which an agent searches"""
    positions: Count = 100
    """decisions that are timed"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


@dataclass(frozen=True)
class AllRulesPlan:
    """Measure an agent by every preset with 2 to 10 players, and by rules drawn at random; stopped and repeated it goes
    on."""

    agent: Agent
    """an agent that plays by all rules, as for `uno evaluate`"""
    against: tuple[Agent, ...] = ("tuned", "greedy")
    """opponents, a table of each"""
    games: Annotated[int, Meta(ge=20)] = 2_000
    """games at each table: each deal is played once from every seat"""
    random_rules: Annotated[int, Meta(ge=0, le=10_000)] = 200
    """tables of rules drawn at random"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


@dataclass(frozen=True)
class ShipPlan:
    """Measure a run's policy against the agents of the ladder, and write its file and its model card; stopped and
    repeated it goes on."""

    target: Annotated[Path, Meta(title="RUN")]
    """the folder of a run"""
    name: str
    """a preset, the number of players, and more if need be: duel-2p"""
    deals: Deals = 20_000
    """duplicate deals against each agent"""
    search_deals: Annotated[int, Meta(ge=0)] = 500
    """duplicate deals in duel against an agent that searches, a tenth of them elsewhere; 0: none"""
    seed: Seed = 0
    """seed of the deals and of the agents"""
