"""The lines that tell of compiling, which programs that tests start may write."""


def without_compiling(text: str) -> str:
    """What a program wrote to its standard error, but for these lines."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("uno-env: compil"))
