"""Growing the tree of a tiny game depth first, compiled: :func:`walk`.

What a seat has seen is a number: its last *view*. A view is the one before it and the entry that the seat saw then: the
action, cards taken, its hand, and cards that it knows others to hold. Views are kept in a hash table, which compares
all that they are made of, so two views are one exactly if the seat cannot tell them apart. The facts of an entry are
those of :mod:`uno_env.extensive_form.information_state`, in bytes.

Of the nodes, only how they end is kept: for each end of a hand, the last *sequence* of each seat (an action in an
information state) and the probability of chance.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.edition import actions_of
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.observe.encode import encode
from uno_env.core.observe.unseen import is_let_go
from uno_env.core.packed_games import game_at
from uno_env.core.record import CATCH, DRAWN, OVER
from uno_env.core.rules.discard_all import discards_all
from uno_env.core.rules.knowledge import known_at
from uno_env.core.rules.mercy import size_reached
from uno_env.core.rules.reward import write_rewards
from uno_env.extensive_form.outcomes import NO_ROOM, copy_array, equal_arrays, expand, hash_words

DONE, MORE_OUTCOMES, MORE_ROOM, PAUSE = range(4)
"""Results of :func:`walk`: all is grown; more rows are needed, or longer arrays; as much is grown as was asked."""
NODES, ENDS, STATES, SEQUENCES, VIEWS, REWARDS, DEPTH = range(7)
"""Places of the numbers in ``Grown.number``; DEPTH is the frame that is being walked, −1 at the end."""
HEAD = 7
"""Bytes of an entry before the numbers of cards."""
QUESTIONS = 128
"""More than there are kinds of cards."""


class Grown(NamedTuple):
    """The tree as far as it is grown. The arrays have room for more."""

    number: Ints  # How many there are, by NODES to REWARDS
    end_sequences: npt.NDArray[np.int32]
    """Last sequence of each seat at each end of a hand, [ends, players]; 0 if it has not acted."""
    end_shares: npt.NDArray[np.float64]  # Probability of chance, [ends]
    end_rewards: npt.NDArray[np.int32]  # Row of rewards, [ends]
    rewards: npt.NDArray[np.float64]  # Rewards that there are, [rewards, players]
    seats: npt.NDArray[np.int8]  # The seat that decides in each information state, [states]
    first: npt.NDArray[np.int32]  # The first sequence of each state, [states]; there is one for each legal action
    parents: npt.NDArray[np.int32]  # The seat's last sequence before each state, [states]; 0 if it has not acted
    questions: npt.NDArray[np.int32]  # Phase and drawn card of each state, as a number, [states]
    following: npt.NDArray[np.int32]  # Another state with the same view, or −1, [states]
    view_of: npt.NDArray[np.int32]  # The view of each state, [states]
    observed: Bytes  # The columns of observations that vary, [states, columns]
    actions: npt.NDArray[np.int16]  # The action of each sequence, [sequences]; sequence 0 is empty
    views: npt.NDArray[np.uint64]  # The view before each view, and its entry, [views, words]
    states: npt.NDArray[np.int32]  # A state with each view, or −1, [views]
    table: npt.NDArray[np.int32]  # The hash table: places of views, or −1; its length is a power of two


class Stack(NamedTuple):
    """The decisions that are being walked, by depth. Frame 0 is the deal."""

    rows: Ints  # Row of the game
    acting: Ints  # The action that is being walked; −1 before the first one, and for the deal
    cursors: Ints  # The next outcome of the action
    ends: Ints  # The row behind its last outcome
    states: Ints  # Information state; −1 for the deal
    slots: Ints  # Number of the action among the legal ones
    shares: npt.NDArray[np.float64]  # Probability of chance
    masks: Bytes
    views: Ints  # Each seat's view, [depth, players]
    before: Ints  # Each seat's view before the latest entry that it saw, [depth, players]
    seen: Ints  # That entry's seat, action and top card, [depth, players, 3]
    growth: Ints  # By how many cards each hand has grown since, as each seat saw it, [depth, players, players]
    sequences: Ints  # Each seat's last sequence, [depth, players]


class Fixed(NamedTuple):
    """The values that stay the same for one tree, and room to work in."""

    rules: Any
    kinds: Ints  # Kinds of cards in the deck
    columns: Ints  # Columns of observations that vary
    can_know: bool  # Whether seats can come to know cards of others
    shows_discards: bool  # Whether more cards than those that are laid can come to lie in the open
    seers: int  # Seats that see all hands, as bits
    hash_mask: np.uint64  # Bits of hashes that are used: all of them, except in tests of collisions
    entry: Bytes
    words: npt.NDArray[np.uint64]  # The view before, and the memory of entry behind it
    row: Bytes
    reward: Array


@njit
def walk(grown, stack, out, fixed, nodes):
    """Go on growing until there are ``nodes`` nodes or more. Returns why it stopped, see :data:`DONE`."""
    number, rules = grown.number, fixed.rules
    while number[DEPTH] >= 0:
        depth = number[DEPTH]
        if stack.cursors[depth] < stack.ends[depth]:
            if number[NODES] >= nodes:
                return PAUSE
            if not has_room(grown, len(stack.rows), stack.masks.shape[1], rules.players):
                return MORE_ROOM
            row = stack.cursors[depth]
            stack.cursors[depth] += 1
            number[NODES] += 1
            game = game_at(out.rows, row, rules)
            if game.phase == OVER:
                add_end(grown, stack, fixed, depth, game, out.shares[row])
            else:
                enter(grown, stack, fixed, depth, out, row)
            continue
        action = next_action(stack, depth)
        if action < 0:
            number[DEPTH] -= 1
            continue
        start = stack.ends[depth - 1]
        end, by_chance = expand(out, rules, stack.rows[depth], action, 0, start)
        if end == NO_ROOM:
            return MORE_OUTCOMES
        stack.acting[depth] = action
        stack.slots[depth] += 1
        stack.cursors[depth], stack.ends[depth] = start, end
        number[NODES] += by_chance
    return DONE


@njit
def has_room(grown, depth, actions, players):
    """Return whether another node finds room in the arrays."""
    number = grown.number
    return (
        number[ENDS] < len(grown.end_shares)
        and number[REWARDS] < len(grown.rewards)
        and number[STATES] < len(grown.seats)
        and number[SEQUENCES] + actions <= len(grown.actions)
        and number[VIEWS] + players <= min(len(grown.views), len(grown.table) // 2)
        and number[DEPTH] + 2 < depth
    )


@njit
def next_action(stack, depth):
    """The next legal action of a frame, or −1 after the last one, and for the deal."""
    if depth == 0:
        return -1
    for action in range(stack.acting[depth] + 1, stack.masks.shape[1]):
        if stack.masks[depth, action]:
            return action
    return -1


@njit
def add_end(grown, stack, fixed, depth, game, share):
    """Add the end of a hand, which an outcome of the frame is."""
    number, players = grown.number, fixed.rules.players
    write_rewards(game, fixed.rules, fixed.reward)
    sequences = grown.end_sequences[number[ENDS]]
    for seat in range(players):
        sequences[seat] = sequence_after(grown, stack, depth, seat)
    finish_end(grown, find_reward(grown, fixed.reward), share * stack.shares[depth])


@njit
def find_reward(grown, rewards):
    """The row of some rewards, a new one if there was none."""
    number = grown.number
    reward = number[REWARDS] - 1
    while reward >= 0 and not equal_arrays(grown.rewards[reward], rewards):
        reward -= 1
    if reward < 0:
        reward = number[REWARDS]
        copy_array(rewards, grown.rewards[reward])
        number[REWARDS] += 1
    return reward


@njit
def finish_end(grown, reward, share):
    """Add the end whose sequences stand behind the last end. If only chance tells the two apart, the last end gets its
    probability.
    """
    end = grown.number[ENDS]
    sequences = grown.end_sequences[end]
    if end > 0 and grown.end_rewards[end - 1] == reward and equal_arrays(grown.end_sequences[end - 1], sequences):
        grown.end_shares[end - 1] += share
        return
    grown.end_shares[end], grown.end_rewards[end] = share, reward
    grown.number[ENDS] += 1


@njit
def sequence_after(grown, stack, depth, seat):
    """The last sequence of a seat after the action of a frame."""
    state = stack.states[depth]
    if state >= 0 and grown.seats[state] == seat:
        return grown.first[state] + stack.slots[depth]
    return stack.sequences[depth, seat]


@njit
def enter(grown, stack, fixed, depth, out, row):
    """Put the frame of an outcome, in which a seat decides, on the stack, above the frame that it follows."""
    rules, below = fixed.rules, depth + 1
    game = game_at(out.rows, row, rules)
    for seat in range(rules.players):
        stack.sequences[below, seat] = sequence_after(grown, stack, depth, seat)
        write_view(grown, stack, fixed, depth, seat, game_at(out.rows, stack.rows[depth], rules), game)
    legal_actions(game, rules, stack.masks[below])
    stack.shares[below] = stack.shares[depth] * out.shares[row]
    stack.states[below] = find_state(grown, stack, fixed, below, game)
    stack.rows[below], stack.acting[below], stack.slots[below] = row, -1, -1
    stack.cursors[below] = stack.ends[below] = stack.ends[depth]
    grown.number[DEPTH] = below


@njit
def write_view(grown, stack, fixed, depth, seat, before, after):
    """Find what a seat has seen after an action of a frame, and note it in the next frame."""
    action, players, below, deals = stack.acting[depth], fixed.rules.players, depth + 1, depth == 0
    is_secret = not deals and before.to_move != seat and is_let_go(fixed.rules, before.phase, action)
    growth = stack.growth[below, seat]
    for other in range(players):
        had = fixed.rules.hand_size if deals else before.seats[other].hand_size
        growth[other] = size_reached(after, fixed.rules, other, had) - had
    if not deals:
        growth[before.to_move] += laid_by(fixed.rules, action, before, after)
    if is_secret:  # what came of it belongs to the entry before
        stack.before[below, seat] = stack.before[depth, seat]
        copy_array(stack.seen[depth, seat], stack.seen[below, seat])
        for other in range(players):
            growth[other] += stack.growth[depth, seat, other]
    else:
        stack.before[below, seat] = stack.views[depth, seat]
        stack.seen[below, seat, 0] = after.dealer if deals else before.to_move
        stack.seen[below, seat, 1] = action
        stack.seen[below, seat, 2] = after.top if deals else 0
    fixed.words[0] = stack.before[below, seat]
    write_entry(fixed, stack.seen[below, seat], growth, seat, after)
    stack.views[below, seat] = find_view(grown, fixed)


@njit
def laid_by(rules, action, before, after):
    """Cards that a legal action takes from the hand of its player; see :func:`uno_env.events.event_of`."""
    at, seat = actions_of(rules), before.to_move
    number = 1 if action < at.play_pair or action == at.jump_in else 2 if action < at.draw else 0
    if number and discards_all(after, rules, after.top):
        return before.seats[seat].hand_size - after.seats[seat].hand_size
    return number


@njit
def write_entry(fixed, seen, growth, seat, game):
    """Write an entry as a seat sees it: its action, cards taken, who is asked or out, its hand, cards that lie in the
    open, cards that it knows.
    """
    entry, players, kinds = fixed.entry, fixed.rules.players, fixed.kinds
    moved = False
    for other in range(players):
        moved |= growth[other] < 0
    entry[0], entry[1], entry[2] = seen[0], seen[1] + 1, seen[2]
    entry[3], entry[4] = moved, game.to_move + 1 if game.phase == CATCH else 0
    entry[5], entry[6] = game.put_out & 255, game.put_out >> 8
    place = HEAD
    for other in range(players):
        entry[place] = game.seats[other].hand_size if moved else growth[other]
        place += 1
    for kind in kinds:
        entry[place] = game.seats[seat].hand[kind]
        place += 1
    if fixed.shows_discards:
        for kind in kinds:
            entry[place] = game.discards[kind]
            place += 1
    if fixed.can_know:
        for other in range(players):
            known = known_at(fixed.rules, seat, other)
            for kind in kinds:
                entry[place] = game.known[known + np.uint64(kind)] if game.knows and other != seat else 0
                place += 1
    if fixed.seers:
        for other in range(players):
            for kind in kinds:
                entry[place] = game.seats[other].hand[kind] if fixed.seers >> seat & 1 else 0
                place += 1


@njit
def find_view(grown, fixed):
    """The view of ``fixed.words``, a new one if there was none."""
    mask = np.uint64(len(grown.table) - 1)
    place = hash_words(fixed.words) & fixed.hash_mask & mask
    while grown.table[place] >= 0:
        view = grown.table[place]
        if equal_arrays(grown.views[view], fixed.words):
            return view
        place = (place + np.uint64(1)) & mask
    view = grown.number[VIEWS]
    grown.table[place] = view
    copy_array(fixed.words, grown.views[view])
    grown.states[view] = -1
    grown.number[VIEWS] += 1
    return view


@njit
def fill_table(grown, fixed):
    """Write all views into a hash table that is empty."""
    mask = np.uint64(len(grown.table) - 1)
    for view in range(grown.number[VIEWS]):
        place = hash_words(grown.views[view]) & fixed.hash_mask & mask
        while grown.table[place] >= 0:
            place = (place + np.uint64(1)) & mask
        grown.table[place] = view


@njit
def question_of(phase, drawn):
    """A number for a phase and the kind of the card drawn, which is −1 if there is none."""
    return phase * QUESTIONS + (drawn + 1 if phase == DRAWN else 0)


@njit
def find_state(grown, stack, fixed, depth, game):
    """The information state of a frame, a new one if there was none."""
    seat, number = game.to_move, grown.number
    view, question = stack.views[depth, seat], question_of(game.phase, game.drawn)
    state = state_of(grown, view, question)
    if state >= 0:
        return state
    state = add_state(grown, seat, view, question, stack.sequences[depth, seat])
    for action in range(stack.masks.shape[1]):
        if stack.masks[depth, action]:
            grown.actions[number[SEQUENCES]] = action
            number[SEQUENCES] += 1
    fixed.row[:] = 0
    encode(game, fixed.rules, seat, fixed.row)
    for index in range(len(fixed.columns)):
        grown.observed[state, index] = fixed.row[fixed.columns[index]]
    return state


@njit
def state_of(grown, view, question):
    """The information state with a view and a question, or −1 if there is none."""
    state = grown.states[view]
    while state >= 0 and grown.questions[state] != question:
        state = grown.following[state]
    return state


@njit
def add_state(grown, seat, view, question, parent):
    """Add an information state, whose sequences and observation are still to be written. Returns its number."""
    state = grown.number[STATES]
    grown.seats[state], grown.questions[state], grown.view_of[state] = seat, question, view
    grown.following[state], grown.states[view] = grown.states[view], state
    grown.first[state], grown.parents[state] = grown.number[SEQUENCES], parent
    grown.number[STATES] += 1
    return state
