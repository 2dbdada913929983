"""Chance spelled out: the same game as the engine's, and no seat is told more than it may know."""

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pytest

from uno_env import BatchedGames, Game, Rules
from uno_env.actions import parse
from uno_env.cards import NUM_KINDS, parse_card
from uno_env.extensive_form.chance import first_seat
from uno_env.extensive_form.explicit_chance import DEAL
from uno_env.extensive_form.position import ExtensiveForm, Position
from uno_env.invariants import find_faults
from uno_env.observation import LAYOUT

TINY = Rules.preset("mini", deck="r1 r2 b1 w", hand_size=1, max_decisions=3)

MERCY = Rules.preset("no_mercy", players=2, hand_size=1, dealer="random", uno_call="automatic", max_decisions=4)

OUTCOMES = {
    "tiny": TINY,
    "renewed": TINY.replace(deck="r1 r1 b1 b2", max_decisions=6),
    "renewed_at_once": TINY.replace(deck="r1 r1 b1 b2", max_decisions=6, renew="at_once"),
    "until_playable": TINY.replace(deck="r1 r2 b1 b2 g3", draw="until_playable", max_decisions=4),
    "redealt": TINY.replace(deck="r1 b2 rs bs b+2", max_decisions=4),
    "first_card": TINY.replace(
        deck="r1 b2 r+2 br w", first_card="effects", dealer="high_card", stacking="same", max_decisions=3
    ),
    "three": TINY.replace(players=3, deck="r1 r2 b1 br rs", max_decisions=4),
    "catch": TINY.replace(deck="r1 r2 r2 b1 b2", hand_size=2, uno_call="declared", max_decisions=3),
    "slapped": TINY.replace(deck="r6 b6 r1 b2 b3", six_smackdown=True, reflexes=(1, 3), max_decisions=4),
    "shuffled": TINY.replace(players=3, deck="wsh r1 b1 b2 b2", max_decisions=2),
    "challenged": TINY.replace(deck="r1 b1 r2 b2 w+4", wild_draw_four="bluff", max_decisions=3),
    "downpour": TINY.replace(deck="r1 b2 r3 wd2 wd1", max_decisions=3),
    "first_draw_four": TINY.replace(deck="r1 b2 w+4 w", first_card="effects_all", max_decisions=3),
    "more": TINY.replace(deck="r1 r1 r1 r2 b1", double_play="two_or_more", hand_size=2, max_decisions=4),
    "pairs": TINY.replace(deck="r1 r1 r2 r2 b1", double_play=True, hand_size=2, max_decisions=3),
    "roulette": MERCY.replace(deck="r1 b1 b2 wcr wcr", mercy=4, hand_size=2),
    "discard_all": MERCY.replace(deck="r1 r2 rda b1 b2", mercy=4, hand_size=2, voluntary_draw=True),
    "value": MERCY.replace(deck="r1 r+2 b+4 w+6 b1", mercy=3, max_decisions=3),
    "put_out": MERCY.replace(players=3, deck="r1 r+2 r+4 b1 g1 g2", mercy=3),
    "passed_on": MERCY.replace(players=3, deck="r7 r0 b7 b1 b0", mercy=3),
    "caught": MERCY.replace(deck="r1 rda r2 b1 b2", hand_size=2, mercy=3, uno_call="declared", max_decisions=3),
    "renewed_twice": TINY.replace(
        players=3, deck="wcu wcu r1 b1 b2", customizable_effect="everyone_draws", mercy=3, max_decisions=4
    ),
}
"""Rules with small trees, for each kind of chance there is."""
LONG = {name: [pytest.mark.thorough] for name, rules in OUTCOMES.items() if rules.mercy}
LONG["renewed_twice"] = [pytest.mark.slow]
SHORT_AND_LONG = [pytest.param(name, marks=LONG.get(name, [])) for name in OUTCOMES]
"""Their names. No Mercy, and the classic edition with mercy, have records of their own, for which all is compiled once
more.
"""


def walk(form: ExtensiveForm, chance: random.Random, done: list[int] | None = None) -> Iterator[Position]:
    """The positions of one hand, moves drawn by their chance and actions uniformly; ``done`` collects them."""
    position = form.root
    yield position
    while not position.over:
        moves, weights = position.legal_actions(), None
        if position.is_chance:
            moves, weights = zip(*position.chance_moves(), strict=True)
        move = chance.choices(moves, weights)[0]
        if done is not None:
            done.append(move)
        position = position.move(move)
        yield position


