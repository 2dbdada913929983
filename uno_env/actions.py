"""The catalogue of actions: one list of 132 for every rule set and number of players.

======== ========= ===============================================================================
ids      text      meaning
======== ========= ===============================================================================
0-51     r5        play the coloured card of that kind
52-75    w+4:g     play the wild of that kind and declare the colour
76-111   r5x2      play two cards of that number and colour together
112      draw      draw instead of playing
113      pass      keep the drawn card; let a chance go by (catch, call, jump in)
114      challenge challenge the Wild Draw Four
115      accept    take the penalty
116      call      call UNO
117      catch     catch the player who has not called
118      jump_in   lay the card identical to the top card: out of turn, or together with one's own
119-127  swap3     swap hands with the 3rd player to the left
128-131  colour:b  declare the first colour
======== ========= ===============================================================================

Every edition has a catalogue of its own, in the same order: plays of coloured cards, wilds, pairs, then the rest
(:func:`catalogue`). The names of this module without an edition are those of the first one, with the ids above.

This module is vocabulary: it imports only :mod:`uno_env.cards` and editions.
"""

from functools import cache
from numbers import Integral
from typing import Any, NamedTuple

from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_CARD, NO_COLOUR, Edition

CATALOGUE_VERSION = 1
"""Raised whenever an id changes its meaning; saved policies carry it."""

MAX_SWAP = 9
_SPOKEN = ("draw", "pass", "challenge", "accept", "call", "catch", "jump_in")


class FirstActions(NamedTuple):
    """Ids of an edition's actions: the first of each group, and those of single ones."""

    play: int
    """Plays of coloured kinds, one each."""
    play_wild: int
    """Plays of wilds, one for each colour, then one for each wild without a declared colour."""
    play_pair: int
    draw: int
    keep: int
    """The action ``pass``: keep the drawn card, or let a chance go by."""
    challenge: int
    accept: int
    call: int
    catch: int
    jump_in: int
    swap: int
    declare: int
    number: int
    """The number of actions."""


class Catalogue(NamedTuple):
    """The actions of an edition, by id."""

    first: FirstActions
    texts: tuple[str, ...]
    """Short text of each action."""
    names: tuple[str, ...]
    """Sentence for each action."""
    kinds: tuple[int, ...]
    """Kind of card that each action plays, −1 if none."""
    colours: tuple[int, ...]
    """Active colour that each action leads to, −1 if it leaves it alone."""
    declares: tuple[str, ...]
    """Name of the colour that each action declares, "" if none."""
    id_of: dict[str, int]
    """Id of each short text."""
    wild_plays: tuple[int, ...]
    """With two sides: the first action that plays each kind as a wild, −1 if none; otherwise empty."""


@cache
def catalogue(edition: Edition = CLASSIC) -> Catalogue:
    """The actions of an edition."""
    coloured, wilds, pairs = _plays_of_sides(edition) if edition.sides > 1 else _plays(edition)
    spoken, swaps, colours = _others(edition)
    actions = (*coloured, *wilds, *pairs, *spoken, *swaps, *colours)
    play_pair = len(coloured) + len(wilds)
    draw = play_pair + len(pairs)
    swap = draw + len(spoken)
    declare = swap + len(swaps)
    first = FirstActions._make((0, len(coloured), play_pair, *range(draw, swap), swap, declare, len(actions)))
    as_wild = {wild.kind: len(coloured) + place for place, wild in reversed([*enumerate(wilds)])}
    return Catalogue(
        first,
        texts=tuple(action.text for action in actions),
        names=tuple(action.name for action in actions),
        kinds=tuple(action.kind for action in actions),
        colours=tuple(action.colour for action in actions),
        declares=tuple(action.declares for action in actions),
        id_of={action.text: number for number, action in enumerate(actions)},
        wild_plays=tuple(as_wild.get(kind, -1) for kind in range(len(edition.other_side))),
    )


