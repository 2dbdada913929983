"""The switches of the game as one value: :class:`Rules`, also from a preset's name or a mapping: :func:`as_rules`."""

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from uno_env.common.numbers import checked_flag
from uno_env.common.spelling import did_you_mean
from uno_env.core.record import ALL_SWITCHES, FLAGS, NUMBERS, card_tables, records_of, values_of
from uno_env.core.record_type import Record
from uno_env.editions import EDITIONS, edition_for
from uno_env.rules import validation
from uno_env.rules.presets import PRESETS, preset_fields


def _refuses_unknown(cls: type["Rules"]) -> type["Rules"]:
    """The class, whose constructor answers an unknown field with a sentence that names it."""
    build = cls.__init__

    @functools.wraps(build)
    def construct(self: "Rules", /, *args: Any, **values: Any) -> None:
        _check_names(values)
        build(self, *args, **values)

    cls.__init__ = construct  # type: ignore[assignment, method-assign]
    return cls


def _check_names(values: Mapping[str, Any]) -> None:
    names = [field.name for field in fields(Rules)]
    for name in values:
        if name not in names:
            text = f"unknown rule {name!r}{did_you_mean(name, names)}: there are {', '.join(names)}"
            raise validation.RulesError(text, "field", name=name)


@_refuses_unknown
@dataclass(frozen=True)
class Rules:
    """Every switch of GUIDE.md; the defaults are the preset ``classic`` for four players.

    A value outside what a field allows, or a combination that cannot be played, raises :class:`RulesError` (a
    ValueError), which names it.
    """

    players: int = 4
    """Number of players, 2 to 10 (GUIDE.md 3.1)."""
    deck: str | tuple[int, ...] = "classic"
    """A name (``classic``, ``edition_2018``, ``h2o``, ``no_mercy``, ``flip``), or the number of cards of each of the
    edition's kinds (58 in the first); also accepted, and turned into counts: a text of cards (``"r1 r1 b2 w"``) or a
    mapping from card to number (GUIDE.md 2)."""
    hand_size: int = 7
    """Cards dealt to each player (GUIDE.md 3.1)."""
    dealer: str = "high_card"
    """The choice of the first dealer: ``high_card``, ``random`` or ``fixed``; ``high_card_each_hand`` draws for the
    dealer of every hand of a match (GUIDE.md 3.2)."""
    dealer_seat: int = 0
    """The dealer, with ``dealer="fixed"`` (GUIDE.md 3.2)."""
    first_card: str = "effects"
    """Effect of the first card: ``effects``, ``effects_all``, ``effects_no_wild``, ``reverse_only`` or ``number``
    (GUIDE.md 3.3)."""
    first_reverse: str = "dealer"
    """The player who begins after a first Reverse: ``dealer`` or ``right_of_dealer`` (GUIDE.md 3.3)."""
    action_match: str = "symbol_or_colour"
    """``symbol_or_colour``, or ``colour``: action cards match only by colour (GUIDE.md 4.1)."""
    voluntary_draw: bool = True
    """True if a player may draw though a card could be played (GUIDE.md 4.2). Untrained networks take 1,016 to 1,455
    decisions for a hand of ``duel`` with it, and 60 to 63 without."""
    draw: str = "one"
    """The number of cards drawn: ``one``, ``until_playable``, or ``until_playable_if_stuck``: one card if the player
    could play (GUIDE.md 4.2)."""
    after_draw: str = "may_play"
    """A playable card just drawn: its player ``may_play`` or ``must_play`` it (GUIDE.md 4.2)."""
    double_play: bool | str = False
    """Equal numbers that may be laid together: ``False`` (one), ``True`` (two), or ``two_or_more`` (GUIDE.md 4.3)."""
    two_player_reverse: str = "skip"
    """With two players, a Reverse acts as ``skip`` or ``reverse`` (GUIDE.md 5)."""
    customizable_effect: str = "none"
    """Effect of the Wild Customizable: ``none``, ``skip_all``, ``swap_hands``, ``everyone_draws`` (GUIDE.md 5.2)."""
    wild_draw_four: str = "bluff"
    """Limits on playing it: ``restricted``, ``colour_or_symbol``, ``bluff`` or ``free`` (GUIDE.md 5.1)."""
    uno_call: str = "declared"
    """The way of calling UNO: ``automatic`` or ``declared`` (GUIDE.md 6.1)."""
    uno_penalty: int = 2
    """Cards that a player who is caught without a call draws (GUIDE.md 6.2)."""
    late_call: bool = True
    """True if a player who forgot to call may still call before being caught (GUIDE.md 6.1)."""
    call_before: bool = False
    """True if only a call before the card is played counts; ``late_call`` then has no effect (GUIDE.md 6.1)."""
    illegal_action: str = "raise"
    """Effect of an illegal action: ``raise``, ``penalty`` or ``terminate`` (GUIDE.md 7)."""
    go_out_on: str = "any"
    """Cards that may be played last: ``any``, ``not_action`` (no Skip, Reverse or Draw Two) or ``number`` (no wild
    either) (GUIDE.md 8)."""
    special_wild_points: int = 40
    """Points of Wild Shuffle Hands and Wild Customizable (GUIDE.md 9.1)."""
    scoring: str = "winner_takes"
    """Scoring of a hand: ``hand``, ``winner_takes``, ``lowest`` or ``elimination`` (GUIDE.md 9.1)."""
    target: int = 500
    """Points that end a match (GUIDE.md 9.2)."""
    stacking: str = "off"
    """The draw cards that may answer one: ``off``, ``same``, ``any`` or ``both``; in other editions than the first also
    ``value`` (GUIDE.md 10.1)."""
    seven_zero: bool = False
    """True if a 7 swaps hands and a 0 passes them on (GUIDE.md 10.2)."""
    jump_in: bool = False
    """True if the identical card may be played out of turn (GUIDE.md 10.3)."""
    six_smackdown: bool = False
    """True if everyone slaps the pile on a 6 (GUIDE.md 10.4)."""
    reflexes: tuple[int, ...] = ()
    """Weight, 0 to 255, with which each seat is the last to slap; empty: all the same (GUIDE.md 10.4)."""
    dialect: str = "official"
    """``official``, or ``rlcard``: the procedure of the RLCard library, whose departures from the rules are listed in
    ``core/rules/rlcard.py``; it fixes most other switches, as in the preset ``rlcard`` (GUIDE.md 11.1)."""
    max_decisions: int = 10_000
    """Decisions after which a hand is truncated: nobody has won, and all rewards are 0 (GUIDE.md 8). Environments say
    so, and show the last observation, so that a learner can add its own value of what might have come."""
    renew: str = "when_needed"
    """The time at which discards become the new draw pile: ``when_needed`` or ``at_once`` (GUIDE.md 4.4)."""
    draw_two_turn: str = "lost"
    """The turn of the player hit by a Draw Two: ``lost``, ``kept``, or ``kept_first``: kept after a first discard alone
    (GUIDE.md 5.4)."""
    wild_is_match: bool = False
    """True if a Wild or a special wild in the hand makes a Wild Draw Four as illegal as a card of the active colour
    does (GUIDE.md 5.1)."""
    deflect: bool = False
    """True if a Skip or a Reverse of its colour turns the penalty of a Draw Two away (GUIDE.md 10.5)."""
    edition: str = "classic"
    """The cards that are played with: ``classic``, ``no_mercy`` or ``flip``. A deck that only one edition has says so
    by itself (GUIDE.md 13)."""
    mercy: int = 0
    """Cards with which a player is out of the hand; 0: nobody is put out (GUIDE.md 13.5)."""
    backs: str = "seen"
    """The other faces of the cards that others hold, where cards have two sides: ``seen`` or ``hidden``
    (GUIDE.md 14)."""

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            object.__setattr__(self, name, validation.checked_field(name, value))
        edition, deck = validation.checked_deck(self.edition, self.deck)
        object.__setattr__(self, "edition", edition)
        object.__setattr__(self, "deck", deck)
        object.__setattr__(self, "reflexes", validation.checked_reflexes(self.reflexes, self.players))
        validation.check_table(self)
        validation.check_edition(self)
        if self.dialect == "rlcard":
            validation.check_rlcard(self)

    @classmethod
    def preset(cls, name: str, /, **changes: Any) -> Self:
        """Rules of a named preset (GUIDE.md 11), with ``changes`` to some fields. Raises ValueError if there is no such
        preset or field, or a value is not allowed.
        """
        return cls.from_dict({**preset_fields(name), **changes})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rules with the given fields, the others at their defaults; the inverse of :meth:`to_dict`. Raises ValueError
        if there is no such field, or a value is not allowed.
        """
        _check_names(values)
        rules = cls(**values)
        validation.check_named_edition(values, rules)
        return rules

    def replace(self, /, **changes: Any) -> Self:
        """The same rules with some fields changed. Raises ValueError if a field or a value is not allowed."""
        return self.from_dict({**self._changed(), **changes})

    def __repr__(self) -> str:
        return f"Rules({', '.join(f'{name}={value!r}' for name, value in self._changed().items())})"

    def _changed(self) -> dict[str, Any]:
        """The fields that are not at their defaults."""
        values = [(field, getattr(self, field.name)) for field in fields(self)]
        return {field.name: value for field, value in values if value != field.default}

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON; a deck of one's own as a mapping from card to number."""
        values = asdict(self)
        if not isinstance(self.deck, str):
            texts = EDITIONS[self.edition].texts
            values["deck"] = {texts[kind]: count for kind, count in enumerate(self.deck) if count}
        values["reflexes"] = list(self.reflexes)
        return values

    @cached_property
    def deck_counts(self) -> tuple[int, ...]:
        """Number of cards of each kind of the edition."""
        return EDITIONS[self.edition].decks[self.deck] if isinstance(self.deck, str) else self.deck

    @property
    def record(self) -> Record:
        """The rules as the compiled core reads them, for single hands; read-only."""
        return self.record_for(match=False)

    def record_for(self, match: bool, reward: str = "outcome") -> Record:
        """The rules as the compiled core reads them, for single hands or whole matches; read-only, since it is shared.
        Raises ValueError if ``match`` is no bool, there is no such reward, or these rules do not count points.

        Args:
            match: whether hand after hand is played until the match is won.
            reward: ``outcome`` or ``points``, see :mod:`uno_env.core.rules.reward`.
        """
        if reward not in ("outcome", "points"):
            raise ValueError(f"reward={reward!r} is not allowed: choose 'outcome' or 'points'")
        if reward == "points" and self.scoring == "hand":
            raise ValueError("reward='points' is not allowed with scoring='hand', which counts no points")
        return rules_record(self, checked_flag("match", match), reward == "points")

    def array_for(self, match: bool, reward: str = "outcome") -> npt.NDArray[Any]:
        """The same as an array [1] of one's own, which compiled code is handed ten times as fast as a record. Raises
        ValueError as :meth:`record_for` does.
        """
        return np.array([self.record_for(match, reward)])

    def may_lie_first(self, kind: int) -> bool:
        """Return whether a card of the kind, turned over, stays as the first discard."""
        return validation.lies_first(self.first_card, EDITIONS[self.edition].kinds[kind])