def all_positions(position: Position) -> Iterator[Position]:
    """The whole tree."""
    yield position
    moves = [move for move, _ in position.chance_moves()] if position.is_chance else position.legal_actions()
    for move in moves:
        yield from all_positions(position.move(move))


def outcome_shares(position: Position) -> np.ndarray:
    """Probability that each seat wins, and, last, that nobody does, when all choose uniformly."""
    if position.over:
        shares = np.zeros(position.form.players + 1)
        shares[position.array["winner"].item()] = 1
        return shares
    legal = position.legal_actions()
    moves = position.chance_moves() or [(action, 1 / len(legal)) for action in legal]
    return sum(share * outcome_shares(position.move(move)) for move, share in moves)


@pytest.mark.parametrize("name", SHORT_AND_LONG)
def test_outcomes_are_as_likely_as_in_the_engine(name: str) -> None:
    rules = OUTCOMES[name]
    expected = outcome_shares(ExtensiveForm(rules).root)
    batch = BatchedGames(2000, rules, seed=1)
    batch.reset()
    counts = np.zeros(rules.players + 1)
    begun = np.ones(2000, bool)  # only the first hand of each game: short hands must not count more often
    while begun.any():
        *_, done = batch.step(batch.sample_actions())
        for winner in batch.winner[(done != 0) & begun]:
            counts[winner] += 1
        begun &= done == 0
    spread = np.sqrt(2000 * expected * (1 - expected))
    assert (np.abs(counts - 2000 * expected) <= 4.2 * spread + 1e-6).all(), (expected * 2000, counts)


def _deal(array: npt.NDArray[np.void], players: int) -> tuple[int, bytes, int]:
    """Dealer, hands and first discard of a game just dealt."""
    return array["dealer"].item(), array["seats"]["hand"][0, :players].tobytes(), array["top"].item()


@pytest.mark.thorough
@pytest.mark.parametrize("name", SHORT_AND_LONG)
def test_deals_are_as_likely_as_in_the_engine(name: str) -> None:
    rules, number = OUTCOMES[name], 4000
    form, expected = ExtensiveForm(rules), defaultdict(float)
    waiting = [(form.root, 1.0)]
    while waiting:
        position, share = waiting.pop()
        chance = position.chance
        if chance is not None and chance.action == DEAL and len(chance.cards) <= form.cards_dealt:
            waiting += [(position.move(move), share * each) for move, each in chance.moves]
        else:
            expected[_deal(position.array, rules.players) if chance is None else None] += share
    assert sum(expected.values()) == pytest.approx(1)
    game, counts = Game(rules), defaultdict(int)
    for seed in range(number):
        game.deal(seed)
        counts[_deal(game._array, rules.players)] += 1
    counts[None] = sum(count for key, count in counts.items() if key not in expected)
    for key, share in expected.items():
        assert abs(counts[key] - number * share) <= 4.5 * (number * share * (1 - share)) ** 0.5 + 1e-6


REPLAYED = {
    "duel": Rules.preset("duel"),
    "three": Rules.preset("duel", players=3, draw="until_playable", stacking="any", seven_zero=True),
    "bluff": Rules.preset("duel", players=4, wild_draw_four="bluff", jump_in=True, double_play=True, deck="h2o"),
    "first": Rules.preset("classic", players=3, uno_call="automatic"),
}


@pytest.mark.parametrize("name", REPLAYED)
@pytest.mark.parametrize("seed", range(3))
def test_a_hand_replays_in_the_engine_with_its_deck(name: str, seed: int) -> None:
    rules = REPLAYED[name].replace(max_decisions=80)
    done: list[int] = []
    line = list(walk(ExtensiveForm(rules), random.Random(seed), done))
    moves = [(position.chance, move) for position, move in zip(line, done, strict=False)]
    cards = [move for chance, move in moves if chance is not None and chance.kind == "card"]
    dealer = next(move - NUM_KINDS for chance, move in moves if chance is not None and chance.kind == "dealer")
    game = Game(rules, deck=cards[: sum(rules.deck_counts)], dealer=dealer)
    compared = 0
    for position in line:
        if position.chance is not None:
            continue
        action = position.entry.event.action
        if action is not None:
            lying = game.record.pile_end - game.record.pile_next
            game.step(action)
            if game.record.pile_end - game.record.pile_next > lying:
                break  # the engine shuffles the discards by a chance of its own
        for seat in range(rules.players):
            assert (game.observe(seat, "uint8") == position.observe(seat)).all()
        assert game.legal_actions() == position.legal_actions()
        assert game.rewards() == pytest.approx(position.rewards())
        assert game.events[-1] == position.entry.event
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("preset", ["mini", "duel", "classic", "house", "edition_2018", "h2o", "guide_001"])
def test_hands_are_sound(preset: str) -> None:
    rules = Rules.preset(preset, max_decisions=60)
    form = ExtensiveForm(rules)
    for seed in range(4):
        for position in walk(form, random.Random(seed)):
            if position.is_chance:
                moves = position.chance_moves()
                assert sum(share for _, share in moves) == pytest.approx(1)
                assert all(share > 0 for _, share in moves)
                assert [move for move, _ in moves] == sorted({move for move, _ in moves})
                assert position.legal_actions() == []
            elif position.is_dealt:
                assert find_faults(position.array[0], rules) == []
                assert sum(position.rewards()) == pytest.approx(0, abs=1e-12)


