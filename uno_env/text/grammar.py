"""The words by which moves are named, for each edition: :class:`Grammar`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from uno_env.actions import Catalogue, catalogue
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER, Edition, Face

Named = str | int
"""A named move: the id of an action; or a text, if it is a wild without its colour, or a number with no move."""

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LINK = (
    r"(?:[\s,;:()>=/*\"'→-]|\b(?:card|and|then|i|to|with|in|as|the|it|colou?r|declar\w*|choos\w*|nam\w*|call\w*|chang\w*"
    r"|set|pick\w*|select\w*)\b){0,12}?"
)
_SPOKEN = {"draw": "draw", "pass": "pass", "keep": "pass", "let": "pass", "challenge": "challenge", "accept": "accept",
           "call": "call", "catch": "catch", "jump": "jump_in"}  # fmt: skip
"""The text of an action by the word with which its name begins."""


class Grammar:
    """Everything that names a move of an edition, in small letters."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.actions: Catalogue = catalogue(edition)
        faces = edition.kinds
        self._symbols = [
            (re.compile(_symbol(face)), face.text[1:])
            for face in sorted(faces[: edition.per_colour], key=lambda face: -len(face.symbol))
            if face.number == NO_NUMBER
        ]
        """By symbol, longer ones first: its pattern, and what the texts of its cards say after the colour's letter."""
        wilds = range(edition.coloured, len(faces))
        self._draws = sorted(
            ((re.compile(_wild_draw(faces[kind])), kind) for kind in wilds if faces[kind].demands),
            key=lambda each: (faces[each[1]].effect == "draw", -faces[each[1]].demands),
        )
        """Patterns of the wilds that demand cards."""
        self._wilds = _names_of_wilds(edition)
        self.mention = re.compile(self._mention())

    def mentions(self, text: str, legal: Sequence[int]) -> Iterator[Named]:
        """Everything in a text that names a move; ``legal`` is the list that numbers refer to."""
        edition, ids, first = self.edition, self.actions.id_of, self.actions.first
        for found in self.mention.finditer(text):
            if found["code"]:
                yield ids[found["code"]]
            elif found["colour"]:
                card = edition.letters[edition.colours.index(found["colour"])] + self._rank(found["rank"])
                pair = f"{card}x2" if found["pair"] or found["twice"] else ""
                yield ids.get(pair, pair or ids[card])
            elif found["draws"] or found["wild"]:
                yield self._wild(found)
            elif found["swap"]:
                yield first.swap + int(found["swap"]) - 1
            elif found["declare"]:
                yield first.declare + edition.letters.index(found["declare"][0])
            elif found["word"]:
                yield ids[next(text for word, text in _SPOKEN.items() if found["word"].startswith(word))]
            else:
                yield listed(found["number"], legal)

    def _wild(self, found: "re.Match[str]") -> Named:
        """The wild that is named, with its colour if that is named, too."""
        if found["draws"]:
            kind = next(kind for pattern, kind in self._draws if pattern.fullmatch(found["draws"]))
        else:
            kind = self._wilds[found["wild"].replace("color", "colour")]
        face, colour = self.edition.kinds[kind], found["colour_draws"] or found["colour_wild"]
        if not face.declared:
            return self.actions.id_of[face.text]
        return self.actions.id_of[f"{face.text}:{colour[0]}"] if colour else face.text

    def _rank(self, word: str) -> str:
        """A number or symbol as in the texts of cards."""
        if word in _NUMBERS:
            return str(_NUMBERS.index(word))
        return word if word.isdecimal() else next(text for pattern, text in self._symbols if pattern.fullmatch(word))

    def _mention(self) -> str:
        edition = self.edition
        colours, letters = "|".join(edition.colours), edition.letters
        numbers = "|".join(_NUMBERS[:10])
        of_a_colour = edition.kinds[: edition.per_colour]
        suffixes = "|".join(re.escape(face.text[1:]) for face in of_a_colour)
        begins = "|".join(dict.fromkeys(_begin(face) for face in of_a_colour if face.number == NO_NUMBER))
        names = "" if all(face.declared for face in edition.kinds) else "|nam(?:e|ing)"
        colour_end = rf"(?:{colours}|[{letters}])(?![\w+])(?!\s+(?:[0-9]|{begins}|\+|{numbers}))"
        symbols = "|".join(pattern.pattern for pattern, _ in self._symbols)
        draws = "|".join(pattern.pattern for pattern, _ in self._draws)
        wilds = "|".join(name.replace("colour", "colou?r") for name in self._wilds)
        amounts = "|".join(f"{_NUMBERS[face.demands]}|{face.demands}" for face in _one_of_each_demand(edition.kinds))
        challenged = r"\s+".join(edition.challenged.lower().split())
        return (
            rf"(?P<code>(?<![\w+])[{letters}](?:[1-9]x2|{suffixes})(?![\w+]))"
            rf"|(?P<pair>\b(?:two|both|double|pair\s+of)\s+)?\b(?P<colour>{colours})[\s_-]+"
            rf"(?P<rank>[0-9](?![0-9])|{numbers}|{symbols})(?P<twice>\s?x\s?2)?(?:s\b|(?!\w))"
            rf"|(?<![\w+])(?P<draws>{draws or '(?!)'})(?:{_LINK}(?P<colour_draws>{colour_end}))?"
            rf"|(?<![\w+])(?P<wild>{wilds or '(?!)'})(?![\w+])(?:{_LINK}(?P<colour_wild>{colour_end}))?"
            r"|\bswap(?:\s*hands)?(?:\s*with)?(?:\s*the)?(?:\s*p(?:layer)?)?[\s_]*(?P<swap>[1-9])(?![0-9])"
            rf"|\b(?:declar(?:e|ing){names}|colou?r\s*(?:is|:))[\s:]*(?P<declare>{colour_end})"
            rf"|\b(?P<word>draw(?!\s+(?:pile|{amounts})|[\w+-])|pass|keep\s+(?:it|the\s+(?:drawn\s+)?card)|let\s+it\s+go"
            rf"|challenge(?:\s+{challenged})?|accept|call(?:\s+uno)?|catch(?:\s+the\s+missing\s+uno\s+call)?"
            r"|jump[\s_-]*in)\b"
            r"|(?:#|\b(?:move|option|number|choice)\s+#?)(?P<number>[0-9]{1,3})(?![\w.])"
        )


