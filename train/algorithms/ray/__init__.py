"""Training over processes and machines by Ray."""
