"""The move that a language model means by what it wrote: :func:`read_answer`.

Nothing is guessed. What is marked as the answer counts first: JSON, square brackets, ``Move: r5`` and the like. Then
the last line counts, if it is a move and nothing else. Then a move counts that is the only one named in the text. Where
two moves are named in the same way, the answer is refused.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from uno_env import actions as catalogue
from uno_env.cards import CARD_NAMES, CARD_TEXTS, COLOUR_LETTERS, COLOURS, WILD_DRAW_FOUR, is_wild, parse_card

LONGEST = 20_000
"""Characters of an answer that are read, the last ones."""
_MOST_OBJECTS = 20
_JSON = json.JSONDecoder(object_pairs_hook=list)


class Answer(NamedTuple):
    """The meaning of an answer."""

    action: int | None
    """Id of a legal action; None if there is none."""
    problem: str = ""
    """Without an action: a sentence for who wrote the answer, which says what is wrong and what is allowed."""
    illegal: bool = False
    """Whether the answer names one move, which may not be done."""


_WILDS = dict(
    sorted(
        [(text, kind) for kind, text in enumerate(CARD_TEXTS) if is_wild(kind) and "+" not in text]
        + [(name.lower(), kind) for kind, name in enumerate(CARD_NAMES) if is_wild(kind)],
        reverse=True,  # the longer of two that begin alike first
    )
)
"""Kinds of wilds by what they are called."""
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_COLOUR = rf"(?:{'|'.join(COLOURS)})"
_COLOUR_END = rf"(?:{_COLOUR}|[{COLOUR_LETTERS}])(?![\w+])(?!\s+(?:[0-9]|skip|reverse|draw|\+|{'|'.join(_NUMBERS)}))"
_TWO = r"(?:draw[\s-]*(?:two|2)|\+\s?2|plus[\s-]*(?:two|2))"
_FOUR = r"(?:draw[\s-]*(?:four|4)|\+\s?4|plus[\s-]*(?:four|4))"
_RANK = rf"(?:[0-9](?![0-9])|{'|'.join(_NUMBERS)}|skip|reverse|{_TWO})"
_LINK = (
    r"(?:[\s,;:()>=/*\"'→-]|\b(?:card|and|then|i|to|with|in|as|the|it|colou?r|declar\w*|choos\w*|nam\w*|call\w*|chang\w*"
    r"|set|pick\w*|select\w*)\b){0,12}?"
)
_MENTION = re.compile(
    rf"(?P<code>(?<![\w+])[{COLOUR_LETTERS}](?:[1-9]x2|\+2|[0-9sr])(?![\w+]))"
    rf"|(?P<pair>\b(?:two|both|double|pair\s+of)\s+)?\b(?P<colour>{_COLOUR})[\s_-]+(?P<rank>{_RANK})(?P<twice>\s?x\s?2)?"
    r"(?:s\b|(?!\w))"
    rf"|(?<![\w+])(?:w(?:ild)?\s?)?(?P<four>{_FOUR})(?:{_LINK}(?P<colour_four>{_COLOUR_END}))?"
    rf"|(?<![\w+])(?P<wild>{'|'.join(_WILDS)})(?![\w+])(?:{_LINK}(?P<colour_wild>{_COLOUR_END}))?"
    r"|\bswap(?:\s*hands)?(?:\s*with)?(?:\s*the)?(?:\s*p(?:layer)?)?[\s_]*(?P<swap>[1-9])(?![0-9])"
    rf"|\b(?:declar(?:e|ing)|colou?r\s*(?:is|:))[\s:]*(?P<declare>{_COLOUR_END})"
    r"|\b(?P<word>draw(?!\s+(?:pile|two|four|2|4)|[\w+-])|pass|keep\s+(?:it|the\s+(?:drawn\s+)?card)|let\s+it\s+go"
    r"|challenge(?:\s+the\s+wild\s+draw\s+four)?|accept|call(?:\s+uno)?|catch(?:\s+the\s+missing\s+uno\s+call)?"
    r"|jump[\s_-]*in)\b"
    r"|(?:#|\b(?:move|option|number|choice)\s+#?)(?P<number>[0-9]{1,3})(?![\w.])"
)
"""Everything that names a move, in small letters."""
_NUMBERED = re.compile(
    r"[\s*#>\"'`(]*(?:[•-]\s+)?(?P<number>[0-9]{1,3})(?![0-9+]|\.[0-9])[\s.):,*\"'`-]*(?P<rest>.*)", re.DOTALL
)
_MARKS = (
    re.compile(r"\[([^\[\]\n]{1,80})\]"),
    re.compile(r"\\boxed\{([^{}\n]{1,80})\}"),
    re.compile(r"<(?:answer|move|action)>([^<>]{1,200})</"),
    re.compile(
        r"^[^\w\n]*(?:(?:final|my|the)[^\S\n]+)*(?:answer|move|action|choice)[^\w\n:=]*(?:is\s*)?[:=][ *]*"
        r"([^\n]{1,200})$",
        re.MULTILINE,
    ),
)
_KEYS = ("move", "action", "answer", "choice", "play", "card", "color", "colour")
_FILLER = re.compile(
    "i|i'll|will|would|play|lay|choose|choosing|my|the|a|an|cards?|move|answer|is|so|then|and|to|uno|penalty|option|let's"
    "|me|it|please|hands|with|player|one|missing|for|hand|wild|draw|four|of|drawn"
)
_DOUBT = re.compile(r"\b(?:not|no|never|cannot|without|instead|unless|or|if|rather|avoid|whether)\b|n['’]t\b")
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>")
_WORDS = {"draw": catalogue.DRAW, "pass": catalogue.PASS, "keep": catalogue.PASS, "let": catalogue.PASS,
          "challenge": catalogue.CHALLENGE, "accept": catalogue.ACCEPT, "call": catalogue.CALL,
          "catch": catalogue.CATCH, "jump": catalogue.JUMP_IN}  # fmt: skip

_Named = str | int
"""A move that is named: the id of an action, or a text: of a wild without its colour, or of a number with no move."""


def read_answer(text: str | bytes, legal: Sequence[int]) -> Answer:
    """The legal action that an answer of any length means, or what is wrong with the answer; it never raises. The last
    :data:`LONGEST` characters are read; ``legal`` are ids in the order in which they were listed.
    """
    words = text.decode("utf-8", "replace") if isinstance(text, bytes | bytearray) else str(text)
    words = unicodedata.normalize("NFKC", words[-LONGEST:])[-LONGEST:].replace("−", "-").replace("’", "'").lower()
    thoughts = list(_THOUGHT.finditer(words))
    if thoughts and not thoughts[-1][1]:
        return _refused("The answer ends within the thoughts, before a move", legal)
    words = words[thoughts[-1].end() :] if thoughts else words
    for named in (_marked(words, legal), _last_line(words, legal), _anywhere(words, legal)):
        if named:
            return _judge(named, legal)
    return _refused("No clear move was found in the answer", legal)


def _judge(named: set[_Named], legal: Sequence[int]) -> Answer:
    """The answer that names these moves."""
    if len(named) > 1:
        shown = " and ".join(sorted(each if isinstance(each, str) else catalogue.name(each) for each in named)[:4])
        return _refused(f"The answer names more than one move ({shown})", legal)
    (move,) = named
    if isinstance(move, int):
        if move in legal:
            return Answer(move)
        return _refused(f"{catalogue.name(move)} cannot be done now", legal, illegal=True)
    if move.isdecimal():
        return _refused(f"There is no move number {move}", legal, illegal=True)
    coloured = [each for each in legal if catalogue.name(each).startswith(f"{move}:")]
    if coloured:
        return _refused(f"{move} needs its colour, as in {catalogue.name(coloured[0])}", legal)
    return _refused(f"{move} cannot be done now", legal, illegal=True)


def _refused(why: str, legal: Sequence[int], illegal: bool = False) -> Answer:
    moves = ", ".join(f"{number} {catalogue.name(action)}" for number, action in enumerate(legal, 1))
    return Answer(None, f"{why}. Answer with one of these moves: {moves}.", illegal)


# --- where moves are named --------------------------------------------------------------------------------------------


def _marked(text: str, legal: Sequence[int]) -> set[_Named]:
    """The part that is marked as the answer."""
    phrases = [*_json_phrases(text), *(found[1] for mark in _MARKS for found in mark.finditer(text))]
    return set().union(*(_phrase(phrase, legal) for phrase in phrases))


def _last_line(text: str, legal: Sequence[int]) -> set[_Named]:
    """The moves of the lines that are moves and nothing else, if the last line is one."""
    lines = [line for line in text.splitlines() if line.strip(" \t*_`.~-")]
    if not lines or not _is_move(lines[-1], legal):
        return set()
    return set().union(*(_phrase(line, legal) for line in lines if _is_move(line, legal)))


def _anywhere(text: str, legal: Sequence[int]) -> set[_Named]:
    """All moves that a text in which nothing is denied or weighed names."""
    named = _combined(list(_mentions(text, legal)))
    return set() if len(named) == 1 and _DOUBT.search(text) else named


def _is_move(line: str, legal: Sequence[int]) -> bool:
    numbered = _NUMBERED.fullmatch(line)
    rest = numbered["rest"] if numbered else line
    left = re.findall(r"[\w']+", _MENTION.sub(" ", rest))
    return bool(_phrase(line, legal)) and all(_FILLER.fullmatch(word) for word in left)


def _phrase(phrase: str, legal: Sequence[int]) -> set[_Named]:
    """The moves that a short text names, which may begin with a number of the list."""
    if phrase.strip(" .!*\"'`") in COLOURS and catalogue.DECLARE in legal:
        return {catalogue.DECLARE + COLOURS.index(phrase.strip(" .!*\"'`"))}
    numbered = _NUMBERED.fullmatch(phrase)
    named = list(_mentions(numbered["rest"] if numbered else phrase, legal))
    if numbered and (named or not re.search(r"\w", numbered["rest"])):
        named.append(_listed(numbered["number"], legal))
    return _combined(named)


def _combined(named: Sequence[_Named]) -> set[_Named]:
    """The moves that are named; a wild and the colour declared for it are one move."""
    moves = set(named)
    wilds = [each for each in moves if each in CARD_TEXTS]
    colours = [each for each in moves if isinstance(each, int) and each >= catalogue.DECLARE]
    if len(wilds) == 1 and len(colours) == 1:
        coloured = catalogue.wild_action(CARD_TEXTS.index(wilds[0]), colours[0] - catalogue.DECLARE)
        moves = moves - {wilds[0], colours[0]} | {coloured}
    names = [catalogue.name(each) for each in moves if isinstance(each, int) and each < catalogue.PLAY_PAIR]
    colours = [each for each in colours if any(name.endswith(catalogue.name(each)[-2:]) for name in names)]
    return moves - {each for each in wilds if any(name.startswith(f"{each}:") for name in names)} - set(colours)


def _listed(number: str, legal: Sequence[int]) -> _Named:
    return legal[int(number) - 1] if 1 <= int(number) <= len(legal) else number


def _mentions(text: str, legal: Sequence[int]) -> Iterator[_Named]:
    """Everything in a text that names a move."""
    for found in _MENTION.finditer(text):
        if found["code"]:
            yield catalogue.parse(found["code"])
        elif found["colour"]:
            kind = parse_card(COLOUR_LETTERS[COLOURS.index(found["colour"])] + _rank(found["rank"]))
            pair = f"{CARD_TEXTS[kind]}x2" if found["pair"] or found["twice"] else ""
            yield catalogue.parse(pair) if pair in catalogue.ACTION_TEXTS else pair or kind
        elif found["four"] or found["wild"]:
            kind = WILD_DRAW_FOUR if found["four"] else _WILDS[found["wild"]]
            colour = found["colour_four"] or found["colour_wild"]
            yield catalogue.wild_action(kind, COLOUR_LETTERS.index(colour[0])) if colour else CARD_TEXTS[kind]
        elif found["swap"]:
            yield catalogue.SWAP + int(found["swap"]) - 1
        elif found["declare"]:
            yield catalogue.DECLARE + COLOUR_LETTERS.index(found["declare"][0])
        elif found["word"]:
            yield next(action for word, action in _WORDS.items() if found["word"].startswith(word))
        else:
            yield _listed(found["number"], legal)


def _rank(word: str) -> str:
    """A number, Skip, Reverse or Draw Two as in the texts of cards."""
    if word in _NUMBERS:
        return str(_NUMBERS.index(word))
    return word if word.isdecimal() else {"s": "s", "r": "r"}.get(word[0], "+2")


def _json_phrases(text: str) -> Iterator[str]:
    """The move in the JSON objects of a text."""
    for start in [found.start() for found in re.finditer(r"\{", text)][-_MOST_OBJECTS:]:
        try:
            values: Any = _JSON.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
        said = [
            (key, value) for wanted in _KEYS for key, value in values if key == wanted and type(value) in (str, int)
        ]
        yield " ".join(f"{'colour:' if key in ('color', 'colour') else ''}{value}" for key, value in said)
