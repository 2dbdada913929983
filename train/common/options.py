"""Types of the numbers that commands take; what they allow stands in their ``Meta``."""

from typing import Annotated

from msgspec import Meta

Count = Annotated[int, Meta(ge=1)]
Deals = Annotated[int, Meta(ge=2)]
"""Duplicate deals: one alone has no interval."""
Seed = Annotated[int, Meta(ge=0)]
"""At most 2**64 − 1, which is checked where it is used: a ``Meta`` takes no bound beyond 2**63 − 1."""
