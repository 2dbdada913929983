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
    if edition.sides > 1:
        return _two_sided(edition)
    kinds, colours = range(len(edition.kinds)), range(len(edition.colours))
    play_wild = edition.coloured
    declared = [kind for kind in kinds if edition.kinds[kind].colour == NO_COLOUR and edition.kinds[kind].declared]
    undeclared = [kind for kind in kinds if not edition.kinds[kind].declared]
    play_pair = play_wild + len(declared) * len(colours) + len(undeclared)
    draw = play_pair + len(edition.pairs)
    swap = draw + len(_SPOKEN)
    declare = swap + MAX_SWAP
    spoken = range(draw, swap)
    first = FirstActions._make((0, play_wild, play_pair, *spoken, swap, declare, declare + len(colours)))
    wilds = [(kind, colour) for kind in declared for colour in colours]
    pairs = [edition.kind_of[text] for text in edition.pairs]
    lefts = range(1, MAX_SWAP + 1)
    faces = edition.kinds
    texts = (
        *(face.text for face in faces[: edition.coloured]),
        *(f"{faces[kind].text}:{edition.letters[colour]}" for kind, colour in wilds),
        *(faces[kind].text for kind in undeclared),
        *(f"{faces[kind].text}x2" for kind in pairs),
        *_SPOKEN,
        *(f"swap{left}" for left in lefts),
        *(f"colour:{letter}" for letter in edition.letters),
    )
    names = (
        *(f"play {face.name}" for face in faces[: edition.coloured]),
        *(f"play {faces[kind].name}, declare {edition.colours[colour]}" for kind, colour in wilds),
        *(f"play {faces[kind].name}" for kind in undeclared),
        *(f"play two {faces[kind].name}" for kind in pairs),
        *_spoken_names(edition),
        *(f"declare {colour}" for colour in edition.colours),
    )
    cards = [(kind, faces[kind].colour) for kind in kinds[: edition.coloured]]
    cards += [*wilds, *((kind, NO_COLOUR) for kind in undeclared)]
    cards += [*((kind, faces[kind].colour) for kind in pairs), *((NO_CARD, NO_COLOUR) for _ in range(draw, declare))]
    cards += [(NO_CARD, colour) for colour in colours]
    played, left = zip(*cards, strict=True)
    declares = ["" for _ in range(declare)] + list(edition.colours)
    declares[play_wild : play_wild + len(wilds)] = [edition.colours[colour] for _, colour in wilds]
    id_of = {text: action for action, text in enumerate(texts)}
    return Catalogue(first, texts, names, played, left, tuple(declares), id_of, ())


def _two_sided(edition: Edition) -> Catalogue:
    """The actions of an edition whose cards have two sides.

    A card is played by its own action while its face in force is coloured. Each wild face has an action for each colour
    of its side. The colour that the former leads to depends on the side, so it is −1 here.
    """
    number, of_side = len(edition.kinds), len(edition.colours)
    wilds = [
        (kind, side) for side in range(2) for kind in range(number) if edition.faces_on(side)[kind].colour == NO_COLOUR
    ]
    draw = number + len(wilds) * of_side
    swap = draw + len(_SPOKEN)
    declare = swap + MAX_SWAP
    letters, colours = edition.all_letters, (*edition.colours, *edition.other_colours)
    first = FirstActions._make((0, number, draw, *range(draw, swap), swap, declare, declare + len(letters)))
    lefts = range(1, MAX_SWAP + 1)
    declared = [(kind, side * of_side + colour) for kind, side in wilds for colour in range(of_side)]
    texts = (
        *edition.texts,
        *(f"{edition.texts[kind]}:{letters[colour]}" for kind, colour in declared),
        *_SPOKEN,
        *(f"swap{left}" for left in lefts),
        *(f"colour:{letter}" for letter in letters),
    )
    names = (
        *(f"play {name}" for name in edition.names),
        *(f"play {edition.names[kind]}, declare {colours[colour]}" for kind, colour in declared),
        *_spoken_names(edition),
        *(f"declare {colour}" for colour in colours),
    )
    cards = [(kind, NO_COLOUR) for kind in range(number)]
    cards += [(kind, colour % of_side) for kind, colour in declared]
    cards += [(NO_CARD, NO_COLOUR)] * (declare - draw)
    cards += [(NO_CARD, colour % of_side) for colour in range(len(letters))]
    played, left = zip(*cards, strict=True)
    plays = {kind: number + place * of_side for place, (kind, _) in enumerate(wilds)}
    wild_plays = tuple(plays.get(kind, -1) for kind in range(number))
    declares = ["" for _ in range(number)] + [colours[colour] for _, colour in declared]
    declares += ["" for _ in range(draw, declare)] + list(colours)
    id_of = {text: action for action, text in enumerate(texts)}
    return Catalogue(first, texts, names, played, left, tuple(declares), id_of, wild_plays)


def _spoken_names(edition: Edition) -> tuple[str, ...]:
    """Sentences for the actions from drawing to swapping."""
    return (
        "draw",
        "pass",
        f"challenge {edition.challenged}",
        "accept the penalty",
        "call UNO",
        "catch the missing UNO call",
        "jump in",
        *(f"swap hands with player {left} to the left" for left in range(1, MAX_SWAP + 1)),
    )


_CLASSIC = catalogue()
PLAY, PLAY_WILD, PLAY_PAIR, DRAW, PASS, CHALLENGE, ACCEPT, CALL, CATCH, JUMP_IN, SWAP, DECLARE, NUM_ACTIONS = (
    _CLASSIC.first
)
ACTION_TEXTS: tuple[str, ...] = _CLASSIC.texts
"""Short text of each action, by id."""
ACTION_NAMES: tuple[str, ...] = _CLASSIC.names
"""Sentence for each action, by id."""
PAIR_NUMBERS = len(CLASSIC.pairs) // len(CLASSIC.colours)


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
