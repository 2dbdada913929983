"""Presets (GUIDE.md 11).

The rules are one value of ``Rules``, with a field for each switch. A preset is such a value with a name. ``classic``:
the official game until 2018, the default of every field. ``edition_2018``: the deck of that year. ``edition_2022``:
that deck, a simpler deal, and every hand stands alone. ``h2o``: the deck with the Downpours. ``guide_001``: one
published reading, to the lowest score, with action cards only on their own colour. ``guide_003``: another one, with
pairs, and no action card as the last card. ``house``: the house rules 10.1 to 10.4 and drawing until playable.
``duel``: for learning, two players, no calls of UNO and no challenges. ``mini``: tiny, for solving exactly. ``rlcard``:
RLCard's game (11.1).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from uno_env.cards import (
    CARD_TEXTS,
    DECKS,
    FIRST_WILD,
    MAX_CARDS,
    NUM_KINDS,
    RANKS_PER_COLOUR,
    WILD,
    WILD_DRAW_FOUR,
    count_cards,
    parse_card,
    parse_cards,
)
from uno_env.common.spelling import did_you_mean
from uno_env.core.record import FLAGS, MAX_SEATS, NUMBERS, RULES, SWITCHES

RANGES = {
    "players": (2, MAX_SEATS), "hand_size": (1, MAX_CARDS // 2), "uno_penalty": (0, 20),
    "special_wild_points": (0, 100), "target": (1, 1_000), "max_decisions": (1, 30_000),
}  # fmt: skip

_RLCARD: dict[str, Any] = {
    "players": 2, "first_card": "effects", "action_match": "symbol_or_colour", "voluntary_draw": False, "draw": "one",
    "after_draw": "must_play", "double_play": False, "two_player_reverse": "reverse",
    "wild_draw_four": "colour_or_symbol", "uno_call": "automatic", "go_out_on": "any", "stacking": "off",
    "seven_zero": False, "jump_in": False, "six_smackdown": False,
}  # fmt: skip
"""What ``dialect="rlcard"`` needs of the other fields."""


@dataclass(frozen=True)
class Rules:
    """Every switch of GUIDE.md; the defaults are the preset ``classic`` for four players.

    A value outside what a field allows, or a combination that cannot be played, raises :class:`ValueError` naming it.
    """

    players: int = 4
    """Number of players, 2 to 10 (GUIDE.md 3.1)."""
    deck: str | tuple[int, ...] = "classic"
    """A name (``classic``, ``edition_2018``, ``h2o``), or the number of cards of each of the 58 kinds; also accepted,
    and turned into counts: a text of cards (``"r1 r1 b2 w"``) or a mapping from card to number (GUIDE.md 2)."""
    hand_size: int = 7
    """Cards dealt to each player (GUIDE.md 3.1)."""
    dealer: str = "high_card"
    """How the first dealer is chosen: ``high_card``, ``random`` or ``fixed`` (GUIDE.md 3.2)."""
    dealer_seat: int = 0
    """The dealer, with ``dealer="fixed"`` (GUIDE.md 3.2)."""
    first_card: str = "effects"
    """What a first card does: ``effects``, ``effects_all``, ``effects_no_wild`` or ``number`` (GUIDE.md 3.3)."""
    first_reverse: str = "dealer"
    """Who begins after a first Reverse: ``dealer`` or ``right_of_dealer`` (GUIDE.md 3.3)."""
    action_match: str = "symbol_or_colour"
    """``symbol_or_colour``, or ``colour``: action cards match only by colour (GUIDE.md 4.1)."""
    voluntary_draw: bool = True
    """Whether a player may draw though a card could be played (GUIDE.md 4.2)."""
    draw: str = "one"
    """How many cards are drawn: ``one`` or ``until_playable`` (GUIDE.md 4.2)."""
    after_draw: str = "may_play"
    """Whether a player ``may_play`` or ``must_play`` a playable card just drawn (GUIDE.md 4.2)."""
    double_play: bool | str = False
    """Whether equal numbers may be laid together: ``False``, ``True`` (two), or ``two_or_more`` (GUIDE.md 4.3)."""
    two_player_reverse: str = "skip"
    """With two players, a Reverse acts as ``skip`` or ``reverse`` (GUIDE.md 5)."""
    customizable_effect: str = "none"
    """Effect of the Wild Customizable: ``none``, ``skip_all``, ``swap_hands``, ``everyone_draws`` (GUIDE.md 5.2)."""
    wild_draw_four: str = "bluff"
    """When it may be played: ``restricted``, ``colour_or_symbol``, ``bluff`` or ``free`` (GUIDE.md 5.1)."""
    uno_call: str = "declared"
    """How UNO is called: ``automatic`` or ``declared`` (GUIDE.md 6.1)."""
    uno_penalty: int = 2
    """Cards that a player draws who is caught without a call (GUIDE.md 6.2)."""
    late_call: bool = True
    """Whether a player who forgot to call may still call before being caught (GUIDE.md 6.1)."""
    call_before: bool = False
    """Whether only a call before the card is played counts; ``late_call`` then has no effect (GUIDE.md 6.1)."""
    illegal_action: str = "raise"
    """What an illegal action does: ``raise``, ``penalty`` or ``terminate`` (GUIDE.md 7)."""
    go_out_on: str = "any"
    """``any``, ``not_action``: a last card that is Skip, Reverse or Draw Two may not be played, or ``number``: nor one
    that is a wild (GUIDE.md 8)."""
    special_wild_points: int = 40
    """Points of Wild Shuffle Hands and Wild Customizable (GUIDE.md 9.1)."""
    scoring: str = "winner_takes"
    """Who gets points: ``hand``, ``winner_takes``, ``lowest`` or ``elimination`` (GUIDE.md 9.1)."""
    target: int = 500
    """Points that end a match (GUIDE.md 9.2)."""
    stacking: str = "off"
    """Which draw cards may answer one: ``off``, ``same`` or ``any`` (GUIDE.md 10.1)."""
    seven_zero: bool = False
    """Whether a 7 swaps hands and a 0 passes them on (GUIDE.md 10.2)."""
    jump_in: bool = False
    """Whether the identical card may be played out of turn (GUIDE.md 10.3)."""
    six_smackdown: bool = False
    """Whether everyone slaps the pile on a 6 (GUIDE.md 10.4)."""
    reflexes: tuple[int, ...] = ()
    """Weight, 0 to 255, with which each seat is the last to slap; empty: all the same (GUIDE.md 10.4)."""
    dialect: str = "official"
    """``official``, or ``rlcard``: the procedure of the RLCard library, whose departures from the rules are listed in
    ``core/rules/rlcard.py``; it fixes most other switches, as in the preset ``rlcard`` (GUIDE.md 11.1)."""
    max_decisions: int = 10_000
    """Decisions after which a hand is truncated (GUIDE.md 8)."""

    def __new__(cls, *_: Any, **values: Any) -> Self:
        cls._refuse_unknown(values)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            _check_field(name, value)
        object.__setattr__(self, "deck", _checked_deck(self.deck))
        object.__setattr__(self, "reflexes", _checked_reflexes(self.reflexes, self.players))
        self._check_table()
        if self.dialect == "rlcard":
            self._check_rlcard()

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Rules of a named preset (GUIDE.md 11), with ``changes`` to some fields.

        Raises:
            ValueError: there is no such preset or field, or a value is not allowed.
        """
        if name not in tuple(PRESETS):  # a list has no hash
            raise ValueError(f"unknown preset {name!r}{did_you_mean(name, PRESETS)}: there are {', '.join(PRESETS)}")
        return cls.from_dict({**PRESETS[name], **changes})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rules with the given fields, the others at their defaults; the inverse of :meth:`to_dict`.

        Raises:
            ValueError: there is no such field, or a value is not allowed.
        """
        cls._refuse_unknown(values)
        return cls(**values)

    @classmethod
    def _refuse_unknown(cls, values: Iterable[str]) -> None:
        names = [field.name for field in fields(cls)]
        for name in values:
            if name not in names:
                raise ValueError(f"unknown rule {name!r}{did_you_mean(name, names)}: there are {', '.join(names)}")

    def replace(self, **changes: Any) -> Self:
        """The same rules with some fields changed.

        Raises:
            ValueError: there is no such field, or a value is not allowed.
        """
        return self.from_dict({**{field.name: getattr(self, field.name) for field in fields(self)}, **changes})

    def __repr__(self) -> str:
        changed = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        return f"Rules({', '.join(f'{name}={getattr(self, name)!r}' for name in changed)})"

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON; a deck of one's own as a mapping from card to number."""
        values = asdict(self)
        if not isinstance(self.deck, str):
            values["deck"] = {CARD_TEXTS[kind]: count for kind, count in enumerate(self.deck) if count}
        values["reflexes"] = list(self.reflexes)
        return values

    @cached_property
    def deck_counts(self) -> tuple[int, ...]:
        """Number of cards of each of the 58 kinds."""
        return DECKS[self.deck] if isinstance(self.deck, str) else self.deck

    @property
    def record(self) -> np.record:
        """The rules as the compiled core reads them, for single hands; read-only."""
        return self.record_for(match=False)

    def record_for(self, match: bool, reward: str = "outcome") -> np.record:
        """The rules as the compiled core reads them, for single hands or whole matches; read-only, since it is shared.

        Args:
            match: whether hand after hand is played until the match is won.
            reward: ``outcome`` or ``points``, see :mod:`uno_env.core.rules.reward`.

        Raises:
            ValueError: there is no such reward, or these rules do not count points.
        """
        if reward not in ("outcome", "points"):
            raise ValueError(f"reward={reward!r} is not allowed: choose 'outcome' or 'points'")
        if reward == "points" and self.scoring == "hand":
            raise ValueError("reward='points' is not allowed with scoring='hand', which counts no points")
        return _record(self, match, reward == "points")

    def array_for(self, match: bool, reward: str = "outcome") -> npt.NDArray[Any]:
        """The same as an array [1] of one's own, which compiled code is handed ten times as fast as a record.

        Raises:
            ValueError: see :meth:`record_for`.
        """
        return np.array([self.record_for(match, reward)])

    def _check_table(self) -> None:
        if not 0 <= self.dealer_seat < self.players:
            raise ValueError(
                f"dealer_seat={self.dealer_seat} is no seat of {self.players} players: 0 to {self.players - 1}"
            )
        cards, needed = sum(self.deck_counts), self.players * self.hand_size + 1
        if cards < needed:
            raise ValueError(f"the deck has {cards} cards, but {self.players} players with hand_size={self.hand_size} "
                             f"need {needed}, one of them to begin the discard pile")  # fmt: skip
        if not any(count and self.may_lie_first(kind) for kind, count in enumerate(self.deck_counts)):
            raise ValueError(f"no card of the deck may lie first under first_card={self.first_card!r}")
        numbers = [kind for kind in range(FIRST_WILD) if _is_number(kind)]
        ranks = {kind % RANKS_PER_COLOUR for kind in numbers if self.deck_counts[kind]}
        if self.dealer == "high_card" and (
            len(ranks) < 2 or sum(self.deck_counts[kind] for kind in numbers) < self.players
        ):
            raise ValueError("dealer='high_card' needs a number card in the deck for each player, and two different "
                             "numbers among them: use 'random' or 'fixed'")  # fmt: skip

    def _check_rlcard(self) -> None:
        for name, value in _RLCARD.items():
            if getattr(self, name) != value:
                raise ValueError(f"dialect='rlcard' needs {name}={value!r}, not {getattr(self, name)!r}: "
                                 "begin with the preset 'rlcard'")  # fmt: skip
        if self.illegal_action == "penalty":
            raise ValueError("dialect='rlcard' does not know illegal_action='penalty': choose 'raise' or 'terminate'")
        if any(self.deck_counts[WILD_DRAW_FOUR + 1 :]):
            raise ValueError("dialect='rlcard' does not know the special wilds: choose a deck without them")

    def may_lie_first(self, kind: int) -> bool:
        """Whether a card of the kind, turned over, stays as the first discard."""
        if kind < FIRST_WILD:
            return self.first_card != "number" or _is_number(kind)
        return kind in {"effects": (WILD,), "effects_all": (WILD, WILD_DRAW_FOUR)}.get(self.first_card, ())


