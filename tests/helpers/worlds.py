"""Pairs of hands that a seat cannot tell apart: :func:`two_worlds`.

Their decks differ in two cards. The second hand follows what was done in the open in the first one, and who is asked
only there, because of a card, lets it go. Where both come to the same facts for the seat's eyes, everything that it is
told must be the same, at every moment.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice, zip_longest
from typing import Any, NamedTuple

import numpy as np

from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_rules
from tests.helpers.records import known_to
from uno_env import Game, Rules
from uno_env.actions import catalogue, texts
from uno_env.editions import EDITIONS
from uno_env.editions.edition import Edition
from uno_env.events import Event
from uno_env.observation import layout

OTHER_DECKS = 6
"""Decks that a hand is tried with."""
LETS_GO = {"jump_in": "pass", "stack": "accept", "drawn": "pass"}
"""Phases in which only who holds a certain card is asked, and what lets the chance go."""

Facts = tuple[object, ...]
Told = dict[str, Any]
"""What an observer is told, by the names of what tells it."""


class Worlds(NamedTuple):
    """Two hands with the same facts for a seat, from the deal on; and all that was decided in each."""

    observer: int
    one: Game
    other: Game

    def asked_differently(self) -> set[str]:
        """The phases in which others let chances go in one hand more often than in the other."""
        counts = []
        for game in (self.one, self.other):
            unseen = [event.phase for event in game.events if self._is_unseen(event)]
            counts.append({phase: unseen.count(phase) for phase in LETS_GO})
        return {phase for phase in LETS_GO if counts[0][phase] != counts[1][phase]}

    def _is_unseen(self, event: Event) -> bool:
        """Whether a decision lets a chance go that the observer cannot know of."""
        if event.action is None or event.seat == self.observer:
            return False
        return LETS_GO.get(event.phase) == texts(self.one.rules)[event.action]


def is_asked_unseen(game: Game, observer: int) -> bool:
    """Whether another seat is asked what the observer cannot know."""
    if game.phase == "drawn" and game.rules.after_draw == "must_play":
        return False  # nothing can be let go
    return game.phase in LETS_GO and game.to_move != observer


def lets_go(game: Game, observer: int, action: int) -> bool:
    """Whether an action lets a chance go that the observer cannot know of."""
    return is_asked_unseen(game, observer) and LETS_GO[game.phase] == texts(game.rules)[action]


def two_worlds(seed: int, focus: str | None = None, draw_rules: Callable[..., Rules] = random_rules) -> Worlds | None:
    """Two hands by chance that are the same for a seat though their decks differ; None if they did not become it.

    A few other decks are tried, until others are asked differently with one of them.

    Args:
        seed: everything depends on it.
        focus: the phase in which they are to differ, or ``"deflect"``, which makes that likely; None: any.
        draw_rules: draws the rules: :func:`random_rules`, or those of another edition.
    """
    chance = random.Random(seed)
    rules = _rules(chance, focus, draw_rules)
    observer, dealer = chance.randrange(rules.players), chance.randrange(rules.players)
    deck = np.repeat(np.arange(len(rules.deck_counts)), rules.deck_counts).tolist()
    chance.shuffle(deck)
    one = _dealt(rules, seed, deck, dealer)
    if one is None:
        return None
    facts = _play(one, observer, chance, focus, decisions=chance.randrange(2, 24))
    found = None
    for _ in range(0 if one.over else OTHER_DECKS):
        other = _dealt(rules, seed, _with_another_card(deck, one, chance, focus), dealer)
        if other is None or not _looks_alike(one, other, observer, facts) or _is_same(one, other):
            continue
        found = Worlds(observer, one, other)
        asked = found.asked_differently()
        if focus in asked or (asked and focus not in LETS_GO):
            break
    return found


def _dealt(rules: Rules, seed: int, deck: list[int], dealer: int) -> Game | None:
    try:
        return Game(rules, seed, deck, dealer)
    except ValueError:
        return None  # no card may lie first


def _is_same(one: Game, other: Game) -> bool:
    hands = one.record.seats["hand"] != other.record.seats["hand"]
    return not hands.any() and one.history == other.history


def asked_in(phase: str, draw_rules: Callable[..., Rules], most: int) -> list[Worlds]:
    """Pairs of hands in which others are asked differently in a phase: ``most``, or what 1,000 attempts find.

    They are kept for the other tests of the process, which must not change them.
    """
    pairs, others = _asked_in(phase, draw_rules)
    pairs += islice(others, max(0, most - len(pairs)))
    return pairs[:most]


@cache
def _asked_in(phase: str, draw_rules: Callable[..., Rules]) -> tuple[list[Worlds], Iterator[Worlds]]:
    """Pairs that are found, and those that are not looked for yet."""
    found = filter(None, (two_worlds(seed, phase, draw_rules) for seed in range(1_000)))
    return [], (worlds for worlds in found if phase in worlds.asked_differently())


def moments(game: Game, observer: int) -> Iterator[tuple[int, Game]]:
    """A hand from its deal on, before each decision; with how many events the observer has been told of by then.

    What is pretended is no event; the game that is given goes on.
    """
    shown, told = game.start(), 1
    yield told, shown
    for action in game.history:
        told += not lets_go(shown, observer, action)
        shown.step(action)
        yield told, shown


def waits(game: Game, observer: int) -> bool:
    """Whether the observer is shown that the card on top has yet to act: it is to get cards, or chance decides."""
    row = game.observe(observer, "uint8")
    return is_asked_unseen(game, observer) and not row[layout(game.rules)["to_move"].columns].any()


def differences(worlds: Worlds, look: Callable[[Game, int], Told]) -> Iterator[str]:
    """Names of what the observer is told differently in the two hands, or within one while another is asked."""
    expected: dict[int, Told] = {}
    for game in (worlds.one, worlds.other):
        for number, shown in moments(game, worlds.observer):
            if waits(shown, worlds.observer):
                assert shown.phase == "jump_in" or shown.rules.mercy or shown.rules.edition == "flip"
                continue
            now = look(shown, worlds.observer)
            before = expected.setdefault(number, now)
            yield from (name for name, value in now.items() if value != before[name])


def _rules(chance: random.Random, focus: str | None, draw_rules: Callable[..., Rules]) -> Rules:
    rules = draw_rules(chance, illegal_action="raise")
    match focus:
        case "jump_in":
            return rules.replace(jump_in=True)
        case "stack":
            answered = ("same", "any") if rules.edition == "classic" else ("same", "any", "value")
            return rules.replace(stacking=chance.choice(answered))
        case "drawn":
            voluntary_draw = rules.voluntary_draw or rules.edition == "no_mercy"  # where it is off in the preset
            return rules.replace(after_draw="may_play", draw="one", voluntary_draw=voluntary_draw)
        case "deflect":
            return rules.replace(deflect=True, draw_two_turn="kept")
    return rules


def _with_another_card(deck: list[int], one: Game, chance: random.Random, focus: str | None) -> list[int]:
    """The deck with two cards in each other's place."""
    edition, dealt = EDITIONS[one.rules.edition], one.players * one.rules.hand_size
    used = len(deck) - int(one.record.pile_end - one.record.pile_next)
    first = chance.randrange(dealt)
    if focus == "drawn" and used > dealt + 1:
        first = chance.randrange(dealt + 1, used)
    wanted = range(len(deck))
    if focus == "jump_in":
        laid = {edition.kinds[kind].text for kind in one.history if kind < edition.coloured}
        wanted = [place for place, kind in enumerate(deck) if edition.kinds[kind].text in laid] or wanted
    elif focus == "stack":
        wanted = [place for place, kind in enumerate(deck) if edition.kinds[kind].demands] or wanted
    elif focus == "deflect":
        wanted = [
            place for place, kind in enumerate(deck) if edition.kinds[kind].effect in ("skip", "reverse")
        ] or wanted
    second = chance.choice(wanted)
    if edition.sides > 1 and (one.rules.backs == "seen" or max(first, second) >= dealt):
        first, second = _alike_from_behind(deck, edition, first, dealt, wanted, chance)
    swapped = list(deck)
    swapped[first], swapped[second] = deck[second], deck[first]
    return swapped


