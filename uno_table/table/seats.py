"""A seat at a table, and the secrets that keep it: :class:`Seat`."""

import secrets

from agents import Agent

_TOKEN_BYTES = 16


class Seat:
    """A person or an agent at a seat of the table.

    An invitation is good for one person: whoever takes the seat with it gets a token of their own, and the invitation
    is spent. Both are random, 128 bits, and shown to nobody else.
    """

    def __init__(self, number: int, name: str, agent: Agent | None) -> None:
        self.number, self.name, self.agent = number, name, agent
        """The agent that decides; None for a person."""
        self.invitation = secrets.token_urlsafe(_TOKEN_BYTES) if agent is None else None
        """None for agents, and once somebody has sat down."""
        self.token: str | None = None
        self.connections = 0
        """Of a person's browser tabs."""
        self.has_failed = False
        """True if the agent could not say what to do at its last decision that everybody saw."""

    @property
    def is_person(self) -> bool:
        """True if a person decides."""
        return self.agent is None

    @property
    def is_away(self) -> bool:
        """True if it is a person's seat, and the person is not connected."""
        return self.is_person and self.connections == 0

    @property
    def is_taken(self) -> bool:
        """True if somebody sits here: an agent, or a person who has come."""
        return self.agent is not None or self.token is not None

    def take(self, name: str) -> str:
        """Let a person sit down. Returns the person's token."""
        self.name, self.invitation = name, None
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        return self.token
