"""Mutation tests: which small mistakes in the code does a suite of tests notice? ``python -m tools.mutants``."""
