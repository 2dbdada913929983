"""What all packages need and what is not about UNO."""
