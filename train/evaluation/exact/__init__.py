"""Exact answers on tiny rules: values, best responses and exploitability of any policy, and solving by CFR."""
