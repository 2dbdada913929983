"""What the script ``uno`` calls: the command stands in another package, which a file of a user can hide."""

import sys
from importlib.metadata import entry_points

from uno_env.common.own_packages import HiddenPackageError, load_own

ENTRY_POINTS = "uno_env.commands"
"""Group of the entry point that is the command."""


def main() -> int:
    """Run the command; its exit code."""
    (command,) = entry_points(group=ENTRY_POINTS, name="uno")
    try:
        run = load_own(command)
    except HiddenPackageError as error:
        print(f"uno: {error}", file=sys.stderr)
        return 2
    return int(run())
