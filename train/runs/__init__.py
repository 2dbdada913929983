"""A training run: config, folder, checkpoints, evaluations, logs."""
