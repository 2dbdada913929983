"""What must be true of every state of a game, and a checker that names what is not."""

from enum import StrEnum
from typing import Any

import numpy as np

from uno_env.actions import NUM_ACTIONS
from uno_env.cards import COLOURS, FIRST_WILD, MAX_CARDS, NUM_KINDS, RANKS_PER_COLOUR, WILD, WILD_DRAW_FOUR
from uno_env.core import record as r
from uno_env.core.legal import legal_actions
from uno_env.rules import Rules


class Fault(StrEnum):
    """A kind of broken state."""

    PHASE = "the phase does not exist"
    PHASE_RULES = "the phase does not fit the rules or the top card"
    END = "the reason of the end does not fit the phase"
    WINNER = "the winner does not fit the end of the hand"
    SEAT = "a seat is named that is not at the table"
    TO_MOVE = "the player to move does not fit the phase"
    DIRECTION = "the direction is neither +1 nor -1"
    PILE_BOUNDS = "the draw pile does not lie within its bounds"
    PILE_CARD = "the draw pile holds something that is no card"
    NEGATIVE_COUNT = "a number of cards is negative"
    CARD_COUNT = "the cards of hands, draw pile and discard pile are not those of the deck"
    HAND_SIZE = "a hand's size is not the number of its cards"
    EMPTY_SEAT = "a seat that is not at the table holds cards"
    EMPTY_HAND = "a player without cards is still playing"
    TOP_CARD = "the top card is not in the discard pile"
    COLOUR = "the active colour does not fit the top card"
    DRAWN_CARD = "the drawn card does not fit the phase or the hand"
    CALL = "a call of UNO stands where none can"
    ASKED = "players are marked as asked outside a window, or asked twice"
    CATCH_WINDOW = "the window for catching is open though nothing is to be caught"
    PENALTY = "cards are to be drawn as a penalty outside its phase"
    KNOWN_CARDS = "a player knows of cards that are not there"
    DECISIONS = "the number of decisions is not within its limit"
    NO_LEGAL_ACTION = "the player to move has no legal action"
    POINTS = "points are awarded for a hand that is not won"


def find_faults(game: Any, rules: Rules) -> list[Fault]:
    """Every kind of fault in a game's record; empty for a sound state.

    Args:
        game: an element of an array of :data:`uno_env.core.record.GAME`.
        rules: the rules it is played by.
    """
    faults = [*_bound_faults(game, rules)]
    if not faults:
        faults = [*_card_faults(game, rules), *_phase_faults(game, rules), *_memory_faults(game, rules)]
    if not faults and game.phase != r.OVER:
        mask = np.zeros(NUM_ACTIONS, np.uint8)
        legal_actions(game, rules.record, mask)
        if not mask.any():
            faults.append(Fault.NO_LEGAL_ACTION)
    return faults


def _bound_faults(game: Any, rules: Rules) -> list[Fault]:
    """Numbers that compiled code uses as places: they must be checked first."""
    players = rules.players
    over = game.phase == r.OVER
    seats_ok = (
        0 <= game.turn < players
        and 0 <= game.dealer < players
        and (game.to_move == r.NOBODY if over else 0 <= game.to_move < players)
        and all(-1 <= seat < players for seat in (game.last_player, game.winner, game.offender))
        and 0 <= game.called < 1 << players
        and 0 <= game.asked < 1 << players
    )
    pile = game.pile[max(game.pile_next, 0) : max(game.pile_end, 0)]
    known = range(min(max(int(game.known_count), 0), MAX_CARDS))
    checks = {
        Fault.PHASE: 0 <= game.phase < len(r.PHASE_NAMES),
        Fault.END: 0 <= game.end < len(r.END_NAMES),
        Fault.SEAT: seats_ok,
        Fault.DIRECTION: game.direction in (1, -1),
        Fault.PILE_BOUNDS: 0 <= game.pile_next <= game.pile_end <= MAX_CARDS,
        Fault.PILE_CARD: bool(((pile >= 0) & (pile < NUM_KINDS)).all()),
        Fault.NEGATIVE_COUNT: game.hands.min() >= 0 and game.discards.min() >= 0 and game.hand_sizes.min() >= 0,
        Fault.TOP_CARD: 0 <= game.top < NUM_KINDS,
        Fault.COLOUR: all(-1 <= colour < len(COLOURS) for colour in (game.colour, game.previous_colour)),
        Fault.DRAWN_CARD: r.NO_CARD <= game.drawn < NUM_KINDS,
        Fault.DECISIONS: 0 <= game.decisions <= rules.max_decisions,
        Fault.KNOWN_CARDS: 0 <= game.known_count <= MAX_CARDS
        and all(0 <= game.known_owner[i] < players and 0 <= game.known_kind[i] < NUM_KINDS for i in known),
    }
    return [fault for fault, sound in checks.items() if not sound]