@lru_cache(maxsize=256)
def _record(rules: Rules, match: bool, reward_points: bool) -> np.record:
    array = np.zeros(1, RULES)
    array["match"], array["reward_points"] = match, reward_points
    for name, values in (SWITCHES | FLAGS).items():
        array[name] = values.index(getattr(rules, name))
    for name in NUMBERS:
        array[name] = getattr(rules, name)
    array["deck"] = rules.deck_counts
    array["reflexes"][0, : rules.players] = rules.reflexes or 1
    array.flags.writeable = False
    record: np.record = array[0]
    return record


def _is_number(kind: int) -> bool:
    return kind % RANKS_PER_COLOUR <= 9


def _check_field(name: str, value: Any) -> None:
    if name in SWITCHES:
        if value not in SWITCHES[name]:
            raise ValueError(f"{name}={value!r} is not allowed: choose one of {', '.join(map(repr, SWITCHES[name]))}")
    elif name in FLAGS:
        if not isinstance(value, bool) and value not in FLAGS[name][2:]:
            allowed = " or ".join(map(repr, (True, False, *FLAGS[name][2:])))
            raise ValueError(f"{name}={value!r} is not allowed: choose {allowed}")
    elif name in NUMBERS:
        low, high = RANGES.get(name, (0, MAX_SEATS - 1))
        if not _is_whole(value, low, high):
            raise ValueError(f"{name}={value!r} is not allowed: choose a whole number from {low} to {high}")


