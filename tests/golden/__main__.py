"""Write golden games.

``python -m tests.golden record NAME about="…" preset=duel seed=7 [switch=value …] [order="r5 …"] [dealt_by=0]
[match=true] [moves="r5 draw …"]`` writes tests/golden/NAME.txt: the moves given, then others by chance to the end.

``python -m tests.golden update`` replays every file's moves and writes what comes out now: read the diff before it
is committed, because every changed line is changed behaviour.
"""

import sys

from tests.golden.transcript import FOLDER, deal, golden_files, improvise, moves, play, read, value_of, write


def main(arguments: list[str]) -> int:
    """Run the command; the exit code."""
    if arguments[:1] == ["update"]:
        for path in golden_files():
            header, lines = read(path)
            write(path, header, play(deal(header), moves(lines)))
    elif arguments[:1] == ["record"] and len(arguments) > 1:
        header = {name: value_of(text) for name, text in (pair.split("=", 1) for pair in arguments[2:])}
        given = str(header.pop("moves", "")).split()
        game = deal(header)
        write(FOLDER / f"{arguments[1]}.txt", header, play(game, improvise(game, given, header["seed"])))
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
