"""The script ``uno`` calls this. It stands beside the packages: another file or distribution may hide one of them."""

import sys

PACKAGES = ("uno_env", "agents", "train", "uno_table")


def main() -> int:
    """Run the command; its exit code."""
    try:
        from train.cli.main import main as run

        return run()
    except ImportError as error:
        if error.name not in PACKAGES and not str(error).endswith("is not a package"):
            raise
        print(
            f"uno: {error}: something else is called as one of the packages {', '.join(PACKAGES)}; "
            "give it another name or uno-env an environment of its own (docs/howto/install.md)",
            file=sys.stderr,
        )
        return 2


if __name__ == "__main__":
    sys.exit(main())
