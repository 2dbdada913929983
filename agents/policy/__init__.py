"""Saved policies: the file format, and the agent that plays one without PyTorch."""
