"""The classic edition: four colours with 13 ranks each, and six kinds of wilds (GUIDE.md 2).

A *kind* is a small integer. The 52 coloured kinds go by colour, with the ranks 0 to 9, Skip, Reverse and Draw Two in
each. 52 to 57 are the wilds: Wild, Wild Draw Four, Wild Shuffle Hands, Wild Customizable, Wild Downpour One and Wild
Downpour Two.
"""

from uno_env.editions.edition import NO_COLOUR, POINTS_OF_RULES, Edition, Face

_COLOURS = ("red", "yellow", "green", "blue")
_LETTERS = "rygb"
_NUMBERS = range(10)
_ACTIONS = (("s", "Skip", "skip", 0), ("r", "Reverse", "reverse", 0), ("+2", "Draw Two", "draw", 2))
_ACTION_POINTS, _WILD_POINTS = 20, 50


def _of_colour(colour: int) -> list[Face]:
    name, letter = _COLOURS[colour], _LETTERS[colour]
    numbers = [
        Face(f"{letter}{number}", f"{name} {number}", colour, str(number), number=number, points=number)
        for number in _NUMBERS
    ]
    actions = [
        Face(letter + text, f"{name} {word}", colour, word, effect, demands, points=_ACTION_POINTS)
        for text, word, effect, demands in _ACTIONS
    ]
    return numbers + actions


def _wild(text: str, name: str, effect: str = "none", demands: int = 0, points: int = _WILD_POINTS) -> Face:
    return Face(text, name, NO_COLOUR, name, effect, demands, points=points)


_COLOURED = [face for colour in range(len(_COLOURS)) for face in _of_colour(colour)]
_WILDS = [
    _wild("w", "Wild"),
    _wild("w+4", "Wild Draw Four", "draw", 4),
    _wild("wsh", "Wild Shuffle Hands", "shuffle_hands", points=POINTS_OF_RULES),
    _wild("wcu", "Wild Customizable", "customizable", points=POINTS_OF_RULES),
    _wild("wd1", "Wild Downpour One", "downpour_one"),
    _wild("wd2", "Wild Downpour Two", "downpour_two"),
]


def _deck(wilds: dict[str, int]) -> tuple[int, ...]:
    """One 0 and two of every other kind of each colour, and some wilds."""
    coloured = [1 if face.number == 0 else 2 for face in _COLOURED]
    return tuple(coloured + [wilds.get(face.text, 0) for face in _WILDS])


CLASSIC = Edition(
    name="classic",
    colours=_COLOURS,
    letters=_LETTERS,
    kinds=(*_COLOURED, *_WILDS),
    decks={
        "classic": _deck({"w": 4, "w+4": 4}),
        "edition_2018": _deck({"w": 4, "w+4": 4, "wsh": 1, "wcu": 3}),
        "h2o": _deck({"w": 4, "w+4": 4, "wd1": 2, "wd2": 2}),
    },
    most_cards=128,
    pairs=tuple(face.text for face in _COLOURED if face.number > 0),
    challenged="the Wild Draw Four",
)
