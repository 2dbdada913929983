"""Tests of the compiled core as a piece of software: chance, batches, invariants, layers, the compiler's cache."""