@lru_cache
def _decisions(name: str) -> list[Position]:
    """Every decision in a small tree."""
    return [position for position in all_positions(ExtensiveForm(OUTCOMES[name]).root) if position.to_move >= 0]


@pytest.mark.parametrize("name", ["renewed", "three", "slapped", "challenged", "pairs"])
def test_a_seat_sees_and_may_do_what_its_information_state_says(name: str) -> None:
    seen: dict[str, tuple[bytes, list[int]]] = {}
    for position in _decisions(name):
        seat = position.to_move
        facts = (position.observe(seat).tobytes(), position.legal_actions())
        assert seen.setdefault(position.information_state(seat), facts) == facts
    assert len(seen) < len(_decisions(name))


@pytest.mark.parametrize("name", ["renewed", "three", "slapped", "challenged", "pairs"])
def test_information_states_have_perfect_recall(name: str) -> None:
    pasts: dict[str, tuple[tuple[str, int], ...]] = {}

    def visit(position: Position, past: tuple[tuple[tuple[str, int], ...], ...]) -> None:
        seat = position.to_move
        if seat >= 0:
            state = position.information_state(seat)
            assert pasts.setdefault(state, past[seat]) == past[seat]
        for move in [move for move, _ in position.chance_moves()] or position.legal_actions():
            after = past
            if seat >= 0:
                after = (*past[:seat], (*past[seat], (state, move)), *past[seat + 1 :])
            visit(position.move(move), after)

    form = ExtensiveForm(OUTCOMES[name])
    visit(form.root, ((),) * form.players)
    assert pasts


@pytest.mark.parametrize("preset", ["duel", "classic", "house", "edition_2018"])
def test_an_imagined_position_looks_the_same_to_who_is_to_move(preset: str) -> None:
    rules = Rules.preset(preset, max_decisions=60)
    chance, hidden = random.Random(5), 0
    for position in walk(ExtensiveForm(rules), random.Random(5)):
        seat = position.to_move
        if seat < 0:
            continue
        other = position.resample(chance.random)
        assert other.information_state(seat) == position.information_state(seat)
        assert (other.observe(seat) == position.observe(seat)).all()
        assert other.legal_actions() == position.legal_actions()
        assert find_faults(other.array[0], rules) == []
        hidden += (other.array["seats"]["hand"] != position.array["seats"]["hand"]).any()
        for entry, real in zip(other.history(), position.history(), strict=True):
            assert (entry.hands[seat] == real.hands[seat]).all()
            assert not np.delete(entry.hands, seat, axis=0).any(), "it knows what others held"
    assert hidden > 10


def test_what_is_imagined_depends_on_what_the_seat_knows_alone() -> None:
    rules = Rules.preset("duel", max_decisions=60)
    *_, position = (each for each in walk(ExtensiveForm(rules), random.Random(2)) if each.to_move >= 0)
    twin = position.resample(random.Random(7).random)
    one, other = (each.resample(random.Random(9).random) for each in (position, twin))
    assert one.array.tobytes() == other.array.tobytes()
    assert one.seen == other.seen


def test_who_is_not_to_move_imagines_nothing() -> None:
    with pytest.raises(ValueError, match="to move"):
        ExtensiveForm(TINY).root.resample(random.random)


def test_a_deal_is_told_card_by_card() -> None:
    position = ExtensiveForm(Rules.preset("mini", dealer="fixed", dealer_seat=1)).root
    for card in ("r1", "b1", "rs", "b2", "r2"):
        position = position.move(Rules.preset("mini", deck=card + " r9" * 9).deck_counts.index(1))
    assert position.information_state(0) == "player 0; 1 deals r2; holds r1 rs; to play"
    assert position.information_state(1) == "player 1; 1 deals r2; holds b1 b2"


