"""What all of these use: progress and worker processes."""
