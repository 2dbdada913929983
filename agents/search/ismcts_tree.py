"""Search trees over what can be observed: the compiled part of ``search:ismcts`` and ``search:pimc``.

A node represents the decisions since the root, as the observer sees them: the players and their actions, and the card
that the observer drew if it may be played. Other cards that the observer draws are not told apart. Every simulation
plays in a determinization of its own, and chooses among the actions that are legal there. Each player maximises their
own mean reward over the simulations that passed the node, with a bonus for actions that were chosen rarely compared
with how often they were legal (their *availability*).

Sources: P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo tree search", 2012 (single observer); D.
Silver et al., "Mastering the game of Go without human knowledge", 2017, for priors (PUCT).
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.scripted.strategy import draw_below
from agents.search.determinization import copy_rules, determinize, seed_playout
from agents.search.playout import SearchScratch, play_out
from uno_env.core.arrays import Array, Bytes, Floats, Ints
from uno_env.core.edition import actions_of
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.observe.decode import OBSERVER
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import columns_of
from uno_env.core.packed_games import copy_game
from uno_env.core.record import DRAWN, MAX_SEATS, NO_CARD, OVER
from uno_env.core.rng import stream
from uno_env.core.step import step

ROOT = 0
NONE = -1
DEEPEST = 250
"""Decisions from the root to the leaf of a simulation; deeper ones are left to the playout."""


class Tree(NamedTuple):
    """Nodes by number, all of them preallocated. A node's values are those of the action that leads to it."""

    key: Ints
    """int64 [M], the observation of that action, see :func:`key_of`."""
    first: Ints
    """int64 [M], the node's first child, NONE if it has none."""
    following: Ints
    """int64 [M], the next child of the same parent, or NONE."""
    visits: Ints
    """int64 [M], simulations that passed the node."""
    available: Ints
    """int64 [M], simulations in which the action was legal."""
    total: Floats
    """float64 [M], summed rewards of the player who chose the action, less 1 for each simulation under way."""
    priors: npt.NDArray[np.float32]
    """float32 [M, A], a network's probabilities of actions at the node; [0, A] without a network."""
    nodes: Ints
    """int64 [1], nodes in use."""
    path: Ints
    """int64 [B, DEEPEST], nodes of each simulation under way."""
    movers: Ints
    """int64 [B, DEEPEST], the seats that chose them."""
    depth: Ints
    """int64 [B], number of nodes in each path."""


