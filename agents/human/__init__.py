"""Everything through which people play: plain text, the terminal, the browser, and the table below them all."""
