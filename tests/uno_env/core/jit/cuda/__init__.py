"""Tests of what compiles for a GPU; none of them needs one."""
