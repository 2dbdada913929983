"""Tables for people: in the terminal, over a pipe and in the browser."""
