"""Training, evaluating and the command line."""
