"""What choices are worth: the value of each legal action of a position, by playouts."""
