"""Values of a game that is small enough to be worked out by hand."""

import numpy as np
import pytest

from train.evaluation.exact.sweeps import States, best_response


@pytest.mark.parametrize(("seat", "value"), [(0, 7.0), (1, 2.0)])
def test_a_best_response_takes_the_best_of_every_choice(seat: int, value: float) -> None:
    """Seat 0 chooses between sequences 1 and 2, and after 1 between 3 and 4; seat 1 between 5 and 6."""
    states = States(
        seats=np.array([0, 0, 1], np.int8),
        first=np.array([1, 3, 5, 7], np.int32),
        parents=np.array([0, 1, 0], np.int32),
    )
    worth = np.array([0.0, 3.0, 6.0, 1.0, 4.0, -1.0, 2.0])
    assert best_response(states, seat, worth) == value
