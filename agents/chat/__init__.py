"""A language model behind an address as a player: ``chat:http://localhost:8000/v1?model=NAME``."""
