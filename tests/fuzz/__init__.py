"""Public methods called with hostile arguments: each call works or raises one of the documented errors."""
