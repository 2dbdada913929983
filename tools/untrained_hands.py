"""The decisions that a hand takes among players who have learnt nothing, with and without voluntary drawing.

``python -m tools.untrained_hands`` plays every table of :data:`TABLES` with actions drawn uniformly, and with those
that an untrained network draws from its masked softmax. The network has one hidden layer of 128, and PyTorch's first
weights. ``python -m tools.untrained_hands duel`` plays one of the tables.
"""

import argparse
import itertools
import sys
from collections.abc import Callable, Sequence

import torch
from torch import nn

from train.common.table import MarkdownTable
from uno_env import BatchedGames, Rules, actions
from uno_env.core.arrays import Array
from uno_env.observation import number_of_columns

TABLES = {"duel": (2,), "classic": (4,), "house": (4,), "no_mercy": (2, 4), "flip": (2, 4)}
"""Presets with their numbers of players. ``duel`` without voluntary drawing is ``starter``."""
GAMES, DECISIONS, SEEDS = 64, 64_000, 4
HIDDEN = 128

Choose = Callable[[Array, Array], Array]
"""Actions int64 [N] for observations float32 [N, D] and masks uint8 [N, A]."""


def mean_hand(rules: Rules, seed: int, choose: Choose | None = None, decisions: int = DECISIONS) -> float:
    """Decisions of all seats divided by the hands that ended; without ``choose``, by uniform play. If no hand ended, it
    is the number of all decisions.
    """
    batch = BatchedGames(GAMES, rules, seed=seed)
    obs, mask, _ = batch.reset()
    hands = 0
    for _ in range(decisions // GAMES):
        obs, mask, _, _, done = batch.step(batch.sample_actions() if choose is None else choose(obs, mask))
        hands += int(done.sum())
    return decisions / max(1, hands)


def untrained(rules: Rules, seed: int) -> Choose:
    """The choices of a network with PyTorch's first weights."""
    torch.manual_seed(seed)
    columns, outputs = number_of_columns(rules), len(actions.texts(rules))
    network = nn.Sequential(nn.Linear(columns, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, outputs))

    @torch.inference_mode()
    def choose(obs: Array, mask: Array) -> Array:
        logits = network(torch.tensor(obs)).masked_fill(torch.tensor(mask) == 0, -torch.inf)
        chosen: Array = torch.distributions.Categorical(logits=logits).sample().numpy()
        return chosen

    return choose


def table(presets: Sequence[str], decisions: int = DECISIONS) -> MarkdownTable:
    """The means, a row for each preset with and without voluntary drawing."""
    rows = []
    for preset in presets:
        for players, voluntary_draw in itertools.product(TABLES[preset], (True, False)):
            rules = Rules.preset(preset, players=players, voluntary_draw=voluntary_draw)
            uniform = mean_hand(rules, 0, decisions=decisions)
            means = [mean_hand(rules, seed, untrained(rules, seed), decisions) for seed in range(SEEDS)]
            row = [f"`{preset}`, {rules.players}", "yes" if voluntary_draw else "no", f"{uniform:,.0f}"]
            rows.append([*row, "; ".join(f"{mean:,.0f}" for mean in means)])
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    headings = ["preset, players", "voluntary drawing", "uniform play", f"{SEEDS} untrained networks"]
    return MarkdownTable("", headings, rows, words=2)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.untrained_hands", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("presets", nargs="*", metavar="PRESET", help=f"of {', '.join(TABLES)}; all without one")
    plan = parser.parse_args()
    for name in plan.presets:
        if name not in TABLES:
            parser.error(f"{name!r} is not one of {', '.join(TABLES)}")
    torch.set_num_threads(1)
    print(table(plan.presets or list(TABLES)).markdown())


if __name__ == "__main__":
    main()