def _card_faults(game: Any, rules: Rules) -> list[Fault]:
    players = rules.players
    counts = game.hands.astype(int).sum(axis=0) + game.discards
    counts += np.bincount(game.pile[game.pile_next : game.pile_end].astype(int), minlength=NUM_KINDS)
    sizes = game.hands.astype(int).sum(axis=1)
    own_colour = game.top // RANKS_PER_COLOUR if game.top < FIRST_WILD else None
    declared = game.colour != r.NO_COLOUR or game.phase in (r.FIRST_COLOUR, r.OVER)
    checks = {
        Fault.CARD_COUNT: tuple(counts.tolist()) == rules.deck_counts,
        Fault.HAND_SIZE: bool((sizes == game.hand_sizes).all()),
        Fault.EMPTY_SEAT: not sizes[players:].any(),
        Fault.TOP_CARD: game.discards[game.top] > 0,
        Fault.COLOUR: game.colour == own_colour if own_colour is not None else declared,
    }
    return [fault for fault, sound in checks.items() if not sound]


def _phase_faults(game: Any, rules: Rules) -> list[Fault]:
    phase, over = game.phase, game.phase == r.OVER
    empty = [seat for seat in range(rules.players) if game.hand_sizes[seat] == 0]
    may_be_empty = {int(game.winner)} if over else {int(game.turn)} if phase == r.CHALLENGE else set()
    asks_turn = phase in (r.PLAY, r.DRAWN, r.FIRST_COLOUR)
    asks_other = phase == r.CHALLENGE
    called = [seat for seat in range(rules.players) if int(game.called) >> seat & 1]
    uncalled = game.hand_sizes[game.turn] == 1 and game.turn not in called
    fits = {
        r.CATCH: rules.uno_call == "declared",
        r.CHALLENGE: rules.wild_draw_four == "bluff" and game.top == WILD_DRAW_FOUR,
        r.FIRST_COLOUR: game.top == WILD and game.last_player == r.NOBODY and game.colour == r.NO_COLOUR,
    }
    checks = {
        Fault.PHASE_RULES: fits.get(int(phase), True),
        Fault.END: (game.end == r.RUNNING) == (not over),
        Fault.WINNER: (game.winner != r.NOBODY) == (game.end == r.WENT_OUT)
        and (game.winner == r.NOBODY or game.hand_sizes[game.winner] == 0),
        Fault.TO_MOVE: over
        or ((not asks_turn or game.to_move == game.turn) and (not asks_other or game.to_move != game.turn)),
        Fault.EMPTY_HAND: set(empty) <= may_be_empty or game.end in (r.MAX_DECISIONS, r.ILLEGAL),
        Fault.DRAWN_CARD: (game.hands[game.turn, game.drawn] > 0 if phase == r.DRAWN else True)
        and (phase in (r.DRAWN, r.OVER)) >= (game.drawn != r.NO_CARD),
        Fault.CATCH_WINDOW: phase != r.CATCH or uncalled,
        Fault.ASKED: game.asked == 0
        or phase == r.OVER
        or (phase == r.CATCH and not int(game.asked) >> int(game.to_move) & 1),
        Fault.PENALTY: (game.penalty > 0) == (phase == r.CHALLENGE) or over,
        Fault.POINTS: not game.points.any() or game.end == r.WENT_OUT,
        Fault.CALL: (rules.uno_call == "declared" or not called)
        and all(
            game.hand_sizes[seat] == 1
            or (game.hand_sizes[seat] == 2 and seat == game.turn and phase in (r.PLAY, r.DRAWN, r.OVER))
            for seat in called
        ),
    }
    return [fault for fault, sound in checks.items() if not sound]


def _memory_faults(game: Any, rules: Rules) -> list[Fault]:
    known = np.zeros((rules.players, r.MAX_SEATS, NUM_KINDS), int)
    for entry in range(game.known_count):
        viewers = int(game.known_viewers[entry])
        for viewer in range(rules.players):
            known[viewer, game.known_owner[entry], game.known_kind[entry]] += viewers >> viewer & 1
    return [Fault.KNOWN_CARDS] if game.known_count and (known > game.hands).any() else []
