"""Shared code of this package, such as progress and worker processes."""
