"""Golden games: whole games as text, one line a decision, replayed and compared line by line.

A file opens with ``name: value`` lines: ``about``, ``preset``, the switches that differ from it, ``seed``, and
perhaps ``order`` (the deck, next card first), ``dealt_by`` and ``match``. Then one line for the deal and one for each
decision::

    start : 0 to play | clockwise | r9 red | hands 7 7 | pile 93 | discards 1
    0 r5 : 1 to play | clockwise | r5 red | hands 6 7 | pile 93 | discards 2 | 0 holds r1 g2 b3 bs w w+4

What only happens at times is written only then: ``drawn``, ``penalty``, ``called``, ``asked``, ``out``, and at the end
the reason, the winner, points and rewards. In a match the line that ends a hand shows the next deal, and after it how
the hand ended, its winner, its points and the scores. Write and rewrite files with ``python -m tests.golden``.
"""
