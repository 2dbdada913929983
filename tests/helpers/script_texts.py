"""Finds texts for people in the scripts of pages: :func:`texts_in_script`."""

import re

_OF_PROGRAMS = re.compile(r"class|querySelector|matches\(|setProperty|createElementNS|mark\(|\.style\.")
"""Lines whose literals are names of classes, selectors and values of styles."""

_TEXT = r"\"(\d+)\""
_SAYS = [
    re.compile(rf"\b(?:textContent|innerText|title|placeholder|alt|ariaLabel|label)\s*[=:]\s*{_TEXT}"),
    re.compile(
        r"\b(?:append|prepend|replaceChildren|replaceWith|before|after|alert|confirm|notice|setText|say|Option)"
        rf"\((?:[^()\"]*,\s*)?{_TEXT}"
    ),
    re.compile(rf"\bmake\(\"\d+\"(?:,\s*(?:\{{[^{{}}]*\}}|[\w.]+))?(?:,[^\"()]*)?,\s*{_TEXT}"),
]
"""Where a script shows a literal to people, even if it is a single word."""


def texts_in_script(line: str) -> list[str]:
    """The texts for people that a line of a script holds, instead of keys of the catalogues."""
    literals: list[str] = []
    code = _marked(re.sub(r"(^|\s)//.*|/\*.*\*/", "", line), literals)
    found = [] if _OF_PROGRAMS.search(line) else [each for each in literals if _is_text(each)]
    keys = set(re.findall(rf"\bt\({_TEXT}", code))
    shown = [literals[int(number)] for says in _SAYS for number in says.findall(code) if number not in keys]
    return [*found, *(each for each in shown if re.search("[A-Za-z]{2,}", each))]


def _is_text(literal: str) -> bool:
    """Whether a literal can only be a text for people: it has several words, or begins like a sentence."""
    return re.search("[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]", literal) is not None


def _marked(code: str, literals: list[str]) -> str:
    """The code with a number in place of each literal. The literals, without what a template fills in, go to a list;
    what a template fills in follows it in parentheses.
    """
    marked, place = "", 0
    while place < len(code):
        quote = code[place]
        place += 1
        if quote not in '"`':
            marked += quote
            continue
        literal, inside = "", ""
        while place < len(code) and code[place] != quote:
            if quote == "`" and code.startswith("${", place):
                end = _end_of_braces(code, place + 2)
                inside += f" ({_marked(code[place + 2 : end], literals)})"
                place = end + 1
            else:
                literal += code[place]
                place += 1
        place += 1
        literals.append(literal)
        marked += f'"{len(literals) - 1}"{inside}'
    return marked


def _end_of_braces(code: str, place: int) -> int:
    """Where the braces end that were opened before a place."""
    depth = 1
    while place < len(code):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            break
        place += 1
    return place
