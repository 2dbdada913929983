"""The same pair at our table and at RLCard's: are they the same game, and how strong are our agents there?

RLCard's side plays duplicate deals, too: its environment is seeded alike for both seats. Chance is its own, so the two
sides share no deal, and their difference has the interval of two independent measurements. A pair that plays the same
game in both differs by no more than it in 95 of 100 comparisons.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import agents
from agents.custom_agents import CustomAgent
from agents.rlcard.bridge import RLCardAgent, RLCardPlayer
from tools.rlcard.following import RLCardTable
from train.evaluation.duplicate import AGENT_STREAM, derived_seed, evaluate
from train.evaluation.estimate import Z_95, Estimate

_DEAL_STREAM = 2**63 + 3


@dataclass(frozen=True)
class Comparison:
    """A pair's win rates at both tables, between 0 and 1."""

    agent: str
    opponent: str
    games: int
    """At each table."""
    seed: int
    ours: Estimate
    """The agent's win rate in our ``rlcard`` preset."""
    theirs: Estimate
    """The same in RLCard's environment."""

    @property
    def difference(self) -> Estimate:
        """Theirs minus ours."""
        return self.theirs - self.ours

    @property
    def same(self) -> bool:
        """True if the difference is within its interval."""
        return abs(self.difference.mean) <= Z_95 * self.difference.error

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = {name: getattr(self, name) for name in ("agent", "opponent", "games", "seed")}
        for name, rate in (("ours", self.ours), ("theirs", self.theirs)):
            values |= {name: rate.mean, f"{name}_low": rate.low, f"{name}_high": rate.high}
        half = Z_95 * self.difference.error
        return {**values, "difference": self.difference.mean, "half_interval": half, "same": self.same}

    def __str__(self) -> str:
        return (
            f"{self.agent} against {self.opponent}, {self.games:,} games at each table, seed {self.seed}:\n"
            f"  in our rlcard preset      {self.ours.text(2)} %\n"
            f"  in RLCard's environment   {self.theirs.text(2)} %\n"
            f"  difference                {self.difference.text(2, '+')}: "
            f"{'within' if self.same else 'beyond'} its 95 % interval"
        )


def compare_with_rlcard(
    agent: str, opponent: str, games: int = 20_000, seed: int = 0, progress: Callable[[int], object] | None = None
) -> Comparison:
    """Let two agents play each other at both tables.

    Args:
        agent: what :func:`agents.load` takes; RLCard's own are seated as they are at its table.
        opponent: likewise.
        games: games at each table, an even number, 4 or more: each deal is played from both seats.
        seed: seed of the deals and of the agents.
        progress: called now and then with the number of games done at RLCard's table, the slow one.

    Raises:
        ValueError: an argument is not allowed.
    """
    if games < 4 or games % 2:
        raise ValueError(f"games={games} is not allowed: choose an even number, 4 or more")
    ours = evaluate(agent, opponent, "rlcard", games // 2, seed).estimate
    theirs = Estimate.of(play_at_rlcard(agent, opponent, games // 2, seed, progress).mean(axis=1))
    return Comparison(agent, opponent, games, seed, ours, theirs)


def play_at_rlcard(
    agent: str, opponent: str, deals: int, seed: int = 0, progress: Callable[[int], object] | None = None
) -> npt.NDArray[np.float64]:
    """Scores of ``agent`` in RLCard's environment, float64 [deals, 2], by the seat it had: 1 won, 0 lost.

    See :func:`compare_with_rlcard` for the arguments.
    """
    import rlcard

    env = rlcard.make("uno", config={"seed": 0})
    table = RLCardTable(env)
    pair = [_seat(spec, table, derived_seed(seed, AGENT_STREAM, index)) for index, spec in enumerate((agent, opponent))]
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
    """Payoffs of a hand; as ``env.run``, without the states that it collects."""
    state, seat = env.reset()
    while not env.is_over():
        action, _ = players[seat].eval_step(state)
        state, seat = env.step(action, players[seat].use_raw)
    return env.get_payoffs()


def _seat(spec: str, table: RLCardTable, seed: int) -> RLCardPlayer:
    agent = agents.load(spec, seed=seed, rules=table.rules)
    if isinstance(agent, CustomAgent) and isinstance(agent.player, RLCardAgent):
        agent = agent.player
    return agent.player if isinstance(agent, RLCardAgent) else table.seat(agent)
