"""What the script ``uno`` calls. It stands beside the packages: a file of a user's may hide the one of the command."""

import sys


def main() -> int:
    """Run the command; its exit code."""
    try:
        from train.cli.main import main as run
    except ImportError:
        from uno_env.common.own_packages import HiddenPackageError, verify_not_hidden

        try:
            for package in ("train", "agents"):
                verify_not_hidden(package)
        except HiddenPackageError as error:
            print(f"uno: {error}", file=sys.stderr)
            return 2
        raise
    return run()
