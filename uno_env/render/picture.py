"""A view as a picture of the table: :func:`picture`.

From top to bottom: the table with a plate for each seat around the piles, the observer's own at the bottom and play
running around it; what was done and what is to be decided, in words; the other hands, from the left neighbour on, face
up as far as the observer may know their cards; the observer's own hand, with a mark over each card that may be played;
what else may be done. A spectator sees all hands in rows. The size depends on the number of players and on who looks,
never on the cards, so that pictures of one game make a video.
"""

import math
from collections.abc import Sequence

from uno_env import actions as catalogue
from uno_env.editions.edition import Edition
from uno_env.render.card_art import BACK, BLANK, HEIGHT, PAINTS, UNSEEN, figure
from uno_env.render.card_art import WIDTH as CARD_WIDTH
from uno_env.render.drawing import Box, Disc, Drawing, Item, Label, Polygon, Stamp, Stroke, arc, arrow, shortened
from uno_env.render.sentences import name_of, told
from uno_env.render.view import View

WIDTH = 400.0
"""Width of a picture in units."""

_SIDE = 8.0
_PLATE = (82.0, 44.0)
_MESSAGES = 60.0
_OWN = 104.0
_CHIPS = 28.0
_SHAPE = HEIGHT / CARD_WIDTH

_PAPER, _INK, _SOFT = "#f6f4ee", "#1d1f24", "#5b606b"
_RIM, _FELTS, _FELT_LINE = "#3a2a1e", ("#24505a", "#2b2140"), "#5f8f98"
SIDES = ("light side", "dark side")
_PLATE_FILL, _TURN_FILL, _TURN_LINE = "#f6f4ee", "#fff3c4", "#f6c400"


def picture(view: View) -> Drawing:
    """The picture of a view, :data:`WIDTH` units wide."""
    table = 232.0 if view.rules.players <= 6 else 292.0
    items: list[Item] = [*_table(view, table)]
    y = table + 4
    items += _messages(view, y)
    y += _MESSAGES
    row = 52.0 if view.rules.players <= 4 else 42.0
    for seat in _others(view):
        items += _row(view, seat, y, row)
        y += row
    if view.observer is not None:
        items += _own_hand(view, view.observer, y)
        y += _OWN
    items += _chips(view, y)
    y += _CHIPS
    return Drawing(WIDTH, y, (Box(0, 0, WIDTH, y, _PAPER), *items), _title(view), _description(view))


def _title(view: View) -> str:
    who = "all hands open" if view.observer is None else f"as {name_of(view, view.observer)} sees it"
    return f"A table of {view.rules.players} players, {who}"


def _description(view: View) -> str:
    """The picture's content in words."""
    colour = "not yet declared" if view.colour is None else view.colours[view.colour]
    sizes = ", ".join(f"{name_of(view, seat)} {held}" for seat, held in enumerate(view.hand_sizes))
    hands = "".join(
        f" Hand of {name_of(view, seat)}: {_texts(view, kinds)}." for seat, kinds in sorted(view.hands.items())
    )
    known = "".join(
        f" Seen in the hand of {name_of(view, seat)}: {_texts(view, kinds)}." for seat, kinds in view.known.items()
    )
    side = f"The {SIDES[view.side]} counts. " if view.edition.sides > 1 else ""
    way = "clockwise" if view.clockwise else "counter-clockwise"
    return (
        f"Top card {_texts(view, [view.top])}, active colour {colour}, play runs {way}. "
        f"{side}{told(view)[1]} "
        f"Cards held: {sizes}; draw pile {view.draw_pile}, discard pile {view.discards}.{hands}{known}"
    )


def _texts(view: View, kinds: Sequence[int]) -> str:
    return " ".join(view.edition.texts[kind] for kind in kinds) or "no cards"


def _others(view: View) -> list[int]:
    """Seats whose hands are shown in rows: from the observer's left on, or every one to a spectator."""
    players = view.rules.players
    if view.observer is None:
        return list(range(players))
    return [(view.observer + place) % players for place in range(1, players)]


