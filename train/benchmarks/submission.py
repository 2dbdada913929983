"""Submissions to the leaderboard: ``uno benchmark submit FOLDER``.

The folder holds a card (:class:`train.benchmarks.submitted_folder.Card`), and policies, or scores that were measured
elsewhere, or both. Policies are measured on the deals of the suite, one after the other. What is done is saved in
another folder, since anybody may have written this one, and the same command goes on. Scores of ``scores.jsonl`` that
were measured again must come out the same. What is written is one file for ``benchmark/v1/scores/``, from which the
leaderboard is made. If the file is there, runs are added to it. So a submission can have several budgets, one folder
after the other.
"""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from agents.custom_agents import offered
from agents.options import split_options
from agents.policy.policy_file import policy_path
from agents.scripted.agent import STRATEGIES
from agents.trust import Risk, risk_of
from train.algorithms.registry import ALGORITHMS
from train.benchmarks.checked_scores import run_of, verify_scores, verify_suite
from train.benchmarks.measuring import Trained, measure_policy, verify_agent
from train.benchmarks.submitted_folder import CARD, Card, inside, read_card, spec_of
from train.common.job import ResumableJob
from train.common.suite import BOTTOM, TOP, Suite, sha256
from train.evaluation.game_recorder import file_stem
from train.evaluation.scores import Score, read_scores
from train.evaluation.tournament import files_digest
from uno_env.common.files import read_json, write_json
from uno_env.common.validation import convert
from uno_env.player import PlayerError

SCORES = "scores.jsonl"
"""In the folder: scores of its author."""


@dataclass(frozen=True)
class Submission:
    """A file of ``benchmark/v1/scores/``."""

    card: Card
    suite: str
    verified: tuple[str, ...]
    """Runs that its author says were measured again, such as ``duel-2p, seed 0, 1,000,000 decisions``."""
    scores: Annotated[tuple[Score, ...], Meta(min_length=1)]
    code: tuple[str, ...] = ()
    """Those of them whose policy is code."""

    def runs(self, suite: Suite) -> dict[str, list[Score]]:
        """The final scores of each run."""
        runs: dict[str, list[Score]] = {}
        for score in self.scores:
            if score.final:
                runs.setdefault(run_of(score, suite), []).append(score)
        return runs


@dataclass(frozen=True)
class _Entry:
    """A policy to measure."""

    track: str
    policy: str
    trained: Trained
    code: bool


def prepare(folder: Path, suite: Suite, trust_code: bool = False) -> tuple[Card, list[Score], dict[str, _Entry]]:
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


def submit(
    folder: Path, out: Path, suite: Suite, threads: int = 0, trust_code: bool = False, saved: Path | None = None
) -> Path:
    """Measure what can be measured, and write the file of a submission, or add to it. What is done is ``saved`` in a
    folder, by default ``runs/submit-NAME``. Raises ValueError as :func:`prepare` does, or if the file is of others, a
    policy fails or does not do again what was claimed, and Interrupted after Ctrl-C.
    """
    card, claimed, entries = prepare(folder, suite, trust_code)
    others = set() if out.resolve() == _scores_folder(suite) else _published(suite)
    verify_name(card.name, suite, {*ALGORITHMS, *others})
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

    parts = ResumableJob("submission", identity, saved or Path("runs") / f"submit-{card.name}").run(entries, work)
    found = {score.key: score for score in claimed}
    verified: list[str] = []
    code: list[str] = []
    for entry, values in parts.items():
        measured = [convert(each, Score) for each in values]
        for score in measured:
            _verify_claim(found.get(score.key), score)
            found[score.key] = score
        verified.append(run_of(measured[0], suite))
        code += verified[-1:] if entry.code else []
    scores = tuple(replace(score, algorithm=card.name) for score in found.values())
    verify_scores(scores, suite)
    made = Submission(replace(card, policies=None), suite.version, tuple(verified), scores, tuple(code))
    write_json(path, asdict(_added(before[0], made, suite) if before else made))
    return path


