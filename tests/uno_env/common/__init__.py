"""What all packages share, tested apart from UNO."""