# --- the table --------------------------------------------------------------------------------------------------------


def _table(view: View, height: float) -> list[Item]:
    middle = height / 2
    felt = Box(6, 6, WIDTH - 12, height - 12, _FELTS[view.side], 40, _FELT_LINE, 1.5)
    items: list[Item] = [Box(0, 0, WIDTH, height, _RIM), felt]
    items += _direction(view, middle)
    items += _piles(view, middle)
    for seat in range(view.rules.players):
        items += _plate(view, seat, *_place(view, seat, height))
    return items


def _place(view: View, seat: int, height: float) -> tuple[float, float]:
    """Centre of a seat's plate: the observer (or seat 0) at the bottom, the others clockwise from there."""
    players = view.rules.players
    turn = (seat - (view.observer or 0)) % players / players
    angle = math.radians(90 + 360 * turn)
    rx, ry = WIDTH / 2 - 14 - _PLATE[0] / 2, height / 2 - 12 - _PLATE[1] / 2
    return WIDTH / 2 + rx * math.cos(angle), height / 2 + ry * math.sin(angle)


def _direction(view: View, middle: float) -> list[Item]:
    """Two arrows around the piles."""
    rx, ry = 84.0, 72.0
    items: list[Item] = []
    for begin in (140.0, -40.0):
        points = arc(WIDTH / 2, middle, rx, ry, begin, begin + 62)
        items += arrow(points if view.clockwise else points[::-1], _FELT_LINE, 4)
    return items


def _piles(view: View, middle: float) -> list[Item]:
    x, y = WIDTH / 2, middle - 10
    backs = min(3, view.draw_pile)
    items: list[Item] = [Stamp(BACK, x - 39 - 1.5 * place, y - 1.5 * place, 42) for place in range(backs)]
    if view.next_back:
        items[-1] = Stamp(f"{UNSEEN}/{view.next_back}", x - 39 - 1.5 * (backs - 1), y - 1.5 * (backs - 1), 42)
    if not backs:
        items.append(Box(x - 60, y - 31, 42, 63, None, 5, _FELT_LINE, 1.5))
    beneath = min(view.discards - 1, 2)
    items += [Stamp(BLANK, x + 29, y, 46, angle) for angle in (-11, 7)[:beneath]]
    items.append(Stamp(view.shown(view.top), x + 29, y, 46))
    items.append(Label(x - 40, y + 50, str(view.draw_pile), 13, "#ffffff", bold=True))
    items += _colour_badge(view, x + 29, y + 50)
    if view.edition.sides > 1:
        items.append(Label(x - 46, y - 41, SIDES[view.side], 9.5, "#ffffff", bold=True))
    if view.penalty:
        items += [
            Box(x - 25, y - 57, 54, 18, _TURN_LINE, 9),
            Label(x + 2, y - 48, f"draw {'?' if view.draws_colour else view.penalty}", 12, _INK, bold=True),
        ]
    return items


def _colour_badge(view: View, x: float, y: float) -> list[Item]:
    """The active colour: its figure and its name."""
    colour = view.colour
    if colour is None:
        return [Box(x - 27, y - 9, 54, 18, _PAPER, 9), Label(x, y, "no colour", 10.5, _INK)]
    half, paints = 38.0, PAINTS[view.side]
    return [
        Box(x - half, y - 10, 2 * half, 20, paints.fills[colour], 10, "#ffffff", 1.5),
        figure(colour, x - half + 12, y, 6, paints.inks[colour]),
        Label(x + 9, y, view.colours[colour].upper(), 10, paints.inks[colour], bold=True),
    ]


