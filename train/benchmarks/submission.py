"""Submissions to the leaderboard: ``uno benchmark submit FOLDER``.

The folder holds a card (:class:`train.benchmarks.submitted_folder.Card`), and policies, or scores that were measured
elsewhere, or both. Policies are measured on the deals of the suite, one after the other; what is done is kept in
``FOLDER/measured``, and the same command goes on. Scores of ``scores.jsonl`` that were measured again must come out the
same. What is written is one file for ``benchmark/v1/scores/``, from which the leaderboard is made. If the file is
there, runs are added to it. So a submission can have several budgets, one folder after the other.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from agents.policy.policy_file import policy_path
from train.benchmarks.measuring import Trained, measure_policy, verify_agent
from train.benchmarks.submitted_folder import CARD, Card, inside, read_card, spec_of
from train.common.job import ResumableJob
from train.common.suite import Suite, sha256
from train.evaluation.game_recorder import file_stem
from train.evaluation.scores import Score, read_scores
from train.evaluation.tournament import files_digest
from uno_env.common.files import read_json, write_json
from uno_env.common.validation import convert
from uno_env.player import PlayerError

SCORES = "scores.jsonl"
SLACK = 1.1
"""How far a run may go beyond its budget: an iteration is finished."""


@dataclass(frozen=True)
class Submission:
    """A file of ``benchmark/v1/scores/``."""

    card: Card
    suite: str
    verified: tuple[str, ...]
    """Runs that were measured again, such as ``duel-2p, seed 0, 1,000,000 decisions``."""
    scores: Annotated[tuple[Score, ...], Meta(min_length=1)]


@dataclass(frozen=True)
class _Entry:
    """A policy to measure."""

    track: str
    policy: str
    trained: Trained


def prepare(folder: Path, suite: Suite, trust_code: bool = False) -> tuple[Card, list[Score], dict[str, Any]]:
    """Check a folder before the work: the card, the scores that it claims, and the policies to measure, by file.
    Policies that are code are refused unless ``trust_code`` is given. Raises ValueError if something is not allowed, or
    there is nothing to submit.
    """
    card = read_card(folder)
    scores = inside(folder, SCORES)
    claimed = _claimed(scores, card, suite) if scores.is_file() else []
    entries = _entries(folder, card, claimed, suite, trust_code)
    if not entries and not claimed:
        raise ValueError(f"{str(folder)!r} holds neither policies nor {SCORES}: name policies in {CARD}")
    for entry in entries.values():
        verify_agent(suite.track(entry.track), entry.policy, fair=True)
    return card, claimed, entries


def submit(folder: Path, out: Path, suite: Suite, threads: int = 0, trust_code: bool = False) -> Path:
    """Measure what can be measured, and write the file of a submission, or add to it. Raises ValueError as
    :func:`prepare` does, or if the file is of others, a policy fails or does not do again what was claimed, and
    Interrupted after Ctrl-C.
    """
    card, claimed, entries = prepare(folder, suite, trust_code)
    path = out / f"{card.name}.json"
    before = read_submissions([path], suite) if path.exists() else []
    if any(each.card.authors != card.authors for each in before):
        raise ValueError(f"{str(path)!r} is by {before[0].card.authors}: choose another name than {card.name!r}")
    identity = {"suite": suite.version, "tracks": dict(suite.manifest.tracks)}

    def work(entry: _Entry) -> list[dict[str, Any]]:
        try:
            scores = measure_policy(suite.track(entry.track), entry.policy, entry.trained, threads=threads)
        except PlayerError as error:
            raise ValueError(f"{entry.policy!r} failed on {entry.track}, nothing was written: {error}") from None
        return [asdict(score) for score in scores]

    parts = ResumableJob("submission", identity, folder / "measured").run(entries, work).values()
    measured = [convert(values, Score) for part in parts for values in part]
    found = {score.key: score for score in claimed}
    for score in measured:
        _verify_claim(found.get(score.key), score)
        found[score.key] = score
    names = tuple(dict.fromkeys(run_of(score, suite) for score in measured))
    scores = tuple(replace(score, algorithm=card.name) for score in found.values())
    made = Submission(replace(card, policies=None), suite.version, names, scores)
    write_json(path, asdict(_added(before[0], made, suite) if before else made))
    return path


def _added(before: Submission, made: Submission, suite: Suite) -> Submission:
    """A submission with the runs of an earlier one that it does not have. Learning curves of a track are of one."""
    runs = {run_of(score, suite) for score in made.scores if score.final}
    curves = {score.track for score in made.scores if not score.final}
    kept = [score for score in before.scores
            if (run_of(score, suite) not in runs if score.final else score.track not in curves)]  # fmt: skip
    verified = [run for run in before.verified if run not in runs]
    return replace(made, verified=(*verified, *made.verified), scores=(*kept, *made.scores))


def run_of(score: Score, suite: Suite) -> str:
    """The run that a final score is of, in words: track, seed and budget."""
    budget = budget_of(score, suite.track_of_score(score.track).budgets)
    told = f", {budget:,} decisions" if budget else ""
    return f"{score.track.partition('/')[0]}, seed {score.seed}{told}"


def budget_of(score: Score, budgets: Sequence[int]) -> int:
    """The smallest budget that a score keeps to; 0: none, or its decisions are not known."""
    return min((budget for budget in budgets if 0 < score.decisions <= SLACK * budget), default=0)


def read_submissions(files: Sequence[Path], suite: Suite) -> list[Submission]:
    """Submissions from their files. Raises ValueError if a file holds none, or one to another suite."""
    submissions = []
    for file in files:
        try:
            submissions.append(convert(read_json(file), Submission))
            for score in submissions[-1].scores:
                verify_suite(score, suite)
        except ValueError as error:
            raise ValueError(f"{str(file)!r} is no submission to suite {suite.version}: {error}") from None
    return submissions


def verify_suite(score: Score, suite: Suite) -> None:
    """Raise :class:`ValueError` if a score is not one of a suite, by its track's digest and its deals."""
    track = suite.track_of_score(score.track)
    named = f"the score of {score.algorithm} on {score.track} against {score.opponent}"
    if score.track_digest != track.digest:  # not the version: what was measured on a draft's track stays valid
        raise ValueError(f"{named} is of another file of the track, of suite {score.suite or 'none'}")
    if score.opponent not in track.opponent_specs():
        raise ValueError(f"{named}: the opponents are {', '.join(track.opponent_specs())}")
    if score.final and score.deals != track.deals:
        raise ValueError(f"{named} is of {score.deals:,} deals, and the track has {track.deals:,}")


