"""Types that plans and commands share: the allowed values, and the name of the value in help (``title``)."""

from pathlib import Path
from typing import Annotated

from msgspec import Meta

Agent = Annotated[str, Meta(title="AGENT")]
"""A spec for :func:`agents.load`."""

File = Annotated[Path, Meta(title="FILE")]
Folder = Annotated[Path, Meta(title="FOLDER")]

Address = Annotated[str, Meta(title="HOST:PORT")]
"""The head of a Ray cluster, or ``auto``; empty: none."""

Positive = Annotated[float, Meta(gt=0)]
NonNegative = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
MOST_DEALS = 10_000_000
"""Deals whose results surely fit into memory; their interval has a width of 0.07 % or less."""
Deals = Annotated[int, Meta(ge=2, le=MOST_DEALS)]
"""Duplicate deals: one alone has no interval."""

Players = Annotated[int, Meta(ge=2)]
Threads = Annotated[int, Meta(ge=1, le=1024)]
Workers = Annotated[int, Meta(ge=0, le=1024)]

Seed = Annotated[int, Meta(ge=0, extra={"le": 2**64 - 1}, description="a whole number from 0 to 18446744073709551615")]
"""Seed of the deals and of all randomness. msgspec itself takes no bound of more than 63 bits."""