def _plate(view: View, seat: int, x: float, y: float) -> list[Item]:
    width, height = _PLATE
    left, top = x - width / 2, y - height / 2
    moving, out = seat == view.to_move, seat in view.out
    fill = _TURN_FILL if moving else "#9fb3b4" if out else _PLATE_FILL
    items: list[Item] = [
        Box(left, top, width, height, fill, 7, _TURN_LINE if moving else "#122d33", 3.0 if moving else 1.0)
    ]
    items.append(
        Label(left + 8, top + 13, shortened(name_of(view, seat), 11, width - 14), 11, _INK, "start", bold=moving)
    )
    if seat == view.observer:
        items += [Box(x + 8, top - 7, 28, 13, _INK, 6.5), Label(x + 22, top - 0.5, "you", 9.5, "#ffffff")]
    held = view.hand_sizes[seat]
    if out:
        where = "out of the hand" if seat in view.put_out else "out of the match"
        return [*items, Label(left + 8, top + 31, where, 9.5, _INK, "start")]
    for place in range(min(held, 3)):
        items.append(Stamp(BACK, left + 14 + 3 * place, top + 31, 11))
    items.append(Label(left + 29, top + 31, str(held), 15, _INK, "start", bold=True))
    return items + _badges(view, seat, left + width - 6, top + 31)


def _badges(view: View, seat: int, right: float, y: float) -> list[Item]:
    """A seat's badges, from the right: dealer, UNO called, points of the match."""
    items: list[Item] = []
    if seat == view.dealer:
        items += [Disc(right - 7, y, 7, _INK), Label(right - 7, y, "D", 9.5, "#ffffff", bold=True)]
        right -= 17
    if seat in view.called:
        items += [Box(right - 27, y - 7, 27, 14, "#a91b2f", 7), Label(right - 13.5, y, "UNO", 9, "#ffffff", bold=True)]
    elif view.scores is not None:
        items.append(Label(right, y, f"{view.scores[seat]} p", 9.5, _SOFT, "end"))
    return items


# --- words ------------------------------------------------------------------------------------------------------------


def _messages(view: View, y: float) -> list[Item]:
    """The last event, and the open decision."""
    last, now = told(view)
    lines = _wrapped(last, 11, 1) + _wrapped(now, 12, 2)
    items: list[Item] = []
    for number, text in enumerate(lines):
        size, ink = (11, _SOFT) if number == 0 else (12, _INK)
        items.append(Label(_SIDE, y + 10 + 16 * number, text, size, ink, "start", bold=number > 0))
    return items


def _wrapped(text: str, size: float, most: int) -> list[str]:
    """The text in up to ``most`` lines."""
    room = WIDTH - 2 * _SIDE
    lines = [""]
    words = text.split()
    for place, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if shortened(longer, size, room) == longer or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] = shortened(" ".join([lines[-1], *words[place:]]), size, room)
            break
    return lines


# --- hands ------------------------------------------------------------------------------------------------------------


def _row(view: View, seat: int, y: float, height: float) -> list[Item]:
    """Another player's hand: a name, and cards."""
    cards = _cards_of(view, seat)
    items: list[Item] = [Stroke(((_SIDE, y), (WIDTH - _SIDE, y)), "#d9d5c8", 1)]
    name = shortened(name_of(view, seat), 11, 60)
    items.append(Label(_SIDE, y + height / 2 - 7, name, 11, _INK, "start", bold=seat == view.to_move))
    held = view.hand_sizes[seat]
    told_of_hand = "out" if seat in view.put_out else f"{held} card{'' if held == 1 else 's'}"
    items.append(Label(_SIDE, y + height / 2 + 8, told_of_hand, 10, _SOFT, "start"))
    playable = _playable(view) if view.observer is None and seat == view.to_move else set()
    return items + _fan(cards, 70, y + 4, WIDTH - _SIDE - 70, height - 6, playable)


def _cards_of(view: View, seat: int) -> list[str]:
    """Names of a seat's cards, as far as they are known, and backs for the rest."""
    kinds = view.in_order(view.hands.get(seat, view.known.get(seat, [])))
    hidden = view.hand_sizes[seat] - len(kinds)
    seen = [f"{UNSEEN}/{face}" for face in view.unknown_backs(seat)]
    return [view.shown(kind) for kind in kinds] + [*seen, *[BACK] * hidden][:hidden]


