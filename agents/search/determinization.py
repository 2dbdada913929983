"""Worlds that an observation allows, for search agents: :class:`Room`, :func:`open_room`.

A search agent sees what every agent sees, an observation. It writes the observation back into a game's record, in
which it sits at seat 0, deals the hidden cards anew for each world (see :mod:`uno_env.core.loops.determinize`), and
plays there.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.scripted.dispatch import decide
from agents.scripted.strategy import Bytes, Scratch
from uno_env.actions import NUM_ACTIONS
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.loops.determinize import deal_world
from uno_env.core.loops.invariant_bits import fault_bits
from uno_env.core.observe.decode import OBSERVER, decode
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import KNOWN_START, OBSERVATION_SIZE, RULES_START, START
from uno_env.core.packed_games import copy_game
from uno_env.core.record import GAME, MAX_SEATS, OVER, RULES
from uno_env.core.rng import stream
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step
from uno_env.observation import rules_of

Array = npt.NDArray[Any]

LONGEST = 600
"""Decisions after which a playout is truncated; scripted hands take some 40."""


class Room(NamedTuple):
    """What a search works in; not to be shared by threads."""

    rules: Array
    """RULES [1]."""
    seen: Array
    """GAME [1], what the observation tells."""
    world: Array
    """GAME [1], it with the hidden cards dealt."""
    game: Array
    """GAME [1], a copy to play on."""
    row: Bytes
    """uint8 [D], what the player to move sees; the columns of known cards are 0 between uses."""
    mask: Bytes
    """uint8 [A], what the player to move may do."""
    reward: npt.NDArray[np.float32]
    """float32 [MAX_SEATS], rewards by seat."""
    mine: Scratch
    """What the strategy thinks with that plays for seat 0 in playouts."""
    others: Scratch
    """Likewise, for the other seats."""


def new_room(mine: Scratch, others: Scratch) -> Room:
    """Room for a search, for any rules."""
    return Room(
        rules=np.zeros(1, RULES),
        seen=np.zeros(1, GAME),
        world=np.zeros(1, GAME),
        game=np.zeros(1, GAME),
        row=np.zeros(OBSERVATION_SIZE, np.uint8),
        mask=np.zeros(NUM_ACTIONS, np.uint8),
        reward=np.zeros(MAX_SEATS, np.float32),
        mine=mine,
        others=others,
    )


def enter(room: Room, row: Bytes, goal: str) -> None:
    """Set the room to what an observation in integer form, uint8 [D], tells its player to move.

    Raises:
        ValueError: it is no observation of a player to move in a game that is possible.
    """
    room.rules[:] = rules_of(row, LONGEST).array_for(False, goal)
    if not enter_seen(row, room):
        raise ValueError("the observation is not that of a player to move in a game that is possible")


@njit
def enter_seen(row: Bytes, room: Room) -> bool:
    """Set the room to an observation; whether its worlds are sound."""
    room.row[KNOWN_START:] = 0
    copy_rules(row, room.row)
    if not decode(row, room.rules[0], room.seen[0]) or room.seen[0].to_move != OBSERVER:
        return False
    enter_world(room, np.uint64(0))
    world = room.world[0]
    return fault_bits(world, room.rules[0], room.mask) == 0 and world.pile_end == row[START.draw_pile]


@njit
def copy_rules(row: Bytes, other: Bytes) -> None:
    """Copy the columns of the rules in force from one observation to another."""
    for column in range(RULES_START, OBSERVATION_SIZE):
        other[column] = row[column]


@njit
def enter_world(room: Room, seed: np.uint64) -> None:
    """Deal a world; ``seed``, uint64, decides its hidden cards and all later chance."""
    copy_game(room.seen[0], room.world[0], room.rules[0])
    room.world[0].rng = seed
    deal_world(room.world[0], room.rules[0])


@njit
def play_hand(room: Room, mine: int, others: int) -> None:
    """Play the room's game to its end, strategy ``mine`` at seat 0 and ``others`` elsewhere; its rewards."""
    game, rules = room.game[0], room.rules[0]
    known = False
    while game.phase != OVER:
        legal_actions(game, rules, room.mask)
        action = only_marked(room.mask)
        if action < 0:
            if known:
                room.row[KNOWN_START:RULES_START] = 0
            known = encode(game, rules, game.to_move, room.row)
            if game.to_move == OBSERVER:
                action = decide(mine, room.row, room.mask, room.mine)
            else:
                action = decide(others, room.row, room.mask, room.others)
        step(game, rules, action)
    if known:
        room.row[KNOWN_START:RULES_START] = 0
    write_rewards(game, rules, room.reward)


@njit
def only_marked(mask: Bytes) -> int:
    """The marked action if there is one only, else −1."""
    words = mask.view(np.uint32)
    found = -1
    for place in range(words.shape[0]):
        if words[place] != 0:
            if found >= 0:
                return -1
            found = place
    action = -1
    for place in range(4 * found, 4 * found + 4):
        if mask[place] != 0:
            if action >= 0:
                return -1
            action = place
    return action


@njit
def seed_playout(room: Room, seed: np.uint64, index: np.uint64) -> None:
    """Let the strategies begin playout ``index`` with chance of its own; ``seed`` and ``index`` are uint64."""
    room.mine.random[0] = stream(seed, index)
    room.others.random[0] = ~room.mine.random[0]
