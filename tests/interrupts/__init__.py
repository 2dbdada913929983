"""Interrupts public objects at any moment, and compares what is left with twins that were not interrupted."""
