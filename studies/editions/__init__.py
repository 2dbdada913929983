"""Editions: the official ones against each other, and those with cards of their own."""
