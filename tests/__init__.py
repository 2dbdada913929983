"""Tests of the project; ``tests.helpers.table`` sets up games by text."""
