"""Values of choices: the value of each legal action of a position, by playouts."""
