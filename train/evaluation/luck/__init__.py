"""Luck taken out of results: by a value function, what each drawn card was worth, less the mean of all cards.

``draws.py`` lists the cards that could have come, ``values.py`` has the value functions, ``meter.py`` adds it up.
"""
