"""Tests of the project; ``tests.table`` sets up games by text."""