def _checked_deck(deck: Any) -> str | tuple[int, ...]:
    if isinstance(deck, str) and deck in DECKS:
        return deck
    allowed = (
        f"choose {', '.join(map(repr, DECKS))}, a text of cards, a mapping from card to number, or {NUM_KINDS} counts"
    )
    if isinstance(deck, str):
        try:
            counts = count_cards(parse_cards(deck))
        except ValueError as error:
            raise ValueError(f"deck={deck!r} is not allowed ({error}): {allowed}") from None
    elif isinstance(deck, Mapping):
        listed = [0] * NUM_KINDS
        for text, count in deck.items():
            listed[parse_card(str(text))] = count
        counts = tuple(listed)
    elif isinstance(deck, list | tuple) and len(deck) == NUM_KINDS:
        counts = tuple(deck)
    else:
        raise ValueError(f"deck={deck!r} is not allowed: {allowed}")
    if not all(_is_whole(count, 0) for count in counts):
        raise ValueError(f"deck={deck!r} is not allowed: the number of cards of a kind is a whole number, 0 or more")
    if sum(counts) > MAX_CARDS:
        raise ValueError(f"the deck has {sum(counts)} cards, and there is room for {MAX_CARDS}")
    return counts


def _is_whole(value: Any, low: int, high: float = math.inf) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _checked_reflexes(reflexes: Any, players: int) -> tuple[int, ...]:
    if not isinstance(reflexes, list | tuple) or not all(_is_whole(weight, 0, 255) for weight in reflexes):
        raise ValueError(f"reflexes={reflexes!r} is not allowed: give each seat a whole number from 0 to 255")
    if reflexes and (len(reflexes) != players or not any(reflexes)):
        raise ValueError(f"reflexes={reflexes!r} is not allowed: give {players} weights, one a player, not all 0")
    return tuple(reflexes)


