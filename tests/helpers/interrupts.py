"""Interrupts of calls at a chosen moment: :func:`at_instruction`."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OURS = tuple(str(ROOT / name) for name in ("uno_env", "agents"))
COMPILER = str(ROOT / "uno_env/core/jit")


class Stop(BaseException):
    """An interrupt as Ctrl-C is one."""


@contextlib.contextmanager
def at_instruction(number: int) -> Iterator[list[int]]:
    """Raise before the instruction of our Python of that number; the list has how many there were."""
    count = [0]

    def trace(frame: Any, event: str, _argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(OURS) or name.startswith(COMPILER):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            count[0] += 1
            if count[0] == number:
                sys.settrace(None)
                raise Stop
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)
