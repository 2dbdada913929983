"""What the script ``uno`` calls. It stands beside the packages: a file of a user's may hide the one of the command."""

import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> int:
    """Run the command; its exit code."""
    try:
        from train.cli.main import main as run
    except ImportError:
        try:
            _verify_none_hidden()
        except ImportError as error:
            print(f"uno: {error}", file=sys.stderr)
            return 2
        raise
    return run()


def _verify_none_hidden() -> None:
    verify_engine_not_hidden()
    from uno_env.common.output import replace_unprintable
    from uno_env.common.own_packages import OTHERS, verify_not_hidden

    replace_unprintable()
    for package in OTHERS:
        verify_not_hidden(package)


def verify_engine_not_hidden() -> None:
    """Check that Python finds this project's package ``uno_env``, without importing it. Raises ImportError if a file
    of that name, such as a script of a user's, comes first.
    """
    spec = find_spec("uno_env")
    found = Path((spec and spec.origin) or "")
    if spec is not None and spec.origin and not (found.parent / "core" / "step.py").is_file():
        raise ImportError(
            f"{str(found)!r} hides the package 'uno_env' of uno-env: rename it, or start Python from another folder"
        )
