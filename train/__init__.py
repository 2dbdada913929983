"""Training, evaluating and the command line. Part of uno-env."""

from uno_command import verify_engine_not_hidden

verify_engine_not_hidden()
