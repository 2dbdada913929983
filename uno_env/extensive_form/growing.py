"""Growing a tree in steps, with arrays that grow along: :class:`Growing`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from uno_env.actions import catalogue
from uno_env.common.memory import in_gigabytes
from uno_env.core.arrays import Array, Ints
from uno_env.core.packed_games import can_know
from uno_env.extensive_form import tree_growth as at
from uno_env.extensive_form.deals import new_outcomes
from uno_env.extensive_form.tree_growth import Fixed, Grown, Stack, fill_table, walk
from uno_env.extensive_form.tree_merging import merge_ends, merge_states, merge_views
from uno_env.extensive_form.workspace import Workspace
from uno_env.observation import number_of_columns
from uno_env.rules import Rules

ROOM, TABLE = 1 << 14, 1 << 17
"""Elements of the arrays and of the hash table at first; they are doubled when they are full."""
OUTCOMES = 1 << 10
"""Rows for the outcomes of the actions on the way to a node, at first."""
MAX_SEQUENCES = 2**31 - 2**20
ALL_BITS = 2**64 - 1

_TYPES: dict[str, tuple[int, type]] = {
    "end_sequences": (at.ENDS, np.int32), "end_shares": (at.ENDS, np.float64), "end_rewards": (at.ENDS, np.int32),
    "rewards": (at.REWARDS, np.float64), "seats": (at.STATES, np.int8), "first": (at.STATES, np.int32),
    "parents": (at.STATES, np.int32), "questions": (at.STATES, np.int32), "following": (at.STATES, np.int32),
    "view_of": (at.STATES, np.int32), "observed": (at.STATES, np.uint8), "actions": (at.SEQUENCES, np.int16),
    "views": (at.VIEWS, np.uint64), "states": (at.VIEWS, np.int32),
}  # fmt: skip
LENGTH_OF = {name: place for name, (place, _) in _TYPES.items()}
"""The number that says how much of an array is filled."""


class Growing:
    """A tree that is being grown from some deals, rows uint8 [N, bytes], with their probabilities, float64 [N].

    It keeps ``columns``, int64 [C], of observations, takes at most ``memory`` bytes (None: any number), and lets
    ``seers`` see all hands. Fewer bits in ``hash_mask`` make collisions, for tests.
    """

    def __init__(
        self, form: Workspace, deals: Array, shares: Array, columns: Ints, memory: int | None,
        hash_mask: int = ALL_BITS, seers: Sequence[int] = (),
    ) -> None:  # fmt: skip
        rules, players, self.memory = form.rules, form.players, memory
        self.parts = [self]
        """The parts of the tree that are in memory, the first deals first."""
        kinds = np.flatnonzero(rules.deck_counts)
        knows, shows = can_know(form.record), shows_discards(form)
        size = at.HEAD + players + len(kinds) * (1 + shows + players * (knows + bool(seers)))
        self._actions = catalogue(form.edition).first.number
        words = np.zeros(1 + -(-size // 8), np.uint64)
        mask = np.uint64(hash_mask)
        self.fixed = Fixed(
            form.record, kinds, columns, knows, shows, sum(1 << seat for seat in seers), mask,
            words[1:].view(np.uint8), words, np.zeros(number_of_columns(rules), np.uint8), np.zeros(players),
        )  # fmt: skip
        widths = {"end_sequences": players, "rewards": players, "observed": len(columns), "views": len(words)}
        arrays: dict[str, Any] = {name: np.zeros((ROOM, widths[name]) if name in widths else ROOM, dtype)
                  for name, (_, dtype) in _TYPES.items()}  # fmt: skip
        self.grown = Grown(np.zeros(at.DEPTH + 1, np.int64), **arrays, table=np.full(TABLE, -1, np.int32))
        # There are the deal, the empty sequence, and for each seat the view of nothing.
        self.grown.number[[at.NODES, at.SEQUENCES, at.VIEWS]] = 1, 1, players
        self.grown.actions[0] = -1
        self.grown.states[:players] = -1
        depth = rules.max_decisions + 3
        rows, acting, cursors, ends, states, slots = (np.full(depth, -1) for _ in range(6))
        views, before, sequences = (np.zeros((depth, players), np.int64) for _ in range(3))
        seen, growth = np.zeros((depth, players, 3), np.int64), np.zeros((depth, players, players), np.int64)
        masks = np.zeros((depth, self._actions), np.uint8)
        self.stack = Stack(
            rows, acting, cursors, ends, states, slots, np.ones(depth), masks, views, before, seen, growth, sequences
        )
        self.stack.views[0] = np.arange(players)
        self.stack.rows[0] = self.stack.cursors[0] = 0
        self.stack.ends[0] = len(deals)
        self.out = new_outcomes(rules, len(deals) + OUTCOMES)
        self.out.rows[: len(deals)], self.out.shares[: len(deals)] = deals, shares
        self.rules, self._deals, self._shares = rules, deals, shares

    @property
    def nodes(self) -> int:
        """Nodes so far."""
        return int(self.grown.number[at.NODES])

    @property
    def deals_done(self) -> int:
        """Deals of which all is grown."""
        return int(self.stack.cursors[0]) - (self.grown.number[at.DEPTH] > 0)

    @property
    def bytes(self) -> int:
        """Memory that all arrays take."""
        return sum(array.nbytes for array in (*self.grown, *self.out))

    @property
    def bytes_used(self) -> int:
        """Bytes of the arrays that are in use."""
        number = self.grown.number
        return sum(int(number[place]) * getattr(self.grown, name)[0].nbytes for name, place in LENGTH_OF.items())

    def split(self, parts: int) -> list[tuple[Array, Array]]:
        """Keep the first of the deals that are left. Returns the others in some parts, each with the probabilities of
        its deals.
        """
        first = int(self.stack.cursors[0])
        bounds = np.linspace(first, self.stack.ends[0], parts + 2).astype(int).tolist()
        self.stack.ends[0] = bounds[1]
        return [(self._deals[start:end], self._shares[start:end]) for start, end in pairwise(bounds[1:])]

    def merge(self, part: "Growing") -> None:
        """Add the part that was grown from the next deals, as if grown here. Raises ValueError if memory runs out."""
        more, there = part.grown, part.grown.number
        self._make_room(there)
        views, sequences, rewards = (np.zeros(there[each], np.int32) for each in (at.VIEWS, at.SEQUENCES, at.REWARDS))
        merge_views(self.grown, more, self.fixed, views)
        merge_states(self.grown, more, views, sequences)
        merge_ends(self.grown, more, sequences, rewards)

    def grow(self, nodes: int) -> bool:
        """Go on until there are ``nodes`` nodes. Returns whether the whole tree is grown. Raises ValueError if memory
        runs out.
        """
        while True:
            why = walk(self.grown, self.stack, self.out, self.fixed, nodes)
            if why == at.MORE_OUTCOMES:
                self._verify_memory(sum(array.nbytes for array in self.out))
                self.out = new_outcomes(self.rules, 2 * len(self.out.rows), self.out)
            elif why == at.MORE_ROOM:
                self._make_room()
            else:
                return bool(why == at.DONE)

    def _make_room(self, more: Ints | None = None) -> None:
        """Lengthen the arrays that are nearly full: twice as long, or as long as another part needs."""
        number = self.grown.number
        if number[at.DEPTH] + 2 >= len(self.stack.rows):
            raise ValueError(f"a hand went on for more than max_decisions={self.rules.max_decisions} decisions")
        for name, place in LENGTH_OF.items():
            array = getattr(self.grown, name)
            needed = number[place] + self._actions + (0 if more is None else more[place])
            if needed > len(array):
                length = 2 * len(array) if more is None else int(needed)
                self._verify_memory((length - len(array)) * array[0].nbytes)
                array.resize((length, *array.shape[1:]), refcheck=False)
        if number[at.SEQUENCES] > MAX_SEQUENCES or number[at.VIEWS] > MAX_SEQUENCES:
            raise ValueError("the tree of these rules has more actions than there are numbers for: choose fewer cards")
        needed, length = (
            number[at.VIEWS] + self._actions + (0 if more is None else more[at.VIEWS]),
            len(self.grown.table),
        )
        while 2 * needed > length:
            length *= 2
        if length > len(self.grown.table):
            self._verify_memory(4 * length)
            self.grown = self.grown._replace(table=np.full(length, -1, np.int32))
            fill_table(self.grown, self.fixed)

    def _verify_memory(self, more: int) -> None:
        needed = more + sum(each.bytes for each in self.parts)
        if self.memory is not None and needed > self.memory:
            raise ValueError(too_large(self.rules, self.nodes, needed, self.memory))

    def filled(self, name: str) -> Array:
        """Shorten an array to what is in it. Returns that array."""
        array = getattr(self.grown, name)
        array.resize((int(self.grown.number[LENGTH_OF[name]]), *array.shape[1:]), refcheck=False)
        return array


def shows_discards(form: Workspace) -> bool:
    """Return whether more cards than those that are laid can come to lie in the open: by a Discard All, or mercy."""
    return form.rules.mercy > 0 or any(face.effect == "discard_all" for face in form.edition.kinds)


def too_large(rules: Rules, nodes: float, needed: float, free: int) -> str:
    """The error of a tree that does not fit."""
    return (
        f"the tree of these rules has {nodes:,.0f} nodes or more and takes {in_gigabytes(needed)} of memory or more, "
        f"and {in_gigabytes(free)} are free: choose fewer cards, or fewer than max_decisions={rules.max_decisions}"
    )
