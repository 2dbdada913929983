"""One hand after the other in words, for one seat against agents or for all seats: :class:`TextEnv`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from uno_env.common.calls import Interruptible, exclusive
from uno_env.common.numbers import checked_seed, checked_whole
from uno_env.common.spelling import names_arguments
from uno_env.core.rng import stream
from uno_env.envs.opponents import Opponents
from uno_env.envs.single_agent_options import MAX_UNSEEN_HANDS, NEVER_ASKED
from uno_env.game import Game
from uno_env.history import history_for, recall
from uno_env.player import Player, checked_choices
from uno_env.rules import Rules
from uno_env.text.parser import read_answer
from uno_env.text.prompt import prompt_for
from uno_env.text.rules_text import rules_text

_SEAT_STREAM = 2**62


class TextStep(NamedTuple):
    """The result of an answer."""

    text: str
    """The next prompt; after an answer that was refused, the reason; at the end, the result of the hand."""
    reward: float
    """At the end 1 for the winner's seat, −1 for the others, and 0 if nobody won; of the seat that answered last."""
    done: bool
    """True if the hand is over."""
    info: dict[str, Any]
    """``seat`` that answers next, ``refused`` (whether this answer was), ``rethinks`` and ``illegal`` of the hand so
    far, and at the end ``rewards`` by seat and ``end``."""


@names_arguments
class TextEnv(Interruptible):
    """The game in words: a prompt comes, an answer goes.

    An answer without a legal move is refused in a sentence, and asked for again: a *rethink*. After :attr:`rethinks`
    refusals in a row the hand is lost: it ends with −1 for the seat that answered.

    One thread at a time may use it. After a call that was interrupted, it is as before, or must be reset. Raises
    ValueError if an argument is not allowed.

    Args:
        rules: :class:`Rules`, a preset's name, or a mapping of fields.
        opponents: who plays the other seats, by name or as players, as for ``uno_env/Uno-v0``; None: all seats are
            asked in words.
        seat: the seat that is asked; None: drawn from the seed of each hand.
        players: number of players, if not that of ``rules``.
        rethinks: refusals at one decision that are put up with, 0 or more.

    Attributes:
        game: the :class:`Game` that is played, hidden cards included.
        seat: the seat that is asked.
    """

    def __init__(
        self,
        rules: Rules | str | Mapping[str, Any] = "duel",
        opponents: Any = "random-play",
        seat: int | None = None,
        players: int | None = None,
        rethinks: int = 2,
    ) -> None:
        self.game = Game(rules, players=players)
        self.rules, self.rethinks = self.game.rules, checked_whole("rethinks", rethinks, 0)
        self._fixed = None if seat is None else checked_whole("seat", seat, 0, self.rules.players - 1)
        self.opponents = None if opponents is None else Opponents(opponents, self.rules)
        self.seat = self._fixed or 0
        self._refused = self._rethought = self._illegal = 0
        self._lost = False
        self._unready = "no hand was dealt"

    @exclusive
    def reset(self, seed: int = 0) -> str:
        """Deal a hand, and let the others play until the seat is asked. Return the rules and the first prompt.

        Args:
            seed: the seed of the cards, of the opponents and of the seat. The hand is that of ``Game(rules, seed)``. If
                it is over before the seat has decided anything, another hand follows from the seed.

        Raises:
            ValueError: the seed is not allowed, and all stays as it was; or the seat never gets to decide anything.
        """
        seed = checked_seed(seed)
        with self._changing("reset"):
            if self.opponents is not None:
                self.opponents.reset(seed)
            drawn = int(stream(np.uint64(seed), np.uint64(_SEAT_STREAM))) % self.rules.players
            self.seat = drawn if self._fixed is None else self._fixed
            self._refused = self._rethought = self._illegal = 0
            self._lost = False
            for number in range(MAX_UNSEEN_HANDS):
                self.game.deal(seed if number == 0 else int(stream(np.uint64(seed), np.uint64(number))))
                self._play_others()
                if not self.game.over:
                    return f"{rules_text(self.rules)}\n\n{prompt_for(self.game)}"
            raise ValueError(NEVER_ASKED)

    @exclusive
    def step(self, text: str) -> TextStep:
        """Answer for the seat that is asked, and play on. Raises ValueError if no hand is being played."""
        self._check_ready("step")
        if self._lost:
            raise ValueError("the hand was lost by answers without a move: call reset() before step()")
        if self.game.over:
            raise ValueError("the hand is over: call reset() to deal another one")
        seat, answer = self.seat, read_answer(text, self.game.legal_actions(), self.rules)
        with self._changing("step"):
            if answer.action is None:
                self._refused += 1
                self._illegal += answer.illegal
                self._lost = self._refused > self.rethinks
                self._rethought += not self._lost
            else:
                self._refused = 0
                self.game.step(answer.action)
                self._play_others()
            return self._step_after(seat, answer.problem)

    def _step_after(self, seat: int, problem: str) -> TextStep:
        info = {"seat": self.seat, "refused": bool(problem), "rethinks": self._rethought, "illegal": self._illegal}
        if not self._lost and not self.game.over:
            return TextStep(problem or prompt_for(self.game), 0.0, False, info)
        others = [-float(each == seat) for each in range(self.rules.players)]
        rewards = others if self._lost else self.game.rewards()
        end = "refused" if self._lost else self.game.end
        how = "lost" if rewards[seat] < 0 else "won" if rewards[seat] > 0 else "over, and nobody has won"
        text = f"{problem} The hand is lost." if self._lost else f"The hand is {how}."
        return TextStep(text, rewards[seat], True, {**info, "rewards": rewards, "end": end})

    def _play_others(self) -> None:
        """Let the opponents decide until the seat does, or the hand is over. Without opponents, every seat is asked."""
        game = self.game
        while self.opponents is not None and not game.over and game.to_move != self.seat:
            player = self.opponents.at((game.to_move - self.seat) % self.rules.players)
            game.step(choose(player, game))
        if self.opponents is None and not game.over:
            self.seat = game.to_move


def choose(player: Player, game: Game) -> int:
    """Let a player choose for the seat to move of a game. Raises PlayerError if it chose an illegal one."""
    seat, mask = game.to_move, game.action_mask()[None]
    row, history = game.observe(seat, "uint8")[None], [each[None] for each in history_for(player, game.events, seat)]
    if player.sees_all_hands:
        chosen = player.act_on_games(row, mask, np.array([game.record]))
    elif player.state_size:
        chosen = player.act_recurrent(row, mask, recall(player, game, seat), *history)
    else:
        chosen = player.act_batch(row, mask, *history)
    return int(checked_choices(player.name, chosen, mask)[0])