def as_rules(rules: Any, players: int | None = None) -> Rules:
    """Rules from rules, a preset's name or a mapping of fields, for ``players`` if given.

    Raises:
        ValueError: no such preset or field, or a value that is not allowed.
    """
    changes = {} if players is None else {"players": players}
    if isinstance(rules, Rules):
        return rules.replace(**changes) if changes else rules
    if isinstance(rules, str):
        return Rules.preset(rules, **changes)
    if isinstance(rules, Mapping):
        values = dict(rules)
        preset = values.pop("preset", "classic")
        return Rules.preset(preset, **{**values, **changes})
    raise ValueError(
        f"rules={rules!r} is not allowed: give Rules, the name of a preset ({', '.join(PRESETS)}) or a mapping"
    )


PRESETS: dict[str, dict[str, Any]] = {
    "classic": {},
    "edition_2018": {"deck": "edition_2018"},
    "edition_2022": {
        "deck": "edition_2018",
        "dealer": "random",
        "first_card": "number",
        "special_wild_points": 50,
        "scoring": "hand",
    },
    "h2o": {"deck": "h2o"},
    "guide_001": {
        "first_card": "effects_no_wild",
        "first_reverse": "right_of_dealer",
        "action_match": "colour",
        "draw": "until_playable",
        "after_draw": "must_play",
        "wild_draw_four": "colour_or_symbol",
        "uno_penalty": 4,
        "late_call": False,
        "call_before": True,
        "scoring": "lowest",
    },
    "guide_003": {"double_play": True, "go_out_on": "not_action"},
    "house": {
        "draw": "until_playable",
        "stacking": "same",
        "seven_zero": True,
        "jump_in": True,
        "six_smackdown": True,
    },
    "mini": {
        "players": 2,
        "deck": {"r1": 1, "r2": 1, "rs": 1, "b1": 1, "b2": 1, "bs": 1, "w": 1},
        "hand_size": 2,
        "dealer": "random",
        "first_card": "number",
        "voluntary_draw": False,
        "wild_draw_four": "restricted",
        "uno_call": "automatic",
        "scoring": "hand",
        "max_decisions": 12,
    },
    "duel": {
        "players": 2,
        "dealer": "random",
        "first_card": "number",
        "wild_draw_four": "restricted",
        "uno_call": "automatic",
        "scoring": "hand",
    },
    "rlcard": {**_RLCARD, "dialect": "rlcard", "dealer": "fixed", "dealer_seat": 1, "scoring": "hand"},
}
"""Named rules (GUIDE.md 11), as differences from the defaults."""
