"""The preset ``rlcard`` against RLCard itself: the same deck and the same choices lead to the same game.

Our game goes first. RLCard's source of chance is then a stand-in that answers as our game's chance has: with the order
that our cards were shuffled into, and with the colour that our wild got.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.cards import CARD_TEXTS, DECKS, FIRST_WILD, NUM_COLOURS, RANKS_PER_COLOUR, WILD, WILD_DRAW_FOUR
from uno_env.invariants import find_faults

uno = pytest.importorskip(
    "rlcard.games.uno", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'"
)
pytestmark = pytest.mark.adapters

LETTERS = "rygb"
TRAITS = [*"0123456789", "skip", "reverse", "draw_2"]
WILDS = {WILD: "wild", WILD_DRAW_FOUR: "wild_draw_4"}
CLASSIC = [kind for kind, count in enumerate(DECKS["classic"]) for _ in range(count)]
DEALT = 14


def _kind(card: Any) -> int:
    """Our kind of one of RLCard's cards."""
    if card.type == "wild":
        return WILD if card.trait == "wild" else WILD_DRAW_FOUR
    return LETTERS.index(card.color) * RANKS_PER_COLOUR + TRAITS.index(card.trait)


def _card(kind: int) -> Any:
    """One of RLCard's cards, of our kind."""
    if kind in WILDS:
        return uno.card.UnoCard("wild", "r", WILDS[kind])
    colour, rank = divmod(kind, RANKS_PER_COLOUR)
    return uno.card.UnoCard("number" if rank <= 9 else "action", LETTERS[colour], TRAITS[rank])


def _their_action(action: int) -> str:
    if action == catalogue.DRAW:
        return "draw"
    if action < FIRST_WILD:
        return str(_card(action).str)
    wild, colour = divmod(action - catalogue.PLAY_WILD, NUM_COLOURS)
    return f"{LETTERS[colour]}-{WILDS[FIRST_WILD + wild]}"


THEIR_ACTIONS = {_their_action(action): action for action in [*range(catalogue.PLAY_WILD + 8), catalogue.DRAW]}


class _Chance:
    """Stands in for RLCard's generator; its answers are those of our game's chance.

    ``orders`` are those that the pile cannot tell any more, since it was shuffled again later.
    """

    def __init__(self, game: Game, order: Sequence[int]) -> None:
        self.game = game
        self.orders = [order, [int(game.record.top), *_pile(game, DEALT + 1)]]
        self.shuffles = 0

    def shuffle(self, deck: list[Any]) -> None:
        """Put RLCard's deck, whose last card comes first, into the order of our draw pile when it was shuffled."""
        order = self.orders.pop(0) if self.orders else _pile(self.game, 0)
        self.shuffles += 1
        assert Counter(order) == Counter(map(_kind, deck))
        waiting = list(deck)
        for place, kind in enumerate(reversed(order)):
            deck[place] = next(card for card in waiting if _kind(card) == kind)
            waiting.remove(deck[place])

    def choice(self, colours: Sequence[str]) -> str:
        """The colour of the wild that was drawn or turned."""
        assert sorted(colours) == sorted(LETTERS)
        return LETTERS[self.game.record.colour]


def _pile(game: Game, start: int) -> list[int]:
    """The draw pile from a place on, with what has been drawn from it since it was last shuffled."""
    return [int(kind) for kind in game.record.pile[start : game.record.pile_end]]


def _same(game: Game, theirs: Any) -> None:
    """Fail unless both games are in the same state."""
    record, round_ = game.record, theirs.round
    assert find_faults(record, game.rules) == []
    for seat, player in enumerate(theirs.players):
        assert sorted(map(_kind, player.hand)) == game.hand(seat)
    assert [_kind(card) for card in reversed(theirs.dealer.deck)] == _pile(game, int(record.pile_next))
    assert Counter(map(_kind, round_.played_cards)) == Counter(
        {kind: int(count) for kind, count in enumerate(record.discards) if count}
    )
    assert (_kind(round_.target), LETTERS.index(round_.target.color)) == (record.top, record.colour)
    assert theirs.is_over() == game.over
    assert theirs.get_payoffs() == game.rewards()
    if not game.over:
        assert round_.current_player == game.to_move
        assert sorted({THEIR_ACTIONS[name] for name in theirs.get_legal_actions()}) == game.legal_actions()


