"""Shared code of all packages that is not about UNO."""