class _Action(NamedTuple):
    """An action, with the fields of :class:`Catalogue`."""

    text: str
    name: str
    kind: int = NO_CARD
    colour: int = NO_COLOUR
    declares: str = ""


def _plays(edition: Edition) -> tuple[list[_Action], list[_Action], list[_Action]]:
    """The plays of cards with one side: of coloured kinds, of wilds and of pairs."""
    faces = [*enumerate(edition.kinds)]
    colours = [*enumerate(zip(edition.letters, edition.colours, strict=True))]
    coloured = [_Action(face.text, f"play {face.name}", kind, face.colour) for kind, face in faces[: edition.coloured]]
    wilds = [
        _Action(f"{face.text}:{letter}", f"play {face.name}, declare {name}", kind, colour, name)
        for kind, face in faces[edition.coloured :]
        if face.declared
        for colour, (letter, name) in colours
    ]
    wilds += [_Action(face.text, f"play {face.name}", kind) for kind, face in faces if not face.declared]
    pairs = [
        _Action(f"{face.text}x2", f"play two {face.name}", kind, face.colour)
        for kind, face in (faces[edition.kind_of[text]] for text in edition.pairs)
    ]
    return coloured, wilds, pairs


def _plays_of_sides(edition: Edition) -> tuple[list[_Action], list[_Action], list[_Action]]:
    """The same of cards with two sides, which have no pairs.

    A card is played by its own action while its face in force is coloured. Each wild face has an action for each colour
    of its side. The colour that the former leads to depends on the side, so it is −1 here.
    """
    cards = [*enumerate(zip(edition.texts, edition.names, strict=True))]
    coloured = [_Action(text, f"play {name}", kind) for kind, (text, name) in cards]
    wilds = [
        _Action(f"{text}:{letter}", f"play {name}, declare {declared}", kind, colour, declared)
        for side in range(2)
        for kind, (text, name) in cards
        if edition.faces_on(side)[kind].colour == NO_COLOUR
        for colour, (letter, declared) in enumerate(
            zip(edition.letters_on(side), edition.colours_on(side), strict=True)
        )
    ]
    return coloured, wilds, []


def _others(edition: Edition) -> tuple[list[_Action], list[_Action], list[_Action]]:
    """The actions that lay no card: those of :data:`_SPOKEN`, swaps of hands, and first colours."""
    names = (
        "draw",
        "pass",
        f"challenge {edition.challenged}",
        "accept the penalty",
        "call UNO",
        "catch the missing UNO call",
        "jump in",
    )
    spoken = [_Action(text, name) for text, name in zip(_SPOKEN, names, strict=True)]
    lefts = range(1, MAX_SWAP + 1)
    swaps = [_Action(f"swap{left}", f"swap hands with player {left} to the left") for left in lefts]
    colours = [
        _Action(f"colour:{letter}", f"declare {name}", NO_CARD, colour, name)
        for side in range(edition.sides)
        for colour, (letter, name) in enumerate(zip(edition.letters_on(side), edition.colours_on(side), strict=True))
    ]
    return spoken, swaps, colours


_CLASSIC = catalogue()
PLAY, PLAY_WILD, PLAY_PAIR, DRAW, PASS, CHALLENGE, ACCEPT, CALL, CATCH, JUMP_IN, SWAP, DECLARE, NUM_ACTIONS = (
    _CLASSIC.first
)
ACTION_TEXTS: tuple[str, ...] = _CLASSIC.texts
"""Short text of each action, by id."""
ACTION_NAMES: tuple[str, ...] = _CLASSIC.names
"""Sentence for each action, by id."""


def texts(rules: Any = None) -> tuple[str, ...]:
    """Short text of each action of the edition that some :class:`uno_env.Rules` are of; without, of the first one."""
    return _catalogue_of(rules).texts


def number_of(rules: Any = None) -> int:
    """The number of actions of that edition."""
    return _catalogue_of(rules).first.number


def _catalogue_of(rules: Any) -> Catalogue:
    return _CLASSIC if rules is None else catalogue(EDITIONS[rules.edition])


