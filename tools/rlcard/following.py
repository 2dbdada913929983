"""Our agents at RLCard's own table: :class:`RLCardTable`.

A game of ours follows RLCard's, card by card, with RLCard's own random numbers; our agents play from its observations,
which hold nothing that the table does not show. It fails as soon as the two differ::

    env = rlcard.make("uno", config={"seed": 7})
    table = RLCardTable(env)
    env.set_agents([table.seat(agents.load("greedy")), rlcard.agents.RandomAgent(num_actions=61)])
    trajectories, payoffs = env.run()
"""

from typing import Any

import numpy as np

from agents import Agent
from agents.rlcard.bridge import OUR_ACTIONS, OUR_KINDS, THEIR_ACTIONS
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.cards import COLOUR_LETTERS, NUM_KINDS
from uno_env.history import history_for

_HAND_SIZE = 7
_TRIES = 500


class RLCardTable:
    """RLCard's environment, and a game of ours that follows it.

    Args:
        env: ``rlcard.make("uno")``; from now on its every deal and step is followed. Its random numbers stay its own.

    Attributes:
        game: our game, in the same state as RLCard's.

    A step raises :class:`RuntimeError` if the games differ after it, which would be a bug in one of them.
    """

    def __init__(self, env: Any) -> None:
        self.rules = Rules.preset("rlcard")
        self.game: Game | None = None
        self._theirs = env.game
        self._begin, self._step = env.game.init_game, env.game.step
        self._piles: list[list[int]] = []
        env.game.init_game, env.game.step = self._init_game, self._followed_step

    def seat(self, agent: Agent) -> "SeatedAgent":
        """One of our agents as RLCard's environment can seat it (``env.set_agents``)."""
        return SeatedAgent(self, agent)

    def _init_game(self) -> Any:
        result = self._begin()
        dealer = self._theirs.dealer
        shuffle = dealer.shuffle

        def shuffle_and_record() -> None:
            shuffle()
            self._piles.append(_kinds(reversed(dealer.deck)))

        dealer.shuffle = shuffle_and_record
        first, second = (_kinds(player.hand) for player in self._theirs.players)
        target = self._theirs.round.target
        order = [
            *first[:_HAND_SIZE],
            *second,
            OUR_KINDS[target.str],
            *first[_HAND_SIZE:],
            *_kinds(reversed(dealer.deck)),
        ]
        colour = COLOUR_LETTERS.index(target.color)
        for seed in range(_TRIES):
            self.game = Game(self.rules, seed=seed, deck=order)
            if int(self.game.record.colour) == colour:
                break
        self._verify(self.game)
        return result

    def _followed_step(self, action: str) -> Any:
        """RLCard goes first; then ours draws the same cards, and the same colour."""
        assert self.game is not None, "RLCard's environment is not reset"
        self._piles.clear()
        left = _kinds(reversed(self._theirs.dealer.deck))
        result = self._step(action)
        ours, renewed = self.game, self._piles
        if renewed and action == "draw":
            first, *rest = left or renewed[0]
            _lay_pile(ours, [first, *(renewed[-1] if left or len(renewed) > 1 else rest)])
        elif renewed:
            _lay_pile(ours, renewed[-1])
        chosen = OUR_ACTIONS[str(action)]
        colour = COLOUR_LETTERS.index(self._theirs.round.target.color)
        before = ours.clone() if chosen == catalogue.DRAW else ours
        ours.step(chosen)
        for tried in range(_TRIES):
            if before is ours or ours.record["colour"] == colour:
                break
            ours = before.clone()
            ours._array["rng"] = tried
            ours.step(chosen)
        if renewed:
            played = _kinds(self._theirs.round.played_cards)
            ours._array["discards"] = np.bincount(played, minlength=NUM_KINDS)
        self.game = ours
        self._verify(ours)
        return result

    def _verify(self, game: Game | None) -> None:
        """Fail unless the two games are in the same state, hands and pile included."""
        assert game is not None
        record, round_ = game.record, self._theirs.round
        hands = [sorted(_kinds(player.hand)) for player in self._theirs.players]
        same = (
            (record["top"], record["colour"])
            == (OUR_KINDS[round_.target.str], COLOUR_LETTERS.index(round_.target.color))
            and game.over == round_.is_over
            and all(game.hand(seat) == hand for seat, hand in enumerate(hands))
            and record["pile_end"] - record["pile_next"] == len(self._theirs.dealer.deck)
            and record["discards"].sum() == len(round_.played_cards)
            and (game.over or record["to_move"] == round_.current_player)
        )
        if not same:
            raise RuntimeError("our game and RLCard's are not in the same state any more")


class SeatedAgent:
    """One of our agents at RLCard's table; see :meth:`RLCardTable.seat`."""

    use_raw = True

    def __init__(self, table: RLCardTable, agent: Agent) -> None:
        self._table, self._agent = table, agent

    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The action of the player to move, as RLCard's text; ``state`` is not needed."""
        return self.step(state), {}

    def step(self, state: dict[str, Any]) -> str:
        """Likewise, without the information."""
        game = self._table.game
        assert game is not None, "RLCard's environment is not reset"
        history = history_for(self._agent, game.events, game.to_move)
        action = THEIR_ACTIONS[self._agent.act(game.observe(game.to_move, "uint8"), game.action_mask(), *history)]
        if action not in state["raw_legal_actions"]:
            raise ValueError(f"agent {self._agent.name!r} chose {action!r}, which RLCard does not allow")
        return action


def _lay_pile(game: Game, pile: list[int]) -> None:
    """Make ``pile`` the draw pile, as if it had been renewed before the step: the discards are in it, too."""
    array = game._array
    array["pile"][0, : len(pile)] = pile
    array["pile_next"], array["pile_end"], array["discards"] = 0, len(pile), 0


def _kinds(cards: Any) -> list[int]:
    return [OUR_KINDS[card.str] for card in cards]
