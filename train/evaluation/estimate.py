"""A value with its 95 % interval over deals: :class:`Estimate`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Z_95 = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors."""


@dataclass(frozen=True)
class Estimate:
    """A mean of independent measurements, as deals are, with its 95 % interval."""

    mean: float
    error: float
    """Standard error."""
    n: int
    """Number of measurements."""
    low: float
    high: float

    @classmethod
    def normal(cls, mean: float, error: float, n: int) -> Self:
        """An estimate with the normal interval. It is too narrow for a few measurements that are all alike."""
        return cls(mean, error, n, mean - Z_95 * error, mean + Z_95 * error)

    @classmethod
    def of(cls, samples: npt.NDArray[Any]) -> Self:
        """The mean of independent measurements [n]; the standard error is their standard deviation (n − 1) by √n.
        Raises ValueError if there are fewer than 2.
        """
        if len(samples) < 2:
            raise ValueError(f"{len(samples)} deals have no interval: play 2 or more")
        return cls.normal(float(samples.mean()), float(samples.std(ddof=1) / math.sqrt(len(samples))), len(samples))

    @classmethod
    def wilson(cls, share: float, number: float) -> Self:
        """A share of ``number`` independent measurements with Wilson's interval: 0 of N has one that is not empty."""
        middle = (share + Z_95**2 / 2 / number) / (1 + Z_95**2 / number)
        half = Z_95 / (1 + Z_95**2 / number) * math.sqrt(share * (1 - share) / number + (Z_95 / 2 / number) ** 2)
        low, high = max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
        return cls(share, half / Z_95, round(number), low, high)

    @classmethod
    def of_share(cls, share: float, error: float, number: float, n: int) -> Self:
        """A mean of ``number`` measurements between 0 and 1, 2 or more, with Wilson's interval for as many as they are
        worth.

        Scores of deals vary less than games that are won or lost: by a factor d, so they are worth ``number / d``. For
        d, one measurement of 0 and one of 1 are added: a few deals that all score the same leave room for other ones.
        With many deals the interval is the normal one. A share outside 0 to 1 counts as the nearer of the two; ``n`` is
        the number to report.
        """
        kept = min(max(share, 0.0), 1.0)
        squares = error**2 * number * (number - 1) + number * kept**2 + 1
        mean = (number * kept + 1) / (number + 2)
        d = (squares / (number + 2) - mean**2) / (mean * (1 - mean))
        bounds = cls.wilson(kept, number / d)
        return cls(share, error, n, bounds.low, bounds.high)

    @classmethod
    def bootstrapped(cls, mean: float, draws: npt.NDArray[Any]) -> Self:
        """A value with the interval that holds 95 % of its bootstrap draws [n]."""
        low, high = np.percentile(draws, (2.5, 97.5))
        return cls(float(mean), float(draws.std()), len(draws), float(low), float(high))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], name: str = "mean") -> Self:
        """The value and interval that :meth:`to_dict` gave. Their other fields are not saved, so they are missing
        here.
        """
        return cls(values[name], math.nan, 0, values["low"], values["high"])

    def to_dict(self, name: str = "mean") -> dict[str, Any]:
        """The value under a name, with ``low`` and ``high``: plain values for JSON."""
        return {name: self.mean, "low": self.low, "high": self.high}

    def share(self) -> Self:
        """The same as a share, with the interval of :meth:`of_share`."""
        bounds = Estimate.of_share(self.mean, self.error, self.n, self.n)
        return replace(self, low=bounds.low, high=bounds.high)

    def __neg__(self) -> "Estimate":
        return Estimate.normal(-self.mean, self.error, self.n)

    def __sub__(self, other: "Estimate | float") -> "Estimate":
        """The difference to a number, or to an independent estimate."""
        if isinstance(other, Estimate):
            return Estimate.normal(self.mean - other.mean, math.hypot(self.error, other.error), min(self.n, other.n))
        return Estimate.normal(self.mean - other, self.error, self.n)

    @property
    def half(self) -> float:
        """Half of the interval. If one end is farther from the value than the other, the distance of the farther
        one.
        """
        return max(self.high - self.mean, self.mean - self.low)

    def text(self, digits: int = 1, sign: str = "", scale: float = 100) -> str:
        """The value with its interval, in per cent: ``52.3 ± 0.4``, or with both ends if one of them is farther away,
        ``100.0 (78.3 to 100.0)``. With ``sign="+"``, a plus sign is shown, too.
        """
        form, farther = f"{sign}.{digits}f", abs(self.low + self.high - 2 * self.mean)
        mean, low, high = (f"{scale * each:{form}}" for each in (self.mean, self.low, self.high))
        if scale * farther < 10**-digits:
            return f"{mean} ± {scale * self.half:.{digits}f}"
        return f"{mean} ({low} to {high})"
