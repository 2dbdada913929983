"""Agents whose play is written by hand, as compiled functions of an observation."""