def new_tree(nodes: int, simulations: int = 1, priors: int = 0) -> Tree:
    """An empty tree for at most ``nodes`` nodes, and ``simulations`` under way at a time. Each node has room for the
    prior probabilities of ``priors`` actions.
    """

    def numbers(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    return Tree(
        key=numbers(nodes),
        first=numbers(nodes),
        following=numbers(nodes),
        visits=numbers(nodes),
        available=numbers(nodes),
        total=np.zeros(nodes),
        priors=np.zeros((nodes if priors else 0, priors), np.float32),
        nodes=numbers(1),
        path=numbers(simulations, DEEPEST),
        movers=numbers(simulations, DEEPEST),
        depth=numbers(simulations),
    )


@njit
def clear_tree(tree: Tree) -> None:
    """Leave nothing but a root."""
    tree.nodes[0] = 0
    add_node(tree, NONE, NONE)


@njit
def add_node(tree: Tree, parent: int, key: int) -> int:
    """A new child of a node, or NONE if the tree is full."""
    node = tree.nodes[0]
    if node == tree.key.shape[0]:
        return NONE
    tree.nodes[0] = node + 1
    tree.key[node] = key
    tree.first[node] = NONE
    tree.visits[node] = 0
    tree.available[node] = 0
    tree.total[node] = 0.0
    if parent != NONE:
        tree.following[node] = tree.first[parent]
        tree.first[parent] = node
    else:
        tree.following[node] = NONE
    if tree.priors.shape[0] > 0:
        tree.priors[node] = 1.0
    return node


@njit
def key_of(game: Any, rules: Any, action: int) -> int:
    """The observer's view of an action as a number: the seat, the action, and the card that the observer drew."""
    drawn = int(game.drawn) - NO_CARD if game.phase == DRAWN and game.to_move == OBSERVER else 0
    return (drawn * MAX_SEATS + int(game.to_move)) * actions_of(rules).number + action


@njit
def find_child(tree: Tree, node: int, key: int) -> int:
    """The child of a key, or NONE."""
    child = tree.first[node]
    while child != NONE and tree.key[child] != key:
        child = tree.following[child]
    return child


@njit
def select(scratch: SearchScratch, tree: Tree, explore: float, slot: int) -> None:
    """From the root, choose actions in the scratch's game until one is new, and mark the way as under way."""
    game, rules = scratch.game[0], scratch.rules[0]
    node, depth = ROOT, 0
    tree.visits[ROOT] += 1
    while game.phase != OVER and depth < DEEPEST:
        legal_actions(game, rules, scratch.mask)
        if tree.priors.shape[0] > 0:
            action = choose_by_prior(scratch, tree, node, explore)
        else:
            action = choose_by_bound(scratch, tree, node, explore)
        key, mover = key_of(game, rules, action), int(game.to_move)
        child = find_child(tree, node, key)
        is_new = child == NONE
        if is_new:
            child = add_node(tree, node, key)
            if child == NONE:
                break
            tree.available[child] = 1
        tree.visits[child] += 1
        tree.total[child] -= 1.0
        tree.path[slot, depth] = child
        tree.movers[slot, depth] = mover
        depth += 1
        node = child
        step(game, rules, action)
        if is_new:
            break
    tree.depth[slot] = depth


@njit
def choose_by_bound(scratch: SearchScratch, tree: Tree, node: int, explore: float) -> int:
    """A legal action never tried, each with the same probability, else that of the highest upper confidence bound."""
    game, rules = scratch.game[0], scratch.rules[0]
    best, highest, untried = NONE, 0.0, 0
    for action in range(actions_of(rules).number):
        if scratch.mask[action] == 0:
            continue
        child = find_child(tree, node, key_of(game, rules, action))
        if child == NONE:
            untried += 1
            if draw_below(scratch.playing[0].random, untried) == 0:
                best = action
            continue
        tree.available[child] += 1
        if untried > 0:
            continue
        visits = float(tree.visits[child])
        bound = tree.total[child] / visits + explore * math.sqrt(math.log(tree.available[child]) / visits)
        if best == NONE or bound > highest:
            best, highest = action, bound
    return best


@njit
def choose_by_prior(scratch: SearchScratch, tree: Tree, node: int, explore: float) -> int:
    """The legal action of the highest mean reward and bonus, the bonus in proportion to its prior (PUCT)."""
    game, rules, priors = scratch.game[0], scratch.rules[0], tree.priors[node]
    weight, chosen, mean = 1e-9, 0, 0.0
    for action in range(actions_of(rules).number):
        if scratch.mask[action] != 0:
            weight += priors[action]
            child = find_child(tree, node, key_of(game, rules, action))
            if child != NONE:
                tree.available[child] += 1
                chosen += tree.visits[child]
                mean += tree.total[child]
    mean = mean / chosen if chosen > 0 else 0.0
    best, highest = NONE, 0.0
    for action in range(actions_of(rules).number):
        if scratch.mask[action] != 0:
            child = find_child(tree, node, key_of(game, rules, action))
            visits = 0 if child == NONE else tree.visits[child]
            value = mean if visits == 0 else tree.total[child] / visits
            bonus = explore * priors[action] / weight * math.sqrt(chosen + 1.0) / (1 + visits)
            if best == NONE or value + bonus > highest:
                best, highest = action, value + bonus
    return best


@njit
def back_up(tree: Tree, slot: int, reward: npt.NDArray[np.float32]) -> None:
    """End a simulation with its rewards by seat."""
    for level in range(tree.depth[slot]):
        tree.total[tree.path[slot, level]] += 1.0 + reward[tree.movers[slot, level]]


@njit
def grow(scratch: SearchScratch, tree: Tree, explore: float, seed: np.uint64, span: Ints, is_single: bool) -> None:
    """Run simulations ``span[0]`` to ``span[1]`` − 1 with a playout each. With ``is_single``, all are in one
    determinization.
    """
    for number in range(span[0], span[1]):
        determinize(scratch, stream(seed, np.uint64(0 if is_single else number)))
        copy_game(scratch.dealt[0], scratch.game[0], scratch.rules[0])
        seed_playout(scratch, ~seed, np.uint64(number))
        select(scratch, tree, explore, 0)
        play_out(scratch)
        back_up(tree, 0, scratch.reward)


@njit
def grow_leaves(
    scratch: SearchScratch,
    tree: Tree,
    explore: float,
    seed: np.uint64,
    first: int,
    is_single: bool,
    leaves: Array,
    rows: Bytes,
    masks: Bytes,
) -> None:
    """Simulations ``first`` …, one for each of ``leaves``, games [B], which stay under way.

    What the player to move at a leaf sees and may do goes to ``rows``, uint8 [B, D], and ``masks``, uint8 [B, A], which
    is all 0 where the hand is over.
    """
    for slot in range(leaves.shape[0]):
        determinize(scratch, stream(seed, np.uint64(0 if is_single else first + slot)))
        copy_game(scratch.dealt[0], scratch.game[0], scratch.rules[0])
        seed_playout(scratch, ~seed, np.uint64(first + slot))
        select(scratch, tree, explore, slot)
        leaves[slot] = scratch.game[0]
        see(scratch, leaves, slot, rows[slot], masks[slot])


def set_priors(tree: Tree, priors: npt.NDArray[np.float32]) -> None:
    """Save a network's probabilities, float32 [B, A], at the leaf of each simulation under way."""
    slots = np.flatnonzero(tree.depth[: len(priors)])
    tree.priors[tree.path[slots, tree.depth[slots] - 1]] = priors[slots]


@njit
def see(scratch: SearchScratch, games: Array, index: int, row: Bytes, mask: Bytes) -> None:
    """Write the observation and the mask of the player to move in a game. If the hand is over, the mask is all 0."""
    game = games[index]
    mask[:] = 0
    at = columns_of(scratch.rules[0])
    row[at.known : at.seats] = 0
    copy_rules(scratch, scratch.row, row)
    if game.phase != OVER:
        legal_actions(game, scratch.rules[0], mask)
        encode(game, scratch.rules[0], game.to_move, row)


@njit
def root_counts(scratch: SearchScratch, tree: Tree, actions: Ints, visits: Ints, totals: Floats) -> None:
    """Write visits and total rewards of the root's actions [K], which are the observer's."""
    number = actions_of(scratch.rules[0]).number
    for index in range(actions.shape[0]):
        visits[index], totals[index] = 0, 0.0
        child = tree.first[ROOT]
        while child != NONE:
            if tree.key[child] % number == actions[index]:
                visits[index] = tree.visits[child]
                totals[index] = tree.total[child]
            child = tree.following[child]