@lru_cache(maxsize=256)
def rules_record(rules: Rules, match: bool, reward_points: bool) -> Record:
    """The rules as the compiled core reads them; read-only, since it is shared."""
    edition = edition_for(rules)
    array = np.zeros(1, records_of(edition).rules)
    array["match"], array["reward_points"] = match, reward_points
    for name in (*ALL_SWITCHES, *FLAGS):
        array[name] = values_of(name, edition).index(getattr(rules, name))
    for name in NUMBERS:
        array[name] = getattr(rules, name)
    array["deck"] = rules.deck_counts
    for name, table in card_tables(edition).items():
        array[name] = table
    array["reflexes"][0, : rules.players] = rules.reflexes or 1
    array.flags.writeable = False
    record: Record = array[0]
    return record


def as_rules(rules: Any, players: int | None = None) -> Rules:
    """Rules of rules, a preset's name or a mapping of fields, with ``players`` if given. Raises ValueError if there is
    no such preset or field, or a value is not allowed.
    """
    changes = {} if players is None else {"players": players}
    if isinstance(rules, Rules):
        return rules.replace(**changes) if changes else rules
    if isinstance(rules, str):
        return Rules.preset(rules, **changes)
    if isinstance(rules, Mapping):
        values = dict(rules)
        preset = values.pop("preset", "classic")
        return Rules.from_dict({**preset_fields(preset), **values, **changes})
    raise ValueError(
        f"rules={rules!r} is not allowed: give Rules, the name of a preset ({', '.join(PRESETS)}) or a mapping"
    )
