"""``python -m uno_env.examples``: copies the examples of an installed package into a folder ``examples`` here."""

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Copy the files, unless there is such a folder already."""
    folder = Path("examples")
    if folder.exists():
        sys.exit(f"{str(folder.resolve())!r} is there already: rename it, or start from another folder")
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("__pycache__", Path(__file__).name))
    print(f"The examples are in {str(folder.resolve())!r}; README.md says what each shows.")


if __name__ == "__main__":
    main()
