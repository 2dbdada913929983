"""No Mercy (GUIDE.md 13). Switch: ``edition``.

Show 'Em No Mercy is an edition with cards of its own, and with players who are put out. What is not said here is as in
the preset ``classic``. The deck has 168 cards. Each of the four colours has:

| cards | of each |
| --- | --- |
| 0 to 9 | 2 |
| Skip, Reverse, Draw Two, Discard All (13.1) | 3 |
| Draw Four, Skip Everyone (13.2) | 2 |

There are 24 wilds: 8 Wild Reverse Draw Four (13.3), 4 Wild Draw Six, 4 Wild Draw Ten, and 8 Wild Colour Roulette
(13.4). There is no plain Wild. A coloured action card is worth 20 points, and a wild 50.

The preset ``no_mercy`` plays it as its box says:

- The first card is a number (3.3).
- A player who cannot play draws until a card can be played, and plays it (4.2). Nobody draws who can play.
- A 7 swaps hands, and a 0 passes all hands on (10.2).
- A draw card is answered with one that demands as many cards or more (10.1), and nobody challenges (5.1).
- Whoever holds 25 cards is out of the hand (13.5).
- A match is played to 1,000 points (9.2).

After a card is laid, the order is: its colour, the direction, hands that move; the race for a missing call (6.2);
jumping in (10.3); then answers to a penalty, the roulette, missed turns, and the second turn of Skip Everyone.

The box is for 2 to 6 players. Here 2 to 10 may play. Where a rule of this guide says Draw Two, it means any coloured
draw card (5.4, 10.3, 10.5).

Decided here:

- The player who laid a 7 or a 0 and then holds exactly one card must call UNO. A call before the play stands. A player
  who was given one card need not call.
- With ``mercy=0`` most hands do not end.

A kind of card is a number here as well: the 64 coloured kinds go by colour, and 64 to 67 are the wilds.

Actions: `r0` to `bse`, `wr+4:r` to `w+10:b`, `wcr`, then those that all editions have.
Observation: `hand` and all other sections, as wide as this edition needs.
"""

from uno_env.editions.edition import NO_COLOUR, Edition, Face

_COLOURS = ("red", "yellow", "green", "blue")
_LETTERS = "rygb"
_NUMBERS = range(10)
_ACTIONS = (
    ("s", "Skip", "skip", 0, 3),
    ("r", "Reverse", "reverse", 0, 3),
    ("+2", "Draw Two", "draw", 2, 3),
    ("da", "Discard All", "discard_all", 0, 3),
    ("+4", "Draw Four", "draw", 4, 2),
    ("se", "Skip Everyone", "skip_everyone", 0, 2),
)
"""Text, name, effect, cards demanded, and how many cards there are of each colour."""
_NUMBERS_EACH = 2
_WILDS = (
    ("wr+4", "Wild Reverse Draw Four", "reverse_draw", 4, True, 8),
    ("w+6", "Wild Draw Six", "draw", 6, True, 4),
    ("w+10", "Wild Draw Ten", "draw", 10, True, 4),
    ("wcr", "Wild Colour Roulette", "roulette", 0, False, 8),
)
"""Text, name, effect, cards demanded, whether its player declares a colour, and how many cards there are."""
_ACTION_POINTS, _WILD_POINTS = 20, 50


def _of_colour(colour: int) -> list[Face]:
    name, letter = _COLOURS[colour], _LETTERS[colour]
    numbers = [
        Face(f"{letter}{number}", f"{name} {number}", colour, str(number), number=number, points=number)
        for number in _NUMBERS
    ]
    actions = [
        Face(letter + text, f"{name} {word}", colour, word, effect, demands, points=_ACTION_POINTS)
        for text, word, effect, demands, _ in _ACTIONS
    ]
    return numbers + actions


_COLOURED = [face for colour in range(len(_COLOURS)) for face in _of_colour(colour)]
_COUNTS = [*(_NUMBERS_EACH for _ in _NUMBERS), *(count for *_, count in _ACTIONS)] * len(_COLOURS)

NO_MERCY = Edition(
    name="no_mercy",
    colours=_COLOURS,
    letters=_LETTERS,
    kinds=(
        *_COLOURED,
        *(
            Face(text, name, NO_COLOUR, name, effect, demands, points=_WILD_POINTS, declared=declared)
            for text, name, effect, demands, declared, _ in _WILDS
        ),
    ),
    decks={"no_mercy": (*_COUNTS, *(count for *_, count in _WILDS))},
    most_cards=192,
    pairs=tuple(face.text for face in _COLOURED if face.number > 0),
    challenged="the wild draw card",
    mercy=True,
    moves_first=True,
)