class GrammarOfSides(Grammar):
    """Everything that names a move with cards that have two sides: a card by both of its faces, ``r1/ose``, or by both
    names, ``red 1 / orange Skip Everyone``. Either face may come first, since prompts begin with the one in force.

    One face alone names several cards, so it names no move.
    """

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.actions = catalogue(edition)
        cards = {said: text for kind, text in enumerate(edition.texts) for said in _both_ways(edition, kind)}
        self._cards = {_unspaced(said): text for said, text in cards.items()}
        """The text of each card by what it may be called."""
        called = (*edition.all_colours, *edition.all_letters)
        self._letters = dict(zip(called, 2 * edition.all_letters, strict=True))
        """The letter of each colour by what it may be called: two may begin with the same letter."""
        self.mention = re.compile(self._codes(cards))

    def mentions(self, text: str, legal: Sequence[int]) -> Iterator[Named]:
        """Everything in a text that names a move; ``legal`` is the list that numbers refer to."""
        ids, first, edition = self.actions.id_of, self.actions.first, self.edition
        for found in self.mention.finditer(text):
            if found["card"]:
                card, letter = self._cards[_unspaced(found["card"])], self._letters.get(found["colour"])
                wild, is_wild = f"{card}:{letter}", self.actions.wild_plays[edition.kind_of[card]] >= 0
                lacks_colour = is_wild and ids[card] not in legal
                yield ids.get(wild, card if lacks_colour else ids[card])
            elif found["swap"]:
                yield first.swap + int(found["swap"]) - 1
            elif found["declare"]:
                yield first.declare + edition.all_letters.index(self._letters[found["declare"]])
            elif found["word"]:
                yield ids[next(text for word, text in _SPOKEN.items() if found["word"].startswith(word))]
            else:
                yield listed(found["number"], legal)

    def _codes(self, names: Iterable[str]) -> str:
        """The pattern of moves; ``names``: the names of all cards."""
        edition = self.edition
        colour = rf"(?:{'|'.join(edition.all_colours)}|[{edition.all_letters}])(?![\w+/])"
        cards = "|".join(
            re.escape(said).replace("/", r"\s?/\s?").replace("colour", "colou?r").replace(r"\ ", r"\s?")
            for said in sorted(names, key=len, reverse=True)
        )
        challenged = r"\s+".join(edition.challenged.lower().split())
        return (
            rf"(?<![\w+/])(?P<card>{cards})(?![\w+/])(?:{_LINK}(?P<colour>{colour}))?"
            r"|\bswap(?:\s*hands)?(?:\s*with)?(?:\s*the)?(?:\s*p(?:layer)?)?[\s_]*(?P<swap>[1-9])(?![0-9])"
            rf"|\b(?:declar(?:e|ing)|colou?r\s*(?:is|:))[\s:]*(?P<declare>{colour})"
            r"|\b(?P<word>draw(?!\s+(?:pile|colou?r|one|two|five|[0-9])|[\w+-])|pass|keep\s+(?:it|the\s+(?:drawn\s+)?card)"
            rf"|let\s+it\s+go|challenge(?:\s+{challenged})?|accept|call(?:\s+uno)?|catch(?:\s+the\s+missing\s+uno\s+call)?"
            r"|jump[\s_-]*in)\b"
            r"|(?:#|\b(?:move|option|number|choice)\s+#?)(?P<number>[0-9]{1,3})(?![\w.])"
        )


