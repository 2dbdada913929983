"""Small mistakes that a programmer could make in a source: :func:`mistakes`, and some drawn at random: :func:`draw`.

A mistake is a place in the source and the text that stands there instead. The rest of the file stays as it is, so that
a mistake is one line of a diff.
"""

import ast
import difflib
import itertools
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

CODE = (
    "uno_env/core", "uno_env/observation.py", "uno_env/rules", "agents/scripted", "agents/policy", "train/algorithms",
    "train/runs", "train/evaluation",
)  # fmt: skip
"""Files and folders in which mistakes are made."""
LEFT_OUT = "uno_env/core/jit/cuda"
"""Code that nothing runs on a machine without a GPU."""

_SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in", "and": "or", "or": "and", "+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "//", "**": "*",
    "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&",
}  # fmt: skip
_OPERATOR = re.compile(r"<<|>>|<=|>=|==|!=|//|\*\*|[-<>+*/%&|^]|\bis\s+not\b|\bnot\s+in\b|\b(?:is|in|and|or)\b")


class Mistake(NamedTuple):
    """A piece of a source, as bytes of UTF-8, and what is written in its place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Mutant:
    """A project with one mistake."""

    number: int
    file: str
    """Path from the root of the project."""
    line: int
    """The line of the file at which the mistake begins, counted from 1."""
    diff: str
    """The mistake as a unified diff, as ``git apply`` takes it."""


def mistakes(source: str) -> Iterator[Mistake]:
    """All mistakes that are made in a source, in the order of the syntax tree.

    Operators are swapped with their likes, conditions negated, numbers raised by one, and statements that act on
    something left out. Texts, annotations, decorators and the words of errors stay as they are.
    """
    yield from _Places(source).of(ast.parse(source))


def draw(root: Path, number: int, seed: int, code: Sequence[str] = CODE) -> list[Mutant]:
    """Mutants drawn at random, each mistake with the same chance, in the order in which they were drawn."""
    places = [(file, mistake) for file in _files(root, code) for mistake in mistakes((root / file).read_text("utf-8"))]
    drawn = random.Random(seed).sample(places, min(number, len(places)))
    return [
        _mutant(each, file, (root / file).read_text("utf-8"), mistake) for each, (file, mistake) in enumerate(drawn)
    ]


def _files(root: Path, code: Iterable[str]) -> list[str]:
    paths = [path for path in root.rglob("*.py") if path.relative_to(root).as_posix().startswith(tuple(code))]
    files = sorted(path.relative_to(root).as_posix() for path in paths)
    return [file for file in files if not file.startswith(LEFT_OUT)]


def _mutant(number: int, file: str, source: str, mistake: Mistake) -> Mutant:
    data = source.encode()
    changed = (data[: mistake.start] + mistake.text.encode() + data[mistake.end :]).decode()
    lines = difflib.unified_diff(
        source.splitlines(keepends=True), changed.splitlines(keepends=True), f"a/{file}", f"b/{file}"
    )
    return Mutant(number, file, data[: mistake.start].count(b"\n") + 1, "".join(lines))


class _Places:
    """Finds places in a source by the nodes of its syntax tree."""

    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._starts = [0]
        for line in self._data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def of(self, node: ast.AST) -> Iterator[Mistake]:
        """The mistakes in a node and in those below it."""
        yield from self._at(node)
        for name, below in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for each in below if isinstance(below, list) else [below]:
                if isinstance(each, ast.AST) and not self._is_left_alone(each):
                    yield from self.of(each)

    def _is_left_alone(self, node: ast.AST) -> bool:
        if isinstance(node, ast.If):
            return "TYPE_CHECKING" in ast.unparse(node.test)
        return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr) or (
            isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Error", "Exception", "Warning"))
        )

    def _at(self, node: ast.AST) -> Iterator[Mistake]:
        """The mistakes that are made with a node itself."""
        match node:
            case ast.Compare():
                yield from self._swapped([node.left, *node.comparators])
            case ast.BoolOp():
                yield from self._swapped(node.values)
            case ast.BinOp() if not isinstance(node.left, ast.JoinedStr | ast.Constant) or _is_number(node.left):
                yield from self._swapped([node.left, node.right])
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                yield self._written(node, self._text(node.operand))
            case ast.Constant(value=bool() as value):
                yield self._written(node, str(not value))
            case ast.Constant(value=int() | float() as value):
                yield self._written(node, repr(value + 1))
            case ast.If() | ast.While() | ast.IfExp():
                if not (isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)):
                    yield self._written(node.test, f"not ({self._text(node.test)})")
            case ast.Break():
                yield self._written(node, "continue")
            case ast.Continue():
                yield self._written(node, "break")
            case ast.Raise() | ast.AugAssign() | ast.Expr(value=ast.Call()) | ast.Expr(value=ast.Await()):
                yield self._written(node, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self._written(node, "pass")

    def _swapped(self, operands: Sequence[ast.expr]) -> Iterator[Mistake]:
        """Another operator between operands."""
        for left, right in itertools.pairwise(operands):
            start, end = self._end(left), self._start(right)
            between = re.sub(r"#.*", lambda comment: " " * len(comment[0].encode()), self._data[start:end].decode())
            found = _OPERATOR.search(between)
            if found is not None:
                text = _SWAPS[" ".join(found[0].split())]
                yield Mistake(start + found.start(), start + found.end(), text)

    def _written(self, node: ast.expr | ast.stmt, text: str) -> Mistake:
        return Mistake(self._start(node), self._end(node), text)

    def _text(self, node: ast.expr) -> str:
        return self._data[self._start(node) : self._end(node)].decode()

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)
