"""How policies read past events (:mod:`uno_env.history`): each becomes a few numbers, the same way wherever it stands.

A column of an event that names something (who, which action, which card) picks a row of a table; the rows of an event
are added up, its counts of cards are weighed, and a ReLU follows. The first hidden layer has weights of its own for
each event, so that it knows which came last.
"""

import numpy as np

from uno_env.core.arrays import Array, Singles
from uno_env.history import EVENT_SIZE, HISTORY_LAYOUT

_NAMED = [run for run in HISTORY_LAYOUT.values() if run.width == 1]

NUM_NAMED = len(_NAMED)
"""Columns of an event that name something: the first so many; the others are counts of cards."""
FIRST_ROWS = np.cumsum([0, *(run.values for run in _NAMED)])[:-1]
"""Row of the table at which each of them begins, int64 [NUM_NAMED]."""
TABLE_ROWS = sum(run.values for run in _NAMED)
"""Rows of the table: one for each value of each of these columns."""
NUM_COUNTS = EVENT_SIZE - NUM_NAMED
COUNT_SCALE = 0.1
"""Factor of counts."""


def read_events(histories: Array, table: Singles, counts: Singles, bias: Singles) -> Singles:
    """Inputs of the first hidden layer for past events, integers [N, K, EVENT_SIZE], by a table [TABLE_ROWS, E],
    weights of counts [E, NUM_COUNTS] and a bias [E]: float32 [N, K × E], the oldest event first.
    """
    read: Singles = histories[..., NUM_NAMED:].astype(np.float32) @ (counts.T * np.float32(COUNT_SCALE))
    read += bias
    for column, first in enumerate(FIRST_ROWS):
        read += table[first + histories[..., column].astype(np.int64)]
    np.maximum(read, 0, out=read)
    return read.reshape(len(histories), histories.shape[1] * len(bias))
