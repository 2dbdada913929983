"""The strategies are as strong as they say, by a margin that chance does not explain."""

import pytest

from train.evaluation.duplicate import evaluate
from uno_env import Rules

GAMES = 1500


@pytest.mark.parametrize(
    ("name", "other", "rules", "above"),
    [
        ("greedy", "random-play", Rules.preset("duel"), 0.60),
        ("greedy", "highest-points", Rules.preset("duel"), 0.54),
        ("highest-points", "random-play", Rules.preset("duel"), 0.50),
        ("highest-points", "random", Rules.preset("duel"), 0.90),
        ("random-play", "random", Rules.preset("duel"), 0.90),
        ("greedy", "random-play", Rules.preset("classic", players=4), 0.28),
        ("greedy", "highest-points", Rules.preset("classic", players=4), 0.28),
        ("greedy", "random-play", Rules.preset("house", players=4), 0.30),
        ("greedy", "highest-points", Rules.preset("house", players=4), 0.30),
    ],
)
def test_a_stronger_agent_wins_more_than_its_share(name: str, other: str, rules: Rules, above: float) -> None:
    result = evaluate(name, other, rules, deals=GAMES // rules.players, seed=11)
    assert result.win_rate - 3 * result.standard_error > above
