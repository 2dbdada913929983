"""Deals with a given order of cards or a given dealer: :func:`deal_stacked`."""

from typing import Any

import numpy as np

from uno_env.cards import parse_cards
from uno_env.common.numbers import is_whole
from uno_env.core.rules.deal import deal_pile
from uno_env.core.rules.dealer import choose_dealer
from uno_env.core.rules.deck import shuffle_pile
from uno_env.editions import edition_for
from uno_env.rules import Rules


def deal_stacked(game: Any, rules: Rules, deck: str | list[int] | None, dealer: Any) -> None:
    """Deal a hand into the record of a cleared game; ``deck`` and ``dealer`` are as for :class:`uno_env.Game`: cards
    that are not listed follow in random order. Raises ValueError if an argument is not allowed, or no card is left that
    may lie first.
    """
    if dealer is not None and not is_whole(dealer, 0, rules.players - 1):
        raise ValueError(f"dealer={dealer!r} is not allowed: choose a seat from 0 to {rules.players - 1}")
    listed = parse_cards(deck, edition_for(rules)) if isinstance(deck, str) else [] if deck is None else deck
    rest = _unlisted(listed, rules)
    seat = choose_dealer(game, rules.record) if dealer is None else dealer
    game.pile[len(listed) : len(listed) + len(rest)] = rest
    game.pile_next, game.pile_end = len(listed), len(listed) + len(rest)
    shuffle_pile(game)
    game.pile[: len(listed)] = listed
    game.pile_next = 0
    if not deal_pile(game, rules.record, seat):
        raise ValueError(f"after the deal no card is left that may lie first under first_card={rules.first_card!r}")


def _unlisted(listed: Any, rules: Rules) -> list[int]:
    """The other cards of the deck, as kinds."""
    kinds = len(rules.deck_counts)
    if not isinstance(listed, list | tuple) or not all(is_whole(kind, 0, kinds - 1) for kind in listed):
        raise ValueError(f"deck={listed!r} is not allowed: list kinds of cards from 0 to {kinds - 1}")
    rest = np.array(rules.deck_counts) - np.bincount(np.array(listed, int), minlength=kinds)
    if rest.min() < 0:
        kind = int(rest.argmin())
        raise ValueError(
            f"the deck text has {listed.count(kind)} of {edition_for(rules).texts[kind]!r}, and there are "
            f"{rules.deck_counts[kind]} in the deck"
        )
    return [kind for kind in range(kinds) for _ in range(rest[kind])]
