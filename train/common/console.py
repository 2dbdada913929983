"""Rich's consoles for an output whose reader may go (``uno evaluate … | head``): :class:`Output`, :class:`WorkOutput`.

Rich itself ends the program then, with exit code 1 and without a word.
"""

from rich.console import Console

from uno_env.common.output import discard_output


class Output(Console):
    """The standard output. If its reader has gone, printing raises BrokenPipeError, as Python's ``print`` does."""

    def on_broken_pipe(self) -> None:
        """Rich's hook for a reader that has gone."""
        raise BrokenPipeError


class WorkOutput(Console):
    """The standard output of long work. If its reader has gone, the work goes on without printing."""

    def on_broken_pipe(self) -> None:
        """Rich's hook for a reader that has gone."""
        self.quiet = True
        discard_output()
