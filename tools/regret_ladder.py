"""Whether regret in the suite's positions orders agents as their win rates do: ``python -m tools.regret_ladder``.

The agents of the ladder as it was measured last (``tools/docs/figures/ladder.json``) are asked in each position. For
each track: the rank correlation (Spearman) of less regret with their win rate against random-play, with its 95 %
interval over positions (bootstrap).
"""

import argparse
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

import agents
from tools import ROOT
from train.common.suite import read_suite
from train.common.table import MarkdownTable, show_reports
from train.evaluation.choices.positions import choices_in, read_positions
from uno_env.common.files import read_json

BOOTSTRAPS = 1000
REFERENCE = "random-play"


def regrets_of(track: str, names: Sequence[str]) -> npt.NDArray[np.float64]:
    """Win rate lost by agents in the positions of a track, float64 [agents, positions]."""
    positions = read_positions(read_suite().positions_file(track))
    rows = []
    for name in names:
        chosen = choices_in(agents.load(name, 0, dict(positions.rules)), positions).tolist()
        rows.append([each.regrets[index] for each, index in zip(positions.positions, chosen, strict=True)])
    return np.array(rows)


def correlation(regrets: npt.NDArray[np.float64], rates: Sequence[float]) -> tuple[float, float, float]:
    """Rank correlation of less regret with more wins, and its 95 % interval.

    Args:
        regrets: [agents, positions].
        rates: win rates [agents].
    """
    rng, number = np.random.default_rng(0), regrets.shape[1]
    drawn = [regrets[:, rng.integers(number, size=number)].mean(axis=1) for _ in range(BOOTSTRAPS)]
    ranks = [float(spearmanr(-each, rates).statistic) for each in (regrets.mean(axis=1), *drawn)]
    low, high = np.percentile(ranks[1:], (2.5, 97.5))
    return ranks[0], float(low), float(high)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each track."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.regret_ladder", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--skip", nargs="*", default=["search"], help="beginnings of names of agents that are too slow")
    given = parser.parse_args(arguments)
    rows = []
    for track, measured in read_json(ROOT / "tools/docs/figures/ladder.json")["tracks"].items():
        known = {
            each["name"]: each["against"][REFERENCE][0] for each in measured["agents"] if REFERENCE in each["against"]
        }
        rates = {name: rate for name, rate in known.items() if not name.startswith(tuple(given.skip))}
        regrets = regrets_of(track, list(rates))
        rank, low, high = correlation(regrets, list(rates.values()))
        rows.append([track, f"{len(rates)}", f"{regrets.shape[1]}", f"{rank:.2f}", f"{low:.2f} to {high:.2f}"])
        for name, lost in sorted(zip(rates, regrets.mean(axis=1), strict=True), key=lambda each: each[1]):
            print(f"{track}: {name} {100 * lost:.2f} %, wins {100 * rates[name]:.1f} %")
    show_reports(
        [MarkdownTable("Regret and the ladder", ("track", "agents", "positions", "rank correlation", "95 %"), rows)]
    )


if __name__ == "__main__":
    main()
