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

from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.rules import Rules
from uno_env.text.grammar import Grammar, Named, grammar, listed

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
    """True if the answer names one move, which may not be done."""


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


def read_answer(text: str | bytes, legal: Sequence[int], rules: Rules | None = None) -> Answer:
    """The legal action that an answer of any length means, or what is wrong with the answer; it never raises. The last
    :data:`LONGEST` characters are read; ``legal`` are ids in the order in which they were listed, of the edition that
    ``rules`` are of; None means the first edition.
    """
    of = grammar(CLASSIC if rules is None else EDITIONS[rules.edition])
    words = text.decode("utf-8", "replace") if isinstance(text, bytes | bytearray) else str(text)
    words = unicodedata.normalize("NFKC", words[-LONGEST:])[-LONGEST:].replace("−", "-").replace("’", "'").lower()
    thoughts = list(_THOUGHT.finditer(words))
    if thoughts and not thoughts[-1][1]:
        return _refused("The answer ends within the thoughts, before a move", legal, of)
    words = words[thoughts[-1].end() :] if thoughts else words
    for named in (_marked(words, legal, of), _last_line(words, legal, of), _anywhere(words, legal, of)):
        if named:
            return _judge(named, legal, of)
    return _refused("No clear move was found in the answer", legal, of)


def _judge(named: set[Named], legal: Sequence[int], of: Grammar) -> Answer:
    """The answer that names these moves."""
    texts = of.actions.texts
    if len(named) > 1:
        shown = " and ".join(sorted(each if isinstance(each, str) else texts[each] for each in named)[:4])
        return _refused(f"The answer names more than one move ({shown})", legal, of)
    (move,) = named
    if isinstance(move, int):
        if move in legal:
            return Answer(move)
        return _refused(f"{texts[move]} cannot be done now", legal, of, illegal=True)
    if move.isdecimal():
        return _refused(f"There is no move number {move}", legal, of, illegal=True)
    coloured = [texts[each] for each in legal if texts[each].startswith(f"{move}:")]
    if coloured:
        return _refused(f"{move} needs its colour, as in {coloured[0]}", legal, of)
    return _refused(f"{move} cannot be done now", legal, of, illegal=True)


def _refused(why: str, legal: Sequence[int], of: Grammar, illegal: bool = False) -> Answer:
    moves = ", ".join(f"{number} {of.actions.texts[action]}" for number, action in enumerate(legal, 1))
    return Answer(None, f"{why}. Answer with one of these moves: {moves}.", illegal)


# --- where moves are named --------------------------------------------------------------------------------------------


def _marked(text: str, legal: Sequence[int], of: Grammar) -> set[Named]:
    """The part that is marked as the answer."""
    phrases = [*_json_phrases(text), *(found[1] for mark in _MARKS for found in mark.finditer(text))]
    return set().union(*(_phrase(phrase, legal, of) for phrase in phrases))


def _last_line(text: str, legal: Sequence[int], of: Grammar) -> set[Named]:
    """The moves of the lines that are moves and nothing else, if the last line is one."""
    lines = [line for line in text.splitlines() if line.strip(" \t*_`.~-")]
    if not lines or not _is_move(lines[-1], legal, of):
        return set()
    return set().union(*(_phrase(line, legal, of) for line in lines if _is_move(line, legal, of)))


def _anywhere(text: str, legal: Sequence[int], of: Grammar) -> set[Named]:
    """All moves that a text in which nothing is denied or weighed names."""
    named = _combined(list(of.mentions(text, legal)), of)
    return set() if len(named) == 1 and _DOUBT.search(text) else named


def _is_move(line: str, legal: Sequence[int], of: Grammar) -> bool:
    numbered = _NUMBERED.fullmatch(line)
    rest = numbered["rest"] if numbered else line
    left = re.findall(r"[\w']+", of.mention.sub(" ", rest))
    return bool(_phrase(line, legal, of)) and all(_FILLER.fullmatch(word) for word in left)


def _phrase(phrase: str, legal: Sequence[int], of: Grammar) -> set[Named]:
    """The moves that a short text names, which may begin with a number of the list."""
    bare, declare = phrase.strip(" .!*\"'`"), of.actions.first.declare
    colours = of.edition.all_colours
    if bare in colours and any(action >= declare for action in legal):
        return {declare + colours.index(bare)}
    numbered = _NUMBERED.fullmatch(phrase)
    named = list(of.mentions(numbered["rest"] if numbered else phrase, legal))
    if numbered and (named or not re.search(r"\w", numbered["rest"])):
        named.append(listed(numbered["number"], legal))
    return _combined(named, of)


def _combined(named: Sequence[Named], of: Grammar) -> set[Named]:
    """The moves that are named; a wild and the colour declared for it are one move."""
    moves, first, texts = set(named), of.actions.first, of.actions.texts
    wilds = [each for each in moves if each in of.edition.kind_of]
    colours = [each for each in moves if isinstance(each, int) and each >= first.declare]
    if len(wilds) == 1 and len(colours) == 1:
        coloured = of.actions.id_of[f"{wilds[0]}:{of.edition.all_letters[colours[0] - first.declare]}"]
        moves = moves - {wilds[0], colours[0]} | {coloured}
    names = [texts[each] for each in moves if isinstance(each, int) and each < first.play_pair]
    colours = [each for each in colours if any(name.endswith(texts[each][-2:]) for name in names)]
    return moves - {each for each in wilds if any(name.startswith(f"{each}:") for name in names)} - set(colours)


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