def _own_hand(view: View, seat: int, y: float) -> list[Item]:
    items: list[Item] = [Box(_SIDE - 4, y + 2, WIDTH - 2 * _SIDE + 8, _OWN - 4, "#e6e1d3", 8)]
    cards = _cards_of(view, seat)
    if not cards:
        items.append(Label(WIDTH / 2, y + _OWN / 2, "You hold no cards.", 12, _SOFT))
    return items + _fan(cards, _SIDE + 2, y + 8, WIDTH - 2 * _SIDE - 4, _OWN - 16, _playable(view))


def _playable(view: View) -> set[str]:
    """Names of the cards that the player to move may play."""
    return {view.shown(kind) for action in view.legal for kind in _kinds_played(view, action)}


def _kinds_played(view: View, action: int) -> list[int]:
    of = catalogue.catalogue(view.edition)
    if action < of.first.draw:
        return [of.kinds[action]]
    faces = view.edition.faces_on(view.side)
    twins = [kind for kinds in view.hands.values() for kind in kinds if faces[kind].text == faces[view.top].text]
    return twins if action == of.first.jump_in else []


_LEFT_PART = 0.45
"""Share of a card's width that its corner takes, and that is to stay in sight."""
_UPPER_PART = 0.47
"""Likewise of its height."""
_MARK = 7.0
"""Room over each row of cards for marks."""


def _fan(cards: list[str], x: float, y: float, width: float, height: float, playable: set[str]) -> list[Item]:
    """Cards in as many rows as make them largest with their corners in sight, marks over those that may be played."""
    rows, across = _rows_and_width(len(cards), width, height)
    per_row = math.ceil(len(cards) / rows)
    step = min(across + 3, (width - across) / max(per_row - 1, 1))
    down = (height - _SHAPE * across - _MARK) / (rows - 1) if rows > 1 else 0
    items: list[Item] = []
    for place, card in enumerate(cards):
        row, column = divmod(place, per_row)
        left, top = x + column * step, y + _MARK + row * down
        items.append(Stamp(card, left + across / 2, top + _SHAPE * across / 2, across))
        if card in playable:
            items += _mark(left + 0.27 * across, top - 0.5)
    return items


def _rows_and_width(cards: int, width: float, height: float) -> tuple[int, float]:
    """Number of rows, and width of the cards."""
    best = (1, 1.0)
    for rows in range(1, 6):
        tallest = (height - _MARK) / (1 + (rows - 1) * _UPPER_PART)
        per_row = math.ceil(cards / rows) if cards else 1
        across = min(tallest / _SHAPE, width / (1 + (per_row - 1) * _LEFT_PART))
        if across > best[1]:
            best = rows, across
    return best


def _mark(x: float, y: float) -> list[Item]:
    """A small triangle that points down at a card."""
    outline = Polygon(((x - 7, y - 7.2), (x + 7, y - 7.2), (x, y + 2.8)), "#ffffff")
    return [outline, Polygon(((x - 5, y - 6), (x + 5, y - 6), (x, y + 1)), _INK)]


# --- what else may be done --------------------------------------------------------------------------------------------


def _chips(view: View, y: float) -> list[Item]:
    """Legal actions that play no card of the hand, a chip each; those that do not fit are counted."""
    items: list[Item] = []
    first = catalogue.catalogue(view.edition).first
    rest = [action for action in view.legal if action >= first.play_pair and action != first.jump_in]
    x = _SIDE
    for place, action in enumerate(rest):
        text = _chip_text(action, view.edition)
        width = 13 + 6.6 * len(text)
        left = len(rest) - place
        if x + width > WIDTH - _SIDE - (40 if left > 1 else 0):
            items.append(Label(x + 2, y + 13, f"+ {left}", 11, _SOFT, "start"))
            break
        items += [Box(x, y + 4, width, 18, "#ffffff", 9, _INK, 1.2), Label(x + width / 2, y + 13, text, 11, _INK)]
        x += width + 5
    return items


def _chip_text(action: int, edition: Edition) -> str:
    of = catalogue.catalogue(edition)
    if action >= of.first.declare:
        return f"{of.declares[action]} ({of.texts[action][-1].upper()})"
    return "call UNO" if action == of.first.call else of.texts[action]
