"""A policy measured on a track of the suite: :func:`measure_policy`."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import agents
from train.common.processes import cores
from train.common.progress import progress_bar
from train.common.suite import Track
from train.evaluation.duplicate import evaluate
from train.evaluation.estimate import Estimate
from train.evaluation.played_by import player_digest
from train.evaluation.scores import Score
from train.evaluation.tournament import code_digest


class Trained(NamedTuple):
    """The run that a policy is the result of, and what its training took; 0: unknown."""

    algorithm: str
    seed: int = 0
    decisions: int = 0
    seconds: float = 0.0
    choices: int = 0


def measure_policy(track: Track, agent: str, trained: Trained, deals: int = 0, threads: int = 0) -> list[Score]:
    """Final scores of an agent against each opponent of a track, with facts about its training.

    With 0 ``deals`` for each rule set the deals are the track's; a score on others is no score of the suite. 0
    ``threads``: one for each core. Raises ValueError if there is no such agent, or it does not support the rules, and
    PlayerError if it failed or chose an action that is not legal.
    """
    deals, measured = deals or track.deals, []
    for name in track.tables:
        tables = track.table_rules(name)
        for opponent, spec in track.opponent_specs().items():
            games = deals * sum(rules.players for rules in tables)
            with progress_bar(f"{trained.algorithm} against {opponent}, {name}", games) as progress:
                parts: list[Estimate] = []
                for place, rules in enumerate(tables):
                    done = deals * sum(each.players for each in tables[:place])
                    if agent == spec:  # as strong as itself, whatever is dealt
                        parts.append(Estimate(1 / rules.players, 0.0, deals, 1 / rules.players, 1 / rules.players))
                        continue
                    result = evaluate(
                        agent, spec, rules, deals, track.seed, threads=threads or cores(),
                        progress=lambda finished, done=done, progress=progress: progress(done + finished),  # type: ignore[misc]
                    )  # fmt: skip
                    parts.append(result.estimate)
            measured.append(_score(track, name, opponent, mean_estimate(parts), deals, trained, player_digest(agent)))
    return measured


def verify_agent(track: Track, agent: str, fair: bool = False) -> None:
    """Check that an agent is there, plays by all rules of a track, and, if it has to be ``fair``, does not see all
    hands. Raises ValueError if it is not, or does not.
    """
    for name in track.tables:
        for rules in track.table_rules(name):
            loaded = agents.load(agent, rules=rules)
            if fair and loaded.sees_all_hands:
                raise ValueError(f"{agent!r} is not allowed: it sees all hands")


def scale_scores(track: Track) -> Iterator[Score]:
    """The scores of both ends of a track's scale, from its file."""
    for name, ends in track.scale.items():
        for agent, rates in ends.items():
            for opponent, rate in rates.items():
                estimate = Estimate(rate, 0.0, track.deals, rate, rate)
                yield _score(track, name, opponent, estimate, track.deals, Trained(agent), "")


def mean_estimate(parts: Sequence[Estimate]) -> Estimate:
    """The mean of win rates over rule sets."""
    error = float(np.sqrt(sum(part.error**2 for part in parts)) / len(parts))
    mean = float(np.mean([part.mean for part in parts]))
    return Estimate.normal(mean, error, sum(part.n for part in parts)).share()


def _score(track: Track, name: str, opponent: str, rate: Estimate, deals: int, trained: Trained, digest: str) -> Score:
    numbers = {rules.players for rules in track.table_rules(name)}
    return Score(
        trained.algorithm, name, trained.seed, opponent, rate.mean, rate.low, rate.high, deals,
        numbers.pop() if len(numbers) == 1 else 0, trained.decisions, round(trained.seconds, 3), True,
        digest, trained.choices, track.suite, track.digest,
    )  # fmt: skip


def code_version() -> dict[str, str | None]:
    """The commit of the code (``-dirty`` where files differ) and its date, null outside a checkout; and its digest."""
    commit = _git("describe", "--always", "--dirty", "--exclude=*")
    return {"commit": commit, "date": _git("log", "-1", "--format=%cs"), "code": code_digest()}


def _git(*arguments: str) -> str | None:
    line = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip() or None
    except (OSError, subprocess.CalledProcessError):
        return None
