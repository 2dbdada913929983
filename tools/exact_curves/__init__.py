"""The exact exploitability of learning algorithms on tiny decks: ``python -m tools.exact_curves``.

``decks`` names the games, ``learners`` trains on them and measures, ``runs`` plans the runs and keeps the results,
``zoo`` attacks the shipped policies, ``page`` draws the plots and writes the tables.
"""