def _claimed(file: Path, card: Card, suite: Suite) -> list[Score]:
    scores = [score for score in read_scores([file]) if not score.is_end]
    names = sorted({score.algorithm for score in scores})
    name = card.algorithm or (names[0] if len(names) == 1 else "")
    if name not in names:
        raise ValueError(f"algorithm {name!r} is not allowed in {str(file.with_name(CARD))!r}: {file.name} has "
                         f"{', '.join(names)}")  # fmt: skip
    claimed = [score for score in scores if score.algorithm == name]
    for score in claimed:
        verify_suite(score, suite)
    for run in {(score.track, score.seed) for score in claimed}:
        met = {score.opponent for score in claimed if score.final and (score.track, score.seed) == run}
        missing = [each for each in suite.track_of_score(run[0]).opponent_specs() if each not in met]
        if missing:
            raise ValueError(f"{str(file)!r} lacks the score against {missing[0]} on {run[0]}, seed {run[1]}")
    return claimed


def _entries(folder: Path, card: Card, claimed: Sequence[Score], suite: Suite, trust_code: bool) -> dict[str, _Entry]:
    runs = {(score.track.partition("/")[0], score.seed): score for score in claimed if score.final}
    named: dict[tuple[str, int], str] = {}
    if card.policies is None:
        for track, seed in runs:
            run = Path(track) / f"{file_stem(runs[track, seed].algorithm)}-s{seed}"
            if policy_path(folder / run).is_file():
                named[track, seed] = spec_of(folder, str(run))
    else:
        for track, policies in card.policies.items():
            named |= {(track, seed): spec_of(folder, policy, trust_code) for seed, policy in enumerate(policies)}
    entries = {}
    for (track, seed), policy in named.items():
        told = runs.get((track, seed))
        if told is None:
            trained = Trained(card.algorithm or card.name, seed, card.decisions, 0.0, card.choices)
        else:
            trained = Trained(told.algorithm, seed, told.decisions, told.seconds, told.choices)
        told_apart = sha256(repr((policy, files_digest(policy), trained)).encode())[:12]
        entries[f"{track}-s{seed}-{told_apart}.json"] = _Entry(track, policy, trained)
    return entries


def _verify_claim(claim: Score | None, measured: Score) -> None:
    if claim is not None and abs(claim.win_rate - measured.win_rate) > (claim.high - claim.low) / 2:
        raise ValueError(
            f"{claim.algorithm}, seed {claim.seed}, claims {claim.win_rate:.1%} against {claim.opponent} on "
            f"{claim.track}, and its policy won {measured.win_rate:.1%} on the same deals: nothing was written"
        )