def _added(before: Submission, made: Submission, suite: Suite) -> Submission:
    """A submission with the runs of an earlier one that it does not have. Learning curves of a track are of one."""
    runs = {run_of(score, suite) for score in made.scores if score.final}
    curves = {score.track for score in made.scores if not score.final}
    kept = [score for score in before.scores
            if (run_of(score, suite) not in runs if score.final else score.track not in curves)]  # fmt: skip
    verified, code = ([run for run in listed if run not in runs] for listed in (before.verified, before.code))
    return replace(made, verified=(*verified, *made.verified), scores=(*kept, *made.scores), code=(*code, *made.code))


def read_submissions(files: Sequence[Path], suite: Suite) -> list[Submission]:
    """Submissions from their files. Raises ValueError if a file holds none, or one to another suite."""
    submissions = []
    for file in files:
        with _told_of(file, suite):
            submissions.append(convert(read_json(file), Submission))
            for score in submissions[-1].scores:
                verify_suite(score, suite)
    return submissions


def checked_submissions(files: Sequence[Path], suite: Suite) -> list[Submission]:
    """Submissions from files that anybody may have written. Raises ValueError as :func:`read_submissions` does, or if a
    score is not what its track allows, a name is not the submission's own, or two have the same.
    """
    submissions: dict[str, Submission] = {}
    taken = {*ALGORITHMS, *_published(suite)}
    for file in files:
        (made,) = read_submissions([file], suite)
        with _told_of(file, suite):
            verify_name(made.card.name, suite, () if file.resolve().parent == _scores_folder(suite) else taken)
            if made.card.name in submissions:
                raise ValueError(f"its name is {made.card.name!r}, and so is another one's")
            others = {score.algorithm for score in made.scores} - {made.card.name}
            if others:
                raise ValueError(f"its name is {made.card.name!r}, and it has scores of {min(others)!r}")
            verify_scores(made.scores, suite)
        submissions[made.card.name] = made
    return list(submissions.values())


@contextlib.contextmanager
def _told_of(file: Path, suite: Suite) -> Iterator[None]:
    """A ValueError names the file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{str(file)!r} is no submission to suite {suite.version}: {error}") from None


def verify_name(name: str, suite: Suite, taken: Collection[str] = ()) -> None:
    """Raise :class:`ValueError` if a submission may not have a name: that of an opponent or an agent, or a ``taken``
    one.
    """
    opponents = {each for track in suite.tracks for each in suite.track(track).opponent_specs()}
    if name in {BOTTOM, TOP, *STRATEGIES, *opponents, *taken}:
        raise ValueError(f"the name {name!r} is taken: choose another one")


def _published(suite: Suite) -> set[str]:
    """The names of the submissions that come with a suite."""
    return {file.stem for file in _scores_folder(suite).glob("*.json")}


def _scores_folder(suite: Suite) -> Path:
    return (suite.folder / "scores").resolve()


def _claimed(file: Path, card: Card, suite: Suite) -> list[Score]:
    scores = [score for score in read_scores([file]) if not score.is_end]
    names = sorted({score.algorithm for score in scores})
    name = card.algorithm or (names[0] if len(names) == 1 else "")
    if name not in names:
        raise ValueError(f"algorithm {name!r} is not allowed in {str(file.with_name(CARD))!r}: {file.name} has "
                         f"{', '.join(names)}")  # fmt: skip
    claimed = [score for score in scores if score.algorithm == name]
    try:
        verify_scores(claimed, suite)
    except ValueError as error:
        raise ValueError(f"{str(file)!r} has scores that cannot be: {error}") from None
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
        body, _ = split_options(policy)
        code = risk_of(policy) is Risk.CODE or body in offered()
        entries[f"{track}-s{seed}-{told_apart}.json"] = _Entry(track, policy, trained, code)
    return entries


def _verify_claim(claim: Score | None, measured: Score) -> None:
    if claim is not None and abs(claim.win_rate - measured.win_rate) > (claim.high - claim.low) / 2:
        raise ValueError(
            f"{claim.algorithm}, seed {claim.seed}, claims {claim.win_rate:.1%} against {claim.opponent} on "
            f"{claim.track}, and its policy won {measured.win_rate:.1%} on the same deals: nothing was written"
        )
