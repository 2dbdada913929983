"""Twins of a game: another state that looks just the same to one seat: :func:`twin`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tests.helpers.records import known, known_to, mark_legal
from uno_env import Game, Rules
from uno_env.core.record import DRAWN, JUMP_IN, STACK
from uno_env.editions import EDITIONS
from uno_env.invariants import find_faults

Counts = npt.NDArray[np.int64]


def twin(game: Game, seat: int, chance: np.random.Generator) -> Game:
    """A copy in which everything hidden from ``seat`` is dealt anew.

    Draw pile and the other hands' unknown cards are pooled and dealt again, in the same numbers. What the seat has seen
    in other hands stays, and so does what the phase tells: a card just drawn that may be played, the draw cards of
    whoever is asked to stack one, and that somebody holds the card to jump in with. Who that is changes, and so do what
    other seats know, whether the last Wild Draw Four was a bluff, used places of the pile and the generator.
    """
    other = game.clone()
    record = other._array[0]
    two_sided = EDITIONS[game.rules.edition].sides > 1
    twins = record.seats["hand"][seat, record.top]
    if record.phase == JUMP_IN and record.to_move != seat and not twins and not two_sided:
        _ask_another(record, seat, game.rules, chance)
    kept = _kept(game.rules, record, seat)
    hands = record.seats["hand"][: game.players]
    unknown = np.where(np.arange(game.players)[:, None] == seat, 0, hands.astype(int) - kept)
    if two_sided:
        pool = _exchanged(game.rules, record, unknown, chance)
    else:
        pool = _dealt_anew(record, unknown, seat, chance)
    for owner in set(range(game.players)) - {seat}:
        hands[owner] = kept[owner] + unknown[owner]
    start, end = int(record.pile_next), int(record.pile_end)
    record.pile[:] = chance.integers(unknown.shape[1], size=len(record.pile))
    record.pile[start:end] = pool
    record.bluffed = chance.integers(2)
    record.rng = chance.integers(2**64, dtype=np.uint64)
    told = kept - known_to(record, seat, game.players)
    _forget(record, seat, unknown, told, game.players, chance)
    assert find_faults(record, game.rules) == []
    mark_legal(other)
    return other


def _dealt_anew(record: Any, unknown: Counts, seat: int, chance: np.random.Generator) -> Counts:
    """Deal the pool to the other hands, whose unknown cards change, and return the draw pile."""
    pool = chance.permutation(np.concatenate([_listed(unknown.sum(axis=0)), _pile(record)]))
    for owner in range(len(unknown)):
        if owner != seat:
            drawn, pool = np.split(pool, [unknown[owner].sum()])
            unknown[owner] = np.bincount(drawn, minlength=unknown.shape[1])
    return pool


def _exchanged(rules: Rules, record: Any, unknown: Counts, chance: np.random.Generator) -> Counts:
    """Exchange hidden cards with two sides that look the same from where they are seen, and return the draw pile.

    Seen are the backs in hands, unless they are hidden, that of the next card, and perhaps the front of the last one.
    """
    edition, side = EDITIONS[rules.edition], int(record.side[0])
    fronts = [face.text for face in edition.faces_on(side)]
    backs = [face.text for face in edition.faces_on(1 - side)]
    pile = _pile(record).tolist()
    places: list[tuple[int, int]] = [(owner, kind) for owner, row in enumerate(unknown) for kind in _listed(row)]
    cards = [kind for _, kind in places] + pile
    seen: list[list[tuple[list[str], str]]] = [
        [(backs, backs[kind])] if rules.backs == "seen" else [] for _, kind in places
    ]
    seen += [[] for _ in pile]
    if pile:
        seen[len(places)].append((backs, backs[pile[0]]))
        if record.last_seen[0]:
            seen[-1].append((fronts, fronts[pile[-1]]))
    for one, other in chance.integers(max(1, len(cards)), size=(20 * len(cards), 2)).tolist():
        swapped = ((one, cards[other]), (other, cards[one]))
        if all(faces[kind] == face for place, kind in swapped for faces, face in seen[place]):
            cards[one], cards[other] = cards[other], cards[one]
    for owner in range(len(unknown)):
        dealt = [kind for (each, _), kind in zip(places, cards, strict=False) if each == owner]
        unknown[owner] = np.bincount(np.array(dealt, int), minlength=unknown.shape[1])
    return np.array(cards[len(places) :], int)


def _pile(record: Any) -> Counts:
    return record.pile[record.pile_next : record.pile_end].astype(int)


def _listed(counts: Counts) -> Counts:
    return np.repeat(np.arange(len(counts)), counts)


def _kept(rules: Rules, record: Any, seat: int) -> Counts:
    """Cards of each hand that the seat knows of, [players, kinds]; none of its own."""
    hands = record.seats["hand"][: rules.players]
    kept, asked = known_to(record, seat, rules.players), int(record.to_move)
    if record.phase == DRAWN and record.turn != seat:
        kept[record.turn, record.drawn] += 1
    if record.phase == JUMP_IN and asked != seat:
        faces = EDITIONS[rules.edition].faces_on(_side(rules, record))
        twins = [kind for kind, face in enumerate(faces) if face.text == faces[record.top].text]
        kept[asked, twins] = np.maximum(kept[asked, twins], np.minimum(hands[asked, twins], 1))
    if record.phase == STACK and asked != seat:
        whole_hand_counts = rules.wild_draw_four in ("restricted", "colour_or_symbol")
        draws = [face.demands > 0 for face in EDITIONS[rules.edition].faces_on(_side(rules, record))]
        kinds = slice(None) if whole_hand_counts else np.flatnonzero(draws)
        kept[asked, kinds] = hands[asked, kinds]
    return np.minimum(kept, hands)


def _side(rules: Rules, record: Any) -> int:
    """The side in force."""
    return int(record.side[0]) if EDITIONS[rules.edition].sides > 1 else 0


def _ask_another(record: Any, seat: int, rules: Rules, chance: np.random.Generator) -> None:
    """Another player holds the card to jump in with and is asked, and others have been asked before."""
    players = rules.players
    hands, asked = record.seats["hand"][:players], int(record.to_move)
    unknown = hands - known_to(record, seat, players)
    other = int(chance.choice([each for each in range(players) if each != seat and not record.out >> each & 1]))
    called = record.called >> asked & 1 and record.seats["hand_size"][asked] > 1
    may_lay = rules.go_out_on == "any" or record.seats["hand_size"][other] > 1
    if other != asked and may_lay and not called and unknown[asked, record.top] > 0 and unknown[other].sum() > 0:
        given = chance.choice(_listed(unknown[other]))
        for owner, got, gave in ((other, record.top, given), (asked, given, record.top)):
            hands[owner, got] += 1
            hands[owner, gave] -= 1
            _rename(record, seat, owner, gave, got, players)
        record.to_move = other
        asked_before = int(chance.integers(1 << players)) & ~(1 << seat) | int(record.asked) & 1 << seat
        record.asked = asked_before & ~(1 << other) & ~int(record.out)


def _rename(record: Any, seat: int, owner: int, old: int, new: int, players: int) -> None:
    """If others than the seat know of a card of a kind, they know of one of another kind instead."""
    if record.knows:
        for viewer, numbers in enumerate(known(record, players)[:, owner]):
            if viewer not in (seat, owner) and numbers[old] > known_to(record, seat, players)[owner, old]:
                numbers[old] -= 1
                numbers[new] += 1


def _forget(record: Any, seat: int, unknown: Counts, told: Counts, players: int, chance: np.random.Generator) -> None:
    """What others know of the cards dealt anew is of the new cards, but for those that the phase tells of."""
    if not record.knows:
        return
    mine = known_to(record, seat, players)
    for owner in set(range(players)) - {seat}:
        left = chance.permutation(_listed(unknown[owner]))
        for viewer in set(range(players)) - {seat, owner}:
            numbers = known(record, players)[viewer, owner]
            shared = np.minimum(numbers, mine[owner])
            of_phase = np.minimum(numbers - shared, told[owner])
            number = int((numbers - shared - of_phase).sum())
            numbers[:] = shared + of_phase + np.bincount(left[:number], minlength=len(numbers))