def _alike_from_behind(
    deck: list[int], edition: Edition, first: int, dealt: int, wanted: Sequence[int], chance: random.Random
) -> tuple[int, int]:
    """A place like ``first``, and one of the cards ``wanted`` that has the same back on the light side."""
    backs = [edition.other_side[kind].text for kind in deck]
    places = range(dealt) if first < dealt else range(dealt + 1, len(deck))
    pairs = [(one, other) for one in places for other in wanted if one != other and backs[one] == backs[other]]
    return chance.choice(pairs) if pairs else (first, first)


def _facts(game: Game, observer: int) -> Facts:
    """What lies on the table and in the hands that the observer knows; the least that it sees when nobody is asked."""
    record = game.record
    sizes, known = record["seats"]["hand_size"].tolist(), known_to(record, observer, game.players)
    table = record["top"], record["colour"], record["pile_end"] - record["pile_next"], record["discards"].tobytes()
    must_play = game.phase == "drawn" and game.rules.after_draw == "must_play"  # which is for all to see
    return (*game.hand(observer), *sizes, *table, known.tobytes(), must_play, *_backs(game, observer))


def _backs(game: Game, observer: int) -> Facts:
    """What is seen of cards with two sides: the backs of others' hands, of the next card, and the last card's front."""
    record, edition = game.record, EDITIONS[game.rules.edition]
    if edition.sides == 1:
        return ()
    side = int(record["side"][0])
    fronts, backs = _texts_on(edition, side), _texts_on(edition, 1 - side)
    pile = record["pile"][record["pile_next"] : record["pile_end"]].tolist()
    others = [seat for seat in range(game.players) if seat != observer and game.rules.backs == "seen"]
    held = [tuple(sorted(backs[kind] for kind in game.hand(seat))) for seat in others]
    shown = backs[pile[0]] if pile else "", fronts[pile[-1]] if pile and record["last_seen"][0] else ""
    return side, int(record["lowest"][0]), *held, *shown


