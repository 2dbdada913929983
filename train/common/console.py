"""Rich's consoles for an output whose reader may go (``uno evaluate … | head``): :class:`Output`, :class:`WorkOutput`.

Rich itself, from 13.8 on, ends the program then, with exit code 1 and without a word.
"""

from typing import Any

from rich.console import Console

from uno_env.common.output import discard_output


class Output(Console):
    """The standard output. If its reader has gone, printing raises BrokenPipeError, as Python's ``print`` does."""

    def on_broken_pipe(self) -> None:
        """Rich's hook for a reader that has gone."""
        raise BrokenPipeError


class WorkOutput(Output):
    """The standard output of long work. If its reader has gone, the work goes on without printing."""

    def print(self, *objects: Any, **options: Any) -> None:
        """As Rich's, but silent once the reader has gone."""
        try:
            super().print(*objects, **options)
        except BrokenPipeError:
            self.quiet = True
            discard_output()
