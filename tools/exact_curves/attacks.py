"""The attack of ``uno benchmark exploit`` on tiny decks: which share of the true exploitability it finds.

``python -m tools.exact_curves.attacks`` attacks each victim on each deck with each budget, computes what the attacker
wins exactly, without deals, and divides it by what a best response wins. Results are kept as those of the curves are.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

import agents
from tools.exact_curves.decks import DECKS, Deck, load_deck
from tools.exact_curves.learners import DEFAULTS
from tools.exact_curves.runs import ATTACKS, add_line, read_lines
from train.algorithms.registry import config_of, train
from train.benchmarks.exploit import measure as attack
from train.benchmarks.plans import ExploitPlan
from train.common.processes import torch_threads
from train.evaluation.exact.measure import measure
from train.evaluation.exact.probabilities import agent_policy
from train.evaluation.exact.sweeps import Floats, add_ends, ends_of, states_of, write_plan

BUDGETS = (100_000, 500_000)
"""Decisions of the attacker."""
SCRIPTED = ("tuned", "greedy", "random-play", "random")
NETWORKS = (30_000, 100_000, 300_000, 1_000_000)
"""Decisions that victims were trained for by mmd: from weak to near an equilibrium. They draw from their
probabilities."""
LEARNING_RATE = 0.01
DEALS = 200
"""Only the exact value is used."""


@dataclass(frozen=True)
class PlannedAttack:
    """An attack: what it is known by."""

    deck: str
    victim: str
    decisions: int
    seed: int = 0


def planned() -> Iterator[PlannedAttack]:
    """All attacks, the small decks first."""
    victims = [*(f"mmd-{decisions}" for decisions in NETWORKS), *SCRIPTED]
    for deck in DECKS[:2]:
        for decisions in BUDGETS:
            yield from (PlannedAttack(deck, victim, decisions) for victim in victims)


def victim_spec(deck: Deck, victim: str, folder: Path) -> str:
    """The spec of a victim; a network is trained in a folder, unless it is there."""
    name, _, decisions = victim.rpartition("-")
    if name != "mmd":
        return victim
    run = folder / f"{deck.name}-{victim}"
    if not (run / "policy.safetensors").exists():
        budget = {"total_timesteps": int(decisions), "checkpoint_every": 0, "learning_rate": LEARNING_RATE}
        where = {"folder": str(folder), "name": run.name, "rules": deck.tree.rules.to_dict()}
        run = train(config_of({**DEFAULTS["mmd"], **budget, **where}))
    return f"{run / 'policy.safetensors'}?sample=1"


def won_by(deck: Deck, attacker: Floats, victim: Floats) -> float:
    """What an attacker at one seat wins against a victim at the other, exactly: mean over seats, in rewards.

    Args:
        deck: the deck.
        attacker: probability of each sequence's action in its state, float64 [S].
        victim: the same.
    """
    tree = deck.tree
    states, ends, seats = states_of(tree), ends_of(tree), np.append(np.int8(-1), np.repeat(tree.seats, tree.counts))
    plans, won = {}, 0.0
    for name, policy in (("attacker", attacker), ("victim", victim)):
        plans[name] = np.zeros(len(policy))
        write_plan(states, policy, -1, plans[name])
    for seat in range(tree.rules.players):
        worth = np.zeros(len(attacker))
        add_ends(ends, plans["victim"], seat, worth)
        won += worth[0] + float(np.where(seats == seat, plans["attacker"], 0) @ worth)
    return won / tree.rules.players


def carry_out(planned_attack: PlannedAttack, folder: Path) -> dict[str, Any]:
    """Attack a victim; its true exploitability and what the attack found of it, in rewards."""
    deck = load_deck(planned_attack.deck)
    spec = victim_spec(deck, planned_attack.victim, folder)
    plan = ExploitPlan(spec, deck.tree.rules, planned_attack.decisions, DEALS, seed=planned_attack.seed)
    with TemporaryDirectory() as made:
        found = attack(plan, Path(made) / "attack")
        attacker = agent_policy(agents.load(found["policy"], rules=deck.tree.rules), deck.tree)
    victim = agent_policy(agents.load(spec, rules=deck.tree.rules), deck.tree)
    truth, won = measure(deck.tree, victim).exploitability, won_by(deck, attacker, victim)
    told = {name: found[name] for name in ("gain", "low", "high", "seconds")}
    begun = "itself" if found["begun_as"] == spec else found["begun_as"]
    return {"exploitability": round(truth, 6), "found": round(won, 6), "begun_as": begun, **told}


def main() -> None:
    """Read the command line and attack."""
    parser = argparse.ArgumentParser(prog="python -m tools.exact_curves.attacks", description=__doc__)
    parser.add_argument("--out", type=Path, default=ATTACKS, help="the file of results, one JSON object a line")
    parser.add_argument("--victims", type=Path, default=Path("runs/exact-victims"), help="where networks are trained")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no attack after that many minutes")
    parser.add_argument("--decks", nargs="*", choices=DECKS, default=DECKS)
    chosen = parser.parse_args()
    end, names = time.monotonic() + 60 * chosen.minutes, PlannedAttack.__dataclass_fields__
    there = {PlannedAttack(**{name: line[name] for name in names}) for line in read_lines(chosen.out)}
    torch.set_num_threads(1)
    for each in planned():
        if each in there or each.deck not in chosen.decks or time.monotonic() > end:
            continue
        with torch_threads(1):
            result = carry_out(each, chosen.victims)
        add_line(chosen.out, asdict(each), result)
        print(f"{each.deck} {each.victim} {each.decisions:,}: {result['found']:.4f} of {result['exploitability']:.4f}",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
