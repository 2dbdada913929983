"""The same game with other names for its colours, and seen in a mirror: :class:`Renaming`."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.helpers.records import mark_legal
from uno_env import Game, Rules
from uno_env.actions import catalogue
from uno_env.cards import NUM_COLOURS
from uno_env.editions import edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.events import Event

Array = npt.NDArray[Any]
_BY_SEAT = ("turn", "to_move", "dealer", "last_player")
_BY_SEAT_AS_BITS = ("called", "asked", "out")


class Renaming:
    """Other names for colours, and seats counted the other way round.

    Args:
        colours: the new colour of each.
        mirrored: whether the seat to the left comes to be the seat to the right.
        edition: the edition whose cards they are.
    """

    def __init__(self, colours: Sequence[int], mirrored: bool, edition: Edition = CLASSIC) -> None:
        self.colours, self.mirrored = list(colours), mirrored
        self._actions, self._letters = catalogue(edition), edition.letters
        self._kinds = list(range(len(edition.kinds)))
        if edition.sides == 1:
            of_colours = [
                colour * edition.per_colour + rank for colour in colours for rank in range(edition.per_colour)
            ]
            self._kinds[: edition.coloured] = of_colours

    def seat(self, seat: int, players: int) -> int:
        return -seat % players if self.mirrored and seat >= 0 else seat

    def colour(self, colour: int) -> int:
        return self.colours[colour] if colour >= 0 else colour

    def kind(self, kind: int) -> int:
        return self._kinds[kind] if kind >= 0 else kind

    def action(self, action: int, players: int) -> int:
        """The action's new id, by its text: ``r5``, ``w:r``, ``colour:r``, ``swap1``."""
        text, id_of = self._actions.texts[action], self._actions.id_of
        if text.startswith("swap"):
            left = int(text[4:])
            return id_of[f"swap{self.seat(left, players)}"] if left < players else action
        letters = "".join(self._letters[colour] for colour in self.colours)
        recoloured = str.maketrans(self._letters, letters)
        head, colon, declared = text.partition(":")
        if colon:
            return id_of[f"{head}:{declared.translate(recoloured)}"]
        is_card = action < self._actions.first.draw and text[0] in self._letters
        return id_of[text[0].translate(recoloured) + text[1:]] if is_card else action

    def actions(self, players: int) -> list[int]:
        """The new id of each action."""
        return [self.action(action, players) for action in range(self._actions.first.number)]

    def rules(self, rules: Rules) -> Rules:
        weights = rules.reflexes
        seats = [self.seat(seat, rules.players) for seat in range(len(weights))]
        return rules.replace(reflexes=tuple(weights[seat] for seat in seats))

    def event(self, event: Event, players: int) -> Event:
        seats = [self.seat(seat, players) for seat in range(players)]
        return event._replace(
            seat=self.seat(event.seat, players),
            turn=self.seat(event.turn, players),
            action=None if event.action is None else self.action(event.action, players),
            top=self.kind(event.top),
            colour=self.colour(event.colour),
            held=tuple(event.held[seat] for seat in seats),
            growth=tuple(event.growth[seat] for seat in seats),
        )

    def game(self, game: Game) -> Game:
        """The game renamed: all that its record says, what players know of each other, and its events."""
        players, twin, record = game.players, game.clone(), game.record
        twin.rules = self.rules(game.rules)
        twin._lay_out()
        for name in ("top", "drawn"):
            twin._array[name] = self.kind(int(record[name]))
        twin._array["pile"] = [self.kind(int(kind)) for kind in record.pile]
        for name in ("colour", "previous_colour"):
            twin._array[name] = self.colour(int(record[name]))
        for name in _BY_SEAT:
            twin._array[name] = self.seat(int(record[name]), players)
        for name in _BY_SEAT_AS_BITS:
            bits = int(record[name])
            twin._array[name] = sum((bits >> seat & 1) << self.seat(seat, players) for seat in range(players))
        if self.mirrored:
            twin._array["direction"] = -int(record.direction)
        kinds = self._kinds
        twin._array["discards"][0, kinds] = record.discards
        self._seats(twin, record, players, kinds)
        twin._course._events = [self.event(event, players) for event in game.events]
        mark_legal(twin)
        return twin

    def _seats(self, twin: Game, record: Any, players: int, kinds: list[int]) -> None:
        fields, known = twin._array["seats"], np.zeros((players, players, len(kinds)), np.int8)
        before = np.array(record.known[: known.size]).reshape(known.shape)
        for seat in range(players):
            other = self.seat(seat, players)
            fields["hand"][0, other, kinds] = record.seats[seat].hand
            fields["hand_size"][0, other] = record.seats[seat].hand_size
            fields["drew_on"][0, other, self.colours] = record.seats[seat].drew_on
            twin._array["scores"][0, other] = record.scores[seat]
            for owner in range(players):
                known[other, self.seat(owner, players), kinds] = before[seat, owner]
        twin._array["known"][0, : known.size] = known.ravel()


def a_renaming(rules: Rules, chance: random.Random) -> Renaming:
    """Any names for colours of which the deck has the same cards, in a mirror or not; with two sides they stay."""
    edition, colours = edition_for(rules), list(range(NUM_COLOURS))
    if edition.sides == 1:
        decks = np.array(rules.deck_counts)[: edition.coloured].reshape(NUM_COLOURS, -1).tolist()
        for deck in decks:
            alike = [colour for colour in range(NUM_COLOURS) if decks[colour] == deck]
            names = [colours[colour] for colour in alike]
            for colour, name in zip(alike, chance.sample(names, len(names)), strict=True):
                colours[colour] = name
    return Renaming(colours, chance.random() < 0.5, edition)
