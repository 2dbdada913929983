"""Agents that search: hidden cards are dealt anew, and actions are tried in the games that result.

Compiled playouts for programs outside the package: :func:`play_out`.
"""

from agents.search.playout import LONGEST_PLAYOUT, SearchScratch, new_search_scratch, play_hands, play_out, set_rules

__all__ = ["LONGEST_PLAYOUT", "SearchScratch", "new_search_scratch", "play_hands", "play_out", "set_rules"]
