"""The weights of ``tuned``: names of the features, sets for the tables, and reading a file: :func:`load_weights`."""

from dataclasses import asdict, make_dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from uno_env.common.files import read_json, reason_of
from uno_env.common.validation import convert
from uno_env.core.arrays import Floats
from uno_env.core.jit.records import constants_of
from uno_env.core.record import edition_marked
from uno_env.editions.no_mercy import NO_MERCY

IDEAS: dict[str, tuple[str, ...]] = {
    "own colours": ("held", "share", "void", "lone"),
    "own symbols": ("twins",),
    "last cards": ("last_fits", "last_wild", "last_follow", "fits_share", "none_fits"),
    "what others can follow": ("follow", "follow_few", "follow_one", "unseen", "unsure"),
    "turns": ("again", "again_fits", "stop", "stop_few", "stop_one", "draws", "draws_few", "turn_round"),
    "wilds kept": ("wild", "wild_size", "wild_few", "four", "four_size", "four_few", "bluff", "wilds_left"),
    "numbers": ("zero", "number"),
    "drawing": ("draw", "draw_size", "keep"),
    "trades": ("shed",),
    "certain ends": ("runs_out",),
    "no mercy": ("thrown", "everyone", "demands", "fullness", "puts_out", "overbid", "guarded", "guards"),
}
"""Names of the features by the idea behind them; :func:`agents.scripted.tuned.score_card` computes them."""
FEATURES = tuple(feature for features in IDEAS.values() for feature in features)

SETS = ("two", "few", "many", "rlcard", "no_mercy_two", "no_mercy_few", "no_mercy_many")
"""Sets of weights: 2 players, 3 and 4, 5 and more, and RLCard's game; the first three for No Mercy, too."""
_NO_MERCY = "no_mercy_"


class TableSets(NamedTuple):
    """The sets of weights of an edition, by the number of players."""

    two: int
    few: int
    many: int
    no_mercy: int
    """1 if the idea of this name counts, otherwise 0."""


def _table_sets(mark: str) -> TableSets:
    is_no_mercy = edition_marked(mark).name == NO_MERCY.name
    prefix = _NO_MERCY if is_no_mercy else ""
    two, few, many = (SETS.index(prefix + table) for table in ("two", "few", "many"))
    return TableSets(two, few, many, int(is_no_mercy))


sets_of = constants_of(_table_sets)
"""``sets_of(faces)``: the :class:`TableSets` of the edition."""


WEIGHTS_FILE = Path(__file__).with_name("tuned.json")


def features_of(which: str) -> tuple[str, ...]:
    """The features of a set: the idea "no mercy" counts in that edition alone."""
    return (
        FEATURES if which.startswith(_NO_MERCY) else tuple(name for name in FEATURES if name not in IDEAS["no mercy"])
    )


_Weights = make_dataclass(
    "_Weights",
    [(name, make_dataclass(f"_{name}", [(feature, float) for feature in features_of(name)])) for name in SETS],
)
"""The form of a file of weights."""


def load_weights(path: Path = WEIGHTS_FILE) -> Floats:
    """The weights in a file, float64 [sets, features], 0 for features that a set does not have. Raises ValueError if it
    does not hold all of them.
    """
    try:
        sets = asdict(convert(read_json(path)["weights"], _Weights))
    except KeyError as error:
        raise ValueError(f"{str(path)!r} holds no weights of tuned: it lacks {error}") from None
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} holds no weights of tuned: {reason_of(error)}") from None
    weights = np.array([[sets[name].get(feature, 0.0) for feature in FEATURES] for name in SETS])
    if not np.isfinite(weights).all():
        raise ValueError(f"{str(path)!r} holds weights that are not finite")
    return weights
