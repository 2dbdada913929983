"""Hands that people played: their review, :mod:`~uno_table.hands.review` by :mod:`~uno_table.hands.measuring`, and the
person's own hands, kept on their machine and told in words.
"""
