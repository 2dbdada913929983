"""How strength is measured: duplicate deals, tournaments, ratings, exploitability."""