def wild_action(kind: int, colour: int) -> int:
    """Id of playing the wild ``kind`` of the first edition and declaring ``colour`` (0 to 3). Raises ValueError if that
    is no action.
    """
    try:
        return _CLASSIC.id_of[f"{CLASSIC.texts[kind]}:{CLASSIC.letters[colour]}"]
    except (IndexError, KeyError):
        raise ValueError(f"kind {kind!r} with colour {colour!r} is no action: choose 52 to 57, and 0 to 3") from None


def name(action: int, rules: Any = None) -> str:
    """Short text of an action: ``name(17) == "y4"``, ``name(112) == "draw"``.

    Args:
        action: an id.
        rules: :class:`uno_env.Rules` of the edition that the action belongs to; None means the first edition.

    Raises ValueError if there is no such action.
    """
    of = _catalogue_of(rules)
    number = _whole_number(action)
    if number is None or not 0 <= number < of.first.number:
        raise ValueError(f"{action!r} is no action: ids go from 0 to {of.first.number - 1}")
    return of.texts[number]


def parse(text: str, rules: Any = None) -> int:
    """Id of an action's short text, the inverse of :func:`name`. Raises ValueError if the text names no action."""
    action = _catalogue_of(rules).id_of.get(str(text).strip().lower())
    if action is None:
        raise ValueError(f"{text!r} is no action: write {_examples(rules)}")
    return action


def _examples(rules: Any) -> str:
    """Show how actions are written."""
    edition = CLASSIC if rules is None else EDITIONS[rules.edition]
    if edition.sides > 1:
        of = catalogue(edition)
        cards = f"a card ({of.texts[5]}), a wild with its colour ({of.texts[of.first.play_wild]})"
        return f"{cards}, {', '.join(_SPOKEN)}, swap1 to swap{MAX_SWAP}, or colour:{edition.letters[0]}"
    coloured = [face.text for face in edition.kinds[: edition.coloured]]
    letters = edition.letters
    wilds = [
        f"{face.text}:{letters[2 * place % len(letters)]}" if face.declared else face.text
        for place, face in enumerate(edition.kinds[edition.coloured :])
    ]
    cards = f"a card ({coloured[5 % len(coloured)]}, {coloured[-1]})"
    pairs = f", a pair ({edition.pairs[len(edition.pairs) // 9]}x2)" if edition.pairs else ""
    return (
        f"{cards}, a wild with its colour ({', '.join(wilds[:2])}){pairs}, {', '.join(_SPOKEN)}, "
        f"swap1 to swap{MAX_SWAP}, or colour:{letters[0]}"
    )


def checked(action: Any, rules: Any = None) -> int:
    """The id of an action that is given by its id, as :func:`checked_id` takes it, or by its text. Raises ValueError if
    it is no action of the rules' edition.
    """
    number = number_of(rules)
    if type(action) is int and 0 <= action < number:
        return action
    if isinstance(action, str):
        return parse(action, rules)
    whole = _whole_number(action)
    if whole is None:
        raise ValueError(f"{action!r} is no action: give a whole number from 0 to {number - 1}, or a text")
    name(whole, rules)
    return whole


def checked_id(action: Any, rules: Any = None) -> int:
    """The id of an action as an int. Raises ValueError if it is no action of the rules' edition.

    An id is an int, or a whole number of NumPy, PyTorch or JAX whose shape is (). Arrays and tensors of other shapes
    are no actions, and neither are True and False.
    """
    number, most = _whole_number(action), number_of(rules)
    if number is None or not 0 <= number < most:
        raise ValueError(f"{action!r} is no action: give a whole number from 0 to {most - 1}")
    return number


def _whole_number(value: Any) -> int | None:
    """A single whole number as an int; None: it is something else."""
    if type(value) is int:
        return value
    number: Any = value.item() if getattr(value, "shape", None) == () else value
    if isinstance(number, bool) or not isinstance(number, Integral):
        return None
    return int(number)