def _play(
    order: list[int],
    rules: Rules,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    choose: Callable[[Game, Any], int] | None = None,
) -> Counter[str]:
    """Play one game in both, at random or as ``choose`` will, which sees both; what happened in it."""
    chance = random.Random(seed)
    game = Game(rules, seed=seed, deck=order)
    theirs = uno.Game()
    theirs.np_random = stand_in = _Chance(game, order)
    seen: Counter[str] = Counter(games=1)
    if rules.deck != "classic":
        monkeypatch.setattr(uno.dealer, "init_deck", lambda: [_card(kind) for kind in order])
    theirs.init_game()
    stand_in.orders = []
    _same(game, theirs)
    while not game.over:
        action = choose(game, theirs) if choose else chance.choice(game.legal_actions())
        two_to_renew = _pile(game, int(game.record.pile_next)) == [] and game.record.discards.sum() == 2
        shuffles = stand_in.shuffles
        game.step(action)
        if action == catalogue.DRAW and two_to_renew and game.record.pile_next == 2:
            # A Draw Two was drawn first, and then both cards, shuffled once more.
            stand_in.orders = [sorted(_pile(game, 0), key=game.record.top.__ne__)]
        seen["decisions"] += 1
        if not _survives(theirs, _their_action(action)):
            assert _pile(game, int(game.record.pile_next)) == []
            seen["crashes"] += 1
            break
        seen["renewed"] += stand_in.shuffles > shuffles
        seen["renewed twice"] += stand_in.shuffles > shuffles + 1
        if game.end == "max_decisions":
            seen["cut off"] += 1
            break
        _same(game, theirs)
    return seen


def _survives(theirs: Any, action: str) -> bool:
    """Let RLCard do an action; it knows no way out when fewer cards are left than are to be drawn."""
    try:
        theirs.step(action)
    except IndexError:
        return False
    return True


def _play_many(seeds: range, cards: range | None, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Play games with the whole deck, or with as many cards of it, chosen at random, as ``cards`` allows."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        chance = random.Random(-1 - seed)
        order = chance.sample(CLASSIC, len(CLASSIC) if cards is None else chance.choice(cards))
        if all(kind == WILD_DRAW_FOUR for kind in order[DEALT:]):
            continue  # nothing may lie first
        deck = "classic" if cards is None else " ".join(CARD_TEXTS[kind] for kind in order)
        seen += _play(order, Rules.preset("rlcard", deck=deck, max_decisions=1_000), seed, monkeypatch)
    return seen


def test_every_one_of_their_61_actions_is_one_of_ours() -> None:
    assert uno.Game.get_num_actions() == len(THEIR_ACTIONS) == 61


def test_their_deck_is_the_classic_one() -> None:
    assert sorted(map(_kind, uno.dealer.init_deck())) == CLASSIC


@pytest.mark.parametrize("seeds", [range(400), pytest.param(range(1_000, 11_000), marks=pytest.mark.slow)])
def test_random_games_with_the_whole_deck_are_the_same(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _play_many(seeds, None, monkeypatch)
    assert (seen["games"], seen["crashes"]) == (len(seeds), 0)
    assert seen["renewed"] > len(seeds) // 200


@pytest.mark.parametrize("seeds", [range(200), pytest.param(range(1_000, 6_000), marks=pytest.mark.slow)])
def test_random_games_with_few_cards_are_the_same_until_theirs_breaks_off(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _play_many(seeds, range(17, 50), monkeypatch)
    assert seen["games"] > 0.95 * len(seeds)
    assert seen["renewed"] > len(seeds)
    assert 0 < seen["crashes"] < len(seeds) / 2
    assert seen["renewed twice"] > 0 or len(seeds) < 1_000
