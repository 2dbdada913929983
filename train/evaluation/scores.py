"""Win rates of trained policies in one tidy file, a line of JSON each: :class:`Score`.

Whoever has scores of other algorithms appends them to such a file, or gives two files: nothing is trained again.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from train.common.suite import BOTTOM, TOP
from uno_env.common.files import parse_json, read_file, write_text
from uno_env.common.validation import convert

Share = Annotated[float, Meta(ge=0, le=1)]

REFERENCES = (BOTTOM, "tuned")
"""Agents whose scores are 0 and 1 of the normalized scores where a track is one's own: :attr:`Score.ends`."""


@dataclass(frozen=True)
class Score:
    """The win rate of one policy against one opponent."""

    algorithm: str
    track: str
    """A track of the suite (:mod:`train.common.suite`), or a track of one's own."""
    seed: Annotated[int, Meta(ge=0)]
    """Seed of the training."""
    opponent: str
    win_rate: Share
    low: Share
    high: Share
    """The 95 % interval over deals."""
    deals: Annotated[int, Meta(ge=2)]
    """Duplicate deals."""
    players: Annotated[int, Meta(ge=0)]
    """Number of players; 0: several numbers."""
    decisions: Annotated[int, Meta(ge=0)]
    """Decisions of all seats that the policy had been trained for."""
    seconds: Annotated[float, Meta(ge=0)]
    """Time of the training until then, without evaluations."""
    final: bool
    """True if the policy is the result of the training, False if it is a point of its learning curve."""
    digest: str = ""
    """Digest of the policy (:mod:`train.evaluation.played_by`); empty: not recorded."""
    choices: Annotated[int, Meta(ge=0)] = 0
    """Decisions that the policy learned from; 0: unknown."""
    suite: str = ""
    """Version of the suite when it was measured; empty for scores of tracks of one's own."""
    track_digest: str = ""
    """SHA-256 of the track's file in the suite, which decides what it can be compared with."""

    @property
    def ends(self) -> tuple[str, str]:
        """Agents whose normalized scores are 0 and 1 on this track. As algorithms, they have learned from 0
        decisions.
        """
        return (BOTTOM, TOP) if self.track_digest else REFERENCES

    @property
    def is_end(self) -> bool:
        """True if the algorithm is one of them."""
        return self.algorithm in self.ends

    @property
    def key(self) -> tuple[object, ...]:
        """The key of a measurement: a run has one final score against each opponent."""
        return self.algorithm, self.track, self.seed, self.opponent, self.final, self.final or self.decisions


def write_scores(path: Path, scores: Iterable[Score]) -> None:
    """Write scores, a line of JSON each, atomically."""
    write_text(path, "".join(json.dumps(asdict(score), allow_nan=False) + "\n" for score in scores))


def read_scores(paths: Sequence[Path]) -> list[Score]:
    """The scores of all files. Raises ValueError if one is none, twice there or of another suite, and OSError."""
    scores: dict[tuple[object, ...], Score] = {}
    for path in paths:
        for number, line in enumerate(read_file(path).splitlines(), 1):
            try:
                score = convert(parse_json(line), Score)
            except ValueError as error:
                raise ValueError(f"{str(path)!r}, line {number} is no score: {error}") from None
            try:
                add_score(scores, score)
            except ValueError as error:
                raise ValueError(f"{str(path)!r}, line {number}: {error}") from None
    verify_one_suite(scores.values())
    if not any(score.final for score in scores.values()):
        raise ValueError(f"there are no scores of trained policies in {', '.join(map(repr, map(str, paths)))}")
    return list(scores.values())


def verify_one_suite(scores: Iterable[Score]) -> None:
    """Raise :class:`ValueError` if scores of a track are pinned to different files of a suite."""
    pinned: dict[str, Score] = {}
    for score in scores:
        first = pinned.setdefault(score.track, score)
        if first.track_digest != score.track_digest:
            suites = [f"of suite {each.suite or 'none'} ({each.track_digest[:12]})" for each in (first, score)]
            raise ValueError(
                f"scores on {score.track} cannot be compared: those of {first.algorithm} are {suites[0]}, those of "
                f"{score.algorithm} {suites[1]}"
            )


def add_score(scores: dict[tuple[object, ...], Score], score: Score) -> None:
    """Add a score by its key. Of a reference, the score on the most deals stays. Raises ValueError if there is another
    one.
    """
    before = scores.setdefault(score.key, score)
    if before != score and not score.is_end:
        raise ValueError(
            f"another score of {score.algorithm}, seed {score.seed}, on {score.track} against {score.opponent} was "
            "read before; give one of them another name"
        )
    if score.deals > before.deals:
        scores[score.key] = score


def scores_of(values: Mapping[str, Any]) -> list[Score]:
    """The scores in a report of algorithms. Raises ValueError, KeyError or TypeError if it is no such report."""
    runs = [run["scores"] for run in values["runs"] if "failed" not in run]
    return [convert(score, Score) for scores in (*runs, values.get("scale", ())) for score in scores]
