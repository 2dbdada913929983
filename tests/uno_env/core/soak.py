"""A long run of the engine against the invariant checker: ``python -m tests.uno_env.core.soak --decisions
100_000_000``.

Random rule sets over every switch, single hands and matches, 2–10 players; uniformly random legal actions in batches;
every state is checked. A fault is printed with its rules and seed, and the exit code is 1.
"""

import argparse
import random
import sys
import time

import numpy as np

from tests.helpers.random_rules import random_rules
from uno_env import BatchedGames
from uno_env.actions import NUM_ACTIONS
from uno_env.core.jit.njit import njit
from uno_env.core.loops.invariant_bits import fault_bits
from uno_env.core.packed_games import whole
from uno_env.invariants import Fault

GAMES, STEPS = 256, 400


@njit
def faults_of(games, rules, mask):
    """The faults of all games, as bits."""
    bits = 0
    for index in range(len(games)):
        bits |= fault_bits(games[index], rules, mask)
    return bits


def soak(decisions: int, seed: int) -> int:
    """Check at least ``decisions`` states; the number of rule sets with a fault."""
    chance = random.Random(seed)
    mask = np.zeros(NUM_ACTIONS, np.uint8)
    done = hands = rule_sets = faulty = 0
    start = time.monotonic()
    while done < decisions:
        rules, match = random_rules(chance), chance.random() < 0.5
        batch = BatchedGames(GAMES, rules, seed=chance.randrange(2**63), match=match, obs_dtype="uint8")
        batch.reset()
        bits = 0
        for _ in range(STEPS):
            bits |= faults_of(whole(batch.games), batch._record, mask)
            batch.step(batch.sample_actions())
            hands += int(batch.hand_done.sum())
        done, rule_sets = done + GAMES * STEPS, rule_sets + 1
        if bits:
            faulty += 1
            names = [fault.name for place, fault in enumerate(Fault) if bits >> place & 1]
            print(f"{names} in {rules} match={match} seed={batch.seed}", flush=True)
        if rule_sets % 50 == 0:
            left = (time.monotonic() - start) / done * (decisions - done)
            print(
                f"{done:,} decisions, {hands:,} hands, {rule_sets} rule sets, {left / 60:.1f} minutes left", flush=True
            )
    print(f"{done:,} decisions, {hands:,} hands, {rule_sets} rule sets, {faulty} with faults")
    return faulty


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    return int(soak(arguments.decisions, arguments.seed) > 0)


if __name__ == "__main__":
    sys.exit(main())
