"""The tracks on which agents and algorithms are measured: rules, players, and whom they meet there."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train.runs.config import SHIPPED
from uno_env.common.spelling import did_you_mean
from uno_env.rules import Rules

OPPONENTS = ("random-play", "rlcard-rule", "tuned")
"""The ladder of opponents that trained policies are measured against: from the simplest that is no fool to the
strongest that is quick."""


REPORT_SEED = 1_000_000
"""Seed of the deals that reports are on: model cards, their table and the ladder. Candidates are chosen on others, such
as those of seed 0, which ``uno evaluate`` plays by default: the best of several on some deals is a little weaker on
others."""


@dataclass(frozen=True)
class Track:
    """Rules with a number of players."""

    preset: str
    players: int
    share: float = 1.0
    """Share of the deals that are played on it: after duel, a deal takes two to eight times as long."""
    max_decisions: int | None = None
    """Decisions after which hands are truncated while algorithms train; None: as many as in the preset."""
    truncated_is_lost: bool = False
    """Whether truncated hands count, while algorithms train, as lost by every seat."""

    def rules(self) -> Rules:
        """The rules."""
        return Rules.preset(self.preset, players=self.players)

    def training(self) -> dict[str, Any]:
        """The game that every algorithm trains on, as keys of its config; policies are measured by :meth:`rules`."""
        limited = {"preset": self.preset, "max_decisions": self.max_decisions}
        rules = self.preset if self.max_decisions is None else limited
        return {"rules": rules, "players": self.players, "truncated_is_lost": self.truncated_is_lost}

    def config(self, algorithm: str) -> Path:
        """The config of an algorithm for the track."""
        return SHIPPED / algorithm / f"{self.preset}-{self.players}p.yaml"


TRACKS = {
    "duel-2p": Track("duel", 2),
    "classic-2p": Track("classic", 2, 0.1),
    "classic-4p": Track("classic", 4, 0.1),
    "house-4p": Track("house", 4, 0.1, max_decisions=300, truncated_is_lost=True),
    "rlcard-2p": Track("rlcard", 2),
}


def track_of(name: str) -> Track:
    """The track of a name.

    Raises:
        ValueError: there is none such.
    """
    if name not in TRACKS:
        raise ValueError(f"track {name!r} is not allowed{did_you_mean(name, TRACKS)}: there are {', '.join(TRACKS)}")
    return TRACKS[name]
