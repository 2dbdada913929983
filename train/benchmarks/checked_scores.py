"""Scores of a submission, checked against the frozen tracks: :func:`verify_scores`."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from train.common.suite import Suite, Track
from train.evaluation.scores import Score

SLACK = 1.1
"""The part of its budget that a run may use and still be listed with it, marked: some programs end a whole
iteration."""
MOST_SEED = 2**62 + 1_000
"""The largest seed of a run that ``uno benchmark run`` does."""
MOST_DECISIONS = 10**15
_CLOSE = 1e-3
"""The largest distance of a number of wins from a whole one, by the rounding of the win rate."""


def run_of(score: Score, suite: Suite) -> str:
    """The run that a final score is of, in words: track, seed and budget."""
    budget = budget_of(score, suite.track_of_score(score.track).budgets)
    told = f", {budget:,} decisions" if budget else ""
    return f"{score.track.partition('/')[0]}, seed {score.seed}{told}"


def budget_of(score: Score, budgets: Sequence[int]) -> int:
    """Return the smallest budget that a score keeps to, or 0 if there is none, or its decisions are not known."""
    return min((budget for budget in budgets if 0 < score.decisions <= SLACK * budget), default=0)


def verify_scores(scores: Sequence[Score], suite: Suite) -> None:
    """Raise :class:`ValueError` if a field of a score is not what its frozen track says, a number of wins is none, a
    score is there twice, or a run lacks one.
    """
    runs: dict[str, list[Score]] = defaultdict(list)
    there: set[tuple[object, ...]] = set()
    for score in scores:
        _verify_score(score, suite)
        run = run_of(score, suite)
        key = (score.track, score.opponent, run) if score.final else score.key
        if key in there:
            raise ValueError(f"{_named(score)}, seed {score.seed}, is there twice")
        there.add(key)
        if score.final:
            runs[run].append(score)
    for finals in runs.values():
        _verify_run(finals, suite.track_of_score(finals[0].track))


def _verify_run(scores: Sequence[Score], track: Track) -> None:
    """Raise :class:`ValueError` if a run lacks a score, or its scores are of different policies."""
    first, met = scores[0], {(score.track, score.opponent) for score in scores}
    for table in track.tables:
        for opponent in track.opponent_specs():
            if (table, opponent) not in met:
                raise ValueError(f"{first.algorithm} lacks the score against {opponent} on {table}, seed {first.seed}")
    for name in ("digest", "decisions", "choices", "seconds"):
        if len({getattr(score, name) for score in scores}) > 1:
            raise ValueError(f"the scores of {first.algorithm} on {first.track}, seed {first.seed}, differ in {name}")


def verify_suite(score: Score, suite: Suite) -> Track:
    """The track that a score is of. Raises ValueError if it is not one of the suite, by its track's digest, its
    opponent and its deals.
    """
    track, named = suite.track_of_score(score.track), _named(score)
    if score.track_digest != track.digest:  # not the version: what was measured on a draft's track stays valid
        raise ValueError(f"{named} is of another file of the track, of suite {score.suite or 'none'}")
    if score.opponent not in track.opponent_specs():
        raise ValueError(f"{named}: the opponents are {', '.join(track.opponent_specs())}")
    if score.final and score.deals != track.deals:
        raise ValueError(f"{named} is of {score.deals:,} deals, and the track has {track.deals:,}")
    return track


def _verify_score(score: Score, suite: Suite) -> None:
    track, named = verify_suite(score, suite), _named(score)
    if len(track.tables) > 1 and not score.final:
        raise ValueError(f"{named} is a point of a learning curve, and there are none over several tables")
    players = [int(rules["players"]) for rules in track.tables[score.track]]
    each = players[0] if len(set(players)) == 1 else 0
    versions = (suite.version, f"{suite.version}-draft")
    most = {"seed": MOST_SEED, "decisions": MOST_DECISIONS, "choices": score.decisions or MOST_DECISIONS}
    wrong = [f"{name}={getattr(score, name)}, and {limit} at most is possible"
             for name, limit in most.items() if getattr(score, name) > limit]  # fmt: skip
    wrong += [f"players={score.players}, and the track has {each}"] if score.players != each else []
    wrong += [f"suite={score.suite!r}, and this is {suite.version}"] if score.suite not in versions else []
    wrong += [f"seconds={score.seconds}"] if not math.isfinite(score.seconds) else []
    wrong += _wrong_rate(score, players)
    if wrong:
        raise ValueError(f"{named} has {wrong[0]}")


def _wrong_rate(score: Score, players: Sequence[int]) -> list[str]:
    """The faults of a win rate. In a game of n players, a win counts 1, and a hand that nobody won 1 / n."""
    if not score.low <= score.win_rate <= score.high:  # false for what is no number, too
        return [f"win_rate={score.win_rate} outside its interval, {score.low} to {score.high}"]
    parts = score.win_rate * len(players) * score.deals * math.lcm(*(number**2 for number in players))
    if abs(parts - round(parts)) > max(_CLOSE, 1e-12 * parts):
        games = score.deals * sum(players)
        return [f"win_rate={score.win_rate}, which no number of wins in {games:,} games gives"]
    return []


def _named(score: Any) -> str:
    return f"the score of {score.algorithm} on {score.track} against {score.opponent}"