@cache
def _texts_on(edition: Edition, side: int) -> list[str]:
    return [face.text for face in edition.faces_on(side)]


def _action(game: Game, chance: random.Random, focus: str | None) -> int:
    """A legal action; with a focus, often one that leads to it."""
    legal, edition = game.legal_actions(), EDITIONS[game.rules.edition]
    actions = catalogue(edition)
    draws = [kind >= 0 and edition.kinds[kind].demands > 0 for kind in actions.kinds]
    wanted = [actions.first.draw] if focus == "drawn" else [action for action in legal if draws[action]]
    wanted = [action for action in wanted if action in legal]
    if focus in ("drawn", "stack", "deflect") and wanted and chance.random() < 0.5:
        return chance.choice(wanted)
    return lively_action(game, chance)


def _play(game: Game, observer: int, chance: random.Random, focus: str | None, decisions: int) -> list[Facts]:
    """Play on until nobody is asked unseen; the facts whenever nobody is."""
    facts = [] if is_asked_unseen(game, observer) else [_facts(game, observer)]
    while not game.over and (len(game.history) < decisions or is_asked_unseen(game, observer)):
        game.step(_action(game, chance, focus))
        if not is_asked_unseen(game, observer):
            facts.append(_facts(game, observer))
    return facts


def _looks_alike(one: Game, other: Game, observer: int, facts: list[Facts]) -> bool:
    """Play a hand as another was played in the open; whether both are the same for the observer's eyes."""
    return _follow(other, one, observer, facts) and not other.over and _lie_alike(one, other, observer)


def _follow(game: Game, leader: Game, observer: int, facts: list[Facts]) -> bool:
    """Do in a game what was done in the open in another; whether that can be done and comes to the same facts."""
    done = leader.start()
    for action in leader.history:
        seat, hidden = done.to_move, lets_go(done, observer, action)
        done.step(action)
        if hidden:
            continue
        while is_asked_unseen(game, observer) and (game.to_move != seat or action not in game.legal_actions()):
            if not _let_go(game):
                return False
        if game.to_move != seat or action not in game.legal_actions():
            return False
        game.step(action)
    while is_asked_unseen(game, observer):
        if not _let_go(game):
            return False
    seen = (_facts(each, observer) for _, each in moments(game, observer) if not is_asked_unseen(each, observer))
    return all(one == other for one, other in zip_longest(seen, facts))


def _lie_alike(one: Game, other: Game, observer: int) -> bool:
    """Whether the same lies on the table also while somebody has drawn, such as the back of the next card."""
    after: dict[int, Facts] = {}
    for game in (one, other):
        for told, shown in moments(game, observer):
            if shown.phase == "drawn" or not is_asked_unseen(shown, observer):
                now = _facts(shown, observer)
                if after.setdefault(told, now) != now:
                    return False
    return True


def _let_go(game: Game) -> bool:
    action = texts(game.rules).index(LETS_GO[game.phase])
    allowed = action in game.legal_actions()
    if allowed:
        game.step(action)
    return allowed
