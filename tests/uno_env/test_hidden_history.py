"""GUIDE.md 12: nothing hidden is told of the past, nor who is asked what only certain cards allow.

Two hands are compared whose decks differ in two cards that one seat never sees, and in which the others decided
accordingly: who could answer a penalty, play the card just drawn or jump in, and does not, looks as who cannot
(tests/helpers/worlds.py). At every moment the seat must be told the same in both.
"""

import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import uno_env.events
from tests.helpers.marks import thorough
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from tests.helpers.worlds import LETS_GO, Told, Worlds, differences, two_worlds
from uno_env import Game, Rules, raw_env
from uno_env.core.observe.layout import LAYOUT
from uno_env.core.record import PHASE_NAMES
from uno_env.encodings import ObservationForm
from uno_env.events import Event, events_seen_by, player_name
from uno_env.history import history_of
from uno_env.render import ansi, frame
from uno_env.render.sentences import Sentences
from uno_env.render.view import view_of

ATTEMPTS = {
    random_rules: {None: 60, "jump_in": 60, "stack": 300, "drawn": 120},
    random_no_mercy_rules: {None: 60, "jump_in": 60, "stack": 160, "drawn": 180, "deflect": 50},
    random_flip_rules: {None: 120, "jump_in": 120, "stack": 260, "drawn": 260},
}
"""How many pairs are tried for each phase, by what draws their rules."""
EDITIONS = pytest.mark.parametrize(
    "draw_rules",
    [random_rules, *thorough(random_no_mercy_rules, random_flip_rules)],
    ids=["classic", "no_mercy", "flip"],
)
LENGTHS = (1, 4, 60)


@cache
def pairs(draw_rules: Callable[..., Rules]) -> list[Worlds]:
    """All the pairs of worlds that a number of attempts finds."""
    attempts = ATTEMPTS[draw_rules].items()
    found = (two_worlds(seed, focus, draw_rules) for focus, number in attempts for seed in range(number))
    return [worlds for worlds in found if worlds]


def seen(game: Game, observer: int) -> Told:
    """What is quickly compared: the observation and the newest events."""
    return {
        "observation": game.observe(observer, "uint8").tolist(),
        "history=3": history_of(game.shown_to(observer).events, observer, 3).tolist(),
    }


def told(game: Game, observer: int) -> Told:
    """Everything that a seat is told."""
    shown = game.shown_to(observer)
    env = raw_env(game.rules, render_mode="ansi", render_seat=observer, history=5)
    env.reset()
    env.game = game
    agent = player_name(observer)
    return {
        **seen(game, observer),
        "floats": game.observe(observer).tolist(),
        "planes": ObservationForm(game.rules, encoding="planes").of(game.observe(observer, "uint8")[None]).tolist(),
        "events": events_seen_by(shown.events, observer),
        "environment": [env.observe(agent)[part].tolist() for part in ("observation", "history")],
        "info": env.infos[agent],
        **{f"history={length}": history_of(shown.events, observer, length).tolist() for length in LENGTHS},
        **rendered(env, game, observer),
    }


def rendered(env: Any, game: Game, observer: int) -> Told:
    """What of it is told in words and pictures."""
    view = view_of(game, observer)
    sentences = Sentences([f"N{seat}" for seat in range(game.players)], observer, view.edition)
    return {
        "rendering": ansi(game, observer),
        "picture": frame(game, observer, "svg"),
        "sentences": [sentences.situation(view), *map(sentences.event, view.events)],
        "environment's rendering": env.render(),
    }


def differing(
    look: Callable[[Game, int], Told], draw_rules: Callable[..., Rules] = random_rules, most: int = 6
) -> set[str]:
    """The same of all pairs; where all that is told is looked at, of ``most`` pairs that differ in each phase."""
    left = dict.fromkeys(LETS_GO, most)
    names: set[str] = set()
    for worlds in pairs(draw_rules):
        asked = worlds.asked_differently() if look is told else set(LETS_GO)
        if any(left[phase] > 0 for phase in asked):
            names |= set(differences(worlds, look))
            left = {phase: number - (look is told and phase in asked) for phase, number in left.items()}
    return names


