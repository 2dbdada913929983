"""People's table: a game among people and agents, in the terminal, the browser or line by line, and what is kept of it.

The package stands above the others. Only the commands ``uno play``, ``uno me``, ``uno replay`` and ``uno video`` import
it, by name.
"""
