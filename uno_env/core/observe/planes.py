"""Observations as images: facts of a row (layout.py) set into the cells of planes, and RLCard's planes.

Both are made of the row alone, so they can show nothing that it hides.
"""

from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import START
from uno_env.editions.classic import CLASSIC

RLCARD_PLANES = 4
COLOURED, COLOURS, PER_COLOUR = CLASSIC.coloured, len(CLASSIC.colours), CLASSIC.per_colour
RLCARD_TRAITS = PER_COLOUR + 2
"""Traits of a card in RLCard's game: the symbols of a colour, Wild and Wild Draw Four."""
RLCARD_ROWS = (0, 3, 1, 2)
"""RLCard's row of each of our colours: red, green, blue, yellow there; red, yellow, green, blue here."""


@njit
def fill_cells(rows, cells, columns, scales, out, start, stop):
    """Set ``cells`` of each of ``out[start:stop]`` to the scaled value in ``columns`` of the row; others stay.

    ``rows`` is uint8 [N, D], ``scales`` [D] of the dtype of ``out``, [N, cells of all planes].
    """
    for index in range(start, stop):
        row, image = rows[index], out[index]
        for index in range(len(cells)):
            column = columns[index]
            image[cells[index]] = row[column] * scales[column]


@njit
def fill_rlcard(rows, out, start, stop):
    """Write RLCard's planes of each of ``rows[start:stop]``, uint8 [N, D], to ``out``, [N, 4, 4, 15]."""
    for index in range(start, stop):
        write_rlcard(rows[index], out[index])


@njit
def write_rlcard(row, image):
    """Write RLCard's planes of one row: which cards are held not at all, once or twice; and the target."""
    for colour in range(COLOURS):
        line = RLCARD_ROWS[colour]
        for trait in range(RLCARD_TRAITS):
            if trait < PER_COLOUR:
                held = min(row[START.hand + colour * PER_COLOUR + trait], 2)
            else:
                held = min(row[START.hand + COLOURED + trait - PER_COLOUR], 1)
            for number in range(RLCARD_PLANES - 1):
                image[number, line, trait] = held == number
            image[RLCARD_PLANES - 1, line, trait] = row[START.symbol + trait] and is_active(row, colour)


@njit
def is_active(row, colour):
    """Return whether the colour is the active one, or none is declared."""
    for other in range(COLOURS):
        if row[START.colour + other]:
            return other == colour
    return True