@EDITIONS
def test_nobody_sees_who_is_asked_because_of_a_card(draw_rules: Callable[..., Rules]) -> None:
    assert differing(seen, draw_rules) == set()


@EDITIONS
def test_nobody_is_told_it_in_any_form(draw_rules: Callable[..., Rules]) -> None:
    assert differing(told, draw_rules) == set()


@EDITIONS
def test_the_pairs_cover_what_could_leak(draw_rules: Callable[..., Rules]) -> None:
    found = pairs(draw_rules)
    for phase in LETS_GO:
        assert sum(phase in worlds.asked_differently() for worlds in found) >= 8, phase
    assert {worlds.one.players for worlds in found} >= {2, 3, 4, 5, 7, 10}


@pytest.mark.thorough
@pytest.mark.parametrize("phase", LETS_GO)
def test_an_observation_that_tells_who_is_asked_is_caught(phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    number = PHASE_NAMES.index(phase)
    hidden = {other: action for other, action in uno_env.events.LETS_GO.items() if other != number}
    monkeypatch.setattr(uno_env.events, "LETS_GO", hidden)
    assert "observation" in differing(seen)


@pytest.mark.thorough
@pytest.mark.parametrize("phase", LETS_GO)
def test_telling_a_secret_event_is_caught(phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = {name: action for name, action in uno_env.events.LETTING_GO.items() if name != phase}
    monkeypatch.setattr(uno_env.events, "LETTING_GO", hidden)
    assert {"rendering", "sentences", "history=60", "events"} <= differing(told, most=3)


@pytest.mark.thorough
def test_leaving_out_a_secret_event_alone_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came of it must be told with the event before, or its absence tells that somebody was asked."""
    monkeypatch.setattr(Event, "followed_by", lambda self, secret: self)
    assert {"rendering", "history=60"} <= differing(told, most=3)


def test_cards_to_come_are_not_seen_too_early() -> None:
    """Seat 1 is to draw two if seat 2 lets its chance to jump in go: until then it sees neither card, nor who is
    asked."""
    deck = "r+2 b1 r+2 r5 b2 g3 r9 y1 y2 y3 y4"
    rules = Rules(players=3, hand_size=2, jump_in=True, uno_call="automatic", first_card="number", deck=deck)
    game = Game(rules, deck=deck, dealer=2)
    game.step("r+2")
    assert (game.phase, game.to_move) == ("jump_in", 2)
    row = game.observe(1, "uint8")
    assert row[LAYOUT["hand"].columns].sum() == 2
    assert not row[LAYOUT["to_move"].columns].any()
    assert row[LAYOUT["phase"].start] == 1
    assert "The card that player_0 laid has yet to act." in ansi(game, 1)
    assert view_of(game, 0).hand_sizes == [1, 4, 2]
    game.step("pass")
    assert game.observe(1, "uint8")[LAYOUT["hand"].columns].sum() == 4


def test_states_that_hide_nothing_show_who_is_asked() -> None:
    env = raw_env(Rules(players=4, stacking="same", uno_call="automatic"))
    chance = random.Random(1)
    env.reset(seed=1)
    while env.game.phase != "stack":
        if env.game.over:
            env.reset()
        env.step(chance.choice(env.game.legal_actions()))
    rows = env.state()[: 4 * len(env.game.observe(0))].reshape(4, -1)
    asked = [(env.game.to_move - seat) % 4 for seat in range(4)]
    assert rows[:, LAYOUT["to_move"].columns].argmax(axis=1).tolist() == asked
    assert rows[:, LAYOUT["phase"].start + PHASE_NAMES.index("stack")].tolist() == [1] * 4


@pytest.mark.parametrize("seat", [-2, 2, 2**63, True, 0.5, None, "0", {}])
def test_a_game_is_shown_to_seats_that_there_are_alone(seat: object) -> None:
    """Compiled code takes the seat for an index."""
    game = Game("duel", seed=0)
    with pytest.raises(ValueError, match=re.escape(f"seat={seat!r} is no seat of 2 players: 0 to 1")):
        game.shown_to(seat)
    assert game.shown_to(-1) is game
