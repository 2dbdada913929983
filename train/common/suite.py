"""The frozen suite of the benchmark, ``benchmark/v1/``: data that ships with the package, read by :func:`read_suite`.

Each track is a file, ``tracks/NAME.json``: its rules field by field, the opponents, the deals, the budgets, and what
the ends of its scale score. ``manifest.json`` has the version of the suite and the SHA-256 of each of these files; the
digest of a track is what a score is pinned to. Policies are in ``policies/``, and a track's file has their SHA-256.
``exact/NAME.json`` are games so small that they can be solved.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from uno_env.common.files import parse_json, read_file, read_json
from uno_env.common.spelling import did_you_mean
from uno_env.common.validation import convert
from uno_env.rules import PRESETS, Rules, as_rules

_INSTALLED, _CHECKOUT = Path(__file__).parents[1] / "suites", Path(__file__).parents[2] / "benchmark"
SUITES = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The folder of the suites: ``train/suites`` if installed, ``benchmark`` at the top of a checkout."""

LATEST = "v1"
BOTTOM, TOP = "random-play", "frozen"
"""Agents whose scores are 0 and 1 of a track: a scripted one, and the track's frozen policy."""


@dataclass(frozen=True)
class Opponent:
    """An opponent that every policy meets on a track."""

    name: str
    """A scripted agent's name, or :data:`TOP`."""
    sha256: str
    """Of the policy's file; for a scripted agent, of its choices at the track's first decisions."""
    file: str = ""
    """The policy's file, as seen from the suite's folder; empty for a scripted agent."""


@dataclass(frozen=True)
class Track:
    """Rules on which algorithms are compared, whom they meet there, and on which deals."""

    name: str
    about: str
    """Description in a sentence."""
    tables: Mapping[str, Annotated[tuple[Mapping[str, Any], ...], Meta(min_length=1)]]
    """Rules to be measured by: those of each score, by the score's name."""
    opponents: Annotated[tuple[Opponent, ...], Meta(min_length=1)]
    deals: Annotated[int, Meta(ge=2)]
    """Duplicate deals for each rule set, against each opponent."""
    seed: Annotated[int, Meta(ge=0)]
    """Seed of the deals."""
    budgets: tuple[int, ...]
    """Decisions of all seats that a run may train for."""
    counts: str
    """The meaning of a score, in a sentence."""
    course: str
    """SHA-256 of the first decisions of the first deals: the seats to decide, and the legal actions."""
    training: tuple[Mapping[str, Any], ...] = ()
    """Rules to train by; empty: the only ones of :attr:`tables`."""
    truncated_is_lost: bool = False
    """True if truncated hands count, while algorithms train, as lost by every seat."""
    scale: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """Win rates of :data:`BOTTOM` and :data:`TOP` by score and opponent."""
    suite: str = ""
    """Version of the suite; not in the file."""
    digest: str = ""
    """SHA-256 of the file; not in the file."""
    folder: str = ""
    """Folder of the suite; not in the file."""

    def rules(self) -> Rules:
        """The rules, or the first of several."""
        return Rules.from_dict((self.training or next(iter(self.tables.values())))[0])

    def table_rules(self, score: str) -> list[Rules]:
        """The rules that a score is measured by."""
        return [Rules.from_dict(values) for values in self.tables[score]]

    def opponent_specs(self) -> dict[str, str]:
        """The spec for :func:`agents.load` of each opponent, by name."""
        return {each.name: str(Path(self.folder) / each.file) if each.file else each.name for each in self.opponents}


@dataclass(frozen=True)
class ExactGame:
    """A game with so few cards that its tree can be grown, and solved."""

    name: str
    about: str
    """The hidden information in the game, and its worth, in a sentence."""
    rules: Mapping[str, Any]
    """All fields."""
    nodes: int
    """Of its tree (:class:`uno_env.extensive_form.game_tree.GameTree`)."""
    information_states: int


@dataclass(frozen=True)
class Manifest:
    """``manifest.json``: the description of a suite."""

    suite: str
    """Its version; ``-draft`` behind it as long as it may change."""
    tracks: Mapping[str, str]
    """SHA-256 of the file of each track."""
    positions: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of ``positions-TRACK.json`` for each track that has positions with values."""
    exact: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of ``exact/NAME.json`` for each game that can be solved, the smallest first."""


