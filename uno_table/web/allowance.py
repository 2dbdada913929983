"""The rate at which a connection may send messages: :class:`Allowance`."""

BURST = 30
"""Messages that may come at once."""
MESSAGES_PER_SECOND = 10.0


class Allowance:
    """A bucket of messages that fills up with time. Messages that come faster than that are read later."""

    def __init__(self) -> None:
        self._left = float(BURST)
        self._at: float | None = None

    def take(self, now: float) -> float:
        """Count one more message at a time in seconds. Returns how many seconds to wait before it is read."""
        passed = 0.0 if self._at is None else now - self._at
        self._at = now
        self._left = min(self._left + passed * MESSAGES_PER_SECOND, BURST) - 1
        return max(-self._left / MESSAGES_PER_SECOND, 0.0)
