"""Positions with the values of their actions: ``python -m tools.positions TRACK [--positions N] [--budget N]``.

Decisions of hands that a policy plays against itself are sampled, as many early, middle and late ones (by the smallest
hand), and as many where little, some and much is at stake (what the worst action loses). The same command resumes.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

import agents
from tools import ROOT
from train.common.progress import progress_bar
from train.common.suite import LATEST, read_suite
from train.evaluation.choices.action_values import ActionValues, values_in_game
from train.evaluation.choices.positions import PositionSet, ValuedPosition, read_positions
from uno_env.common.files import write_json
from uno_env.game import Game
from uno_env.rules import Rules

PHASES, STAKES = ("late", "middle", "early"), ("little", "some", "much")
SMALLEST_HANDS, LOST = (2, 4), (0.02, 0.1)
"""Cards of the smallest hand, and win rates lost by the worst action, up to which a decision is of the first two."""
GLANCE = 400
"""Playouts by which the stakes are estimated."""
PATIENCE = 30
"""Decisions looked at for each position that is wanted; then any stratum will do."""


def candidates(rules: Rules, policy: str, seed: int) -> Iterator[tuple[int, Game]]:
    """One random decision with a choice from each hand: the seed of the hand and the game there."""
    while True:
        rng, game, choices = np.random.default_rng(seed), Game(rules, seed=seed), []
        player = agents.load(policy, seed=seed)
        while not game.over:
            if len(game.legal_actions()) > 1:
                choices.append(len(game.history))
            game.step(player.act(game.observe(game.to_move, "uint8"), game.action_mask()))
        if choices:
            at, history, game = int(rng.choice(choices)), game.history, Game(rules, seed=seed)
            for action in history[:at]:
                game.step(action)
            yield seed, game
        seed += 1


def stratum_of(game: Game, values: ActionValues) -> str:
    """Phase and stakes of a decision, such as ``late, much``."""
    cards = min(len(game.hand(seat)) for seat in range(game.players))
    phase, stakes = np.searchsorted(SMALLEST_HANDS, cards), np.searchsorted(LOST, values.regrets.max())
    return f"{PHASES[phase]}, {STAKES[stakes]}"


def sample(rules: Rules, policy: str, number: int, budget: int, seed: int, file: Path, threads: int = 1) -> PositionSet:
    """Sample positions into a file, from where it stops.

    Args:
        rules: the rules.
        policy: a scripted strategy that plays the hands and the playouts.
        number: positions in the end.
        budget: playouts for each.
        seed: of the first hand.
        file: where they go; each is saved as soon as it is valued.
        threads: of the playouts.

    Raises:
        ValueError: the file holds positions of other rules, policy or budget.
    """
    found: list[ValuedPosition] = []
    if file.exists():
        before = read_positions(file)
        if (before.rules, before.policy, before.budget) != (rules.to_dict(), policy, budget):
            raise ValueError(f"{str(file)!r} holds positions of other rules, policy or budget: name another folder")
        found = list(before.positions)
    full = Counter(position.stratum for position in found)
    first = found[-1].seed + 1 if found else seed
    with progress_bar("positions", number) as progress:
        for at, game in candidates(rules, policy, first):
            progress(len(found))
            if len(found) >= number:
                break
            stratum = stratum_of(game, values_in_game(game, policy, budget=GLANCE, seed=at, threads=threads))
            if full[stratum] * len(PHASES) * len(STAKES) >= number and at - seed < PATIENCE * number:
                continue
            values = values_in_game(game, policy, budget=budget, seed=at, threads=threads)
            found.append(_position(at, game, stratum, values))
            full[stratum] += 1
            write_json(file, asdict(PositionSet(rules.to_dict(), policy, budget, tuple(found))))
    return PositionSet(rules.to_dict(), policy, budget, tuple(found))


def _position(seed: int, game: Game, stratum: str, values: ActionValues) -> ValuedPosition:
    columns = (values.values, values.errors, values.regrets, values.regret_errors)
    rounded = (tuple(np.round(column, 5).tolist()) for column in columns)
    return ValuedPosition(seed, tuple(game.history), stratum, tuple(values.actions.tolist()), *rounded)


def main(arguments: Sequence[str] | None = None) -> None:
    """Sample the positions of one track after the other."""
    parser = argparse.ArgumentParser(prog="python -m tools.positions", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tracks", nargs="+", metavar="TRACK", help="such as duel-2p")
    parser.add_argument("--positions", type=int, default=500, help="positions of each track")
    parser.add_argument("--budget", type=int, default=20_000, help="playouts for each position at most")
    parser.add_argument("--policy", default="tuned", help="the scripted strategy that the values are by")
    parser.add_argument("--seed", type=int, default=20_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=ROOT / "benchmark" / LATEST, help="where the files go")
    given = parser.parse_args(arguments)
    for name in given.tracks:
        try:
            rules = read_suite().track(name).rules()
            file = given.folder / f"positions-{name}.json"
            sample(rules, given.policy, given.positions, given.budget, given.seed, file, given.threads)
        except ValueError as error:
            parser.error(str(error))
        print(file)


if __name__ == "__main__":
    main()
