"""The same pair at our table and at RLCard's: are they the same game, and how strong are our agents there?

RLCard's side plays duplicate deals, too: its environment is seeded alike for both seats. Chance is its own, so the two
sides share no deal, and their difference has the interval of two independent measurements. A pair that plays the same
game in both differs by no more than it in 95 of 100 comparisons.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import agents
from agents.rlcard.bridge import RLCardPlayer, RLCardTable, load_rlcard
from train.evaluation.duplicate import AGENT_STREAM, Z_95, derived_seed, evaluate, mean_and_error

PREFIX = "rlcard:"

_DEAL_STREAM = 2**63 + 3


@dataclass(frozen=True)
class Comparison:
    """A pair's win rates at both tables; shares are between 0 and 1, bounds those of 95 % intervals."""

    agent: str
    opponent: str
    games: int
    """At each table."""
    seed: int
    ours: float
    """The agent's win rate in our ``rlcard`` preset."""
    ours_low: float
    ours_high: float
    theirs: float
    """The same in RLCard's environment."""
    theirs_low: float
    theirs_high: float
    difference: float
    """Theirs minus ours."""
    half_interval: float
    """Half of the difference's interval."""
    same: bool
    """Whether the difference is within its interval."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        ours, theirs = (100 * (high - low) / 2 for low, high in self._bounds())
        return (
            f"{self.agent} against {self.opponent}, {self.games:,} games at each table, seed {self.seed}:\n"
            f"  in our rlcard preset      {100 * self.ours:.2f} ± {ours:.2f} %\n"
            f"  in RLCard's environment   {100 * self.theirs:.2f} ± {theirs:.2f} %\n"
            f"  difference                {100 * self.difference:+.2f} ± {100 * self.half_interval:.2f}: "
            f"{'within' if self.same else 'beyond'} its 95 % interval"
        )

    def _bounds(self) -> list[tuple[float, float]]:
        return [(self.ours_low, self.ours_high), (self.theirs_low, self.theirs_high)]


def compare_with_rlcard(
    agent: str, opponent: str, games: int = 20_000, seed: int = 0, progress: Callable[[int], object] | None = None
) -> Comparison:
    """Let two agents play each other at both tables.

    Args:
        agent: what :func:`agents.load` takes; ``rlcard:…`` is seated as it is at RLCard's table.
        opponent: likewise.
        games: games at each table, an even number, 4 or more: each deal is played from both seats.
        seed: decides deals and chance.
        progress: called now and then with the number of games done at RLCard's table, the slow one.

    Raises:
        ValueError: an argument is not allowed.
    """
    if games < 4 or games % 2:
        raise ValueError(f"games={games} is not allowed: choose an even number, 4 or more")
    ours = evaluate(agent, opponent, "rlcard", games // 2, seed)
    scores = play_at_rlcard(agent, opponent, games // 2, seed, progress)
    theirs, error = mean_and_error(scores.mean(axis=1))
    half = Z_95 * math.hypot(error, ours.standard_error)
    return Comparison(
        agent=agent,
        opponent=opponent,
        games=games,
        seed=seed,
        ours=ours.win_rate,
        ours_low=ours.low,
        ours_high=ours.high,
        theirs=theirs,
        theirs_low=theirs - Z_95 * error,
        theirs_high=theirs + Z_95 * error,
        difference=theirs - ours.win_rate,
        half_interval=half,
        same=abs(theirs - ours.win_rate) <= half,
    )


def play_at_rlcard(
    agent: str, opponent: str, deals: int, seed: int = 0, progress: Callable[[int], object] | None = None
) -> npt.NDArray[np.float64]:
    """Scores of ``agent`` in RLCard's environment, float64 [deals, 2], by the seat it had: 1 won, 0 lost.

    See :func:`compare_with_rlcard` for the arguments.
    """
    import rlcard

    env = rlcard.make("uno", config={"seed": 0})
    table = RLCardTable(env)
    pair = [_seat(spec, table, derived_seed(seed, AGENT_STREAM, place)) for place, spec in enumerate((agent, opponent))]
    scores = np.zeros((deals, 2))
    outer = np.random.get_state()  # noqa: NPY002 (RLCard's players draw from it)
    np.random.seed(derived_seed(seed, _DEAL_STREAM) % 2**32)  # noqa: NPY002
    try:
        for deal in range(deals):
            for seat in range(2):
                env.seed(derived_seed(seed, _DEAL_STREAM, deal) % 2**31)
                payoffs = _play_hand(env, pair if seat == 0 else pair[::-1])
                scores[deal, seat] = (payoffs[seat] + 1) / 2
            if progress is not None:
                progress(2 * deal + 2)
    finally:
        np.random.set_state(outer)  # noqa: NPY002
    return scores


def _play_hand(env: Any, players: Sequence[RLCardPlayer]) -> Any:
    """Payoffs of a hand; as ``env.run``, without the states that it keeps."""
    state, seat = env.reset()
    while not env.is_over():
        action, _ = players[seat].eval_step(state)
        state, seat = env.step(action, players[seat].use_raw)
    return env.get_payoffs()


def _seat(spec: str, table: RLCardTable, seed: int) -> RLCardPlayer:
    if spec.startswith(PREFIX):
        return load_rlcard(spec.removeprefix(PREFIX))
    return table.seat(agents.load(spec, seed=seed, rules=table.rules))