@dataclass(frozen=True)
class Suite:
    """A suite of tracks."""

    folder: Path
    manifest: Manifest
    _tracks: dict[str, Track] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Those that were read."""

    @property
    def version(self) -> str:
        """Its name in scores."""
        return self.manifest.suite

    @property
    def tracks(self) -> list[str]:
        """Names of the tracks."""
        return list(self.manifest.tracks)

    def track(self, name: str) -> Track:
        """The track of a name. Raises ValueError if there is none such, or a frozen file is missing or was changed."""
        if name not in self.tracks:
            raise ValueError(
                f"track {name!r} is not allowed{did_you_mean(name, self.tracks)}: there are {', '.join(self.tracks)}"
            )
        if name not in self._tracks:
            data = self._read(f"tracks/{name}.json", self.manifest.tracks[name])
            values = {"suite": self.version, "digest": sha256(data), "folder": str(self.folder)}
            track = convert({**parse_json(data), **values}, Track)
            for opponent in track.opponents:
                if opponent.file:
                    self._read(opponent.file, opponent.sha256)
            self._tracks[name] = track
        return self._tracks[name]

    def positions_file(self, name: str) -> Path:
        """The file of a track's positions. Raises ValueError if it has none, or the frozen file was changed."""
        frozen = self.manifest.positions
        if name not in frozen:
            raise ValueError(
                f"track {name!r} is not allowed{did_you_mean(name, frozen)}: there are positions of "
                f"{', '.join(frozen) or 'no track'}"
            )
        file = f"positions-{name}.json"
        self._read(file, frozen[name])
        return self.folder / file

    def exact_game(self, name: str) -> ExactGame:
        """A game that can be solved. Raises ValueError if there is none such, or its frozen file was changed."""
        frozen = self.manifest.exact
        if name not in frozen:
            raise ValueError(f"game {name!r} is not allowed{did_you_mean(name, frozen)}: there are {', '.join(frozen)}")
        return convert(parse_json(self._read(f"exact/{name}.json", frozen[name])), ExactGame)

    def track_of_score(self, score: str) -> Track:
        """The track that a score's name belongs to. Raises ValueError as :meth:`track` does."""
        track = self.track(score.partition("/")[0])
        if score not in track.tables:
            raise ValueError(f"score {score!r} is not allowed: there are {', '.join(track.tables)}")
        return track

    def _read(self, name: str, digest: str) -> bytes:
        path = self.folder / name
        try:
            data = read_file(path)
        except OSError as error:
            raise ValueError(f"{str(path)!r} of the suite cannot be read: {error.strerror}") from None
        if sha256(data) != digest:
            raise ValueError(f"{str(path)!r} is not the frozen file of suite {self.version}: install it again")
        return data


def sha256(data: bytes) -> str:
    """SHA-256 as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def read_suite(name: str = LATEST) -> Suite:
    """The suite of a name, such as ``v1``. Raises ValueError if there is none such, or its manifest is damaged."""
    there = sorted(path.parent.name for path in SUITES.glob("*/manifest.json"))
    if name not in there:
        raise ValueError(f"suite {name!r} is not allowed: there are {', '.join(there) or 'none'}")
    file = SUITES / name / "manifest.json"
    try:
        return Suite(file.parent, convert(read_json(file), Manifest))
    except ValueError as error:
        raise ValueError(f"{str(file)!r} is no manifest of a suite: {error}") from None


def named_rules(rules: Any, players: int | None = None) -> Rules:
    """Rules by :func:`uno_env.rules.as_rules`, or of a solvable game. Raises ValueError if there are none such."""
    name = rules.get("preset") if isinstance(rules, Mapping) else rules
    if not isinstance(name, str) or name in PRESETS or name not in (suite := read_suite()).manifest.exact:
        return as_rules(rules, players)
    changes = {key: value for key, value in rules.items() if key != "preset"} if isinstance(rules, Mapping) else {}
    return as_rules({**suite.exact_game(name).rules, **changes}, players)


@cache
def training_rules(track: str) -> tuple[Rules, ...]:
    """The rules that a track of the latest suite is trained by. Raises ValueError if it has no list of them."""
    listed = read_suite().track(track).training
    if len(listed) < 2:
        raise ValueError(f"track {track!r} is not allowed here: it has no list of rules to train by")
    return tuple(Rules.from_dict(values) for values in listed)
