"""Agents that search: hidden cards are dealt anew, and actions are tried in the games that result."""
