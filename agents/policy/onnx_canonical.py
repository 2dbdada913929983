"""The canonical form of observations (:mod:`uno_env.symmetry`) in ONNX operators: :class:`CanonicalGraph`."""

import numpy as np
import numpy.typing as npt

from agents.policy.onnx_graph import Graph
from agents.policy.policy_file import PolicyCard
from uno_env.actions import NUM_ACTIONS
from uno_env.cards import NUM_COLOURS, RANKS_PER_COLOUR
from uno_env.core.record import MAX_SEATS
from uno_env.history import EVENT_SIZE
from uno_env.observation import LAYOUT, SCALES
from uno_env.symmetry.tables import NUM_FORMS, NUM_NAMED, NUM_ORDERS, REAL_ACTIONS, REAL_COLUMNS, TABLES

TINY = 1e-30
_EARLIER = np.triu(np.ones((NUM_COLOURS, NUM_COLOURS), np.float32), 1)
"""float32 [colours, colours]: 1 where the first comes before the second by number."""


class CanonicalGraph:
    """Finds the form of each observation, and reads and writes in it, as :mod:`uno_env.symmetry.kernels` does.

    Args:
        graph: what the operators are added to; it has the inputs ``observation``, ``mask`` and perhaps ``history``.
        card: what the policy reads.
    """

    def __init__(self, graph: Graph, card: PolicyCard) -> None:
        self.graph, self.card = graph, card
        g = graph
        self._seen = g.add("Round", g.add("Div", "observation", SCALES))
        seats = LAYOUT["seats"].start + np.arange(MAX_SEATS)
        players = g.sum(g.columns(self._seen, seats), 1)
        clockwise = g.reshape(g.columns(self._seen, [LAYOUT["clockwise"].start]), -1)
        self._mirror = g.cast(g.add("Mul", players, g.add("Sub", np.float32(1), clockwise)), np.int64)
        told = self._told()
        difference = g.add("Sign", g.add("Sub", g.add("Unsqueeze", told, [2]), g.add("Unsqueeze", told, [1])))
        first = g.add("ArgMax", g.add("Abs", difference), axis=3)
        self._compared = g.reshape(g.elements(difference, first, 3), 0, NUM_COLOURS, NUM_COLOURS)
        self._same_deck = self._all_equal(g.reshape(g.columns(self._seen, _by_colour("deck")), 0, NUM_COLOURS, -1))
        number = g.add("Gather", TABLES.order_numbers, self._order(), axis=0)
        self._forms = g.add("Add", g.add("Mul", self._mirror, np.int64(NUM_ORDERS)), number)

    def features(self) -> str:
        """The network's columns in canonical form, float32 [N, C]."""
        g, columns = self.graph, np.array(self.card.columns)
        read = g.elements(self._seen, g.chosen(REAL_COLUMNS[:, columns], self._forms))
        turned = g.cast(g.add("GreaterOrEqual", self._forms, np.int64(NUM_ORDERS)), np.float32)
        is_clockwise = (columns == LAYOUT["clockwise"].start).astype(np.float32)[None]
        read = g.add("Add", read, g.add("Mul", g.add("Unsqueeze", turned, [1]), is_clockwise))
        return g.add("Mul", read, SCALES[columns])

    def events(self) -> str:
        """The history in canonical form, float32 [N, K, EVENT_SIZE]."""
        g, length = self.graph, self.card.history
        columns = g.add("Unsqueeze", g.chosen(TABLES.event_columns, self._forms), [1])
        shape = g.add("Shape", "history")
        moved = g.elements("history", g.add("Expand", columns, shape), 2)
        named = g.add("Slice", moved, [0], [NUM_NAMED], [2])
        counts = g.add("Slice", moved, [NUM_NAMED], [EVENT_SIZE], [2])
        values = TABLES.event_values.shape[2]
        first = np.arange(NUM_FORMS)[:, None] * NUM_NAMED * values + np.arange(NUM_NAMED) * values
        places = g.add("Add", g.cast(named, np.int32), g.add("Unsqueeze", g.chosen(first, self._forms), [1]))
        flat = g.add("Gather", TABLES.event_values.reshape(-1).astype(np.float32), places, axis=0)
        return g.reshape(g.add("Concat", flat, counts, axis=2), 0, length, EVENT_SIZE)

    def write(self, logits: str) -> None:
        """Write the outputs ``logits`` and ``probabilities`` of the real actions, given those of canonical ones."""
        g, card = self.graph, self.card
        places = np.full((NUM_FORMS, NUM_ACTIONS), len(card.actions))
        np.put_along_axis(places, REAL_ACTIONS[:, card.actions], np.arange(len(card.actions))[None], axis=1)
        padded = g.add("Pad", logits, [0, 0, 0, 1], np.float32(-np.inf))
        real = g.add("GatherElements", padded, g.chosen(places, self._forms), axis=1, output="logits")
        legal = g.add("And", g.cast("mask", np.bool_), g.add("Greater", real, np.float32(-np.inf)))
        kept = g.add("Where", legal, real, np.float32(-1 / TINY))
        highest = g.add("ReduceMax", kept, axes=[1], keepdims=1)
        weights = g.add("Mul", g.add("Exp", g.add("Sub", kept, highest)), g.cast(legal, np.float32))
        total = g.add("Max", g.sum(weights, 1, keepdims=1), np.float32(TINY))
        g.add("Div", self._shared(weights), total, output="probabilities")

    def _told(self) -> str:
        """What colours are ordered by, the most important first, float32 [N, colours, M]."""
        g = self.graph

        def of_colours(name: str) -> str:
            return g.reshape(g.columns(self._seen, _by_colour(name)), 0, NUM_COLOURS, RANKS_PER_COLOUR)

        hand, discards = of_colours("hand"), of_colours("discards")
        active = g.columns(self._seen, LAYOUT["colour"].start + np.arange(NUM_COLOURS))
        both = g.add("Add", g.add("Mul", hand, np.float32(3)), discards)
        ranks = g.add("Mul", both, np.arange(1, RANKS_PER_COLOUR + 1, dtype=np.float32))
        counts = [g.sum(each, 2, keepdims=1) for each in (hand, discards, ranks)]
        columns = g.reshape(g.chosen(TABLES.compared, self._mirror), 0, TABLES.compared[0].size)
        others = g.reshape(g.elements(self._seen, columns), 0, NUM_COLOURS, -1)
        parts = [g.add("Unsqueeze", active, [2]), *counts, others]
        if self.card.history:
            parts.append(self._told_by_events())
        return g.add("Concat", *parts, axis=2)

    def _told_by_events(self) -> str:
        """What the events, the newest first, say of each colour, float32 [N, colours, K × NUM_NAMED]."""
        g, length = self.graph, self.card.history
        newest_first = g.columns("history", np.arange(length)[::-1])
        named = g.add("Slice", newest_first, [0], [NUM_NAMED], [2])
        _, columns, values = TABLES.labels.shape
        first = (np.arange(NUM_COLOURS)[:, None] * columns * values + np.arange(columns) * values)[None, :, None]
        places = g.add("Add", g.add("Unsqueeze", g.cast(named, np.int64), [1]), first)
        labels = g.add("Gather", TABLES.labels.reshape(-1).astype(np.float32), places, axis=0)
        return g.reshape(labels, 0, NUM_COLOURS, length * NUM_NAMED)

    def _order(self) -> str:
        """The colours in canonical order, 2 bits each, the first lowest, int64 [N]; see ``sorted_colours`` there."""
        g = self.graph
        equal = g.cast(g.add("Equal", self._compared, np.float32(0)), np.float32)
        ahead = g.add("Add", g.add("Relu", self._compared), g.add("Mul", equal, _EARLIER))
        rank = g.sum(g.add("Mul", ahead, self._same_deck), 1)  # of each colour in its group
        place = g.sum(g.add("Mul", self._same_deck, _EARLIER), 1)  # of each place among those of its group
        fits = g.add("Equal", g.add("Unsqueeze", rank, [2]), g.add("Unsqueeze", place, [1]))
        sits = g.add("Mul", g.cast(fits, np.float32), self._same_deck)
        colours = g.sum(g.add("Mul", sits, np.arange(NUM_COLOURS, dtype=np.float32)[:, None]), 1)
        bits = g.add("Mul", colours, np.array([4.0**place for place in range(NUM_COLOURS)]))
        return g.cast(g.sum(bits, 1), np.int64)

    def _shared(self, weights: str) -> str:
        """Weights [N, A] whose actions of colours that nothing tells apart have their mean."""
        g, coloured = self.graph, TABLES.colour_actions
        masks = g.reshape(g.columns("mask", coloured.reshape(-1)), 0, NUM_COLOURS, -1)
        equal = g.cast(g.add("Equal", self._compared, np.float32(0)), np.float32)
        alike = g.add("Mul", g.add("Mul", equal, self._same_deck), self._all_equal(masks))
        shares = g.add("Div", alike, g.sum(alike, 2, keepdims=1))
        own = g.reshape(g.columns(weights, coloured.reshape(-1)), 0, NUM_COLOURS, -1)
        means = g.reshape(g.add("MatMul", shares, own), 0, coloured.size)
        places = np.arange(NUM_ACTIONS)
        places[coloured.reshape(-1)] = NUM_ACTIONS + np.arange(coloured.size)
        return g.columns(g.add("Concat", weights, means, axis=1), places)

    def _all_equal(self, values: str) -> str:
        """Whether two colours have the same values, float32 [N, colours, colours] of values [N, colours, M]."""
        g = self.graph
        apart = g.add("Sub", g.add("Unsqueeze", values, [2]), g.add("Unsqueeze", values, [1]))
        return g.cast(g.add("Equal", g.sum(g.add("Abs", apart), 3), np.float32(0)), np.float32)


def _by_colour(name: str) -> npt.NDArray[np.int64]:
    """Columns of a section that counts kinds of cards: those of the colours, one after the other."""
    return LAYOUT[name].start + np.arange(NUM_COLOURS * RANKS_PER_COLOUR)