@cache
def grammar(edition: Edition) -> Grammar:
    """The grammar of an edition."""
    return GrammarOfSides(edition) if edition.sides > 1 else Grammar(edition)


def _both_ways(edition: Edition, kind: int) -> Iterator[str]:
    """A card's text and name, in small letters, with either side in force."""
    for side in range(edition.sides):
        yield edition.shown(kind, side)
        yield edition.name_shown(kind, side).lower()


def _unspaced(card: str) -> str:
    """A card's text or name as it is looked up: without spaces, "colour" in one spelling."""
    return "".join(card.split()).replace("color", "colour")


def listed(number: str, legal: Sequence[int]) -> Named:
    """The move with a number in a list, from 1; the number itself if there is none."""
    return legal[int(number) - 1] if 1 <= int(number) <= len(legal) else number


def _amount(demands: int) -> str:
    """Pattern of ``draw four``, ``+4``, ``plus 4``."""
    either = rf"(?:{_NUMBERS[demands]}|{demands})"
    return rf"(?:draw[\s-]*{either}|\+\s?{demands}|plus[\s-]*{either})"


def _symbol(face: Face) -> str:
    """Pattern of a coloured card's symbol."""
    return _amount(face.demands) if face.demands else r"[\s-]*".join(face.symbol.lower().split())


def _begin(face: Face) -> str:
    return "draw" if face.demands else face.symbol.lower().split()[0]


def _wild_draw(face: Face) -> str:
    """Pattern of a wild that demands cards."""
    if face.effect == "reverse_draw":
        return rf"(?:wr\s?|(?:wild\s)?reverse\s){_amount(face.demands)}"
    return rf"(?:w(?:ild)?\s?)?{_amount(face.demands)}"


def _one_of_each_demand(faces: Sequence[Face]) -> list[Face]:
    found = {face.demands: face for face in faces if face.demands}
    return [found[demands] for demands in sorted(found, reverse=True)]


def _names_of_wilds(edition: Edition) -> dict[str, int]:
    """Kinds of wilds by what they are called, the longer of two that begin alike first. One without a declared colour
    may be called by the end of its name alone.
    """
    names = dict[str, int]()
    for kind, face in enumerate(edition.kinds):
        if face.colour != NO_COLOUR:
            continue
        names[face.name.lower()] = kind
        if "+" not in face.text:
            names[face.text] = kind
        if not face.declared:
            words = face.name.lower().split()
            names |= {" ".join(words[start:]): kind for start in range(1, len(words))}
    return dict(sorted(names.items(), reverse=True))
