"""How exploitable learning algorithms are on tiny decks, exactly: ``python -m tools.exact_curves``.

``decks`` names the games, ``learners`` trains on them and measures, ``runs`` plans the runs and keeps what is done,
``nfsp`` is OpenSpiel's algorithm, ``page`` draws the plots and writes the tables.
"""
