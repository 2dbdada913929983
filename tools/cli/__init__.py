"""Programs for users of a checkout, beside the command ``uno``: completion, a sequential test, videos."""
