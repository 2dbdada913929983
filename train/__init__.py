"""Training, evaluating and the command line. Part of uno-env."""