def test_the_first_chance_move_is_the_dealer() -> None:
    root = ExtensiveForm(TINY).root
    first = first_seat(root.form.edition)
    assert root.chance_moves() == [(first, 0.5), (first + 1, 0.5)]
    assert sum(share for move, share in root.move(first).chance_moves() if move < NUM_KINDS) == pytest.approx(1)


def test_rlcards_game_has_no_extensive_form() -> None:
    with pytest.raises(ValueError, match="dialect='rlcard'"):
        ExtensiveForm(Rules.preset("rlcard"))


def jump_in_worlds() -> dict[str, Position]:
    """Seat 0 has laid a red 5: seats 1 and 2 can jump in, or seat 2 alone, or nobody; the draw pile hides the rest."""
    deck = "r5 r5 r5 b1 b2 b3 y1 y2 r9 g1 g2"
    rules = Rules(players=3, hand_size=2, dealer="fixed", dealer_seat=2, jump_in=True, uno_call="automatic",
                  first_card="number", deck=deck)  # fmt: skip
    worlds = {}
    for name, dealt in (("both", "r5 r5 r5"), ("second", "r5 y1 r5"), ("nobody", "r5 y1 y2")):
        position = ExtensiveForm(rules).root
        for move in (*f"{dealt} b1 b2 b3 r9".split(), "r5"):
            position = position.move(parse_card(move) if position.is_chance else parse(move))
        worlds[name] = position
    assert [position.to_move for position in worlds.values()] == [1, 2, 1]
    return worlds


def test_whether_somebody_was_asked_to_jump_in_is_in_nobody_elses_view() -> None:
    worlds = jump_in_worlds()
    both, second, nobody = worlds.values()
    for one, other, seat in ((both, second, 2), (both, second, 0), (second, nobody, 0), (second, nobody, 1)):
        assert np.array_equal(one.observe(seat), other.observe(seat))
        assert one.information_state(seat) == other.information_state(seat)
        assert one.question_to(seat) == other.question_to(seat)
        assert one.is_asked_alone(seat) == other.is_asked_alone(seat)
    assert second.is_asked_alone(2)
    assert second.information_state(2).endswith("; to jump_in")
    public = [position.observe_public() for position in worlds.values()]
    for row in public:
        row[LAYOUT["hand"].columns] = 0
        assert np.array_equal(row, public[0])


def test_whether_somebody_could_have_stacked_is_in_nobody_elses_information() -> None:
    """Seat 1 is hit and holds a Draw Two only in the second hand, where it takes the cards: the others cannot tell."""
    deck = "r+2 g1 b2 b1 y1 b3 r9 b+2 y2 y3 y4"
    rules = Rules(players=3, hand_size=2, dealer="fixed", dealer_seat=2, stacking="same", uno_call="automatic",
                  first_card="number", deck=deck)  # fmt: skip

    def reached(held: str, *moves: str) -> Position:
        position = ExtensiveForm(rules).root
        for move in (*f"r+2 {held} b2 b1 y1 b3 r9".split(), *moves):
            position = position.move(parse_card(move) if position.is_chance else parse(move))
        return position

    could_not, asked = reached("g1", "r+2", "y2", "y3"), reached("b+2", "r+2")
    would_not = reached("b+2", "r+2", "accept", "y2", "y3")
    assert (asked.phase, asked.to_move, could_not.to_move) == ("stack", 1, 2)
    for seat in (0, 2):
        states = [position.seen[seat] for position in (could_not, would_not)]
        assert states[0] == states[1]
        assert "1 takes 2" in states[0]
        assert "accept" not in states[0]
        assert asked.information_state(seat) == could_not.information_state(seat)
        assert np.array_equal(asked.observe(seat), could_not.observe(seat))
        told = [len(list(position.visible_entries(seat))) for position in (could_not, asked, would_not)]
        assert told == [2, 2, 2]
    assert "accept" in would_not.information_state(1)
    for wrong in (False, -1, 3, "0", b"x"):
        for method in (
            asked.observe, asked.information_state, asked.visible_entries, asked.question_to, asked.is_asked_alone,
        ):  # fmt: skip
            with pytest.raises(ValueError, match=r"seat=.* is not allowed: choose a whole number from 0 to 2"):
                method(wrong)
