"""Tests of :mod:`agents`."""
