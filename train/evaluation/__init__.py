"""Measurements of strength: duplicate deals, tournaments, ratings, exploitability."""
