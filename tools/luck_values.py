"""Value functions for ``uno evaluate --luck-adjusted``: ``python -m tools.luck_values TRACK [--hands N]``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tools.luck_training import train
from train.evaluation.luck.values import FOLDER


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, measure and save, one track after the other."""
    parser = argparse.ArgumentParser(prog="python -m tools.luck_values", description=__doc__.partition("\n")[0])
    parser.add_argument("tracks", nargs="+", metavar="TRACK", help="such as duel-2p")
    parser.add_argument("--hands", type=int, default=140_000, help="hands to learn from")
    parser.add_argument("--deals", type=int, default=1_500, help="deals to measure what it gains")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files go")
    given = parser.parse_args(arguments)
    for track in given.tracks:
        try:
            train(track, given.hands, given.deals, given.seed, given.folder)
        except ValueError as error:
            parser.error(str(error))


if __name__ == "__main__":
    main()
