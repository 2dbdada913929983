"""The parts of the players that :mod:`uno_env.warm_up` compiles: :data:`PARTS`."""

from collections.abc import Callable, Mapping

from agents.loading import load, names
from uno_env.editions import OTHERS
from uno_env.editions.classic import CLASSIC
from uno_env.game import Game

SEARCHES = ("search:flat?num_determinizations=2", "search:pimc?num_determinizations=2&sims=4", "search:ismcts?sims=4")


def _agents() -> None:
    game = Game("duel", seed=0)
    masks = game.action_mask()[None]
    for name in (*names(), *SEARCHES):
        agent = load(name)
        if agent.history or agent.state_size or agent.edition not in (None, CLASSIC):
            continue  # of another package, or a policy for another edition
        for dtype in ("uint8", "float32"):
            agent.act_batch(game.observe(game.to_move, dtype)[None], masks)


def _agents_of_other_editions() -> None:
    for game in (Game(rules, seed=0) for rules in OTHERS):
        for name in ("greedy", "tuned"):
            load(name).act_batch(game.observe(game.to_move, "uint8")[None], game.action_mask()[None])


PARTS: Mapping[str, Callable[[], None]] = {"agents": _agents, "agents of No Mercy and Flip": _agents_of_other_editions}
"""The parts, each compiled by doing a little of it."""
